#!/usr/bin/env node
// Pictures (SVG) in Chromium, in a light and in a dark theme.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Browser } from "./browser.mjs";
import { contrast } from "./contrast.mjs";
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
    assert.deepEqual(tab.requests, [url]);
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

await report();
await browser.stop();
