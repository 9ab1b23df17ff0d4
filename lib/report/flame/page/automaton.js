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
const mostHeld = 1e6;

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

// Places that depend on no more than whether there is something before them.
const isBeginning = token => token === "^" || token === "(?<![^])";

// A state is what can be reached after some characters: { list, isEnd, next },
// a list of atoms, whether the end of the program, and states by the next
// character, as far as they are known.
class Automaton {
  constructor(expression) {
    this.program = programOf(expression);
    this.reached = new Int32Array(this.program.length + 1);
    this.time = 0; // of what was reached
    this.steps = 0;
    this.isRepeatable = this.program.every(
      ({ edge }) => !edge || isBeginning(edge.source),
    );
    this.forget();
  }

  forget() {
    this.states = new Map(); // by their lists
    this.held = 0; // atoms in these
    this.first = null;
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

  // After these atoms and character c, which ends at the offset.  A match can
  // begin there as well.
  after(atoms, c, text, offset) {
    const list = [];
    let isEnd = false;
    this.time++;
    for (const at of atoms) {
      const { atom, known } = this.program[at];
      known[c] ??= atom.test(c);
      isEnd ||= known[c] && this.follow(list, at + 1, text, offset);
    }
    isEnd ||= this.follow(list, 0, text, offset);
    this.steps += atoms.length;
    if (this.steps > mostSteps) throw new Error("takes too long");
    return this.stateOf(list, isEnd);
  }

  stateOf(list, isEnd) {
    const state = { list, isEnd, next: new Map() };
    if (!this.isRepeatable) return state;
    const key = list.join() + isEnd;
    if (this.states.has(key)) return this.states.get(key);
    this.held += list.length + 1;
    if (this.held > mostHeld) this.forget();
    this.states.set(key, state);
    return state;
  }

  // Throws an error where that took too long, this time and before.
  test(text) {
    let state = this.isRepeatable && this.first;
    let offset = 0;
    if (!state) state = this.first = this.after([], "", text, 0);
    for (const c of text) {
      if (state.isEnd) return true;
      offset += c.length;
      let next = this.isRepeatable && state.next.get(c);
      if (!next) {
        next = this.after(state.list, c, text, offset);
        state.next.set(c, next);
      }
      state = next;
    }
    return state.isEnd;
  }
}
