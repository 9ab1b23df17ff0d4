#!/usr/bin/env node
// What pbcat writes for other programs, read by those programs' own code: the
// packages of package.json, and sqlite3.  What is expected is counted by hand
// from the stacks below.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "../browser/browser.mjs";
import { profile, scratch, tool } from "../browser/page.mjs";
import { assert, report, test } from "../browser/tap.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const packages = resolve(process.env.BUILD || "build", "consumers");
execFileSync(join(here, "install"), [packages], {
  stdio: ["ignore", 2, "inherit"],
});
const require = createRequire(join(packages, "package.json"));

const script = "<script>alert(1)</script>",
  quotes = "q\"'\\,x&lt";
profile("app", [
  "main;parse;alloc 3 30000000",
  "main;parse;parse;alloc 1 10000000",
  "main;serve 2 50000000",
  `main;${script};${quotes} 1 10000000`,
]);
// Of 7 samples and 100 ms: [self, total], in both.
const functions = {
  main: { samples: [0, 7], ms: [0, 100] },
  parse: { samples: [0, 4], ms: [0, 40] },
  alloc: { samples: [4, 4], ms: [40, 40] },
  serve: { samples: [2, 2], ms: [50, 50] },
  [script]: { samples: [0, 1], ms: [0, 10] },
  [quotes]: { samples: [1, 1], ms: [10, 10] },
};

// hostile.pb: one sample whose names no format can have as they are.
const names = [
  "two\nlines",
  "tab\there",
  "semi;colon",
  "back\\slash",
  'quo"te',
  "com,ma",
  "=1+1",
  "cr\rlf",
  script,
  " blanks ",
];
writeFileSync(
  join(scratch, "hostile.pb"),
  execFileSync(
    "protoc",
    [
      "--proto_path=" + join(root, "lib/profile/wire"),
      "--encode=perftools.profiles.Profile",
      "profile.proto",
    ],
    {
      input:
        ["", "n,\"'", "count", "la\tbel", ...names]
          .map(s => `string_table: ${JSON.stringify(s)}\n`)
          .join("") +
        "sample_type { type: 1 unit: 2 } sample { value: 9007199254740993\n" +
        names.map((_, i) => `location_id: ${i + 1}\n`).join("") +
        "label { key: 3 str: 6 } label { key: 3 str: 7 } }\n" +
        names
          .map(
            (_, i) => `location { id: ${i + 1} line { function_id: ${i + 1} } }
              function { id: ${i + 1} name: ${i + 4} }\n`,
          )
          .join(""),
    },
  ),
);

// Quiet, because of the number above, which is meant to be too large.
function pbcat(...args) {
  return tool("pbcat", "-q", ...args).toString();
}

// The frames of a field, as the manual says to read it.
function list(field) {
  return (field.match(/(\\.|[^;\\])+/gs) || []).map(s =>
    s.replace(/\\(.)/gs, "$1"),
  );
}

const { parse } = require("csv-parse/sync");

// Tables as [column, cell] pairs of each row.
function csv(...args) {
  return parse(pbcat("--csv", ...args), { record_delimiter: "\n" });
}

function tsv(...args) {
  const letters = { "\\": "\\", t: "\t", n: "\n", r: "\r" };
  return parse(pbcat("--tsv", ...args), {
    delimiter: "\t",
    quote: null,
    record_delimiter: "\n",
  }).map(row => row.map(s => s.replace(/\\(.)/g, (_, c) => letters[c])));
}

const rows = [
  ["samples/count", "cpu/nanoseconds", "stack"],
  ["3", "30000000", "alloc;parse;main"],
  ["1", "10000000", "alloc;parse;parse;main"],
  ["2", "50000000", "serve;main"],
  ["1", "10000000", `${quotes.replace("\\", "\\\\")};${script};main`],
];

// folded2pb sorts stacks, so rows are compared without their order.
function sorted(table) {
  return table.map(row => row.join("\0")).sort();
}

test("csv-parse reads --csv", () => {
  assert.deepEqual(sorted(csv("app.pb.gz")), sorted(rows));
});

test("csv-parse reads --tsv", () => {
  assert.deepEqual(sorted(tsv("app.pb.gz")), sorted(rows));
});

test("csv-parse reads hostile names as they are", () => {
  for (const table of [csv("hostile.pb"), tsv("hostile.pb")]) {
    assert.deepEqual(table[0], ["n,\"'/count", "label:la\tbel", "stack"]);
    assert.equal(table.length, 2);
    const [value, label, stack] = table[1];
    assert.equal(value, "9007199254740993");
    assert.deepEqual(list(label), [names[2], names[3]]);
    assert.deepEqual(list(stack), names);
  }
});

