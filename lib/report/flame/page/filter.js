// Filters, as pbfilter has them: from a profile and a step {option, value},
// a profile of what is left.
//
// pbfilter judges frames: the functions that are inlined at an address one by
// one, and the mapping for all of them.  The nodes here are functions, or what
// pbcat was asked for in their place, and a name has one file and one binary:
// those of the first frame of the name.  So results differ from pbfilter's
// where functions of one name are in several files or binaries, and where
// show-from or prune-from match one of several functions that are inlined at
// an address: pbfilter removes those beside it in all stacks, the page only
// in the stacks that it cuts there.  Without inlined frames, and with focus,
// ignore, hide and show, they are the same.
//
// What merged nodes contain is not known.  They match nothing, and where what
// becomes of their values depends on it, these are dropped: what is left are
// the least values that there can be (`partial`).

const filterOptions = [
  "focus",
  "ignore",
  "hide",
  "show",
  "show-from",
  "prune-from",
  "tagfocus",
  "tagignore",
  "merge-recursion",
  "nodefraction",
];

// The name that prune-from looks at: without parameters.
function withoutParameters(name) {
  return /^\.?((?:\(anonymous namespace\)|operator\(\)|[^(])*)/.exec(name)[1];
}

// Of each name 1 if it matches.
function verdictsOn(profile, value) {
  const { names, files, binaries, fileOf, binaryOf, kindOf } = profile;
  const expression = patternOf(value);
  const file = files.map(text => expression.test(text));
  const binary = binaries.map(text => expression.test(text));
  // the file that a function has not
  const none = expression.test("");
  return Uint8Array.from(
    names,
    (name, k) =>
      (binaryOf[k] > 0 && binary[binaryOf[k] - 1]) ||
      (kindOf[k] === frameKinds.function &&
        ((fileOf[k] > 0 ? file[fileOf[k] - 1] : none) ||
          expression.test(name))),
  );
}

function verdictsWithoutParameters({ names, kindOf }, value) {
  const expression = patternOf(value);
  return Uint8Array.from(
    names,
    (name, k) =>
      kindOf[k] === frameKinds.function &&
      expression.test(withoutParameters(name)),
  );
}

// Of each node 1 if it has values of its own, in any type or side.
function valuedNodes({ n, self, base }) {
  const valued = new Uint8Array(n);
  for (const values of base ? [...self, ...base] : self)
    for (let i = 0; i < n; i++) if (values[i] !== 0) valued[i] = 1;
  return valued;
}

// Adds value i to sum to[i] of n, or to none if that is -1.
function sumsAt(values, to, n) {
  const sums = new Float64Array(n);
  for (let i = 0; i < to.length; i++)
    if (to[i] >= 0) sums[to[i]] += values[i];
  return sums;
}

// The profile with other nodes: the values of node i go to node to[i] of
// them, or nowhere if that is -1.
function withNodes(profile, nodes, to) {
  const moved = values => sumsAt(values, to, nodes.n);
  const { header } = profile;
  const self = profile.self.map(moved);
  const totals = self.map((values, type) =>
    sumOf(header.signed[type] ? values.map(Math.abs) : values),
  );
  const empty = nodes.n ? header.empty : "No sample passes the filters.";
  const result = {
    ...profile,
    ...nodes,
    header: { ...header, totals, empty },
    self,
    base: profile.base && profile.base.map(moved),
    labels: keepParts(profile.labels, to),
    functions: null,
    partial: header.merged > 0,
  };
  result.root = result;
  return result;
}

// Moves the values of node i to node to[i], which is the same or an outer one
// (-1: drops them), and drops nodes that have nothing left.
function moveSamples(profile, to) {
  const { n, name, parent, depth, end } = profile;
  const valued = valuedNodes(profile);
  const kept = new Uint8Array(n);
  for (let i = n - 1; i >= 0; i--) {
    if (valued[i] && to[i] >= 0) kept[to[i]] = 1;
    if (kept[i] && parent[i] >= 0) kept[parent[i]] = 1;
  }
  const before = new Int32Array(n + 1); // how many nodes are kept before it
  for (let i = 0; i < n; i++) before[i + 1] = before[i] + kept[i];
  const count = before[n];
  const nodes = {
    n: count,
    name: new Int32Array(count),
    parent: new Int32Array(count),
    depth: new Int32Array(count),
    end: new Int32Array(count),
    height: 0,
  };
  for (let i = 0; i < n; i++) {
    if (!kept[i]) continue;
    const k = before[i];
    nodes.name[k] = name[i];
    nodes.parent[k] = parent[i] < 0 ? -1 : before[parent[i]];
    nodes.depth[k] = depth[i];
    nodes.end[k] = before[end[i]];
    nodes.height = Math.max(nodes.height, depth[i] + 1);
  }
  for (let i = 0; i < n; i++)
    to[i] = to[i] >= 0 && kept[to[i]] ? before[to[i]] : -1;
  return withNodes(profile, nodes, to);
}

// A node is looked for first in slots near those of its siblings, which are in
// the processor's cache; of a node with many callees most are elsewhere.
const nearby = 8;

// Puts the frames that are left above each other, and joins those of one name
// below the same callers.  The nodes get numbers as they are met, which
// sortNodes() replaces.
function joinFrames({ n, parent }, name, isKept) {
  const bits = Math.max(4, 33 - Math.clz32(n));
  const slots = new Int32Array(1 << bits); // number + 1; 0: free
  const mask = slots.length - 1;
  const nodes = {
    n: 0,
    name: new Int32Array(n),
    parent: new Int32Array(n),
    of: new Int32Array(n), // by old node: the one with its values
  };
  for (let i = 0; i < n; i++) {
    const above = parent[i] < 0 ? -1 : nodes.of[parent[i]];
    if (!isKept[i]) {
      nodes.of[i] = above;
      continue;
    }
    const k = name[i];
    const mixed = Math.imul(k + 1, 0x85ebca6b);
    let slot = (2 * (above + 1) + (mixed >>> 28)) & mask;
    let tries = 0;
    for (;;) {
      const at = slots[slot] - 1;
      if (at < 0) {
        nodes.name[nodes.n] = k;
        nodes.parent[nodes.n] = above;
        nodes.of[i] = nodes.n++;
        slots[slot] = nodes.n;
        break;
      }
      if (nodes.parent[at] === above && nodes.name[at] === k) {
        nodes.of[i] = at;
        break;
      }
      slot =
        ++tries === nearby
          ? (Math.imul(above + 1, 0x9e3779b1) ^ mixed) >>> (32 - bits)
          : (slot + 1) & mask;
    }
  }
  return nodes;
}

// Of each node the first below it and the next beside it, by name.  They were
// met in that order, but for those that were below a frame that is gone.
function linkSiblings({ n, name, parent }) {
  const first = new Int32Array(n + 1).fill(-1), // by parent + 1
    next = new Int32Array(n).fill(-1);
  const unsorted = new Set();
  for (let i = n - 1; i >= 0; i--) {
    const above = parent[i] + 1;
    const after = first[above];
    next[i] = after;
    first[above] = i;
    if (after >= 0 && name[after] < name[i]) unsorted.add(above);
  }
  for (const above of unsorted) {
    const below = [];
    for (let i = first[above]; i >= 0; i = next[i]) below.push(i);
    below.sort((a, b) => name[a] - name[b]);
    first[above] = below[0];
    below.forEach((i, at) => (next[i] = below[at + 1] ?? -1));
  }
  return { first, next };
}

// The nodes in preorder; `place` has the new number of each.
function sortNodes(nodes) {
  const { n } = nodes;
  const { first, next } = linkSiblings(nodes);
  const sorted = {
    n,
    name: new Int32Array(n),
    parent: new Int32Array(n),
    depth: new Int32Array(n),
    end: new Int32Array(n),
    height: 0,
  };
  const place = new Int32Array(n);
  let count = 0,
    depth = 0;
  for (let i = first[0]; i >= 0;) {
    const k = count++;
    place[i] = k;
    sorted.name[k] = nodes.name[i];
    sorted.parent[k] = nodes.parent[i] < 0 ? -1 : place[nodes.parent[i]];
    sorted.depth[k] = depth;
    sorted.height = Math.max(sorted.height, depth + 1);
    if (first[i + 1] >= 0) {
      i = first[i + 1];
      depth++;
      continue;
    }
    for (;;) {
      sorted.end[place[i]] = count;
      if (next[i] >= 0 || nodes.parent[i] < 0) break;
      i = nodes.parent[i];
      depth--;
    }
    i = next[i];
  }
  return { sorted, place };
}

// Keeps some frames, with these names.
function keepFrames(profile, isKept, name = profile.name) {
  const nodes = joinFrames(profile, name, isKept);
  const { sorted, place } = sortNodes(nodes);
  const to = nodes.of;
  for (let i = 0; i < to.length; i++) if (to[i] >= 0) to[i] = place[to[i]];
  return withNodes(profile, sorted, to);
}

// Of each node 1 if it or a caller has such a name.
function belowNames({ n, name, parent }, wanted) {
  const below = new Uint8Array(n);
  for (let i = 0; i < n; i++)
    below[i] = wanted[name[i]] || (parent[i] >= 0 ? below[parent[i]] : 0);
  return below;
}

// Samples without a frame pass no filter but prune-from.
const isFrame = ({ kindOf, header }, k) =>
  kindOf[k] !== frameKinds.none || k === header.other;

function keepSamples(profile, below, wanted) {
  const to = new Int32Array(profile.n);
  for (let i = 0; i < to.length; i++) to[i] = below[i] === wanted ? i : -1;
  return moveSamples(profile, to);
}

function focus(profile, value) {
  const below = belowNames(profile, verdictsOn(profile, value));
  return keepSamples(profile, below, 1);
}

function ignore(profile, value) {
  const { names, kindOf } = profile;
  const verdicts = verdictsOn(profile, value);
  for (let k = 0; k < names.length; k++)
    if (kindOf[k] === frameKinds.none) verdicts[k] = 1;
  const below = belowNames(profile, verdicts);
  return keepSamples(profile, below, 0);
}

function hide(profile, value) {
  const verdicts = verdictsOn(profile, value);
  return keepNames(profile, k => !verdicts[k] && isFrame(profile, k));
}

// Frames without a function are removed whatever they match.
function showOnly(profile, value) {
  const verdicts = verdictsOn(profile, value);
  const { kindOf } = profile;
  return keepNames(
    profile,
    k => verdicts[k] && kindOf[k] === frameKinds.function,
  );
}

// A merged node stays below a frame that stays: otherwise its values would
// become those of that frame itself.
function keepNames(profile, isWanted) {
  const { n, name, parent, names, header } = profile;
  const wanted = Uint8Array.from(names, (_, k) => isWanted(k));
  if (header.other >= 0) wanted[header.other] = 0;
  const below = header.other >= 0 ? belowNames(profile, wanted) : null;
  const isKept = new Uint8Array(n);
  for (let i = 0; i < n; i++)
    isKept[i] =
      name[i] === header.other
        ? parent[i] >= 0 && below[parent[i]]
        : wanted[name[i]];
  return keepFrames(profile, isKept);
}

function showFrom(profile, value) {
  return keepFrames(
    profile,
    belowNames(profile, verdictsOn(profile, value)),
  );
}

function pruneFrom(profile, value) {
  const { n, name, parent, header } = profile;
  const verdicts = verdictsWithoutParameters(profile, value);
  const to = new Int32Array(n); // the innermost match, or -1
  for (let i = 0; i < n; i++)
    to[i] = verdicts[name[i]] ? i : parent[i] < 0 ? -1 : to[parent[i]];
  for (let i = 0; i < n; i++) {
    if (to[i] < 0) to[i] = i;
    else if (name[i] === header.other) to[i] = -1;
  }
  return moveSamples(profile, to);
}

// A function that calls itself is one frame.
function mergeRecursion(profile) {
  const { n, name, parent } = profile;
  const isKept = new Uint8Array(n);
  for (let i = 0; i < n; i++)
    isKept[i] = parent[i] < 0 || name[parent[i]] !== name[i];
  return keepFrames(profile, isKept);
}

function shareOfText(value) {
  const share = Number(value);
  if (!/^[0-9.]+(e-?[0-9]+)?$/i.test(value) || !(share >= 0 && share <= 1))
    throw new Error(`invalid share '${value}': expected a number from 0 to 1`);
  return share;
}

// What functions have: of nodes that are merged, names are not known.
function sumFunctions(profile) {
  const { n, self, base, names, name, end, parent } = profile;
  const flatOf = values => {
    const flat = new Float64Array(names.length);
    for (let i = 0; i < n; i++) flat[name[i]] += values[i];
    return flat;
  };
  const cumOf = values => {
    const cum = new Float64Array(names.length);
    const until = new Int32Array(names.length);
    const sums = addUp(values.slice(), parent);
    for (let i = 0; i < n; i++) {
      if (i < until[name[i]]) continue;
      until[name[i]] = end[i];
      cum[name[i]] += sums[i];
    }
    return cum;
  };
  return {
    flat: self.map(flatOf),
    baseFlat: base && base.map(flatOf),
    cum: self.map(cumOf),
    baseCum: base && base.map(cumOf),
  };
}

// The profile with a name for nodes that are merged, behind all others.
function withMergedName(profile) {
  const { header, names } = profile;
  if (header.other >= 0) return profile;
  const longer = (column, last) => {
    const longer = new Int32Array(column.length + 1);
    longer.set(column);
    longer[column.length] = last;
    return longer;
  };
  return {
    ...profile,
    header: { ...header, other: names.length },
    names: [...names, "(too small)"],
    brief: [...profile.brief, "(too small)"],
    fileOf: longer(profile.fileOf, 0),
    packageOf: longer(profile.packageOf, 0),
    binaryOf: longer(profile.binaryOf, 0),
    kindOf: longer(profile.kindOf, frameKinds.none),
  };
}

// Merges, below each node, what is lighter than a share of the total in all
// types.  The sums of functions stay what they were.
function dropBelow(profile, value) {
  const limit = shareOfText(value);
  const { n, parent, self, base } = profile;
  const isLight = new Uint8Array(n).fill(1);
  self.forEach((values, type) => {
    const amounts = values.map((x, i) =>
      Math.abs(x) + (base ? Math.abs(base[type][i]) : 0),
    );
    const least = limit * sumOf(amounts);
    addUp(amounts, parent);
    for (let i = 0; i < n; i++) if (amounts[i] >= least) isLight[i] = 0;
  });
  let merged = 0;
  for (let i = 0; i < n; i++) merged += isLight[i];
  if (!merged) return profile;
  const named = withMergedName(profile);
  const { other } = named.header;
  const name = profile.name.slice();
  const isKept = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    isKept[i] = !isLight[i] || parent[i] < 0 || !isLight[parent[i]];
    if (isLight[i]) name[i] = other;
  }
  const result = keepFrames(named, isKept, name);
  result.header = { ...result.header, merged, limit };
  result.functions = profile.partial ? null : sumFunctions(named);
  if (profile.functions) result.functions = profile.functions;
  return result;
}

const filters = {
  focus,
  ignore,
  hide,
  show: showOnly,
  "show-from": showFrom,
  "prune-from": pruneFrom,
  tagfocus: (profile, value) => filterByLabel(profile, value, true),
  tagignore: (profile, value) => filterByLabel(profile, value, false),
  "merge-recursion": mergeRecursion,
  nodefraction: dropBelow,
};

const takesValue = option => option !== "merge-recursion";

// Throws an error for a value that is not valid.
function filterProfile(profile, { option, value }) {
  if (!Object.hasOwn(filters, option))
    throw new Error(`unknown filter '${option}'`);
  // It becomes a part of a command, which people paste into a terminal.
  if (/[\0-\x1f\x7f-\x9f]/.test(value))
    throw new Error(`invalid value for ${option}: control characters`);
  if (!profile.n) return profile;
  return filters[option](profile, value);
}
