// All places of a function as one: a profile of what is below them.
//
// places    the outermost nodes of the function: one in a stack
// root      node 0: the function itself, the sum of its places
// step      how the profile was made: "f" and the number of the name
// back      what was shown before: {profile, range}

function placesOf({ name, end }, range, k) {
  const places = [];
  for (let i = range.first; i < range.end;) {
    if (name[i] === k) places.push(i);
    i = name[i] === k ? end[i] : i + 1;
  }
  return places;
}

function joinPlaces(profile, range, k) {
  const { name, end } = profile;
  const places = placesOf(profile, range, k);
  const names = [],
    closed = [];
  const from = [],
    to = []; // node from[i] of the profile is part of node to[i]
  // Nodes that become one, and how many levels are open before it.
  const due = [[places, 0]];
  for (let open = 0; due.length;) {
    const [nodes, depth] = due.pop();
    const below = [];
    for (const i of nodes) {
      from.push(i);
      to.push(names.length);
      for (let c = i + 1; c < end[i]; c = end[c]) below.push(c);
    }
    names.push(name[nodes[0]]);
    closed.push(open - depth);
    open = depth + 1;
    // Those of one node are in order.
    if (nodes.length > 1) below.sort((a, b) => name[a] - name[b] || a - b);
    for (let last = below.length; last > 0;) {
      let first = last - 1;
      while (first > 0 && name[below[first - 1]] === name[below[first]])
        first--;
      due.push([below.slice(first, last), depth + 1]);
      last = first;
    }
  }
  const n = names.length;
  const joined = values => {
    const sums = new Float64Array(n);
    for (let i = 0; i < from.length; i++) sums[to[i]] += values[from[i]];
    return sums;
  };
  return {
    ...profile,
    n,
    name: Int32Array.from(names),
    ...shapeOf(Int32Array.from(closed)),
    self: profile.self.map(joined),
    base: profile.base && profile.base.map(joined),
    functions: null,
    inverted: false,
    places: places.length,
    step: "f" + k,
    back: { profile, range },
  };
}