function sqlite(file, sql) {
  return execFileSync(
    "sqlite3",
    [":memory:", `.import --csv ${file} sample`, sql],
    { cwd: scratch },
  ).toString();
}

test("sqlite3 reads --csv", () => {
  tool("pbcat", "--csv", "-o", "app.csv", "app.pb.gz");
  assert.equal(
    sqlite(
      "app.csv",
      `SELECT sum("samples/count"), sum("cpu/nanoseconds") FROM sample;
       SELECT stack FROM sample WHERE "cpu/nanoseconds" = 50000000`,
    ),
    "7|100000000\nserve;main\n",
  );
  tool("pbcat", "--csv", "-o", "hostile.csv", "hostile.pb");
  assert.equal(
    sqlite("hostile.csv", `SELECT "n,""'/count", hex(stack) FROM sample`),
    "9007199254740993|" +
      Buffer.from(names.map(s => s.replace(/[;\\]/g, "\\$&")).join(";"))
        .toString("hex")
        .toUpperCase() +
      "\n",
  );
});

test("JSON.parse reads --jsonl", () => {
  const [line, rest] = pbcat("--jsonl", "hostile.pb").split("\n");
  assert.equal(rest, "");
  assert.deepEqual(JSON.parse(line).stack, names);
  assert.deepEqual(
    JSON.parse(line).label.map(({ key, str }) => [key, str]),
    [
      ["la\tbel", names[2]],
      ["la\tbel", names[3]],
    ],
  );
  const samples = pbcat("--jsonl", "app.pb.gz")
    .split("\n")
    .filter(Boolean)
    .map(s => JSON.parse(s));
  const sum = samples.reduce((n, s) => n + s.value["cpu/nanoseconds"], 0);
  assert.equal(sum, 100000000);
});

function schema(path, Ajv) {
  const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
  const check = ajv.compile(JSON.parse(readFileSync(path)));
  return value => (check(value) ? [] : check.errors);
}

test("ajv finds --json and --jsonl as their schemas say", () => {
  const Ajv = require("ajv/dist/2020");
  const json = schema(join(root, "man/pbcat.schema.json"), Ajv);
  const jsonl = schema(join(root, "man/pbcat.jsonl.schema.json"), Ajv);
  for (const file of ["app.pb.gz", "hostile.pb"]) {
    assert.deepEqual(json(JSON.parse(pbcat("--json", file))), []);
    const lines = pbcat("--jsonl", file).split("\n").filter(Boolean);
    for (const line of lines) assert.deepEqual(jsonl(JSON.parse(line)), []);
    const { value, label, stack } = JSON.parse(lines[0]);
    assert.notDeepEqual(jsonl({ value, stack }), []);
    assert.notDeepEqual(jsonl({ value: [1], label, stack }), []);
    assert.notDeepEqual(jsonl({ value, label: [{ key: "k" }], stack }), []);
  }
});

// --- speedscope

const release = join(packages, "node_modules/speedscope/dist/release");

test("--speedscope is as speedscope's schema says", () => {
  const check = schema(
    join(release, "file-format-schema.json"),
    require("ajv"),
  );
  for (const args of [
    ["app.pb.gz"],
    ["--lines", "app.pb.gz"],
    ["hostile.pb"],
  ]) {
    const file = JSON.parse(pbcat("--speedscope", ...args));
    assert.deepEqual(check(file), []);
    delete file.profiles[0].weights;
    assert.notDeepEqual(check(file), []);
  }
});

// A tab with speedscope's page showing the file, in the way that its own
// command has it opened.
async function speedscope(browser, name, ...args) {
  const file = join(scratch, name + ".js");
  const text = tool("pbcat", "-q", ...args);
  writeFileSync(
    file,
    `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ` +
      `${JSON.stringify(text.toString("base64"))})`,
  );
  const tab = await browser.open();
  const page = pathToFileURL(join(release, "index.html")).href;
  await tab.go(page + "#localProfilePath=" + file);
  return tab;
}

