#!/usr/bin/env node
// Pictures (SVG) in Chromium, in a light and in a dark theme.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Browser } from "./browser.mjs";
import { channels, contrast } from "./contrast.mjs";
import { profile, scratch, tool } from "./page.mjs";
import { assert, report, test } from "./tap.mjs";

const browser = await Browser.start();

// The address of the picture that pbcat draws with these arguments.
function picture(name, ...args) {
  tool("pbcat", "-q", "-o", name + ".svg", ...args);
  return pathToFileURL(join(scratch, name + ".svg")).href;
}

async function visit(url, scheme, body, media = "") {
  const tab = await browser.open();
  try {
    await tab.media(scheme, media);
    await tab.go(url);
    await body(tab);
    assert.deepEqual(tab.errors, []);
    assert.ok(tab.requests.every(request => request.startsWith("file:")));
  } finally {
    await tab.close();
  }
}

const ground = `getComputedStyle(document.querySelector("rect")).fill`;

// Each text's colour, and that of what it is on: a box of its group, or the
// ground.
const pairs = `[...document.querySelectorAll("text")].map(text => {
  const box = text.closest("g")?.querySelector("rect");
  return [
    getComputedStyle(text).fill,
    box ? getComputedStyle(box).fill : ${ground},
    text.textContent,
  ];
})`;

const whites = ["rgb(255, 255, 255)", "rgb(22, 24, 28)"];

async function canBeRead(url) {
  for (const [i, scheme] of ["light", "dark"].entries())
    await visit(url, scheme, async tab => {
      assert.equal(await tab.eval(ground), whites[i]);
      const texts = await tab.eval(pairs);
      assert.ok(texts.length > 1);
      for (const [colour, below, text] of texts)
        assert.ok(contrast(colour, below) >= 4.5, `${scheme}: ${text}`);
    });
  // Paper is white.
  await visit(
    url,
    "dark",
    async tab => assert.equal(await tab.eval(ground), whites[0]),
    "print",
  );
}

// A group for each hue, and one more.
const lines = Array.from({ length: 11 }, (_, i) => `p${i}.f;p${i}.g ${i + 1}`);
profile("new", lines, "space/bytes");
profile("old", ["p0.f 90", "p10.f;p10.g 3", "p9.f;p9.g 9"], "space/bytes");

test("flame graphs can be read in both themes", () =>
  canBeRead(picture("flame", "--flame=svg", "new.pb.gz")));

test("differences can be read in both themes", () =>
  canBeRead(
    picture("diff", "--flame=svg", "--diff-base=old.pb.gz", "new.pb.gz"),
  ));

test("heat maps can be read in both themes", async () => {
  const script = [1, 2, 2, 7]
    .map(s => `prog 1/1 ${s}.500000: 9 cycles:\n\t401000 main+0x0 (/opt/prog)\n\n`)
    .join("");
  const options = ["-q", "--labels=timestamp_ns", "--no-symbols"];
  tool("perf2pb", { input: script }, ...options, "-o", "times.pb.gz");
  const url = picture("heat", "--heatmap=svg", "times.pb.gz");
  await canBeRead(url);
  // What has most is furthest from the ground.
  for (const scheme of ["light", "dark"])
    await visit(url, scheme, async tab => {
      const cells = await tab.eval(
        `[${ground}, ...[...document.querySelectorAll("rect:has(title)")].map(
          cell => getComputedStyle(cell).fill)]`,
      );
      const [one, two] = [cells[1], cells[2]].map(c => contrast(cells[0], c));
      assert.equal(cells.length, 4);
      assert.ok(1 < one && one < two, scheme);
    });
});

// C++, with a name that looks like markup, and a graph larger than a window.
const hostile = '</script><b onload="alert(1)">';
profile(
  "graph",
  [
    `main;std::vector<std::pair<int, long>>::push_back(std::pair<int, long>);${hostile} 50`,
    ...Array.from({ length: 30 }, (_, i) => `main;f${i};g${i} ${i + 1}`),
  ],
  "space/bytes",
);
const graph = () => picture("graph", "--svg", "graph.pb.gz");

// Where the drawing and a text are in the window.
const places = `(() => {
  const of = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const text = [...document.querySelectorAll("text")]
    .find(text => text.textContent === "g29");
  return { all: of(document.querySelector(".graph")), text: of(text) };
})()`;

const middle = ({ left, right, top, bottom }) => [
  (left + right) / 2,
  (top + bottom) / 2,
];

function near(a, b) {
  for (const [i, x] of a.entries())
    assert.ok(Math.abs(x - b[i]) < 1.5, `${a} is not ${b}`);
}

async function isWhole(tab) {
  const { all } = await tab.eval(places);
  assert.ok(all.left >= -1 && all.right <= 1201, JSON.stringify(all));
  assert.ok(all.top >= -1 && all.bottom <= 701, JSON.stringify(all));
  assert.ok(all.right - all.left > 1100 || all.bottom - all.top > 650);
}

