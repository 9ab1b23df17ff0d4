// Trees whose boxes lead to callers: of all functions that have time, or of one.
//
// inverted   the boxes of depth 0 are where stacks end, and each box is below
//            what it calls
// step       "i", or "c" and the number of the name
// back       what was shown before: {profile, range}

// The tree of the ways from each start up to the top of the range.  What start
// i has, valuesOf(type values)[i], goes to the end of its way.
function climb(profile, range, starts, valuesOf) {
  const { name, parent, depth } = profile;
  const top = range.first < profile.n ? depth[range.first] : 0;
  const at = Int32Array.from(starts);
  const to = new Int32Array(at.length);
  const names = [],
    closed = [];
  const due = [];
  // Those of one name are one box.
  const addGroups = (list, level) => {
    list.sort((a, b) => name[at[a]] - name[at[b]] || a - b);
    for (let last = list.length; last > 0;) {
      let first = last - 1;
      while (first > 0 && name[at[list[first - 1]]] === name[at[list[first]]])
        first--;
      due.push([list.slice(first, last), level]);
      last = first;
    }
  };
  addGroups(
    Array.from(at, (_, i) => i),
    0,
  );
  for (let open = 0; due.length;) {
    const [list, level] = due.pop();
    const above = [];
    names.push(name[at[list[0]]]);
    closed.push(open - level);
    open = level + 1;
    for (const i of list) {
      to[i] = names.length - 1;
      if (depth[at[i]] === top) continue;
      at[i] = parent[at[i]];
      above.push(i);
    }
    addGroups(above, level + 1);
  }
  const n = names.length;
  const climbed = values => {
    const sums = new Float64Array(n);
    const amounts = valuesOf(values);
    for (let i = 0; i < to.length; i++) sums[to[i]] += amounts[i];
    return sums;
  };
  return {
    ...profile,
    n,
    name: Int32Array.from(names),
    ...shapeOf(Int32Array.from(closed)),
    self: profile.self.map(climbed),
    base: profile.base && profile.base.map(climbed),
    functions: null,
    inverted: true,
    places: 0,
    back: { profile, range },
  };
}

// From where stacks end to where they begin.
function invert(profile, range) {
  const valued = valuedNodes(profile);
  const starts = [];
  for (let i = range.first; i < range.end; i++) if (valued[i]) starts.push(i);
  const inverted = climb(profile, range, starts, values =>
    starts.map(i => values[i]),
  );
  inverted.step = "i";
  return inverted;
}

// The callers of all places of a function; a stack counts once.
function callersOf(profile, range, k) {
  const places = placesOf(profile, range, k);
  const callers = climb(profile, range, places, values => {
    const cum = addUp(values.slice(), profile.parent);
    return places.map(i => cum[i]);
  });
  callers.step = "c" + k;
  callers.places = places.length;
  return callers;
}
