#!/usr/bin/env node
// The filters of the page of pbcat --flame, without a browser: for each option
// its table has the values that pbcat prints of what pbfilter leaves.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { encode, profile, scratch, tool } from "./page.mjs";
import { pageCode, pageData, tableRows, textRows } from "./pagecode.mjs";
import { assert, report, test } from "./tap.mjs";

const code = pageCode(
  [
    "data.js",
    "measure.js",
    "automaton.js",
    "pattern.js",
    "units.js",
    "filter.js",
    "labels.js",
  ],
  "readProfile, measure, byName, filterProfile, patternOf, patternOfName, " +
    "matchNames",
);
const recorded = name => resolve("testdata", name);

const pageRows = (filtered, type) => tableRows(code, filtered, type);

// Nodes are as those that pbcat makes are: in preorder, siblings of different
// names and in the order of these; samples without a frame are anywhere.
function checkShape({ n, name, names, parent, depth, end, height }) {
  const last = new Map(); // by parent: its child before this one
  let highest = 0;
  for (let i = 0; i < n; i++) {
    const above = parent[i];
    assert.ok(above < i);
    assert.equal(depth[i], above < 0 ? 0 : depth[above] + 1);
    assert.ok(end[i] > i && end[i] <= (above < 0 ? n : end[above]));
    const before = last.get(above);
    assert.equal(i, before === undefined ? above + 1 : end[before]);
    if (before !== undefined && names[name[before]] !== "<no stack>")
      assert.ok(name[before] < name[i]);
    last.set(above, i);
    highest = Math.max(highest, depth[i] + 1);
  }
  assert.equal(height, highest);
}

// Steps as arguments of one pbfilter each.
const argumentOf = ({ option, value }) => `--${option}=${value}`;

function filterInput(steps, input) {
  for (const step of steps)
    input = tool("pbfilter", { input }, "-q", argumentOf(step));
  return input;
}

const step = text => {
  const [option, ...value] = text.split("=");
  return { option, value: value.join("=") };
};

async function compare(input, pipelines, wanted = undefined) {
  const whole = await code.readProfile(pageData(...input.page));
  assert.ok(pageRows(whole, 0).length > 0);
  for (const pipeline of pipelines) {
    const steps = pipeline.split(" | ").map(step);
    const filtered = steps.reduce(code.filterProfile, whole);
    checkShape(filtered);
    const left = filterInput(steps, input.bytes);
    whole.header.types.forEach(({ unit }, type) => {
      const rows = pageRows(filtered, type);
      assert.deepEqual(
        rows,
        textRows(unit || "count", type, left),
        `${pipeline}, type ${type}`,
      );
      if (wanted) assert.ok(wanted(rows), pipeline);
    });
  }
}

const file = path => ({ page: [path], bytes: readFileSync(path) });

const goFilters = [
  "focus=runtime",
  "focus=^runtime\\.",
  "focus=gobank",
  "focus=\\.go$",
  "focus=nothing has this name",
  "ignore=runtime",
  "ignore=gobank",
  "ignore=.",
  "hide=runtime",
  "hide=gobank.*Audit|func1",
  "hide=.",
  "show=gobank",
  "show=(?i)GOBANK|RUNTIME",
  "show-from=gobank",
  "show-from=runtime",
  "prune-from=gobank",
  "prune-from=malloc|^runtime\\.(mcall|systemstack)$",
  "focus=gobank | hide=runtime",
  "hide=gobank | focus=runtime | prune-from=mcall",
  "show-from=gobank | ignore=runtime | show=gobank",
];

for (const name of [
  "recorded/cpu.pb.gz",
  "recorded/heap.pb.gz",
  "recorded/new.pb.gz",
  "tour/cpu.pb.gz",
])
  test(`each filter leaves what pbfilter leaves of ${name}`, () =>
    compare(file(recorded(name)), goFilters));

