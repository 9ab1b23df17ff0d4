// What is shown as text, in the fragment of the page's address: so Back undoes
// a step, a link shows the same, and a reload changes nothing.
//
//   focus=^ssa%5C.&hide=runtime&type=1&at=12-40,s567,1-5
//
// Filters are in order.  `type` is the index of a type that is not the first
// one shown.  `at` says how to get from the whole graph to what is shown: 12-40
// zooms to nodes 12 to 39, 12-14_17-40 to these without 14, 15 and 16, s567 shows the sandwich of name 567 in that, i
// inverts.

function pathOf({ profile, range }) {
  const path = [];
  for (let at = { profile, range }; at; at = at.profile.back) {
    const parts = partsOf(at.range).map(part => part.join("-"));
    if (!isWhole(at)) path.unshift(parts.join("_"));
    if (at.profile.back) path.unshift(at.profile.step);
  }
  return path.join(",");
}

// The range that a step like 12-14_17-40 says, or null: these are not siblings
// and all below them, in order.
function rangeOfText({ n, end, parent, split }, text) {
  if (!/^\d+-\d+(_\d+-\d+)*$/.test(text)) return null;
  const parts = text.split("_").map(part => part.split("-").map(Number));
  const above = parent[parts[0][0]];
  // Both trees of a sandwich have a root, and these are not beside each other.
  if (split && above < 0) return null;
  let i = 0;
  for (const [first, last] of parts) {
    if (first < i || first >= last || last > n) return null;
    for (i = first; i < last && parent[i] === above; ) i = end[i];
    if (i !== last) return null;
  }
  const isOne = parts.length === 1;
  return { first: parts[0][0], end: i, parts: isOne ? null : parts };
}

// Where a path leads; what it says of nodes that do not exist is passed over.
function followPath(root, path) {
  let profile = root,
    range = wholeRange(root);
  for (const step of path.split(",")) {
    const zoom = rangeOfText(profile, step);
    const name = /^s(\d+)$/.exec(step)?.[1];
    if (zoom) range = zoom;
    if (zoom || profile.back) continue;
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
