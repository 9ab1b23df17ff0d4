// The functions of the page of pbcat --flame without a browser: its files
// only declare, so they can be run together in node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

import { scratch, tool } from "./page.mjs";

const folder = "lib/report/flame/page";

// An object with these functions and values of the files.
export function pageCode(files, names) {
  const code = files.map(file => readFileSync(join(folder, file), "utf8"));
  const context = vm.createContext({
    atob,
    Blob,
    console,
    DataView,
    DecompressionStream,
    Response,
    TextDecoder,
    TextEncoder,
  });
  context.self = context;
  return vm.runInContext(`${code.join("\n")}\n({ ${names} })`, context);
}

function makePage(...args) {
  tool("pbcat", "--flame", "-q", "-o", "data.html", ...args);
  return readFileSync(join(scratch, "data.html"), "utf8");
}

const dataOf = (html, id) =>
  new RegExp(`<script type="text/plain" id="${id}">([^<]*)<`).exec(html)[1];

// The text of the data in a page.
export function pageData(...args) {
  return dataOf(makePage(...args), "profile");
}

// The profile in a page, with its labels.
export async function readPage({ readProfile, readLabels }, ...args) {
  const html = makePage(...args);
  const profile = await readProfile(dataOf(html, "profile"));
  profile.labels = await readLabels(dataOf(html, "labels"), profile);
  return profile;
}

// The lines of the table of a filtered profile, as textRows() has them.
export function tableRows({ measure, byName }, filtered, type) {
  const m = measure(filtered, type, false);
  const { flat, cum, baseFlat, baseCum, present } = byName(
    filtered,
    { first: 0, end: filtered.n },
    m,
  );
  const change = (now, old, k) => now[k] - (old ? old[k] : 0);
  return [...present]
    .map(k => [change(flat, baseFlat, k), change(cum, baseCum, k), k])
    .filter(([f, c, k]) => (f || c) && filtered.names[k] !== "<no stack>")
    .map(([f, c, k]) => `${f} ${c} ${filtered.names[k]}`)
    .sort();
}

// What pbcat --text says of functions, for one sample type: lines of flat,
// cum and name, sorted.
export function textRows(unit, type, input, ...args) {
  const text = tool(
    "pbcat",
    { input },
    "-q",
    "--text",
    "--compact-labels",
    "--nodefraction=0",
    "--unit=" + unit,
    "--sample-index=" + type,
    ...args,
  );
  return text
    .toString()
    .split("\n")
    .map(line =>
      /^ *(-?\d+)\D*? +\S+ +\S+ +(-?\d+)\D*? +\S+%  (.*)/.exec(
        line.replace(/ \((partial-)?inline\)$/, ""),
      ),
    )
    .filter(found => found && (found[1] !== "0" || found[2] !== "0"))
    .map(([, flat, cum, name]) => `${flat} ${cum} ${name}`)
    .sort();
}
