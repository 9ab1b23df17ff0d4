#!/usr/bin/env node
// The order of siblings in the page of pbcat --flame, and the boxes of those
// that are too narrow to draw.

import { Browser } from "./browser.mjs";
import {
  boxes,
  box,
  choose,
  openName,
  page,
  profile,
  search,
  show,
  table,
  text,
} from "./page.mjs";
import { pageCode } from "./pagecode.mjs";
import { assert, report, test } from "./tap.mjs";

const code = pageCode(
  ["data.js", "measure.js", "inverted.js", "sandwich.js", "layout.js"],
  "addUp, layOut, shapeOf, wholeRange",
);

// A tree whose nodes have few and many callees, most of them light.
function randomTree(seed, n) {
  const random = limit => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % limit; // its lower bits are not random
  };
  const closed = new Int32Array(n);
  for (let i = 1, depth = 0; i < n; i++) {
    closed[i] = Math.min(depth + 1, random(4) ? random(2) : random(5));
    depth += 1 - closed[i];
  }
  const tree = { n, name: new Int32Array(n), ...code.shapeOf(closed) };
  const own = Float64Array.from({ length: n }, () =>
    random(4) ? random(3) : random(300),
  );
  const weight = code.addUp(own, tree.parent);
  return { profile: { ...tree, header: { other: -1 } }, weight };
}

const near = (a, b) => Math.abs(a - b) < 1e-6;

function siblings({ end }, first, last) {
  const list = [];
  for (let i = first; i < last; i = end[i]) list.push(i);
  return list;
}

// The nodes that a box stands for.
const nodesOf = (profile, { node, end, parts }) =>
  end
    ? Array.from(parts || [[node, end]]).flatMap(part =>
        siblings(profile, ...part),
      )
    : [node];

// The boxes of siblings: those that are wide, and one of the others at the end;
// by name, several between them.
function checkSiblings(shown, nodes, weight, scale, profile, byName) {
  const isWide = i => weight[i] * scale >= 1;
  const wide = nodes.filter(isWide);
  if (!byName) wide.sort((a, b) => weight[b] - weight[a] || a - b);
  const runs = shown.filter(box => box.end);
  assert.deepEqual(shown.filter(box => !box.end).map(box => box.node), wide);
  const inRuns = runs
    .flatMap(run => nodesOf(profile, run))
    .filter(i => weight[i] > 0);
  assert.ok(inRuns.every(i => nodes.includes(i) && !isWide(i)));
  for (const run of runs) {
    const sum = nodesOf(profile, run).reduce((sum, i) => sum + weight[i], 0);
    assert.ok(near(run.w, sum * scale));
  }
  if (byName) return;
  const narrow = nodes.filter(i => weight[i] > 0 && !isWide(i));
  const sum = narrow.reduce((sum, i) => sum + weight[i] * scale, 0);
  assert.deepEqual(inRuns, sum < 0.5 ? [] : narrow);
  assert.ok(shown.slice(0, -1).every(box => !box.end));
}

function checkLayout({ profile, weight }, width, byName) {
  const range = code.wholeRange(profile);
  const { rows } = code.layOut(profile, range, weight, width, byName);
  const boxes = Array.from(rows, (row, d) =>
    Array.from(row.x, (x, i) => ({ ...row.box(i, d), x, w: row.w[i] })),
  );
  const roots = siblings(profile, 0, profile.n);
  const scale = width / roots.reduce((sum, i) => sum + weight[i], 0);
  checkSiblings(boxes[1], roots, weight, scale, profile, byName);
  let checked = 0;
  for (const [d, row] of boxes.entries()) {
    for (const [i, { x }] of row.entries())
      assert.ok(i === 0 || x + 1e-6 >= row[i - 1].x + row[i - 1].w);
    for (const { node, end, x, w } of d ? row.filter(box => !box.end) : []) {
      const below = (boxes[d + 1] || []).filter(
        box => box.x > x - 1e-6 && box.x + box.w < x + w + 1e-6,
      );
      const callees = siblings(profile, node + 1, profile.end[node]);
      checkSiblings(below, callees, weight, scale, profile, byName);
      checked += callees.length > 1;
    }
  }
  return checked;
}

test("heaviest first, by name where equal, and narrow ones last", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const tree = randomTree(seed, 400);
    for (const byName of [false, true])
      assert.ok(checkLayout(tree, 300 + 10 * seed, byName) > 10);
  }
});

const browser = await Browser.start();
let tab;

function testPage(name, url, body) {
  test(name, async () => {
    tab = await show(browser, url);
    try {
      await body();
      assert.deepEqual(tab.errors, []);
    } finally {
      await tab.close();
    }
  });
}

const rowOf = async d =>
  (await boxes(tab)).filter(b => b.row === d).map(b => b.name);

// Every third callee is wide, the last one the widest; 26 are narrow.
const numbered = Array.from(
  { length: 40 },
  (_, i) => "n" + String(i).padStart(2, "0"),
);
profile(
  "mixed",
  numbered.map((name, i) => `root;${name} ${i % 3 ? 2 : 300 + i}`),
  "samples/count",
);
const mixed = page("mixed", "mixed.pb.gz");
const wide = numbered.filter((_, i) => i % 3 === 0);
const narrow = numbered.filter((_, i) => i % 3);

