#!/usr/bin/env node
// Sandwiches of the page of pbcat --flame: that their sums are those of
// pbcat --peek, and how they are opened, zoomed and closed.

import { resolve } from "node:path";

import { Browser } from "./browser.mjs";
import {
  box,
  boxes,
  choose,
  openName,
  page,
  profile,
  search,
  show,
  table,
  text,
  tool,
} from "./page.mjs";
import { pageCode, pageData } from "./pagecode.mjs";
import { assert, report, test } from "./tap.mjs";

const code = pageCode(
  ["data.js", "measure.js", "filter.js", "inverted.js", "sandwich.js"],
  "readProfile, measure, byName, sandwichOf, wholeRange",
);

// What --peek says: by name {cum, callers, callees}, the last two lines of
// value and name, sorted.
function peek(type, unit, ...args) {
  const output = tool(
    "pbcat",
    "-q",
    "--peek=.",
    "--no-trim",
    "--compact-labels",
    "--unit=" + unit,
    "--sample-index=" + type,
    ...args,
  );
  const said = new Map();
  for (const part of output.toString().split(/^-+\+-+$/m)) {
    const function_ = { callers: [], callees: [] };
    let name = null;
    for (const line of part.split("\n")) {
      const [, left, right] = /^(.*) \| {1,3}(.*)$/.exec(line) || [];
      if (!right) continue;
      const text = right.replace(/ \((partial-)?inline\)$/, "");
      const values = [...left.matchAll(/(-?\d+)(?=[a-zA-Z]+|\s|$)(?![.%])/g)];
      const isArc = /^ {30}/.test(line);
      if (isArc) {
        const list = name === null ? function_.callers : function_.callees;
        list.push(`${values[0][1]} ${text}`);
      } else {
        name = text;
        function_.cum = Number(/^ *\S+ +\S+ +\S+ +(-?\d+)/.exec(left)[1]);
      }
    }
    if (name !== null)
      said.set(name, {
        cum: function_.cum,
        callers: function_.callers.sort(),
        callees: function_.callees.sort(),
      });
  }
  return said;
}

// The boxes beside the function, `root` being its node in one of both trees.
function besides({ end, name, names }, cum, root) {
  const list = [];
  for (let i = root + 1; i < end[root]; i = end[i])
    if (cum[i]) list.push(`${cum[i]} ${names[name[i]]}`);
  return list.sort();
}

async function compareWithPeek(...args) {
  const whole = await code.readProfile(pageData("--nodefraction=0", ...args));
  const range = code.wholeRange(whole);
  let compared = 0;
  for (const [type, { unit }] of whole.header.types.entries()) {
    const said = peek(type, unit || "count", ...args);
    const sums = code.byName(whole, range, code.measure(whole, type, false));
    for (const [k, name] of whole.names.entries()) {
      const sandwich = code.sandwichOf(whole, range, k);
      const { cum } = code.measure(sandwich, type, false);
      assert.equal(cum[0], sums.cum[k], name);
      assert.equal(cum[sandwich.split], sums.cum[k], name);
      if (!said.has(name)) {
        assert.equal(sums.cum[k], 0, name);
        continue;
      }
      const wanted = said.get(name);
      assert.equal(cum[0], wanted.cum, name);
      // Where a function is below itself, --peek has the arcs of all its
      // frames, and a sandwich those of the outermost.
      const isRecursive = sandwich.name.filter(other => other === k).length > 2;
      if (isRecursive) continue;
      const callers = besides(sandwich, cum, sandwich.split);
      assert.deepEqual(callers, wanted.callers, name);
      assert.deepEqual(besides(sandwich, cum, 0), wanted.callees, name);
      compared += callers.length;
    }
  }
  assert.ok(compared > 0);
}

for (const name of ["recorded/heap", "recorded/cpu", "recorded/new", "tour/cpu"])
  test(`callers and callees are those of --peek in ${name}`, () =>
    compareWithPeek(resolve("testdata", name + ".pb.gz")));

// w is in two places, 7 and 11 of 20; in one it calls itself.
profile(
  "places",
  ["a;w;x 3", "a;w;y;w;x 4", "b;w;x;z 5", "b;w 6", "c 2"],
  "samples/count",
);

profile("before", ["a;w;x 1", "b;w 9", "gone 1"], "samples/count");
profile("half", ["a;b 0 7", "a;c 3 0"], "n/count,m/count");

test("callers and callees are those of --peek with recursion", () =>
  compareWithPeek("places.pb.gz"));

// The nodes of both trees as "depth name value".
function treesOf(sandwich, values) {
  const { n, split, depth, name, names } = sandwich;
  const lines = Array.from(
    { length: n },
    (_, i) => `${depth[i]} ${names[name[i]]} ${values[i]}`,
  );
  return [lines.slice(0, split), lines.slice(split)];
}

