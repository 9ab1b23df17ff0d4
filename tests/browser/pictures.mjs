#!/usr/bin/env node
// Pictures of the page of pbcat --flame for the README, light and dark:
//
//   pictures.mjs PROFILE SEARCH NAME    writes NAME-light.png and NAME-dark.png

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { Browser } from "./browser.mjs";
import { listed, page, search, settle, show } from "./page.mjs";

const [profile, pattern, name] = process.argv.slice(2);
const browser = await Browser.start();
const tab = await show(browser, page("picture", resolve(profile)), {
  width: 1200,
  height: 480,
});
await search(tab, pattern);
await tab.eval("document.activeElement.blur()");
for (const scheme of ["light", "dark"]) {
  await tab.media(scheme);
  await listed(tab);
  await settle(tab);
  writeFileSync(`${name}-${scheme}.png`, await tab.picture());
}
await browser.stop();