// Its table of functions: {name: [self, total]} as texts.
async function sandwich(tab) {
  await tab.until("document.body.innerText.includes('Sandwich')");
  await tab.eval(`dispatchEvent(new KeyboardEvent("keypress", { key: "3" }))`);
  await tab.until("/Symbol Name\\s+\\S/.test(document.body.innerText)");
  const text = await tab.eval("document.body.innerText");
  const cells = text
    .slice(text.indexOf("Symbol Name") + "Symbol Name".length)
    .trim()
    .split(/\s*[\n\t]+\s*/);
  const found = {};
  for (let i = 0; i + 2 < cells.length; i += 3)
    found[cells[i + 2]] = [cells[i + 1], cells[i]];
  return found;
}

// What headless Chromium says of drawing without a graphics card.
const drawing = /WebGL|GL Driver/;

const counts = n => String(n);
const times = n => (n ? n + ".00ms" : "0.00ns");

for (const [name, key, of, text, ...args] of [
  ["--speedscope, counts", "samples", 7, counts, "--speedscope"],
  ["--speedscope, times", "ms", 100, times, "--speedscope"],
  ["--folded", "samples", 7, counts, "--folded"],
])
  test(`speedscope's page shows ${name}`, async () => {
    const type = "--sample-index=" + (key === "ms" ? "cpu" : key);
    const tab = await speedscope(await browser, key, ...args, type, "app.pb.gz");
    try {
      const expected = {};
      for (const [name, value] of Object.entries(functions))
        expected[name] = value[key].map(n => `${text(n)} (${share(n, of)})`);
      assert.deepEqual(await sandwich(tab), expected);
      assert.deepEqual(
        tab.errors.filter(e => !drawing.test(e)),
        [],
      );
    } finally {
      await tab.close();
    }
  });

// A share as speedscope writes it.
function share(n, of) {
  const percent = (100 * n) / of;
  if (percent === 100) return "100%";
  if (percent < 0.01) return "<0.01%";
  return (
    percent.toFixed(percent >= 10 ? 0 : percent >= 1 ? 1 : 2) + "%"
  );
}

// --- the Firefox Profiler

const cli = join(
  packages,
  "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js",
);
const env = { ...process.env, PROFILER_CLI_SESSION_DIR: join(scratch, "s") };

// Has the profiler's own code load the file in a process of its own, which
// answers questions until it is told to stop.
async function firefox(name, ask, ...args) {
  const file = join(scratch, name);
  tool("pbcat", "-q", "-o", file, ...args);
  const options = ["--session", name];
  const daemon = spawn(process.execPath, [cli, "--daemon", file, ...options], {
    env,
    stdio: "ignore",
  });
  const question = (...words) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [cli, ...words, "--json", "--limit", "0", ...options],
        { env, stdio: ["ignore", "pipe", "pipe"] },
      ),
    );
  const log = () => {
    const path = join(env.PROFILER_CLI_SESSION_DIR, name + ".log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  try {
    for (let tries = 0; !log().includes("Profile loaded"); tries++) {
      if (tries === 1200 || daemon.exitCode !== null)
        throw new Error("the profiler has not loaded the file: " + log());
      await new Promise(done => setTimeout(done, 100));
    }
    return ask(question);
  } finally {
    daemon.kill();
  }
}

// What it says of the functions of a thread: {name: [self, total]}.
function asked(question, thread) {
  const answer = question("thread", "functions", "--thread", thread);
  return Object.fromEntries(
    answer.functions.map(f => [f.name, [f.selfSamples, f.totalSamples]]),
  );
}

function wanted(key) {
  return Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [name, value[key]]),
  );
}

test("the Firefox Profiler's own code reads --firefox", () =>
  firefox(
    "app",
    question => {
      const { threads } = question("thread", "list");
      assert.deepEqual(threads.map(t => t.name).sort(), [
        "cpu/nanoseconds",
        "samples/count",
      ]);
      assert.deepEqual(asked(question, "t-0"), wanted("samples"));
      assert.deepEqual(asked(question, "t-1"), wanted("ms"));
    },
    "--firefox",
    "app.pb.gz",
  ));

test("the Firefox Profiler's own code reads --folded", () =>
  firefox(
    "folded",
    question => assert.deepEqual(asked(question, "t-0"), wanted("samples")),
    "--folded",
    "--sample-index=samples",
    "app.pb.gz",
  ));

test("the Firefox Profiler shows hostile names as they are", () =>
  firefox(
    "hostile",
    question =>
      assert.deepEqual(
        Object.keys(asked(question, "t-0")).sort(),
        [...names].sort(),
      ),
    "--firefox",
    "--lines",
    "hostile.pb",
  ));

const browser = Browser.start();
try {
  await report();
} finally {
  await (await browser).stop();
}
