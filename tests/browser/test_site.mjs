#!/usr/bin/env node
// The pages that `make html` makes, in Chromium: no errors, no broken links, and
// no text wider than a small screen.  Links to other sites are not followed.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

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
  let n = 0;
  for (const name of manual)
    await visit(name, async tab => {
      const links = await tab.eval(
        "[...document.querySelectorAll('a[href]')].map(a => a.href)",
      );
      for (const link of links.filter(l => l.startsWith("file:"))) {
        const [page, id] = link.split("#");
        const file = page.slice(page.lastIndexOf("/") + 1);
        assert.ok(readdirSync(site).includes(file), `${name}: ${link}`);
        if (id)
          assert.ok(ids.get(file).has(decodeURIComponent(id)), `${name}: ${link}`);
        n++;
      }
    });
  assert.ok(n > 200, `${n} links`);
});

test("every page of the manual is in the index", async () => {
  await visit("index.html", async tab => {
    const links = await tab.eval(
      "[...document.querySelectorAll('td a')].map(a => a.getAttribute('href'))",
    );
    const pages = readdirSync("man").filter(name => /\.[1-9]$/.test(name));
    assert.deepEqual(links.sort(), pages.map(name => name + ".html").sort());
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
  });
});

await report();
await browser.stop();
