// A function between its callers and its callees: a profile of two trees, in
// which all places of the function are one.
//
// places    the outermost nodes of the function: one in a stack
// node 0    the function; below it what it calls
// split     the node of the function below which its callers are
// step      "s" and the number of the name
// back      what it was made from: {profile, range}

function placesOf({ name, end }, range, k) {
  const places = [];
  for (const [first, last] of partsOf(range))
    for (let i = first; i < last;) {
      if (name[i] === k) places.push(i);
      i = name[i] === k ? end[i] : i + 1;
    }
  return places;
}

// The tree of what is below the places: names and depths of its nodes in
// preorder.  Node from[i] of the profile is part of node to[i] of the tree.
function joinBelow({ name, end }, places) {
  const tree = { names: [], depths: [], from: [], to: [] };
  const due = [[places, 0]];
  while (due.length) {
    const [group, depth] = due.pop();
    const below = [];
    const node = tree.names.push(name[group[0]]) - 1;
    tree.depths.push(depth);
    for (const i of group) {
      tree.from.push(i);
      tree.to.push(node);
      for (let c = i + 1; c < end[i]; c = end[c]) below.push(c);
    }
    groupByName(below, i => name[i], depth + 1, next => due.push(next));
  }
  return tree;
}

// The sandwich of name k, or null: no node has that name.
function sandwichOf(profile, range, k) {
  const places = placesOf(profile, range, k);
  if (!places.length) return null;
  const callees = joinBelow(profile, places);
  const callers = climb(profile, range, places);
  const split = callees.names.length;
  const nodes = nodesOfTrees([callees, callers]);
  const joined = values => {
    const sums = new Float64Array(nodes.n);
    moveValues(values, callees.from, callees.to, sums);
    const cum = addUp(values.slice(), profile.parent);
    return moveValues(cum, places, callers.to, sums, split);
  };
  return {
    ...profile,
    ...nodes,
    self: profile.self.map(joined),
    base: profile.base && profile.base.map(joined),
    functions: null,
    places: places.length,
    split,
    step: "s" + k,
    back: { profile, range },
  };
}

// Whether a node of a sandwich is one of its callers.
function isCaller({ split }, node) {
  return split > 0 && node >= split;
}

// Whether both callers and callees are shown.
function isSandwich(view) {
  return view.profile.split > 0 && isWhole(view);
}
