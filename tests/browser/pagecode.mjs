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

// The text of the data in a page.
export function pageData(...args) {
  tool("pbcat", "--flame", "-q", "-o", "data.html", ...args);
  const html = readFileSync(join(scratch, "data.html"), "utf8");
  return /<script type="text\/plain" id="profile">([^<]*)</.exec(html)[1];
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
