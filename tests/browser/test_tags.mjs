#!/usr/bin/env node
// Labels in the page of pbcat --flame, without a browser: its sums are those of
// pbcat --tags, and its filters leave what those of pbfilter leave.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { encode, profile, scratch, tool } from "./page.mjs";
import { pageCode, readPage, tableRows, textRows } from "./pagecode.mjs";
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
    "tags.js",
  ],
  "readProfile, readLabels, measure, byName, filterProfile, listTags, " +
    "expressionOf",
);
const recorded = name => resolve("testdata", name);

function tagsOf(read, type) {
  const m = code.measure(read, type, false);
  const range = { first: 0, end: read.n };
  return [...code.listTags({ profile: read, range, m })];
}

// Lines "KEY VALUE SUM" in the order of the page.
const pageTags = (read, type) =>
  tagsOf(read, type).flatMap(({ name, tags }) =>
    [...tags].map(({ text, now, old }) => `${name} ${text} ${now - old}`),
  );

function toolTags(read, type, input) {
  const { unit } = read.header.types[type];
  return tool(
    "pbcat",
    { input },
    "-q",
    "--tags",
    "--format=jsonl",
    "--unit=minimum",
    "--sample-index=" + type,
  )
    .toString()
    .split("\n")
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(({ of }) => of !== "pprof::base")
    .map(({ of, name, cum }) => `${of} ${name} ${cum}`);
}

const argumentOf = ({ option, value }) => `--${option}=${value}`;

// The page of these arguments has the labels of the profile in `bytes`, and so
// have both with each filter.
async function compare(args, bytes, pipelines) {
  const read = await readPage(code, ...args);
  for (const pipeline of ["", ...pipelines]) {
    const steps = pipeline
      .split(" | ")
      .filter(Boolean)
      .map(text => /^([^=]*)=([^]*)$/.exec(text))
      .map(([, option, value]) => ({ option, value }));
    const filtered = steps.reduce(code.filterProfile, read);
    const left = steps.reduce(
      (input, step) => tool("pbfilter", { input }, "-q", argumentOf(step)),
      bytes,
    );
    read.header.types.forEach(({ unit }, type) => {
      const where = `${pipeline}, type ${type}`;
      assert.deepEqual(
        tableRows(code, filtered, type),
        textRows(unit || "count", type, left),
        where,
      );
      assert.deepEqual(
        pageTags(filtered, type),
        toolTags(read, type, left),
        where,
      );
    });
  }
  return read;
}

// What a click on each value filters leaves its samples only.
async function comparePicks(path) {
  const bytes = readFileSync(path);
  const read = await readPage(code, path);
  const picks = tagsOf(read, 0).flatMap(({ name, tags }) =>
    [...tags].map(({ labels, text }) => ({
      value: code.expressionOf(read.labels, labels),
      of: `${name} ${text} `,
    })),
  );
  assert.ok(picks.length > 0);
  for (const option of ["tagfocus", "tagignore"])
    await compare(
      [path],
      bytes,
      picks.map(({ value }) => `${option}=${value}`),
    );
  for (const { value, of } of picks) {
    const step = { option: "tagfocus", value };
    const left = pageTags(code.filterProfile(read, step), 0);
    const sums = lines => lines.filter(line => line.startsWith(of));
    assert.deepEqual(sums(left), sums(pageTags(read, 0)), value);
  }
}

for (const name of ["tour/cpu.pb.gz", "recorded/cpu.pb.gz"])
  test(`Go's labels of ${name}`, async () => {
    const path = recorded(name);
    await comparePicks(path);
    await compare([path], readFileSync(path), [
      "tagfocus=branch=north | hide=runtime",
      "focus=gobank | tagignore=branch=^n,^x",
      "tagfocus=north",
      "tagfocus=^branch:,1$",
      "tagfocus==h$,4",
      "tagfocus=branch=4096",
      "tagfocus=none=.",
      "tagignore=none=.",
      "tagfocus=size=.* | tagignore=size=4096 | show-from=gobank",
      "tagfocus=4096",
    ]);
  });

test("sizes of a heap", () => comparePicks(recorded("recorded/heap.pb.gz")));

