// The tree of all stacks from where they end: each box is below what it calls.
//
// inverted   true
// step       "i"
// back       what was shown before: {profile, range}

// Groups nodes of one name.  Calls add(nodes of one name, depth) for each name,
// the last one first, as a stack of work wants it.
function groupByName(nodes, nameOf, depth, add) {
  if (nodes.length > 1) nodes.sort((a, b) => nameOf(a) - nameOf(b) || a - b);
  for (let last = nodes.length; last > 0;) {
    let first = last - 1;
    while (first > 0 && nameOf(nodes[first - 1]) === nameOf(nodes[first]))
      first--;
    add([nodes.slice(first, last), depth]);
    last = first;
  }
}

// The tree of the ways from each start up to the top of the range: names and
// depths of its nodes in preorder, and `to`: the node where way i ends.
function climb({ name, parent, depth, n }, range, starts) {
  const top = range.first < n ? depth[range.first] : 0;
  const at = Int32Array.from(starts);
  const tree = { names: [], depths: [], to: new Int32Array(at.length) };
  const due = [];
  const nameOf = i => name[at[i]];
  const add = group => due.push(group);
  groupByName([...at.keys()], nameOf, 0, add);
  while (due.length) {
    const [ways, level] = due.pop();
    const above = [];
    const node = tree.names.push(nameOf(ways[0])) - 1;
    tree.depths.push(level);
    for (const i of ways) {
      tree.to[i] = node;
      if (depth[at[i]] === top) continue;
      at[i] = parent[at[i]];
      above.push(i);
    }
    groupByName(above, nameOf, level + 1, add);
  }
  return tree;
}

// The nodes of a profile, from trees of names and depths one after the other.
function nodesOfTrees(trees) {
  const names = trees.flatMap(tree => tree.names);
  const depths = trees.flatMap(tree => tree.depths);
  const closed = depths.map((depth, i) => (i ? depths[i - 1] + 1 - depth : 0));
  return {
    n: names.length,
    name: Int32Array.from(names),
    ...shapeOf(Int32Array.from(closed)),
  };
}

// Adds the value of node from[i] to sums[first + to[i]].
function moveValues(values, from, to, sums, first = 0) {
  for (let i = 0; i < from.length; i++) sums[first + to[i]] += values[from[i]];
  return sums;
}

// What is shown, or what an inverted view or a sandwich was made from.
function plainView({ profile, range }) {
  return profile.back || { profile, range };
}

function invert(profile, range) {
  const valued = valuedNodes(profile);
  const starts = [];
  for (const [first, end] of partsOf(range))
    for (let i = first; i < end; i++) if (valued[i]) starts.push(i);
  const tree = climb(profile, range, starts);
  const nodes = nodesOfTrees([tree]);
  const climbed = values =>
    moveValues(values, starts, tree.to, new Float64Array(nodes.n));
  return {
    ...profile,
    ...nodes,
    self: profile.self.map(climbed),
    base: profile.base && profile.base.map(climbed),
    functions: null,
    inverted: true,
    step: "i",
    back: { profile, range },
  };
}