// Frames without functions match by their binary only, and show removes them.
test("binaries match, and frames without a function are known", () => {
  tool("prof2pb", "-q", "-o", "bare.pb.gz", recorded("cpu.prof"));
  return compare(file(join(scratch, "bare.pb.gz")), [
    "focus=libc",
    "focus=^0|unknown",
    "ignore=libc",
    "hide=libc",
    "hide=cpu|bank",
    "show=libc",
    "show=.",
    "show-from=libc",
    "prune-from=libc",
    "prune-from=.",
  ]);
});

test("perf's stacks of kernel and user", () => {
  tool("folded2pb", "-q", "-o", "perf.pb.gz", recorded("perf.folded"));
  return compare(file(join(scratch, "perf.pb.gz")), [
    "focus=a",
    "ignore=e",
    "hide=a",
    "show=[[:lower:]]{5}",
    "show-from=a",
    "prune-from=^.{6}",
  ]);
});

// Recursion, direct and not, functions below themselves, and names with
// parameters.
const stacks = [
  "main;a;a;b;a;c 1 10",
  "main;a;b;a;a 2 0",
  "main;b;a;b 3 5",
  "main;c;d;c 0 7",
  "main 4 4",
  "ns::f(int);(anonymous namespace)::g(char, ns::T);operator()(int)::h(x) 5 1",
  "ns::f(int);.cold(int);a;ns::f(int) 6 2",
];

const stackFilters = [
  "focus=a",
  "ignore=^a$",
  "hide=^[ab]$",
  "hide=main",
  "show=^(a|c)$",
  "show=b",
  "show-from=^[bc]$",
  "show-from=a",
  "prune-from=^[ab]$",
  "prune-from=int",
  "prune-from=operator|h$",
  "prune-from=^cold$",
  "prune-from=main",
  "hide=a | show-from=b | ignore=d",
];

test("recursion, and parameters of functions", () => {
  profile("stacks", stacks, "n/count,m/bytes");
  return compare(file(join(scratch, "stacks.pb.gz")), stackFilters);
});

test("both sides of a difference, and values below 0", async () => {
  profile("stacks", stacks, "n/count,m/bytes");
  profile("later", [
    "main;a;b;c 5 10",
    "main;b;a;b 1 1",
    "main;c;c;d 0 9",
    "ns::f(int) 1 1",
  ], "n/count,m/bytes");
  const [old, now] = ["stacks.pb.gz", "later.pb.gz"];
  for (const how of ["--diff-base=", "--base="]) {
    const bytes = tool("pbcat", "--proto", how + old, now);
    await compare({ page: [how + old, now], bytes }, stackFilters);
  }
});

test("samples without a frame pass only prune-from", async () => {
  encode(
    "bare",
    `sample_type { type: 1 unit: 2 } string_table: ["", "n", "count", "main"]
    sample { value: 3 } sample { value: 2 location_id: 1 }
    location { id: 1 line { function_id: 1 } } function { id: 1 name: 3 }`,
  );
  await compare(file(join(scratch, "bare.pb")), [
    "focus=main",
    "focus=stack",
    "ignore=x",
    "ignore=main",
    "hide=x",
    "show=main",
    "show-from=main",
    "prune-from=main",
  ]);
});

// What no tool does to profiles: functions keep what they have.
test("merged recursion and merged boxes leave functions as they are", () => {
  profile("stacks", stacks, "n/count,m/bytes");
  const page = ["stacks.pb.gz"];
  const bytes = readFileSync(join(scratch, "stacks.pb.gz"));
  return code.readProfile(pageData(...page)).then(whole => {
    for (const [option, value, nodes] of [
      ["merge-recursion", "", 17],
      ["nodefraction", "0.2", 17],
      ["nodefraction", "0", 21],
      ["nodefraction", "1", 1],
    ]) {
      const filtered = code.filterProfile(whole, { option, value });
      checkShape(filtered);
      assert.equal(filtered.n, nodes, option + value);
      for (const type of [0, 1])
        assert.deepEqual(
          pageRows(filtered, type),
          textRows(whole.header.types[type].unit, type, bytes),
        );
    }
  });
});

