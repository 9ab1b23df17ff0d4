// Tests that print TAP, which tests/run counts: test() announces one, report()
// runs them one after the other.

import assert from "node:assert/strict";

export { assert };

const tests = [];

export function test(name, body) {
  tests.push({ name, body });
}

export async function report() {
  console.log("1.." + tests.length);
  for (const [i, { name, body }] of tests.entries()) {
    try {
      await body();
      console.log(`ok ${i + 1} ${name}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`not ok ${i + 1} ${name}`);
      console.log(String(error?.stack || error).replace(/^/gm, "# "));
    }
  }
}
