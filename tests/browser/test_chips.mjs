#!/usr/bin/env node
// Filters of the page of pbcat --flame as chips, in the history of the browser
// and in its address, and as a command.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

import { Browser } from "./browser.mjs";
import {
  box,
  choose,
  listed,
  page,
  profile,
  scratch,
  show,
  table,
  text,
  tool,
} from "./page.mjs";
import { assert, report, test } from "./tap.mjs";

const hostile = "it's <b>\"$(touch x)\" \\ 100% &#";
const stacks = [
  "main.main;app.Parse;runtime.mallocgc 3 30",
  "main.main;app.Parse;app.Parse;runtime.mallocgc 1 10",
  "main.main;app.Serve;runtime.mallocgc 2 40",
  "main.main;app.Serve 1 5",
  `main.main;${hostile} 1 15`,
];
const types = "samples/count,space/bytes";
profile("app", stacks, types);
profile("old", stacks.slice(1), types);
const app = page("app", "app.pb.gz");

const browser = await Browser.start();
let tab;

function testPage(name, url, body) {
  test(name, async () => {
    tab = await show(browser, url);
    try {
      await body();
      assert.deepEqual(tab.errors, []);
      assert.deepEqual(
        tab.requests.filter(request => request.split("#")[0] !== tab.url),
        [],
      );
    } finally {
      await tab.close();
    }
  });
}

const add = (option, value = "") =>
  tab.eval(`flame.addStep(${JSON.stringify({ option, value })})`);

const chips = () =>
  tab.eval(`[...document.querySelectorAll("#steps li")].map(
    chip => chip.firstChild.data)`);

// All that the fragment is to keep.
async function state() {
  await listed(tab);
  return tab.eval(`({
    hash: location.hash,
    steps: flame.view.steps,
    type: document.getElementById("type").value,
    range: flame.view.range,
    places: flame.view.profile.places || 0,
    rows: [...document.querySelectorAll("#rows tr[data-name]")].map(
      row => row.textContent),
    left: document.getElementById("left").textContent,
  })`);
}

// What was shown is shown again.
async function becomes(wanted) {
  await tab.until(`location.hash === ${JSON.stringify(wanted.hash)} &&
    flame.history.text === location.hash.slice(1)`);
  assert.deepEqual(await state(), wanted);
}

const names = async () => (await table(tab)).map(row => row.at(-1)).sort();

testPage("the form adds chips, which say what is left", app, async () => {
  assert.equal(await tab.eval("document.querySelector('#filters').hidden"), true);
  await tab.key("a");
  await choose(tab, "option", "focus");
  await tab.eval("document.getElementById('value').focus()");
  await tab.type("^app\\.P");
  await tab.key("Enter");
  assert.deepEqual(await chips(), ["focus: ^app\\.P"]);
  assert.equal(await text(tab, "left"), "40\u2009B, 40.0% of all");
  assert.equal(await text(tab, "total"), "40\u2009B total");
  assert.deepEqual(await names(), [
    "app.Parse",
    "main.main",
    "runtime.mallocgc",
  ]);
  await choose(tab, "option", "hide");
  await tab.eval("document.getElementById('value').focus()");
  await tab.type("runtime");
  await tab.key("Enter");
  assert.deepEqual(await chips(), ["focus: ^app\\.P", "hide: runtime"]);
  assert.deepEqual(await names(), ["app.Parse", "main.main"]);
  await tab.eval("document.querySelector('#steps button').click()");
  assert.deepEqual(await chips(), ["hide: runtime"]);
  assert.equal(await text(tab, "left"), "100\u2009B, 100% of all");
});