testPage("heaviest first, and o orders by name", mixed, async () => {
  assert.deepEqual(await rowOf(2), [...wide.toReversed(), null]);
  await tab.key("o");
  assert.match(await text(tab, "details"), /by name/);
  assert.deepEqual((await rowOf(2)).filter(Boolean), wide);
  await tab.key("o");
  assert.match(await text(tab, "details"), /heaviest/);
  assert.deepEqual(await rowOf(2), [...wide.toReversed(), null]);
});

testPage("the menu orders, too", mixed, async () => {
  const pick = async (name, entry) => {
    const { x, y } = await box(tab, name);
    await tab.click(x, y, 1, "right");
    await tab.eval(`[...document.querySelectorAll("#menu button")].find(
      button => button.textContent === "${entry}").click()`);
  };
  await pick("n39", "Order boxes by name");
  assert.deepEqual((await rowOf(2)).filter(Boolean), wide);
  await pick("all", "Order boxes by weight");
  assert.deepEqual(await rowOf(2), [...wide.toReversed(), null]);
});

testPage("a click on narrow boxes zooms to these alone", mixed, async () => {
  const all = (await box(tab, "all")).w;
  const run = (await boxes(tab)).find(b => b.name === null);
  assert.ok(Math.abs(run.w - (all * 52) / 4525) < 0.01);
  await tab.move(run.x, run.y);
  await tab.until(
    "document.getElementById('details').textContent.includes('narrow')",
  );
  assert.match(await text(tab, "details"), /^26 narrow boxes — cum 52 \(/);
  await search(tab, "n0");
  await tab.click(run.x, run.y);
  // Of equal weight: in the order of their names.
  assert.deepEqual(await rowOf(2), narrow);
  assert.equal(await text(tab, "share"), "23.1% (12)");
  await tab.key("Escape");
  assert.equal((await table(tab)).length, 26);
  const hash = await tab.eval("location.hash");
  assert.match(hash, /^#at=2-4_5-7_.*_38-40$/);
  const first = tab;
  tab = await show(browser, mixed + hash);
  try {
    assert.deepEqual(await rowOf(2), narrow);
    assert.equal((await table(tab)).length, 26);
  } finally {
    await tab.close();
    tab = first;
  }
  await openName(tab, "n04");
  assert.equal(await tab.eval("flame.view.barText"), "2 (0.04%)");
  await tab.key("Backspace");
  assert.deepEqual(await rowOf(2), narrow);
  await tab.key("Backspace");
  assert.deepEqual(await rowOf(2), [...wide.toReversed(), null]);
});

testPage("narrow boxes are found by a search", mixed, async () => {
  const isFound = () =>
    tab.eval(`(() => {
      const row = flame.view.layout.rows[2];
      return Boolean(flame.view.matches(row.box(row.end.findIndex(Boolean), 2)));
    })()`);
  await search(tab, "n04");
  assert.equal(await isFound(), true);
  await search(tab, "n03"); // beside them, and wide
  assert.equal(await isFound(), false);
});

testPage("the inverted graph has the narrow boxes only", mixed, async () => {
  const run = (await boxes(tab)).find(b => b.name === null);
  await tab.click(run.x, run.y);
  await tab.key("i");
  assert.deepEqual(await rowOf(1), narrow);
});

profile("types", ["a;b 1 3", "a;c 2 2", "a;d 3 1"], "n/count,m/count");
testPage(
  "each type has an order of its own, and the address stays",
  page("types", "types.pb.gz"),
  async () => {
    assert.deepEqual(await rowOf(2), ["b", "c", "d"]);
    const { x, y } = await box(tab, "c");
    await tab.click(x, y);
    assert.equal(await tab.eval("location.hash"), "#at=2-3");
    await tab.key("Escape");
    await choose(tab, "type", "0");
    assert.deepEqual(await rowOf(2), ["d", "c", "b"]);
    const at = await box(tab, "c");
    await tab.click(at.x, at.y);
    assert.equal(await tab.eval("location.hash"), "#type=0&at=2-3");
  },
);

profile("was", ["a;gone 50", "a;grew 5", "a;stayed 30"], "samples/count");
profile("is", ["a;grew 40", "a;stayed 30"], "samples/count");
testPage(
  "a difference is ordered by the greater of both",
  page("change", "--diff-base=was.pb.gz", "is.pb.gz"),
  async () => {
    assert.deepEqual(await rowOf(2), ["gone", "grew", "stayed"]);
  },
);

profile(
  "small",
  ["a;b 6", "a;x 9", ...numbered.map(name => `a;${name} 1`)],
  "samples/count",
);
testPage(
  "merged boxes are behind the others",
  page("merged", "--nodefraction=0.05", "small.pb.gz"),
  async () => {
    assert.deepEqual(await rowOf(2), ["x", "b", "(too small)"]);
  },
);

try {
  await report();
} finally {
  await browser.stop();
}