test("large data are read in pieces", async () => {
  const lines = Array.from({ length: 90000 }, (_, i) => `main${i};a;b;c 1`);
  profile("large", lines, "n/count");
  assert.equal(pageData("large.pb.gz").split(" ").length, 2);
  const whole = await code.readProfile(pageData("large.pb.gz"));
  checkShape(whole);
  assert.deepEqual(
    pageRows(whole, 0),
    textRows("count", 0, readFileSync(join(scratch, "large.pb.gz"))),
  );
});

test("light boxes are merged as pbcat merges them", async () => {
  profile("stacks", stacks, "n/count,m/bytes");
  const whole = await code.readProfile(pageData("stacks.pb.gz"));
  for (const value of ["0.05", "0.2", "0.5"]) {
    const merged = await code.readProfile(
      pageData("--nodefraction=" + value, "stacks.pb.gz"),
    );
    const here = code.filterProfile(whole, { option: "nodefraction", value });
    const nodesOf = ({ n, name, names, depth, self }) =>
      Array.from({ length: n }, (_, i) =>
        [names[name[i]], depth[i], self[0][i], self[1][i]].join(" "),
      );
    assert.deepEqual(nodesOf(here), nodesOf(merged), value);
    assert.equal(here.header.merged, merged.header.merged);
  }
});

test("values of a page with merged boxes are the least there can be", async () => {
  profile("stacks", stacks, "n/count,m/bytes");
  const whole = await code.readProfile(pageData("stacks.pb.gz"));
  const merged = await code.readProfile(
    pageData("--nodefraction=0.2", "stacks.pb.gz"),
  );
  const values = (from, name) => {
    const k = from.names.indexOf(name);
    const m = code.measure(from, 0, false);
    const sums = code.byName(from, { first: 0, end: from.n }, m);
    return k < 0 ? [0, 0] : [sums.flat[k], sums.cum[k]];
  };
  for (const pipeline of stackFilters) {
    const steps = pipeline.split(" | ").map(step);
    const exact = steps.reduce(code.filterProfile, whole);
    const least = steps.reduce(code.filterProfile, merged);
    checkShape(least);
    assert.ok(least.partial);
    for (const name of whole.names) {
      const [flat, cum] = values(exact, name);
      const [leastFlat, leastCum] = values(least, name);
      assert.ok(leastFlat <= flat, `${pipeline}: flat of ${name}`);
      assert.ok(leastCum <= cum, `${pipeline}: cum of ${name}`);
    }
  }
});

test("expressions mean what they mean in RE2", () => {
  for (const [pattern, yes, no] of [
    ["(?i)abc", "xABCx", "xabx"],
    ["abc", "xabcx", "ABC"],
    ["\\Aab\\z", "ab", "xab"],
    ["\\Qa.b[\\E+", "a.b[[", "axb["],
    ["\\Qa.b", "a.b", "axb"],
    ["[]a]+$", "a]", "b"],
    ["[^]a]", "b", "]a"],
    ["[[:upper:][:digit:]]{2}", "xA1", "xa1"],
    ["a{,2}", "a{,2}", "aa"],
    ["{x}", "{x}", "x"],
    ["(?P<name>ab)\\x{63}", "abc", "ab"],
    ["\\pL\\p{Greek}\\PL", "a\u03b11", "a\u03b1b"],
    ["\\<a\\>\\_\\-", "<a>_-", "a"],
    ["[\\w.-]+\\(", "a-b.c(", "("],
    ["\\101\\0", "A\0", "A"],
    ["\ud83d\ude00?x", "x", "y"],
    ["~(Widget|T)\\*", "~T*", "T*"],
  ]) {
    assert.ok(code.patternOf(pattern).test(yes), pattern);
    assert.ok(!code.patternOf(pattern).test(no), pattern);
  }
  for (const pattern of [
    "(a)\\1",
    "(?=a)",
    "a(?i)b",
    "(?<!a)b",
    "a**",
    "(",
    "[a",
    "[z-a]",
    "a\\",
    "\\y",
    "[[:nope:]]",
  ])
    assert.throws(() => code.patternOf(pattern), /invalid expression/, pattern);
  for (const name of ["a.b(*T)[x]{1}^$|?+\\", "operator new", "-/\u00e9#"])
    assert.ok(code.patternOf(code.patternOfName("hide", name)).test(name), name);
});

