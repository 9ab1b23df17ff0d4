// Regular expressions as pbfilter has them: RE2's syntax, in JavaScript's.
//
// What RE2 refuses is refused: backreferences and look-around.  Flags are
// understood at the beginning only, as in (?i).

const posixClasses = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

function badPattern(pattern, why) {
  return new Error(`invalid expression '${pattern}': ${why}`);
}

// A character that stands for itself, outside or inside of brackets.
const literal = c => (/[\^$\\.*+?()[\]{}|/-]/.test(c) ? hex(c) : c);
const hex = c => `\\u{${c.codePointAt(0).toString(16)}}`;

class PatternReader {
  constructor(pattern) {
    this.pattern = pattern;
    this.at = 0;
    this.out = "";
  }

  // What the rest matches at its beginning, as an array, or null.
  take(expression) {
    const found = expression.exec(this.pattern.slice(this.at));
    if (found) this.at += found[0].length;
    return found;
  }

  fail(why) {
    throw badPattern(this.pattern, why);
  }

  read(flags) {
    const leading = this.take(/^\(\?([is]+)\)/)?.[1] ?? "";
    flags = ["u", ...new Set(flags + leading)].join("");
    while (this.at < this.pattern.length) this.out += this.item();
    try {
      return new RegExp(this.out, flags);
    } catch (error) {
      this.fail(error.message.replace(/^.*: /, ""));
    }
  }

  item() {
    const quoted = this.take(/^\\Q([^]*?)(\\E|$)/);
    if (quoted) return [...quoted[1]].map(literal).join("");
    if (this.take(/^\\A/)) return "(?<![^])";
    if (this.take(/^\\z/)) return "(?![^])";
    const edge = this.take(/^\\[bB]/);
    if (edge) return edge[0];
    if (this.take(/^\\s/)) return "[\\t\\n\\f\\r ]";
    if (this.take(/^\\S/)) return "[^\\t\\n\\f\\r ]";
    if (this.take(/^\\/)) return this.escape();
    const brackets = this.take(/^\[\^?/);
    if (brackets) return this.brackets(brackets[0]);
    if (this.take(/^\(\?:/)) return "(?:";
    if (this.take(/^\(\?P?<(?![=!])[^>]*>/)) return "(";
    if (this.take(/^\(\?/))
      this.fail("flags can only be at the beginning, and look-around nowhere");
    const repeat = this.take(/^\{\d+(,\d*)?\}/);
    if (repeat) return repeat[0];
    const c = this.take(/^[^]/u)[0];
    return "{}]".includes(c) ? "\\" + c : c;
  }

  // What is after a backslash, outside or inside of brackets.
  escape() {
    const same = this.take(/^([dDwWfnrtv]|x[0-9a-fA-F]{2})/);
    if (same) return "\\" + same[0];
    if (this.take(/^a/)) return "\\x07";
    const code = this.take(/^x\{([0-9a-fA-F]+)\}/);
    if (code) return `\\u{${code[1]}}`;
    const octal = this.take(/^([1-7][0-7]{2}|0[0-7]{0,2})/);
    if (octal) return `\\u{${parseInt(octal[1], 8).toString(16)}}`;
    const group = this.take(/^([pP])(?:\{(\^?)(\w+)\}|(\w))/);
    if (group) return this.unicode(...group.slice(1));
    const c = this.take(/^[^]/u)?.[0];
    if (!c) this.fail("nothing after the last backslash");
    if (/[0-9]/.test(c)) this.fail("backreferences are not supported");
    if (/[A-Za-z]/.test(c)) this.fail(`\\${c} is not supported`);
    return literal(c);
  }

  unicode(p, not, long, short) {
    const name = long || short;
    const negated = (p === "P") !== (not === "^");
    return `\\${negated ? "P" : "p"}{${name.length > 2 ? "sc=" : ""}${name}}`;
  }

  // From [ or [^ to ]; a ] at the beginning stands for itself.
  brackets(begin) {
    let out = begin + (this.take(/^\]/) ? "\\]" : "");
    while (!this.take(/^\]/)) {
      const named = this.take(/^\[:(\^?)(\w+):\]/);
      if (named) {
        const posix = posixClasses[named[2]];
        if (!posix || named[1]) this.fail(`${named[0]} is not supported`);
        out += posix;
      } else if (this.take(/^\\s/)) {
        out += "\\t\\n\\f\\r ";
      } else if (this.take(/^\\S/)) {
        out += "\\S";
      } else if (this.take(/^\\/)) {
        out += this.escape();
      } else {
        const c = this.take(/^[^]/u)?.[0];
        if (!c) this.fail("missing ]");
        out += c;
      }
    }
    return out + "]";
  }
}

// The browser's expressions are fast, but try one way to match after the
// other.  They are only used as long as all of the ways are not too many.
class Pattern {
  constructor(text, flags) {
    this.text = text;
    this.quick = new PatternReader(text).read(flags);
    this.left = 2e9; // characters to look at
    this.loops = this.forks = 0;
    let last = "";
    for (const token of this.quick.source.match(expressionTokens) || []) {
      if (token === "|" || token === "?") this.forks++;
      else if (isRepeat(token)) this.loops += last === ")" ? Infinity : 1;
      last = token;
    }
  }

  // Throws an error if that takes too long.
  test(text) {
    this.left -= (text.length + 2) ** (this.loops + 1) * 2 ** this.forks;
    if (this.left > 0) return this.quick.test(text);
    try {
      this.careful ??= new Automaton(this.quick);
      return this.careful.test(text);
    } catch (error) {
      throw badPattern(this.text, error.message);
    }
  }
}

// Throws an error that says what is wrong.  Flags: as those of (?is).
function patternOf(text, flags = "") {
  return new Pattern(text, flags);
}

// An expression that matches this name only, for a filter.
function patternOfName(option, text) {
  const name = option === "prune-from" ? withoutParameters(text) : text;
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}
