#!/usr/bin/env node
// The menu of a function in the page of pbcat --flame.

import { Browser } from "./browser.mjs";
import {
  box,
  boxes,
  listed,
  page,
  pixel,
  profile,
  settle,
  show,
  table,
  text,
} from "./page.mjs";
import { assert, report, test } from "./tap.mjs";

const hostile = "<img src=x onerror=alert(1)>\"'&amp";
profile(
  "app",
  ["main;a;w;x 3", "main;b;w;x;z 5", `main;${hostile} 2`],
  "samples/count",
);
const app = page("app", "app.pb.gz");

const browser = await Browser.start();
let tab;

function testPage(name, body) {
  test(name, async () => {
    tab = await show(browser, app);
    try {
      await tab.eval(`Object.defineProperty(navigator, "clipboard",
        { value: { writeText: async text => { self.copied = text; } } })`);
      await body();
      assert.deepEqual(tab.errors, []);
    } finally {
      await tab.close();
    }
  });
}

const isOpen = () => tab.eval("!document.getElementById('menu').hidden");
const title = () => tab.eval("document.querySelector('#menu p').textContent");
const entries = () =>
  tab.eval(`[...document.querySelectorAll("#menu button")].map(
    button => button.textContent)`);

async function rightClick(name, row) {
  const { x, y } = await box(tab, name, row);
  await tab.click(x, y, 1, "right");
  assert.ok(await isOpen());
}

async function pick(entry) {
  await tab.eval(`[...document.querySelectorAll("#menu button")].find(
    button => button.textContent === ${JSON.stringify(entry)}).click()`);
  assert.ok(!(await isOpen()));
}

testPage("a right click opens the menu of a box", async () => {
  await rightClick("w");
  assert.equal(await title(), "w");
  assert.deepEqual(await entries(), [
    "Zoom",
    "Sandwich: callers and callees",
    "Copy name",
    "Copy stack",
    "Focus: keep only stacks with it",
    "Ignore: drop stacks with it",
    "Hide: remove its frames",
    "Show from: remove its callers",
    "Order boxes by name",
  ]);
  await pick("Copy name");
  assert.equal(await tab.eval("copied"), "w");
  assert.equal(await text(tab, "details"), "Copied the name: w");
  assert.equal(await tab.eval("document.activeElement.id"), "chart");
});

testPage("copies a stack, callers first", async () => {
  await rightClick("z");
  await pick("Copy stack");
  assert.equal(await tab.eval("copied"), "main\nb\nw\nx\nz");
  await tab.key("i"); // z is where a stack ends, and main its last caller
  const main = (await boxes(tab)).filter(b => b.name === "main");
  await rightClick("main", Math.max(...main.map(b => b.row)));
  await pick("Copy stack");
  assert.equal(await tab.eval("copied"), "main\nb\nw\nx\nz");
});

testPage("opens a sandwich, and copies stacks of both sides", async () => {
  await rightClick("w");
  await pick("Sandwich: callers and callees");
  assert.match(await text(tab, "notes"), /^Sandwich of w in all 2 places/);
  await rightClick("main", 0);
  await pick("Copy stack");
  assert.equal(await tab.eval("copied"), "main\nb\nw");
  await rightClick("z");
  await pick("Copy stack");
  assert.equal(await tab.eval("copied"), "w\nx\nz");
});

testPage("adds filters that match the whole name", async () => {
  await rightClick("z");
  await pick("Ignore: drop stacks with it");
  assert.equal(await text(tab, "total"), "5 total");
  assert.deepEqual(await tab.eval("flame.view.steps.map(s => s.option)"), [
    "ignore",
  ]);
  await rightClick(hostile);
  await pick("Focus: keep only stacks with it");
  assert.equal(await text(tab, "total"), "2 total");
});

testPage("names are never markup", async () => {
  await rightClick(hostile);
  assert.equal(await title(), hostile);
  assert.equal(await tab.eval("document.images.length"), 0);
});

testPage("keys open the menu, move in it, and close it", async () => {
  await tab.key("ArrowDown");
  await tab.key("m");
  assert.equal(await title(), "main");
  assert.equal(await tab.eval("document.activeElement.textContent"), "Zoom");
  await tab.key("ArrowUp");
  assert.match(
    await tab.eval("document.activeElement.textContent"),
    /^Order boxes/,
  );
  await tab.key("f"); // no key of the page
  assert.equal(await tab.eval("flame.view.up"), false);
  await tab.key("Escape");
  assert.ok(!(await isOpen()));
  assert.equal(await tab.eval("document.activeElement.id"), "chart");
});

testPage("a line of the table has a menu without the stack", async () => {
  await listed(tab);
  const { x, y } = await tab.eval(`(() => {
    const row = [...document.querySelectorAll("#rows tr[data-name]")].find(
      row => row.lastChild.textContent === "x");
    const { x, y } = row.getBoundingClientRect();
    return { x: x + 20, y: y + 8 };
  })()`);
  await tab.click(x, y, 1, "right");
  assert.equal(await title(), "x");
  assert.ok(!(await entries()).includes("Copy stack"));
  await pick("Sandwich: callers and callees");
  assert.match(await text(tab, "notes"), /^Sandwich of x in all 2 places/);
});

testPage("all boxes of a function have a frame when one is hovered", async () => {
  const all = (await boxes(tab)).filter(b => b.name === "w");
  assert.equal(all.length, 2);
  const edge = ({ x, y, w }) => pixel(tab, x - w / 2 + 20, y - 4);
  const before = await edge(all[1]);
  await tab.move(all[0].x, all[0].y);
  await tab.until("flame.view.hover");
  await settle(tab);
  assert.deepEqual(await edge(all[1]), await edge(all[0]));
  assert.notDeepEqual(await edge(all[1]), before);
});

try {
  await report();
} finally {
  await browser.stop();
}