test("the careful way to match agrees with the browser's", () => {
  const texts = ["", "\n", "_", "-"];
  for (const text of texts)
    if (text.length < 5) texts.push(text + "a", text + "b", text + "\u{1f600}");
  for (const text of [
    "",
    "a",
    "^a",
    "a$",
    "^$",
    "\\ba\\b",
    "a\\B",
    "\\Aa|b\\z",
    "a|b|ab$",
    "^(a|aa)+$",
    "^(?:ab?)*?b{2}$",
    "(a*)*b",
    "a{2,3}$",
    "^a{2,}b{0}$",
    "^(){3}a",
    "^(|a|(b|)+)$",
    "(((a)))",
    "(?i)^A.B",
    "a.a",
    "(?s)\\n.",
    "^[^a\\]_-]+$",
    "[[:alpha:]\\s]{2}",
    "\\W\\w",
    "\\p{L}{3}",
    "^.{2}$",
    "\\x{1f600}+\\x61",
    "\\Qa\\E+b",
    "-|\\-a",
  ]) {
    const careful = code.patternOf(text);
    careful.left = 0;
    for (const name of texts)
      assert.equal(
        careful.test(name),
        code.patternOf(text).quick.test(name),
        `${text} on '${name}'`,
      );
    assert.ok(careful.careful);
  }
});

test("expressions with too many ways to match are no trouble", () => {
  const long = "a".repeat(100);
  for (const [text, name, wanted] of [
    ["^(a|aa)+$", long + "!", false],
    ["^(a|aa)+$", long, true],
    ["(x+x+)+y", "x".repeat(100), false],
    ["(x+x+)+y", "x".repeat(100) + "y", true],
    ["(a?){30}a{100}$", long, true],
    ["(a|a)".repeat(50) + "b", long, false],
    [".*.*.*=.*", "=".repeat(10000), true],
    [".*.*.*=.*", "a".repeat(10000), false],
    ["(a|b)*a(a|b){13}$", "ab".repeat(5000) + "b".repeat(13), false],
    ["(a|b)*a(a|b){13}$", "ab".repeat(5000), true],
  ])
    assert.equal(code.patternOf(text).test(name), wanted, text);
  assert.deepEqual(
    [...code.matchNames([long + "!", long.toUpperCase()], "^(a|aa)+$")],
    [0, 1],
  );
  assert.throws(
    () => code.patternOf("((a+){100}){1000}").test("a"),
    /^Error: invalid expression .*: expression is too long$/,
  );
  const slow = code.patternOf("(a*b*){500}\\b!");
  assert.throws(() => {
    for (;;) slow.test("ab".repeat(5000));
  }, /^Error: invalid expression '\(a\*b\*\)\{500\}\\b!': takes too long$/);
});

test("options and values that are not valid are errors", async () => {
  profile("stacks", stacks, "n/count,m/bytes");
  const whole = await code.readProfile(pageData("stacks.pb.gz"));
  for (const [option, value] of [
    ["constructor", "x"],
    ["tagfocus", "x"],
    ["focus", "("],
    ["nodefraction", "-1"],
    ["nodefraction", "2"],
    ["nodefraction", "x"],
  ])
    assert.throws(
      () => code.filterProfile(whole, { option, value }),
      /unknown filter|invalid/,
    );
});

await report();