test("ranges of numbers and their units", async () => {
  // A key of several units has that of the first sample, which filters change.
  const text = readFileSync(recorded("labels.textproto"), "utf8");
  encode("labels", text.replace("num: 3 num_unit: 17", "num: 3 num_unit: 16"));
  const path = join(scratch, "labels.pb");
  const read = await compare([path], readFileSync(path), [
    "tagfocus=bytes=4kb",
    "tagfocus=bytes=:4096b",
    "tagfocus=bytes=2kb:",
    "tagfocus=bytes=1kb:0.5mb",
    "tagfocus=bytes=1kb:8ms",
    "tagfocus=:8192bytes",
    "tagfocus=wait=1s:",
    "tagfocus=wait=2S",
    "tagfocus=2000ms",
    "tagfocus=level=7",
    "tagfocus=level=-7",
    "tagfocus=level=-10:10",
    "tagfocus=level=40level",
    "tagfocus=7kb",
    "tagignore=level=:40",
    "tagfocus=level=^high$",
    "tagfocus=request=64kB",
    "tagfocus=job=im,ex",
    "tagfocus=im,ex",
    "tagignore=im,ex",
    "tagfocus=level=high | tagfocus=level=40",
    "tagfocus=1:2:3",
    "tagfocus=:",
  ]);
  assert.equal(tagsOf(read, 0).length, 5);
});

// Of three samples in one place two have the same label; one has no frame.
const sample = (place, value, ...labels) =>
  `sample { ${place ? `location_id: ${place} ` : ""}value: ${value}
    ${labels.map(label => `label { ${label} }`).join(" ")} }`;
const bare = strings => `
  location { id: 1 line { function_id: 1 } } function { id: 1 name: 3 }
  location { id: 2 line { function_id: 2 } } function { id: 2 name: 4 }
  sample_type { type: 1 unit: 2 }
  string_table: ["", "n", "count", "main", "work", ${strings}]`;

test("several sets of labels in one place, and none", async () => {
  encode(
    "sets",
    [
      sample(1, 1, "key: 5 str: 6"),
      sample(1, 2, "key: 5 str: 7"),
      sample(1, 4),
      sample(1, 8, "key: 5 str: 6", "key: 8 num: 3"),
      sample(1, 16, "key: 5 str: 6"),
      sample(1, -32, "key: 5 str: 7"),
      sample(2, 64),
      sample(0, 128, "key: 5 str: 6"),
    ].join("\n") + bare('"k", "a", "b", "x"'),
  );
  await comparePicks(join(scratch, "sets.pb"));
});

// Each expression means this text only, and can be a part of a command.
test("values of any characters can be picked", async () => {
  const texts = ["a,b", "a.b", "^a$", "=", "k=v", "\\u0001", "\\u202e\\ufeff",
    "[", "\\\\", "{1}", "\u00e9\ud83d\ude00", "12", "7kb", "'", " "];
  const keys = ["k", "k=k", "k:k", "\\u00e9", "k\\u0002"];
  const strings = [...keys, ...texts].map(text => `"${text}"`).join(", ");
  const samples = keys.flatMap((_, key) =>
    texts.map((_, i) =>
      sample(1, 1, `key: ${5 + key} str: ${5 + keys.length + i}`),
    ),
  );
  encode(
    "texts",
    samples.join("\n") +
      bare(strings.replaceAll(/\\u([0-9a-f]{4})/g, (_, x) =>
        String.fromCharCode(parseInt(x, 16)).replace(
          /[\0-\x1f]/,
          c => "\\" + c.charCodeAt(0).toString(8).padStart(3, "0"),
        ))),
  );
  const path = join(scratch, "texts.pb");
  const read = await readPage(code, path);
  const lists = tagsOf(read, 0);
  assert.equal(lists.length, keys.length);
  for (const { name, tags } of lists)
    for (const { labels, text } of tags) {
      const value = code.expressionOf(read.labels, labels);
      // What ends a key, and what no command may have.
      assert.equal(value === "", /[=\x02]/.test(name), value);
      if (!value) continue;
      const step = { option: "tagfocus", value };
      const wanted = [`${name} ${text} 1`];
      assert.deepEqual(pageTags(code.filterProfile(read, step), 0), wanted);
      const left = tool(
        "pbfilter",
        { input: readFileSync(path) },
        "-q",
        argumentOf(step),
      );
      assert.equal(toolTags(read, 0, left).length, 1, value);
    }
});

