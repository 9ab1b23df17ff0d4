// Where boxes are: of a range and a width in pixels, rows of boxes.
//
// A row has boxes from left to right, in parallel arrays: x and w in pixels,
// node, and end: the node behind a run of siblings that are too narrow to draw,
// which are one box together; 0 in a box of one node.  Only what is visible is
// looked at: below a narrow node nothing is.
//
// rows   the first one is the root, which is all of the profile and has node
//        -1.  In a sandwich there is none: callers come first, the nearest one
//        last, then the function, then what it calls
// bar    the row that all others are in the direction of: the root, or the
//        function
// top    the first row of the range; those from `bar` to it lead to the range

const narrow = 1; // pixels

class Row {
  x = [];
  w = [];
  node = [];
  end = [];

  add(x, w, node, end) {
    this.x.push(x);
    this.w.push(w);
    this.node.push(node);
    this.end.push(end);
  }

  // The box at that place, or -1; with `slack` pixels either side.
  at(x, slack = 0) {
    let low = 0,
      high = this.x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x[middle] <= x) low = middle + 1;
      else high = middle;
    }
    for (const i of [low - 1, low])
      if (
        i >= 0 &&
        i < this.x.length &&
        this.x[i] - slack <= x &&
        x < this.x[i] + this.w[i] + slack
      )
        return i;
    return -1;
  }

  // The box that shows the node, or -1.
  find(node) {
    for (let i = 0; i < this.node.length; i++)
      if (this.node[i] === node || (this.node[i] < node && node < this.end[i]))
        return i;
    return -1;
  }
}

// The row of a sandwich that has its function.
function barRow(width) {
  const row = new Row();
  row.add(0, width, 0, 0);
  return row;
}

function layOut(profile, range, weight, width) {
  if (!profile.split) return layOutTree(profile, range, weight, width);
  const lay = range => layOutTree(profile, range, weight, width);
  const isAll = isWhole({ profile, range });
  const isAbove = isCaller(profile, range.first);
  // Of a tree, what is below its function.
  const callers =
    isAll || isAbove
      ? lay(isAbove ? range : { first: profile.split, end: profile.n })
      : { rows: [], top: 0 };
  const callees = isAbove ? { rows: [], top: 0 } : lay(range);
  const before = callers.rows.slice(2).reverse();
  const bar = before.length;
  return {
    rows: [...before, barRow(width), ...callees.rows.slice(2)],
    bar,
    top: isAbove ? bar + 1 - callers.top : bar - 1 + callees.top,
  };
}

// Whether a row leads to what is zoomed to.
function isOnWay({ bar, top }, d) {
  return bar < top ? bar <= d && d < top : top < d && d <= bar;
}

function layOutTree(profile, range, weight, width) {
  const { parent, depth, end } = profile;
  const rows = [];
  const total = rangeSum(profile, range, weight);
  const put = (d, x, w, node, end) =>
    (rows[d + 1] ||= new Row()).add(x, w, node, end);
  const top = range.first < range.end ? depth[range.first] : 0;
  put(-1, 0, width, -1, 0);
  for (let i = top > 0 ? parent[range.first] : -1; i >= 0; i = parent[i])
    put(depth[i], 0, width, i, 0);

  const scale = total > 0 ? width / total : 0;
  const at = []; // by depth: where the next box begins,
  const runs = []; // and the run of narrow ones that is not added yet
  const flush = d => {
    const run = runs[d];
    if (run && run.x2 - run.x >= narrow / 2)
      put(d, run.x, run.x2 - run.x, run.node, run.end);
    runs[d] = null;
  };
  at[top] = 0;
  for (let i = range.first; i < range.end;) {
    const d = depth[i];
    const x = at[d],
      w = weight[i] * scale;
    at[d] = x + w;
    if (w >= narrow) {
      flush(d);
      flush(d + 1);
      put(d, x, w, i, 0);
      at[d + 1] = x;
      i++;
      continue;
    }
    if (w > 0) {
      const run = (runs[d] ||= { x, x2: x, node: i, end: i });
      run.x2 = x + w;
      run.end = end[i];
    }
    i = end[i];
  }
  for (let d = top; d < runs.length; d++) flush(d);
  return { rows, bar: 0, top: top + 1 };
}