test("a graph is seen whole, and can be panned and zoomed", () =>
  visit(graph(), "light", async tab => {
    await isWhole(tab);
    const mouse = (type, x, y, more) =>
      tab.send("Input.dispatchMouseEvent", { type, x, y, ...more });
    const widthOf = ({ text }) => text.right - text.left;

    // The wheel: what is below the pointer stays there.
    const before = await tab.eval(places);
    const at = middle(before.text);
    const wheel = { deltaX: 0, deltaY: -500 };
    await mouse("mouseWheel", ...at, wheel);
    await tab.until(`${places}.all.left < ${before.all.left - 10}`);
    const zoomed = await tab.eval(places);
    near(middle(zoomed.text), at);
    near([widthOf(zoomed)], [widthOf(before) * Math.E]);

    // Dragging moves it along.
    const [x, y] = at;
    await mouse("mousePressed", x, y, { button: "left", clickCount: 1 });
    await mouse("mouseMoved", x - 70, y + 40, { button: "left", buttons: 1 });
    await mouse("mouseReleased", x - 70, y + 40, { button: "left" });
    const dragged = await tab.eval(places);
    near(middle(dragged.text), [x - 70, y + 40]);
    near([widthOf(dragged)], [widthOf(zoomed)]);
    assert.equal(await tab.eval("getSelection().toString()"), "");
    // A pointer that is up does not.
    await mouse("mouseMoved", x, y);
    assert.deepEqual(await tab.eval(places), dragged);

    await tab.key("0");
    assert.deepEqual(await tab.eval(places), before);
    await tab.key("ArrowRight");
    near(
      middle((await tab.eval(places)).all),
      middle(before.all).map((x, i) => (i ? x : x - 80)),
    );
    await tab.key("+");
    near([widthOf(await tab.eval(places))], [widthOf(before) * 1.25]);
    await tab.key("-");
    near([widthOf(await tab.eval(places))], [widthOf(before)]);
    await tab.click(20, 20, 2);
    assert.deepEqual(await tab.eval(places), before);
  }));

test("two fingers pinch a graph", () =>
  visit(graph(), "light", async tab => {
    const before = await tab.eval(places);
    const touch = (type, ...points) =>
      tab.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    const [x, y] = middle(before.text);
    await touch("touchStart", [x - 20, y], [x + 20, y]);
    await touch("touchMove", [x - 40, y + 30], [x + 40, y + 30]);
    await tab.until(`${places}.text.top !== ${before.text.top}`);
    await touch("touchMove", [x - 40, y + 30], [x + 40, y + 30]);
    await touch("touchEnd");
    const after = await tab.eval(places);
    near(middle(after.text), [x, y + 30]);
    near(
      [after.text.right - after.text.left],
      [2 * (before.text.right - before.text.left)],
    );
  }));

test("a graph without scripts is seen whole", () =>
  visit(
    "about:blank",
    "light",
    async tab => {
      await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
      await tab.go(graph());
      await isWhole(tab);
    },
  ));

test("names in a graph are no markup", () =>
  visit(graph(), "light", async tab => {
    assert.equal(await tab.eval("document.querySelectorAll('b').length"), 0);
    assert.equal(
      await tab.eval("document.querySelectorAll('script').length"),
      1,
    );
    const texts = await tab.eval(
      "[...document.querySelectorAll('text')].map(text => text.textContent)",
    );
    for (const text of [hostile, "vector<…>", "push_back(…)"])
      assert.ok(texts.includes(text), text);
  }));

// As filters of CSS do it (https://www.w3.org/TR/filter-effects-1).
function filtered([r, g, b]) {
  const [x, y, z] = [r, g, b].map(c => 0.93 - 0.86 * c);
  const light = 0.213 * x + 0.715 * y + 0.072 * z;
  return [x, y, z]
    .map(c => Math.max(0, Math.min(1, 2 * light - c)))
    .map(c => Math.round(255 * c));
}

test("graphs can be read in both themes", async () => {
  const look = `[getComputedStyle(document.querySelector(".graph")).filter,
    getComputedStyle(document.documentElement).backgroundColor]`;
  await visit(graph(), "dark", async tab => {
    assert.deepEqual(await tab.eval(look), [
      "invert(0.93) hue-rotate(180deg)",
      "rgb(18, 18, 18)",
    ]);
    const fills = await tab.eval(
      `[...document.querySelectorAll(".node polygon")].map(box =>
        getComputedStyle(box).fill)`,
    );
    assert.ok(fills.length > 30);
    const text = `rgb(${filtered([0, 0, 0])})`;
    for (const fill of ["rgb(255, 255, 255)", ...fills]) {
      assert.ok(contrast("#000000", fill) >= 4.5, fill);
      assert.ok(
        contrast(text, `rgb(${filtered(channels(fill))})`) >= 4.5,
        `dark: ${fill}`,
      );
    }
  });
  for (const [scheme, media] of [
    ["light", ""],
    ["dark", "print"],
  ])
    await visit(
      graph(),
      scheme,
      async tab => assert.equal((await tab.eval(look))[0], "none"),
      media,
    );
});

await report();
await browser.stop();
