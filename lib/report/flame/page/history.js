// What is shown as text, in the fragment of the page's address: so Back undoes
// a step, a link shows the same, and a reload changes nothing.
//
//   focus=^ssa%5C.&hide=runtime&type=1&at=12-40,s567,1-5
//
// Filters are in order.  `type` is the index of a type that is not the first
// one shown.  `at` says how to get from the whole graph to what is shown: 12-40
// zooms to nodes 12 to 39, s567 shows the sandwich of name 567 in that, i
// inverts.

function pathOf({ profile, range }) {
  const path = [];
  for (let at = { profile, range }; at; at = at.profile.back) {
    const { first, end } = at.range;
    if (!isWhole(at)) path.unshift(`${first}-${end}`);
    if (at.profile.back) path.unshift(at.profile.step);
  }
  return path.join(",");
}

// Whether [first, end) are siblings and all below them.
function isRange({ n, end, parent }, first, last) {
  if (first >= last || last > n) return false;
  let i = first;
  while (i < last && parent[i] === parent[first]) i = end[i];
  return i === last;
}

// Where a path leads; what it says of nodes that do not exist is passed over.
function followPath(root, path) {
  let profile = root,
    range = wholeRange(root);
  for (const step of path.split(",")) {
    const nodes = /^(\d+)-(\d+)$/.exec(step)?.slice(1).map(Number);
    const name = /^s(\d+)$/.exec(step)?.[1];
    if (nodes && isRange(profile, ...nodes)) {
      range = { first: nodes[0], end: nodes[1] };
      continue;
    }
    if (profile.back) continue;
    const derived =
      step === "i"
        ? invert(profile, range)
        : name && sandwichOf(profile, range, Number(name));
    if (!derived) continue;
    profile = derived;
    range = wholeRange(profile);
  }
  return { profile, range };
}

function stateText({ header }, steps, view) {
  const pairs = steps.map(({ option, value }) => [option, value]);
  if (view.m.type !== header.default_type) pairs.push(["type", view.m.type]);
  const path = pathOf(view);
  if (path) pairs.push(["at", path]);
  return pairs
    .map(([key, value]) => key + "=" + encodeURIComponent(value))
    .join("&");
}

// {steps, type, path}; what is not understood is passed over.
function stateOf(text, { types, default_type }) {
  const state = { steps: [], type: default_type, path: "" };
  for (const pair of text.split("&")) {
    const cut = pair.indexOf("=");
    const key = pair.slice(0, Math.max(cut, 0));
    let value = pair.slice(cut + 1);
    try {
      value = decodeURIComponent(value);
    } catch {
      // a % that a person has typed stands for itself
    }
    if (filterOptions.includes(key) && (value || !takesValue(key)))
      state.steps.push({ option: key, value });
    else if (key === "type" && /^\d+$/.test(value) && types[value])
      state.type = Number(value);
    else if (key === "at") state.path = value;
  }
  return state;
}

class History {
  // onText(text): it was gone back or forward, or the address was changed
  constructor(onText) {
    this.text = location.hash.slice(1);
    addEventListener("hashchange", () => {
      const text = location.hash.slice(1);
      if (text === this.text) return;
      this.text = text;
      onText(text);
    });
  }

  add(text) {
    if (text === this.text) return;
    this.text = text;
    location.hash = text;
  }
}
