#!/usr/bin/env node
// The pages that `make html` makes, in Chromium: no errors, no broken links, and
// no text wider than a small screen.  Links to other sites are not followed.

import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./browser.mjs";
import { assert, report, test } from "./tap.mjs";

const build = resolve(process.env.BUILD || "build");
execFileSync("man/html/build", [build], { stdio: "inherit" });
const site = join(build, "html");
const names = readdirSync(site).filter(name => name.endsWith(".html"));
const manual = names.filter(name => !/^(flame|weblist)/.test(name));
const address = name => pathToFileURL(join(site, name)).href;
const browser = await Browser.start();
const ids = new Map(); // of each page

async function visit(name, body, size) {
  const tab = await browser.open(size);
  try {
    await tab.media("light");
    await tab.go(address(name));
    await body(tab);
    assert.deepEqual(tab.errors, []);
  } finally {
    await tab.close();
  }
}

test("every page loads without an error", async () => {
  assert.ok(manual.length >= 11);
  for (const name of names)
    await visit(name, async tab => {
      const all = await tab.eval(
        "[...document.querySelectorAll('[id]')].map(e => e.id)",
      );
      if (manual.includes(name))
        assert.equal(new Set(all).size, all.length, name + ": an id twice");
      ids.set(name, new Set(all));
      const broken = await tab.eval(
        `[...document.images].filter(i => !i.naturalWidth).map(i => i.src)`,
      );
      assert.deepEqual(broken, [], name);
    });
});

test("links between pages lead to what is there", async () => {
  const own = readdirSync("man").filter(name => /\.[1-9]$/.test(name));
  let n = 0;
  for (const name of manual)
    await visit(name, async tab => {
      const links = await tab.eval(
        "[...document.querySelectorAll('a[href]')].map(a => a.href)",
      );
      for (const link of links) {
        if (!link.startsWith("file:")) {
          // A page of this manual is never elsewhere.
          assert.ok(!own.includes(link.replace(/.*\//, "")), `${name}: ${link}`);
          continue;
        }
        const [page, id] = link.split("#");
        assert.ok(statSync(fileURLToPath(page)).isFile(), `${name}: ${link}`);
        if (id)
          assert.ok(
            ids
              .get(page.slice(page.lastIndexOf("/") + 1))
              .has(decodeURIComponent(id)),
            `${name}: ${link}`,
          );
        n++;
      }
      if (own.includes(name.replace(/\.html$/, "")))
        assert.ok(
          links.some(link => /\d\.html$/.test(link) && !link.endsWith(name)),
          `${name}: no link to another page`,
        );
    });
  assert.ok(n > 1000, `${n} links`);
});

test("the index has every page of the manual, and what readers look for", async () => {
  await visit("index.html", async tab => {
    const links = await tab.eval(
      "[...document.querySelectorAll('main a')].map(a => a.getAttribute('href'))",
    );
    const pages = readdirSync("man").filter(name => /\.[1-9]$/.test(name));
    for (const page of [
      ...pages.map(name => name + ".html"),
      "changelog.html",
      "install.html",
      "tests.html",
      "license.txt",
      "flame.html",
    ])
      assert.ok(links.includes(page), page);
    const text = await tab.eval("document.body.innerText");
    assert.match(text, /Version \d+\.\d+\.\d+/);
    assert.match(text, /Use something else/);
    assert.match(text, /How it is tested/);
    assert.ok(text.indexOf("perf2pb") < text.indexOf("gmon2pb"));
  });
});

test("long pages begin with their contents", async () => {
  for (const name of ["pbcat.1", "perf2pb.1", "profutils-cookbook.7"])
    await visit(name + ".html", async tab => {
      const entries = await tab.eval(
        "document.querySelectorAll('main h1.Sh + ul.Bl-compact a').length",
      );
      assert.ok(entries > 10, `${name}: ${entries} entries`);
    });
});

test("search finds options, sections and pages", async () => {
  for (const [words, wanted] of [
    ["--focus", "pbfilter.1.html#focus"],
    ["speedscope", "pbcat.1.html#speedscope"],
    ["exit status", "profutils.7.html#EXIT_STATUS"],
    ["perf2pb", "perf2pb.1.html"],
    ["canonical form", "profutils.7.html#The_canonical_form"],
  ])
    await visit("index.html", async tab => {
      await tab.eval("document.querySelector('[role=search] input').focus()");
      await tab.until("typeof searchIndex == 'object'");
      await tab.eval(`(() => {
        const input = document.querySelector("[role=search] input");
        input.value = ${JSON.stringify(words)};
        input.dispatchEvent(new Event("input"));
      })()`);
      const found = await tab.eval(
        "[...document.querySelectorAll('[role=search] a')].map(a => a.getAttribute('href'))",
      );
      assert.ok(found.slice(0, 6).includes(wanted), `${words}: ${found}`);
    });
});

test("no page is wider than 400 pixels", async () => {
  for (const name of manual)
    await visit(
      name,
      async tab =>
        assert.equal(
          await tab.eval("document.documentElement.scrollWidth"),
          400,
          name,
        ),
      { width: 400 },
    );
});

test("colours follow the light or dark scheme", async () => {
  const colours = `[getComputedStyle(document.documentElement).backgroundColor,
    getComputedStyle(document.documentElement).color]`;
  await visit("tour.html", async tab => {
    assert.deepEqual(await tab.eval(colours), [
      "rgb(255, 255, 255)",
      "rgb(28, 30, 33)",
    ]);
    await tab.media("dark");
    assert.deepEqual(await tab.eval(colours), [
      "rgb(24, 25, 27)",
      "rgb(228, 230, 235)",
    ]);
  });
});

test("the tour has pictures, and what commands print", async () => {
  await visit("tour.html", async tab => {
    assert.equal(await tab.eval("document.images.length"), 1);
    const text = await tab.eval("document.body.innerText");
    assert.match(text, /340ms +100% +100% +340ms +100% +Mutex_lock/);
    assert.match(text, /ROUTINE =+ Mutex_lock in .*bank\.c/);
    assert.match(text, /2 profiles: 0 errors, 0 warnings/);
    assert.doesNotMatch(text, /\/tmp\/|\/var\//);
  });
});

await report();
await browser.stop();