test("numbers of one text are one value", async () => {
  encode(
    "rounded",
    [
      sample(1, 1, "key: 5 num: 10000000"),
      sample(1, 2, "key: 5 num: 10000001"),
      sample(2, 4, "key: 5 num: 9223372036854775807"),
      sample(2, 8, "key: 5 num: -9223372036854775807"),
      sample(2, 16, "key: 6 num: 1"),
      sample(2, 32, "key: 6 str: 7"),
    ].join("\n") + bare('"bytes", "k", "1"'),
  );
  const path = join(scratch, "rounded.pb");
  const read = await readPage(code, path);
  assert.deepEqual(pageTags(read, 0), toolTags(read, 0, readFileSync(path)));
  const expressions = tagsOf(read, 0).flatMap(({ tags }) =>
    [...tags].map(({ labels }) => code.expressionOf(read.labels, labels)),
  );
  assert.deepEqual(expressions, [
    "bytes=-9223372036854775807bytes",
    "bytes=9223372036854775807bytes",
    "bytes=10000000bytes:10000001bytes",
    "", // a number and a text: no expression is for both
  ]);
});

test("both sides of a difference, without the label of the base", async () => {
  const [old, now] = ["old", "new"].map(name =>
    recorded(`recorded/${name}.pb.gz`),
  );
  for (const how of ["--diff-base=", "--base="]) {
    const bytes = tool("pbcat", "--proto", how + old, now);
    const read = await compare([how + old, now], bytes, [
      "tagfocus=branch=north",
      "tagignore=branch=north | hide=runtime",
    ]);
    assert.deepEqual(tagsOf(read, 0).map(({ name }) => name), [
      "branch",
      "size",
    ]);
  }
});

test("merged boxes keep their labels", async () => {
  const read = await readPage(code, recorded("recorded/cpu.pb.gz"));
  const step = { option: "nodefraction", value: "0.3" };
  const merged = code.filterProfile(read, step);
  assert.ok(merged.n < read.n);
  assert.deepEqual(pageTags(merged, 0), pageTags(read, 0));
});

test("where the page has only sums, nothing is filtered by labels", async () => {
  const step = { option: "tagfocus", value: "branch=north" };
  const path = recorded("recorded/cpu.pb.gz");
  const merged = await readPage(code, "--nodefraction=0.3", path);
  assert.match(merged.labels.lacks, /boxes were merged/);
  assert.deepEqual(pageTags(merged, 1), toolTags(merged, 1, readFileSync(path)));
  assert.throws(() => code.filterProfile(merged, step), /boxes were merged/);

  // Sets and values that do not compress are more than half of the page.
  let seed = 1;
  const next = () => (seed = (seed * 48271) % 2147483647);
  const label = key => `key: ${key} num: ${next() % 900}`;
  const many = Array.from({ length: 12000 }, () =>
    sample(1, next(), label(5), label(6)),
  );
  encode("large", many.join("\n") + bare('"k", "l"'));
  const large = await readPage(code, "large.pb");
  assert.match(large.labels.lacks, /50% larger/);
  const bytes = readFileSync(join(scratch, "large.pb"));
  assert.deepEqual(pageTags(large, 0), toolTags(large, 0, bytes));
  assert.throws(() => code.filterProfile(large, step), /50% larger/);
});

test("keys with many values are only named", async () => {
  const lines = Array.from({ length: 1001 }, (_, i) =>
    sample(1, 1, `key: 5 num: ${i}`, "key: 6 str: 7"),
  );
  encode("times", lines.join("\n") + bare('"time", "job", "a"'));
  const read = await readPage(code, "times.pb");
  assert.equal(read.labels.lacks, "");
  assert.deepEqual(pageTags(read, 0), ["job a 1001"]);
  assert.deepEqual(
    tagsOf(read, 0).map(({ name, many }) => [name, many]),
    [
      ["job", false],
      ["time", true],
    ],
  );
  const left = value => code.filterProfile(read, { option: "tagfocus", value });
  assert.equal(left("job=a").self[0][0], 1001);
  for (const value of ["time=5", "5", "time=."])
    assert.throws(() => left(value), /label time/);
});

test("without labels the page has none", async () => {
  profile("none", ["main;work 1 2"]);
  const read = await readPage(code, "none.pb.gz");
  assert.equal(read.labels, null);
  assert.throws(
    () => code.filterProfile(read, { option: "tagfocus", value: "x" }),
    /no labels/,
  );
});

await report();
