// Where boxes are: of a range and a width in pixels, rows of boxes.
//
// A row has boxes from left to right, in parallel arrays: x and w in pixels,
// node, end and parts.  end is 0 in a box of one node.  Siblings that are too
// narrow to draw are one box together: those from `node` to the node before
// `end`, or of these only the `parts` (see measure.js).  Only what is visible is
// looked at: below a narrow node nothing is.
//
// Siblings are in the order of their weight, the heaviest first and the narrow
// ones last, or of their nodes, which is that of their names.
//
// rows   the first one is the root, which is all of the profile and has node
//        -1.  In a sandwich there is none: callers come first, the nearest one
//        last, then the function, then what it calls
// bar    the row that all others are in the direction of: the root, or the
//        function
// top    the first row of the range; those from `bar` to it lead to the range

const narrow = 1; // pixels

// The range of a box.
function rangeOfBox({ end }, box) {
  const { node, parts } = box;
  return { first: node, end: box.end || end[node], parts };
}

class Row {
  x = [];
  w = [];
  node = [];
  end = [];
  parts = [];

  add(x, w, node, end, parts) {
    this.x.push(x);
    this.w.push(w);
    this.node.push(node);
    this.end.push(end);
    this.parts.push(parts);
  }

  box(i, depth) {
    const { node, end, parts } = this;
    return { node: node[i], end: end[i], parts: parts[i], depth };
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
    const own = this.node.indexOf(node);
    const holds = ([first, end]) => first <= node && node < end;
    const isIn = (first, i) =>
      partsOf({ first, end: this.end[i], parts: this.parts[i] }).some(holds);
    return own < 0 ? this.node.findIndex(isIn) : own;
  }
}

// The row of a sandwich that has its function.
function barRow(width) {
  const row = new Row();
  row.add(0, width, 0, 0, null);
  return row;
}

function layOut(profile, range, weight, width, byName) {
  const lay = range => layOutTree(profile, range, weight, width, byName);
  if (!profile.split) return lay(range);
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

// Siblings that are too narrow to draw, which are in a box together.
class Run {
  w = 0;
  parts = [];

  // apart: siblings before this one are not in the run
  add(node, end, w, apart) {
    this.w += w;
    if (apart || !this.parts.length) this.parts.push([node, end]);
    else this.parts.at(-1)[1] = end;
  }

  addTo(row, x) {
    if (this.w < narrow / 2) return;
    const { parts } = this;
    const isOne = parts.length === 1;
    row.add(x, this.w, parts[0][0], parts.at(-1)[1], isOne ? null : parts);
  }
}

// Puts siblings beside each other in a row, from x on.
function putSiblings(row, tree, parts, x) {
  const { end, weight, scale, byName } = tree;
  const wide = [];
  let run = new Run();
  const put = node => {
    const w = weight[node] * scale;
    row.add(x, w, node, 0, null);
    x += w;
  };
  for (const [first, last] of parts) {
    let apart = true;
    for (let i = first; i < last; i = end[i]) {
      const w = weight[i] * scale;
      if (w >= narrow) {
        apart = true;
        if (byName) {
          run.addTo(row, x);
          x += run.w;
          run = new Run();
          put(i);
        } else {
          wide.push(i);
        }
      } else if (w > 0) {
        run.add(i, end[i], w, apart);
        apart = false;
      }
    }
  }
  wide.sort(tree.compare).forEach(put);
  run.addTo(row, x);
}

function layOutTree(profile, range, weight, width, byName) {
  const { parent, depth, end, name, header } = profile;
  const rows = [];
  const total = rangeSum(profile, range, weight);
  const put = (d, node) => {
    rows[d + 1] = new Row();
    rows[d + 1].add(0, width, node, 0, null);
  };
  const top = range.first < range.end ? depth[range.first] : 0;
  put(-1, -1);
  for (let i = top > 0 ? parent[range.first] : -1; i >= 0; i = parent[i])
    put(depth[i], i);

  const isMerged = node => Number(name[node] === header.other);
  const tree = {
    end,
    weight,
    scale: total > 0 ? width / total : 0,
    byName,
    compare: (a, b) =>
      isMerged(a) - isMerged(b) || weight[b] - weight[a] || a - b,
  };
  let row = new Row();
  putSiblings(row, tree, partsOf(range), 0);
  while (row.x.length) {
    const above = row;
    rows.push(above);
    row = new Row();
    above.node.forEach((node, i) => {
      if (!above.end[i])
        putSiblings(row, tree, [[node + 1, end[node]]], above.x[i]);
    });
  }
  return { rows, bar: 0, top: top + 1 };
}
