// Pages of pbcat --flame in a tab, and what tests ask of them.
//
// BUILD is the directory of the tools; default: build.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const tools = resolve(process.env.BUILD || "build");
export const scratch = mkdtempSync(join(tmpdir(), "flame-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

// Options of execFileSync() may precede the arguments.
export function tool(name, ...args) {
  const options = typeof args[0] === "object" ? args.shift() : {};
  return execFileSync(join(tools, name), args, {
    cwd: scratch,
    maxBuffer: 1 << 28,
    ...options,
  });
}

// A profile of folded stacks, one a line with a number for each type.
export function profile(name, lines, types = "samples/count,cpu/nanoseconds") {
  writeFileSync(join(scratch, name + ".folded"), lines.join("\n") + "\n");
  tool(
    "folded2pb",
    "--sample-types=" + types,
    "-o",
    name + ".pb.gz",
    name + ".folded",
  );
}

// A profile from its text format, in NAME.pb.
export function encode(name, text) {
  const schema = resolve("lib/profile/wire");
  const message = execFileSync(
    "protoc",
    [
      "--proto_path=" + schema,
      "--encode=perftools.profiles.Profile",
      "profile.proto",
    ],
    { input: text, maxBuffer: 1 << 28 },
  );
  writeFileSync(join(scratch, name + ".pb"), message);
}

// The address of the page that pbcat makes with these arguments.
export function page(name, ...args) {
  tool("pbcat", "--flame", "-o", name + ".html", ...args);
  return pathToFileURL(join(scratch, name + ".html")).href;
}

// A tab that shows the page: the first frame is drawn.
export async function show(browser, url, size) {
  const tab = await browser.open(size);
  await tab.media("light");
  await tab.go(url);
  await tab.until("self.flame?.view.frames > 0");
  tab.url = url;
  return tab;
}

// All boxes that are laid out and have a text: {name, row, x, y, w}, x and y
// being a point in it on the screen.
export async function boxes(tab) {
  await settle(tab);
  return tab.eval(`(() => {
    const { view, chart } = flame;
    const at = chart.canvas.getBoundingClientRect();
    return view.layout.rows.flatMap((row, d) => row.x.map((x, i) => ({
      name: row.end[i] ? null : view.textOf(row.node[i]), row: d, w: row.w[i],
      x: at.x + x + row.w[i] / 2,
      y: at.y + chart.yOf(d) - chart.box.scrollTop + 4,
    })));
  })()`);
}

export async function box(tab, name, row) {
  const found = (await boxes(tab)).find(
    b => b.name === name && (row === undefined || b.row === row),
  );
  if (!found) throw new Error("no box " + name);
  return found;
}

// Until all that was asked for is drawn.
export function settle(tab) {
  return tab.eval(
    `new Promise(done =>
      requestAnimationFrame(() => requestAnimationFrame(done)))`,
  );
}

export function text(tab, id) {
  return tab.eval(`document.getElementById(${JSON.stringify(id)}).textContent`);
}

// Until the table, which is filled after the chart is drawn, shows what was
// asked for last.
export function listed(tab) {
  return tab.until("!flame.table.due && flame.table.shown");
}

// The lines of the table, each the texts of its cells.
export async function table(tab) {
  await listed(tab);
  return tab.eval(`[...document.querySelectorAll("#rows tr[data-name]")].map(
    row => [...row.cells].map(cell => cell.textContent))`);
}

// Opens a function as a double click in the table does.
export async function openName(tab, name) {
  await listed(tab);
  const { x, y } = await tab.eval(`(() => {
    const row = [...document.querySelectorAll("#rows tr[data-name]")].find(
      row => row.cells[row.cells.length - 1].textContent === "${name}");
    const { x, y } = row.getBoundingClientRect();
    return { x: x + 20, y: y + 8 };
  })()`);
  await tab.click(x, y, 2);
}

// The colour [r, g, b] that the canvas has there.
export function pixel(tab, x, y) {
  return tab.eval(`(() => {
    const canvas = flame.chart.canvas, at = canvas.getBoundingClientRect();
    const scale = canvas.width / at.width;
    const left = Math.floor((${x} - at.x) * scale);
    const top = Math.floor((${y} - at.y) * scale);
    // A copy, since reading from a canvas makes it a slow one.
    const one = new OffscreenCanvas(1, 1).getContext("2d");
    one.drawImage(canvas, left, top, 1, 1, 0, 0, 1, 1);
    return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
  })()`);
}

export async function search(tab, pattern) {
  await tab.eval("document.getElementById('pattern').select()");
  await tab.type(pattern);
  await tab.until(`flame.view.query === ${JSON.stringify(pattern)}`);
}

export async function choose(tab, id, value) {
  await tab.eval(`(() => {
    const list = document.getElementById("${id}");
    list.value = "${value}";
    list.dispatchEvent(new Event("change"));
  })()`);
}
