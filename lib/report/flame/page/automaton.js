// Whether a regular expression matches, in a time that grows with the length
// of the text only: all ways to match are followed at once, one character
// after the other.  The browser's own tries one way after the other, which for
// (a|aa)+ are more than it can try.
//
// It reads what PatternReader writes.  A program is a list of
//
//   { atom }   a character that this expression matches
//   { edge }   a place that this expression matches, such as \b
//   { to }     to other instructions, these many further on
//
// and matches where its end is reached.

const expressionTokens =
  /\(\?<?!\[\^\]\)|\(\?:|\[(?:\\[^]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\\u\{\w+\}|\\x\w\w|\\[pP]\{[^}]*\}|\\[^]|[^]/gu;
const isEdge = token => /^(?:\(\?<?!.*|\^|\$|\\[bB])$/.test(token);
const isRepeat = token => /^(?:[*+?]|\{.*\})$/.test(token);

const longestProgram = 10000;
const mostSteps = 2e8;

// A part `min` to `max` times.
function repeated(part, min, max) {
  const out = [];
  const isEmpty = !part.length;
  const add = more => {
    if (out.length + more.length > longestProgram)
      throw new Error("expression is too long");
    for (const instruction of more) out.push(instruction);
  };
  for (let i = 0; i < min && !isEmpty; i++) add(part);
  if (max === Infinity)
    add([{ to: [1, part.length + 2] }, ...part, { to: [-part.length - 1] }]);
  else
    for (let i = min; i < max && !isEmpty; i++)
      add([{ to: [1, part.length + 1] }, ...part]);
  return out;
}

function repeatOf(part, token) {
  const [min, max] = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] }[
    token
  ] ?? [/\d+/.exec(token)[0], /,(\d*)/.exec(token)?.[1]];
  const most = max === "" ? Infinity : Number(max ?? min);
  return repeated(part, Number(min), most);
}

// One of several lists of parts.
function anyOf(branches) {
  return branches
    .map(parts => parts.flat())
    .reduceRight((rest, branch) => [
      { to: [1, branch.length + 2] },
      ...branch,
      { to: [rest.length + 1] },
      ...rest,
    ]);
}

function programOf({ source, flags }) {
  const open = [[[]]]; // groups, each the branches so far
  let last = "";
  for (const token of source.match(expressionTokens) || []) {
    const parts = open.at(-1).at(-1);
    if (token === "(" || token === "(?:") open.push([[]]);
    else if (token === "|") open.at(-1).push([]);
    else if (token === ")") {
      const group = anyOf(open.pop());
      open.at(-1).at(-1).push(group);
    } else if (isEdge(token))
      parts.push([{ edge: new RegExp(token, flags + "y") }]);
    else if (!isRepeat(token))
      parts.push([{ atom: new RegExp(`^(?:${token})$`, flags), known: {} }]);
    else if (!isRepeat(last)) parts.push(repeatOf(parts.pop(), token));
    last = isRepeat(last) ? "" : token; // a repeat may end in a ?
  }
  const program = anyOf(open[0]);
  if (program.length > longestProgram)
    throw new Error("expression is too long");
  return program;
}

class Automaton {
  constructor(expression) {
    this.program = programOf(expression);
    this.reached = new Int32Array(this.program.length + 1);
    this.time = 0; // of what was reached
    this.steps = 0;
  }

  // Appends to a list what can be reached from there without a character.
  // Returns whether that is the end.
  follow(list, from, text, offset) {
    const { program, reached, time } = this;
    const due = [from];
    while (due.length) {
      const at = due.pop();
      if (at === program.length) return true;
      if (reached[at] === time) continue;
      reached[at] = time;
      this.steps++;
      const { to, edge } = program[at];
      if (to) for (const further of to) due.push(at + further);
      else if (!edge) list.push(at);
      else {
        edge.lastIndex = offset;
        if (edge.test(text)) due.push(at + 1);
      }
    }
    return false;
  }

  // Throws an error where that took too long, this time and before.
  test(text) {
    let now = [];
    let offset = 0;
    this.time++;
    if (this.follow(now, 0, text, 0)) return true;
    for (const c of text) {
      offset += c.length;
      const next = [];
      this.time++;
      for (const at of now) {
        const { atom, known } = this.program[at];
        known[c] ??= atom.test(c);
        if (known[c] && this.follow(next, at + 1, text, offset)) return true;
      }
      if (this.follow(next, 0, text, offset)) return true;
      this.steps += now.length;
      if (this.steps > mostSteps) throw new Error("takes too long");
      now = next;
    }
    return false;
  }
}