testPage("the form proposes the function of a box", app, async () => {
  const { x, y } = await box(tab, hostile);
  await tab.click(x, y);
  await tab.key("a");
  const value = () => tab.eval("document.getElementById('value').value");
  const expression = "^" + hostile.replace(/[\\$()]/g, "\\$&") + "$";
  assert.equal(await value(), expression);
  await choose(tab, "option", "prune-from");
  assert.equal(await value(), expression.replace(/\\\(.*/, "$"));
  await choose(tab, "option", "ignore");
  assert.equal(await value(), expression);
  await tab.key("Enter");
  assert.ok(!(await names()).includes(hostile));
  await tab.key("Escape");
  assert.equal(await tab.eval("document.getElementById('add').hidden"), true);
});

testPage("what is not valid is said, and nothing changes", app, async () => {
  const before = await state();
  for (const [option, value, error] of [
    ["focus", "(", /invalid expression/],
    ["hide", "(a)\\1", /backreferences/],
    ["nodefraction", "2", /from 0 to 1/],
    ["focus", "\u0003", /control characters/],
  ]) {
    await add(option, value);
    assert.match(await text(tab, "add-error"), error);
    assert.deepEqual(await state(), before);
  }
});

testPage("Back undoes each step, Forward does it again", app, async () => {
  const states = [await state()];
  const keep = async () => states.push(await state());
  await add("focus", "app");
  await keep();
  await add("merge-recursion");
  await keep();
  const { x, y } = await box(tab, "app.Serve");
  await tab.click(x, y);
  await keep();
  await choose(tab, "type", "0");
  await keep();
  await tab.eval("flame.zoom(null)");
  await add("nodefraction", "0.5");
  await tab.eval("history.back()");
  await tab.until("flame.view.steps.length === 2");
  await tab.eval("history.back()");
  for (const [i, wanted] of [...states.entries()].reverse()) {
    await becomes(wanted);
    if (i) await tab.eval("history.back()");
  }
  for (const wanted of states.slice(1)) {
    await tab.eval("history.forward()");
    await becomes(wanted);
  }
});

testPage("a reload and a link show the same", app, async () => {
  await choose(tab, "type", "0");
  await add("ignore", hostile.replace(/[$()\\]/g, "\\$&"));
  await add("hide", "^main\\.main$");
  await listed(tab);
  // A sandwich, and a zoom to a caller in it.
  await tab.eval(`flame.openSandwich(
    flame.view.profile.names.indexOf("runtime.mallocgc"))`);
  assert.equal((await state()).places, 3);
  const { x, y } = await box(tab, "app.Serve");
  await tab.click(x, y);
  const before = await state();
  assert.match(before.hash, /&at=s\d+%2C\d+-\d+$/);
  await tab.send("Page.reload");
  await tab.until("self.flame?.view.frames > 0 && performance.now() > 0");
  await becomes(before);
  const link = await show(browser, app + before.hash);
  const first = tab;
  tab = link;
  try {
    assert.deepEqual(await state(), before);
  } finally {
    await link.close();
    tab = first;
  }
});

testPage("a fragment that means nothing is passed over", app, async () => {
  const whole = await state();
  for (const hash of [
    "#%",
    "#=",
    "#type=7&at=5-1,s99,0-999,x,1-2-3,s,f1",
    "#type=constructor",
    "#constructor=x&tagfocus=%",
    "#at=1-6",
    "#at=1-2_1-2,2-3_1-2,1-2_,1-2_99-100,0-1_1-2",
    "#focus=(",
  ]) {
    await tab.eval(`location.hash = ${JSON.stringify(hash)}`);
    await tab.until("flame.history.text === location.hash.slice(1)");
    const now = await state();
    assert.deepEqual({ ...now, hash: "" }, { ...whole, hash: "" }, hash);
  }
  assert.match(await text(tab, "details"), /invalid expression/);
});

testPage("names in chips never become markup", app, async () => {
  await add("focus", "<img src=x onerror=alert(1)>|app");
  await add("focus", "<b>|app");
  assert.equal(
    await tab.eval("document.querySelectorAll('#filters img, #filters b').length"),
    0,
  );
});

testPage(
  "after a filter, merged boxes make values the least there can be",
  page("merged", "--nodefraction=0.2", "app.pb.gz"),
  async () => {
    assert.ok(!(await table(tab)).flat().join().includes("\u2265"));
    await add("focus", "Parse");
    const rows = await table(tab);
    const row = rows.find(cells => cells.at(-1) === "app.Parse");
    assert.match(row[0], /^\u2265/);
    assert.match(await text(tab, "left"), /^\u2265/);
    assert.match(await text(tab, "notes"), /merged before the filters/);
  },
);

testPage("the form fits into a narrow window", app, async () => {
  await tab.resize(360, 640);
  await add("focus", "a name ".repeat(60) + "|app");
  await tab.key("a");
  assert.ok(
    await tab.eval(`[...document.querySelectorAll("#filters *")].every(
      element => element.getBoundingClientRect().right <= innerWidth)`),
  );
});

testPage("nothing left is said", app, async () => {
  await add("focus", "no such name");
  assert.match(await text(tab, "empty"), /No sample passes the filters/);
  assert.equal(await text(tab, "left"), "0, 0.00% of all");
  await tab.eval("history.back()");
  await tab.until("document.getElementById('empty').hidden");
});

testPage("a search stays through filters", app, async () => {
  await tab.eval("flame.search('Parse')");
  await add("nodefraction", "0.45");
  assert.deepEqual(await names(), ["app.Parse"]);
  assert.match(await text(tab, "share"), /40\u2009B/);
});

// The command that the page copies, with names of files for its words.
async function copied(files) {
  await tab.key("y");
  const said = await text(tab, "details");
  assert.match(said, /^Copied: /);
  return Object.entries(files).reduce(
    (command, [word, file]) => command.replace(word, file),
    said.slice("Copied: ".length),
  );
}

function run(command) {
  const tools = resolve(process.env.BUILD || "build");
  execFileSync("sh", ["-ec", command + " >copied.html"], {
    cwd: scratch,
    env: { ...process.env, PATH: tools + ":" + process.env.PATH },
  });
}

// The table of the page that the command makes is that of this page.
async function sameByCommand(files, wanted) {
  const command = await copied(files);
  assert.equal(command, wanted);
  const rows = (await table(tab)).sort();
  run(command);
  const other = await show(browser, tab.url.replace(/[^/]*$/, "copied.html"));
  const first = tab;
  tab = other;
  try {
    assert.deepEqual((await table(tab)).sort(), rows);
  } finally {
    await other.close();
    tab = first;
  }
}

testPage("y copies a command that does the same", app, async () => {
  const file = { FILE: "app.pb.gz" };
  await sameByCommand(file, "pbcat --flame app.pb.gz");
  await choose(tab, "type", "0");
  await add("focus", "Parse|it's");
  await add("merge-recursion");
  await add("nodefraction", "0.2");
  await add("hide", "^runtime\\.");
  await sameByCommand(
    file,
    "pbfilter --focus='Parse|it'\\''s' app.pb.gz | " +
      "pbfilter --hide='^runtime\\.' | " +
      "pbcat --flame --nodefraction=0.2 --sample-index=samples",
  );
});

testPage("names of hostile text are quoted for sh", app, async () => {
  await add("focus", hostile.replace(/[\\$()]/g, "\\$&"));
  assert.deepEqual(await names(), [hostile, "main.main"].sort());
  const command = await copied({ FILE: "app.pb.gz" });
  run(command);
  assert.throws(() => execFileSync("test", ["-e", "x"], { cwd: scratch }));
});

testPage(
  "a difference is filtered on both sides",
  page("change", "--diff-base=old.pb.gz", "app.pb.gz"),
  async () => {
    const files = { OLD: "old.pb.gz", NEW: "app.pb.gz" };
    await sameByCommand(
      files,
      "pbcat --flame --diff-base=old.pb.gz app.pb.gz",
    );
    await add("show-from", "Parse");
    assert.equal(await text(tab, "left"), "40\u2009B, 40.0% of all");
    await sameByCommand(
      files,
      "pbcat --proto --diff-base=old.pb.gz app.pb.gz | " +
        "pbfilter --show-from=Parse | pbcat --flame",
    );
  },
);

// The lines of the view of labels.
const tags = () =>
  tab.eval(`[...document.querySelectorAll("#tags tr")].map(
    row => [...row.cells].map(cell => cell.textContent).join(" "))`);

const about = () =>
  tab.eval("document.querySelector('#tags p').textContent");

const tagged = resolve("testdata/recorded/cpu.pb.gz");
const labels = page("labels", tagged);
const whole = [
  "710\u2009ms 91.0% branch",
  "360\u2009ms 46.2% north",
  "350\u2009ms 44.9% south",
  "710\u2009ms 91.0% size",
  "350\u2009ms 44.9% 4096",
  "180\u2009ms 23.1% 1024",
  "180\u2009ms 23.1% 16384",
];

const clickTag = (value, shiftKey = false) =>
  tab.eval(`[...document.querySelectorAll("#tags button")].find(
    button => button.textContent === ${JSON.stringify(value)}).dispatchEvent(
    new MouseEvent("click", { shiftKey: ${shiftKey} }))`);

testPage("a click on the value of a label filters", labels, async () => {
  await tab.key("l");
  assert.deepEqual(await tags(), whole);
  const before = await state();
  await clickTag("north");
  assert.deepEqual(await chips(), ["tagfocus: branch=^north$"]);
  assert.equal(await text(tab, "left"), "360\u2009ms, 46.2% of all");
  assert.deepEqual(await tags(), [
    "360\u2009ms 100% branch",
    "360\u2009ms 100% north",
    "360\u2009ms 100% size",
    "180\u2009ms 50.0% 1024",
    "180\u2009ms 50.0% 16384",
  ]);
  const { hash } = await state();
  assert.equal(hash, "#tagfocus=branch%3D%5Enorth%24");
  await tab.eval("history.back()");
  await becomes(before);
  assert.deepEqual(await tags(), whole);
  await tab.eval(`location.hash = ${JSON.stringify(hash)}`);
  await tab.until("flame.view.steps.length === 1");
  await clickTag("16384", true);
  assert.deepEqual(await chips(), [
    "tagfocus: branch=^north$",
    "tagignore: size=^16384$",
  ]);
  await tab.key("t");
  await sameByCommand(
    { FILE: tagged },
    `pbfilter --tagfocus='branch=^north$' ${tagged} | ` +
      "pbfilter --tagignore='size=^16384$' | pbcat --flame",
  );
});

testPage("Enter chooses the value of a label", labels, async () => {
  await tab.key("l");
  await tab.eval("document.querySelector('#tags button').focus()");
  await tab.key("Enter", "\r");
  assert.deepEqual(await chips(), ["tagfocus: branch=^north$"]);
});

testPage("labels are those of the zoom", labels, async () => {
  await tab.key("l");
  const { x, y } = await box(tab, "gobank.TestNorth");
  await tab.click(x, y);
  assert.match(await about(), /^Of the zoom/);
  assert.deepEqual((await tags()).slice(0, 2), [
    "360\u2009ms 46.2% branch",
    "360\u2009ms 46.2% north",
  ]);
  const zoomed = await tags();
  await tab.key("i");
  assert.deepEqual(await tags(), zoomed);
  await tab.eval("flame.openSandwich(0)");
  assert.match(await about(), /^Of the zoom/);
  assert.deepEqual(await tags(), zoomed);
  await tab.key("Escape");
  assert.deepEqual(await tags(), whole);
});

testPage(
  "where a page cannot filter by labels, it says why",
  page("merged-labels", "--nodefraction=0.3", tagged),
  async () => {
    await tab.key("l");
    assert.deepEqual(await tags(), whole);
    assert.match(await about(), /boxes were merged/);
    assert.equal(
      await tab.eval("document.querySelectorAll('#tags button').length"),
      0,
    );
    await add("tagfocus", "branch=north");
    assert.match(await text(tab, "add-error"), /boxes were merged/);
  },
);

testPage("a page without labels has no view of them", app, async () => {
  assert.ok(await tab.eval("document.getElementById('with-tags').hidden"));
  await tab.key("l");
  assert.ok(await tab.eval("document.getElementById('tags').hidden"));
  assert.ok(
    await tab.eval(`![...document.getElementById("option")].some(
      option => option.text.startsWith("tag"))`),
  );
});

testPage("one of table, source and labels is shown", labels, async () => {
  const shown = () =>
    tab.eval(`["table", "source", "tags"].filter(
      id => !document.getElementById(id).hidden).join()`);
  for (const [key, wanted] of [
    ["l", "tags"],
    ["t", "table"],
    ["l", "tags"],
    ["l", "table"],
    ["t", ""],
  ]) {
    await tab.key(key);
    assert.equal(await shown(), wanted);
  }
});

try {
  await report();
} finally {
  await browser.stop();
}
