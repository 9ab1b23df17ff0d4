#!/usr/bin/env node
// Colours of the page of pbcat --flame: what has which, and whether text can be
// read on it.

import { contrast } from "./contrast.mjs";
import { pageCode, pageData } from "./pagecode.mjs";
import { encode, profile } from "./page.mjs";
import { assert, report, test } from "./tap.mjs";

const { readProfile, huesOf, hues, themes, kindOfName } = pageCode(
  ["data.js", "measure.js", "kinds.js", "colours.js"],
  "readProfile, huesOf, hues, themes, kindOfName",
);

test("the ten heaviest groups have a hue each", async () => {
  // p11 to p0; p3 calls itself, and counts once.
  const lines = Array.from({ length: 12 }, (_, i) => `p${i}.f ${i + 1}`);
  profile("many", [...lines, "p3.f;p3.g;p3.f 2"], "samples/count");
  const of = huesOf(await readProfile(pageData("many.pb.gz")), "package");
  assert.deepEqual(
    [...of.keys()],
    ["p11", "p10", "p9", "p8", "p7", "p6", "p3", "p5", "p4", "p2"],
  );
  assert.deepEqual([...of.values()].join(), hues.join());
});

test("kinds of code", async () => {
  encode(
    "kinds",
    `sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 location_id: 3 location_id: 4 value: 1 }
sample { location_id: 5 location_id: 6 value: 1 }
mapping { id: 1 memory_start: 1 memory_limit: 100 filename: 3 }
mapping { id: 2 memory_start: 100 memory_limit: 200 filename: 4 }
mapping { id: 3 memory_start: 200 memory_limit: 300 filename: 5 }
mapping { id: 4 memory_start: 300 memory_limit: 400 filename: 6 }
location { id: 1 mapping_id: 1 address: 10 line { function_id: 1 } }
location { id: 2 mapping_id: 2 address: 110 line { function_id: 2 } }
location { id: 3 mapping_id: 3 address: 210 line { function_id: 3 } }
location { id: 4 mapping_id: 4 address: 310 line { function_id: 4 } }
location { id: 5 mapping_id: 4 address: 320 line { function_id: 5 } }
location { id: 6 mapping_id: 4 address: 330 }
function { id: 1 name: 7 }
function { id: 2 name: 8 }
function { id: 3 name: 9 }
function { id: 4 name: 10 }
function { id: 5 name: 11 }
string_table: ["", "cpu", "count", "[kernel.kallsyms]", "/usr/lib/libc.so.6",
  "/usr/lib/libz.so.1", "/bin/app", "do_idle", "memcpy", "inflate", "main",
  "runtime.mallocgc"]
`,
  );
  const read = await readProfile(pageData("kinds.pb"));
  const kinds = read.names.map((name, k) => kindOfName(read, k));
  const of = name => kinds[read.names.indexOf(name)];
  assert.equal(of("do_idle"), "kernel");
  assert.equal(of("memcpy"), "runtime");
  assert.equal(of("inflate"), "library");
  assert.equal(of("main"), "own");
  assert.equal(of("runtime.mallocgc"), "runtime");
  assert.equal(kinds.filter(kind => kind === "unknown").length, 1);
});

test("text has a contrast of 4.5 to 1 on every box", () => {
  for (const [name, theme] of Object.entries(themes)) {
    const pairs = [
      [theme.text, theme.plain],
      [theme.faint, theme.above],
      [theme.faint, theme.ground],
      [theme.onAccent, theme.accent],
    ];
    for (const hue of hues)
      for (let shade = 0; shade < 5; shade++)
        pairs.push([theme.text, theme.box(hue, shade)]);
    for (const pair of pairs)
      assert.ok(contrast(...pair) >= 4.5, `${name}: ${pair}`);
  }
});

await report();