test("recursion counts once, in callers and callees", async () => {
  const whole = await code.readProfile(pageData("places.pb.gz"));
  const of = (name, range = code.wholeRange(whole)) => {
    const k = whole.names.indexOf(name);
    const sandwich = code.sandwichOf(whole, range, k);
    return sandwich && treesOf(sandwich, code.measure(sandwich, 0, false).cum);
  };
  assert.deepEqual(of("w"), [
    ["0 w 18", "1 x 8", "2 z 5", "1 y 4", "2 w 4", "3 x 4"],
    ["0 w 18", "1 a 7", "1 b 11"],
  ]);
  assert.deepEqual(of("x"), [
    ["0 x 12", "1 z 5"],
    ["0 x 12", "1 w 12", "2 a 3", "2 b 5", "2 y 4", "3 w 4", "4 a 4"],
  ]);
  // In the zoom to a, which b is not in.
  assert.deepEqual(of("w", { first: 0, end: whole.end[0] }), [
    ["0 w 7", "1 x 3", "1 y 4", "2 w 4", "3 x 4"],
    ["0 w 7", "1 a 7"],
  ]);
  assert.equal(of("c", { first: 0, end: whole.end[0] }), null);
});

test("a sandwich of a difference has both sides", async () => {
  const whole = await code.readProfile(
    pageData("--diff-base=before.pb.gz", "places.pb.gz"),
  );
  const k = whole.names.indexOf("w");
  const sandwich = code.sandwichOf(whole, code.wholeRange(whole), k);
  const { cum, baseCum, weight } = code.measure(sandwich, 0, false);
  const [, callers] = treesOf(sandwich, cum);
  assert.deepEqual(callers, ["0 w 18", "1 a 7", "1 b 11"]);
  const [callees, before] = treesOf(sandwich, baseCum);
  assert.deepEqual(before, ["0 w 10", "1 a 1", "1 b 9"]);
  assert.deepEqual(callees.slice(0, 2), ["0 w 10", "1 x 1"]);
  assert.equal(weight[sandwich.split], 18);
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

const places = page("places", "places.pb.gz");
const width = () => tab.eval("flame.chart.width");

// Rows of boxes with what they have.
async function rows() {
  const all = await width();
  const rows = [];
  for (const { row, name, w } of await boxes(tab))
    (rows[row] ||= []).push(`${name} ${Math.round((w / all) * 18)}`);
  return rows.map(row => row.join(", "));
}

const ofW = ["b 11, a 7", "w 18", "x 8, y 4", "z 5, w 4", "x 4"];
const isOpen = name =>
  tab.until(`document.getElementById("notes").textContent.startsWith(
    "Sandwich of ${name} ")`);
const isClosed = () =>
  tab.until("!flame.view.profile.split && document.getElementById('reset').disabled");

testPage("a double click in the table opens one", places, async () => {
  await openName(tab, "w");
  await isOpen("w");
  assert.deepEqual(await rows(), ofW);
  assert.match(
    await text(tab, "details"),
    /^w \u2014 flat 6 \(30\.0%, 33\.3% of the function\); cum 18 \(90\.0%, 100%/,
  );
  assert.equal(await tab.eval("flame.view.barText"), "18 (90.0%)");
  // The table stays, so that the next function can be chosen from it.
  const line = (await table(tab)).find(cells => cells[4] === "w");
  assert.deepEqual(line.slice(0, 4), ["6", "30.0%", "18", "90.0%"]);
  await search(tab, "x");
  assert.equal(await text(tab, "share"), "60.0% (12)");
  await tab.key("Escape");
  await openName(tab, "x");
  await isOpen("x");
  assert.equal(await tab.eval("flame.view.barText"), "12 (60.0%)");
  assert.deepEqual((await rows()).slice(-3), ["w 18", "x 18", "z 8"]);
});

testPage("the key opens and closes one, and Back closes it", places, async () => {
  await tab.key("3");
  assert.match(await text(tab, "details"), /^Choose a function/);
  const { x, y } = await box(tab, "w");
  await tab.move(x, y);
  await tab.key("ArrowDown");
  await tab.key("ArrowDown"); // b, then w
  await tab.key("3");
  await isOpen("w");
  const hash = await tab.eval("location.hash");
  assert.match(hash, /^#at=s\d+$/);
  await tab.key("3");
  await isClosed();
  await tab.eval("history.back()");
  await isOpen("w");
  assert.deepEqual(await rows(), ofW);
  await tab.eval("history.back()");
  await isClosed();
  await tab.eval(`location.hash = "${hash}"`);
  await isOpen("w");
  await tab.key("Backspace");
  await isClosed();
});

testPage("both sides can be zoomed, with the way to the function", places, async () => {
  await openName(tab, "w");
  const click = async (name, row) => {
    const { x, y } = await box(tab, name, row);
    await tab.click(x, y);
    await tab.move(0, 0);
  };
  await click("x", 2);
  assert.deepEqual(await rows(), ["w 18", "x 18", "z 11"]);
  assert.match(await text(tab, "notes"), /^Sandwich of w/);
  await tab.key("Backspace");
  assert.deepEqual(await rows(), ofW);
  await openName(tab, "x");
  await click("y");
  assert.deepEqual(await rows(), ["a 18", "w 18", "y 18", "w 18", "x 18"]);
  assert.match(await tab.eval("location.hash"), /^#at=s\d+%2C\d+-\d+$/);
  const { x, y } = await box(tab, "y");
  await tab.move(x, y);
  await tab.until(
    "document.getElementById('details').textContent.startsWith('y ')",
  );
  assert.match(
    await text(tab, "details"),
    /^y \u2014 cum 4 \(20\.0%, 100% of the zoom\)/,
  );
  await tab.key("Backspace"); // to w, which y calls
  assert.deepEqual((await rows()).slice(-2), ["w 18", "x 18"]);
  await tab.key("Backspace");
  assert.deepEqual((await rows()).slice(-3), ["w 18", "x 18", "z 8"]);
  await click("y");
  await click("x"); // its bar
  assert.deepEqual((await rows()).slice(-3), ["w 18", "x 18", "z 8"]);
});

testPage("keys move away from the function and back", places, async () => {
  const said = async () => (await text(tab, "details")).split(" \u2014 ")[0];
  await openName(tab, "w");
  await tab.eval("document.getElementById('chart').focus()");
  for (const [key, name] of [
    ["ArrowUp", "b"], // the widest
    ["ArrowUp", "b"],
    ["ArrowRight", "a"],
    ["ArrowDown", "w"],
    ["ArrowDown", "x"],
    ["ArrowDown", "z"],
    ["ArrowUp", "x"],
    ["ArrowUp", "w"],
  ]) {
    await tab.key(key);
    assert.equal(await said(), name, key);
  }
  await tab.key("f"); // callers below
  assert.match(await text(tab, "notes"), /its callers below, what it calls above/);
  await tab.key("ArrowDown");
  assert.equal(await said(), "b");
  await tab.key("3"); // of b, in place of w
  await isOpen("b");
  assert.deepEqual((await rows()).slice(0, 2), ["b 18", "w 18"]);
});

testPage("inverting leaves it, and it leaves the inverted", places, async () => {
  await openName(tab, "w");
  await tab.key("i");
  assert.equal(await tab.eval("location.hash"), "#at=i");
  await openName(tab, "w");
  assert.match(await tab.eval("location.hash"), /^#at=s\d+$/);
  assert.deepEqual(await rows(), ofW);
});

testPage("it is printed", places, async () => {
  await openName(tab, "w");
  await table(tab);
  await tab.eval("dispatchEvent(new Event('beforeprint'))");
  assert.match(await text(tab, "paper"), /Sandwich of w in all 2 places/);
  assert.equal(
    await tab.eval("document.querySelectorAll('#paper canvas').length"),
    1,
  );
});

testPage(
  "a function without values in a type has an empty one",
  page("half", "half.pb.gz"),
  async () => {
    await openName(tab, "b");
    assert.deepEqual(await rows(), ["a 18", "b 18"]);
    await choose(tab, "type", "0");
    assert.deepEqual(await rows(), ["b 18"]);
    assert.equal(await tab.eval("flame.view.barText"), "0 (0.00%)");
  },
);

testPage(
  "of a difference, the function says how it changed",
  page("change", "--diff-base=before.pb.gz", "places.pb.gz"),
  async () => {
    await openName(tab, "w");
    assert.equal(
      await tab.eval("flame.view.barText"),
      "10 \u2192 18, +8 (+80.0%)",
    );
    await choose(tab, "scale", "normalized"); // 11 before, 20 now
    assert.match(await tab.eval("flame.view.barText"), /^18.18 \u2192 18, /);
  },
);

testPage(
  "places in merged boxes are said to be missing",
  page("merged", "--nodefraction=0.2", "places.pb.gz"),
  async () => {
    const bar = () => tab.eval("flame.view.barText");
    const missing = /Places in merged boxes are not included/;
    await openName(tab, "w"); // none are
    assert.equal(await bar(), "18 (90.0%)");
    assert.doesNotMatch(await text(tab, "notes"), missing);
    await openName(tab, "x"); // 9 of 12
    assert.equal(await bar(), "\u22659 (45.0%)");
    assert.match(await text(tab, "notes"), missing);
    await openName(tab, "c");
    assert.match(await text(tab, "details"), /^All places of c are in merged/);
    assert.equal(await bar(), "\u22659 (45.0%)");
  },
);

try {
  await report();
} finally {
  await browser.stop();
}
