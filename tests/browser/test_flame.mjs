#!/usr/bin/env node
// The page of pbcat --flame in Chromium.  What is expected is counted by hand
// from the stacks below.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Browser } from "./browser.mjs";
import {
  box,
  boxes,
  choose,
  encode,
  listed,
  openName,
  page,
  pixel,
  profile,
  scratch,
  search,
  settle,
  show,
  table,
  text,
  tool,
} from "./page.mjs";
import { assert, report, test } from "./tap.mjs";

const parse = "example.com/app/parse.Parse",
  serve = "example.com/app/serve.Serve";
const script = "<script>alert(1)</script>",
  quotes = "a\"b'c\\d&amp</script>";

// 8 samples, 100 ms: 40 in parse (recursive in 10 of them), 45 in serve (5 of
// them its own), 15 in what is called as HTML is written.
profile("app", [
  `main.main;${parse};runtime.mallocgc 3 30000000`,
  `main.main;${parse};${parse};runtime.mallocgc 1 10000000`,
  `main.main;${serve};runtime.mallocgc 2 40000000`,
  `main.main;${serve} 1 5000000`,
  `main.main;${script};${quotes} 1 15000000`,
]);
// In all 50 ms: parse as before, serve all of its own, one stack that is gone.
profile("old", [
  `main.main;${parse};runtime.mallocgc 3 30000000`,
  `main.main;${parse};${parse};runtime.mallocgc 1 10000000`,
  `main.main;${serve} 1 5000000`,
  "main.main;gone.Gone 1 5000000",
]);
const app = page("app", "app.pb.gz");

const browser = await Browser.start();
let tab;

// A test with the page of its own, of which nothing may complain.
function testPage(name, url, body, size) {
  test(name, async () => {
    tab = await show(browser, typeof url === "function" ? url() : url, size);
    try {
      await body();
      assert.deepEqual(tab.errors, []);
      assert.deepEqual(tab.requests, [tab.url]);
    } finally {
      await tab.close();
    }
  });
}

const near = (a, b) => Math.abs(a - b) < 0.01;

testPage(
  "opens with the default type, its total and all names",
  app,
  async () => {
    assert.equal(await text(tab, "total"), "100\u2009ms total");
    assert.equal(
      await tab.eval("document.getElementById('type').selectedOptions[0].text"),
      "cpu (nanoseconds)",
    );
    assert.equal((await table(tab)).length, 6);
    // A name is one piece, to be found and copied.
    assert.deepEqual(
      await tab.eval(`[...document.querySelectorAll("#rows td.name")].map(
        td => [td.querySelector("bdi").childNodes.length, td.innerText])
        .filter(([n, text]) => n === 1 && !text.includes("\\n")).length`),
      6,
    );
    assert.equal(
      await tab.eval("document.getElementById('reset').disabled"),
      true,
    );
  },
);

testPage("boxes are as wide as their share", app, async () => {
  const all = (await box(tab, "all")).w;
  for (const [name, row, share] of [
    ["main.main", 1, 1],
    [parse, 2, 0.4],
    [parse, 3, 0.1],
    [serve, 2, 0.45],
    ["runtime.mallocgc", 4, 0.1],
    [script, 2, 0.15],
    [quotes, 3, 0.15],
  ])
    assert.ok(
      near((await box(tab, name, row)).w / all, share),
      name + " in row " + row,
    );
});

testPage("hovering says flat and cum, in value and percent", app, async () => {
  const { x, y } = await box(tab, serve);
  await tab.move(x, y);
  await tab.until("!document.getElementById('tip').hidden");
  const tip =
    await tab.eval(`[...document.querySelectorAll("#tip b, #tip dd")].map(
    e => e.textContent)`);
  assert.deepEqual(tip.slice(0, 5), [
    serve,
    "5\u2009ms (5.00%)",
    "5\u2009000\u2009000\u2009nanoseconds",
    "45\u2009ms (45.0%)",
    "45\u2009000\u2009000\u2009nanoseconds",
  ]);
  assert.match(
    await text(tab, "details"),
    /Serve — flat 5\u2009ms \(5\.00%\); cum 45\u2009ms/,
  );
});

testPage(
  "a click zooms, the table follows, Escape goes back",
  app,
  async () => {
    const { x, y } = await box(tab, serve);
    await tab.click(x, y);
    const all = (await box(tab, "all")).w;
    assert.ok(near((await box(tab, serve)).w, all));
    assert.ok(near((await box(tab, "runtime.mallocgc", 3)).w / all, 40 / 45));
    assert.ok(!(await boxes(tab)).some(b => b.name === parse));
    assert.deepEqual(
      (await table(tab)).map(cells => [cells[0], cells[2], cells[4]]),
      [
        ["40\u2009ms", "40\u2009ms", "runtime.mallocgc"],
        ["5\u2009ms", "45\u2009ms", serve],
      ],
    );
    await tab.key("Escape");
    assert.ok(near((await box(tab, serve)).w / all, 0.45));
    assert.equal((await table(tab)).length, 6);
  },
);

testPage(
  "a click on a caller, on all and on Reset zooms out",
  app,
  async () => {
    for (const out of ["main.main", "all", null]) {
      const { x, y } = await box(tab, serve);
      await tab.click(x, y);
      assert.equal(
        await tab.eval("document.getElementById('reset').disabled"),
        false,
      );
      if (out) {
        const to = await box(tab, out);
        await tab.click(to.x, to.y);
      } else {
        await tab.eval("document.getElementById('reset').click()");
      }
      assert.ok(
        near((await box(tab, serve)).w / (await box(tab, "all")).w, 0.45),
      );
    }
  },
);

testPage(
  "search says the share of what matches, recursion once",
  app,
  async () => {
    for (const [pattern, share, names] of [
      ["mallocgc", "80.0% (80\u2009ms)", 1],
      ["parse\\.parse", "40.0% (40\u2009ms)", 1],
      ["Serve|Parse", "85.0% (85\u2009ms)", 2],
      ["alert(1)", "0.00% (0)", 0],
      ["<script>", "15.0% (15\u2009ms)", 1],
      ["alert(", "15.0% (15\u2009ms)", 1],
      ["nothing", "0.00% (0)", 0],
    ]) {
      await search(tab, pattern);
      assert.equal(await text(tab, "share"), share, pattern);
      assert.equal((await table(tab)).length, names, pattern);
    }
    await search(tab, "mallocgc");
    const { x, y } = await box(tab, serve);
    await tab.click(x, y);
    assert.equal(await text(tab, "share"), "88.9% (40\u2009ms)");
    await tab.key("Escape");
    assert.equal(await text(tab, "share"), "");
    assert.equal((await table(tab)).length, 2); // still zoomed
  },
);

testPage("what matches is drawn in another colour", app, async () => {
  const at = await box(tab, serve);
  const before = await pixel(tab, at.x - at.w / 2 + 2, at.y - 2);
  await search(tab, "Serve");
  await settle(tab);
  const after = await pixel(tab, at.x - at.w / 2 + 2, at.y - 2);
  assert.notDeepEqual(after, before);
  assert.deepEqual(after, [0xf5, 0xc2, 0x11]);
});

testPage("the other type has other sums", app, async () => {
  await search(tab, "mallocgc");
  await choose(tab, "type", 0);
  assert.equal(await text(tab, "total"), "8 total");
  assert.equal(await text(tab, "share"), "75.0% (6)");
  assert.ok(
    near((await box(tab, parse, 2)).w / (await box(tab, "all")).w, 0.5),
  );
  await search(tab, "Serve");
  assert.deepEqual(await table(tab), [["1", "12.5%", "3", "37.5%", serve]]);
});

testPage("the table is sorted by flat, by cum and by name", app, async () => {
  const order = async () => (await table(tab)).map(cells => cells[4]);
  const sort = key =>
    tab.eval(`document.querySelector("[data-key=${key}]").click()`);
  const kind = key =>
    tab.eval(
      `document.querySelector("[data-key=${key}]").parentElement.ariaSort`,
    );
  assert.deepEqual((await order()).slice(0, 3), [
    "runtime.mallocgc",
    quotes,
    serve,
  ]);
  assert.equal(await kind("flat"), "descending");
  await sort("cum");
  assert.deepEqual((await order()).slice(0, 4), [
    "main.main",
    "runtime.mallocgc",
    serve,
    parse,
  ]);
  assert.deepEqual(
    [await kind("flat"), await kind("cum")],
    ["none", "descending"],
  );
  await sort("cum");
  assert.equal((await order()).at(-1), "main.main");
  await sort("name");
  assert.deepEqual(await order(), [
    script,
    quotes,
    parse,
    serve,
    "main.main",
    "runtime.mallocgc",
  ]);
});

testPage("keys move, zoom, and leave", app, async () => {
  const said = async () => (await text(tab, "details")).split(" — ")[0];
  await tab.key("ArrowDown");
  assert.equal(await said(), "main.main");
  await tab.key("ArrowDown");
  assert.equal(await said(), serve); // the widest
  await tab.key("ArrowRight");
  assert.equal(await said(), parse);
  await tab.key("ArrowRight");
  assert.equal(await said(), script);
  await tab.key("ArrowLeft");
  await tab.key("Enter");
  assert.ok(near((await box(tab, parse, 2)).w, (await box(tab, "all")).w));
  await tab.key("ArrowUp");
  assert.equal(await said(), "main.main");
  await tab.key("Backspace");
  assert.ok(
    near((await box(tab, parse, 2)).w / (await box(tab, "all")).w, 0.4),
  );
  await tab.key("t");
  assert.equal(await tab.eval("document.getElementById('table').hidden"), true);
  await tab.key("t");
  await tab.key("/");
  assert.equal(await tab.eval("document.activeElement.id"), "pattern");
  await tab.key("t"); // is typed here
  assert.equal(await tab.eval("document.getElementById('pattern').value"), "t");
  await tab.key("Escape");
  assert.equal(await tab.eval("document.activeElement.id"), "chart");
  await tab.key("?");
  assert.equal(await tab.eval("document.getElementById('keys').open"), true);
  await tab.key("Escape");
  await tab.until("!document.getElementById('keys').open");
});

testPage("keys move in the table and open a sandwich", app, async () => {
  await listed(tab);
  await tab.eval("document.querySelector('#rows tr[data-name]').focus()");
  await tab.key("ArrowDown");
  await tab.key("ArrowDown");
  assert.equal(
    await tab.eval("document.activeElement.cells[4].textContent"),
    serve,
  );
  assert.equal(await tab.eval("document.activeElement.ariaSelected"), "true");
  await tab.key("Enter");
  assert.match(await text(tab, "notes"), /^Sandwich of .*serve\.Serve in its only/);
});

testPage("icicle and flame", app, async () => {
  const down = [await box(tab, "all"), await box(tab, serve)];
  assert.ok(down[0].y < down[1].y);
  await tab.key("f");
  const up = [await box(tab, "all"), await box(tab, serve)];
  assert.ok(up[0].y > up[1].y);
  assert.ok(up[0].y > 600); // on the lower edge
  await tab.move(up[1].x, up[1].y);
  await tab.until(
    "document.getElementById('details').textContent.includes('Serve')",
  );
  await tab.key("ArrowUp");
  assert.match(await text(tab, "details"), /^main\.main/);
});

testPage(
  "dark and light, as the system has it and by the key",
  app,
  async () => {
    const ground = async () => (await settle(tab), pixel(tab, 3, 500));
    assert.deepEqual(await ground(), [255, 255, 255]);
    await tab.media("dark");
    assert.deepEqual(await ground(), [0x16, 0x18, 0x1c]);
    assert.equal(
      await tab.eval("getComputedStyle(document.body).backgroundColor"),
      "rgb(22, 24, 28)",
    );
    await tab.key("d");
    assert.deepEqual(await ground(), [255, 255, 255]);
  },
);

testPage("colours by package and by file", app, async () => {
  const colour = async name => {
    const at = await box(tab, name);
    return pixel(tab, at.x - at.w / 2 + 2, at.y - 2);
  };
  const grey = [0xdc, 0xdf, 0xe4];
  assert.notDeepEqual(await colour(serve), await colour(parse));
  assert.notDeepEqual(await colour(serve), grey);
  await tab.key("c");
  assert.deepEqual(await colour(serve), grey); // folded stacks have no files
  assert.equal(
    await tab.eval("document.getElementById('colour').value"),
    "file",
  );
  await tab.key("c");
  assert.notDeepEqual(await colour(serve), grey);
  assert.equal(
    await tab.eval("document.getElementById('colour').value"),
    "name",
  );
  for (const by of ["module", "kind", "package"]) {
    await tab.key("c");
    assert.equal(
      await tab.eval("document.getElementById('colour').value"),
      by,
    );
  }
  assert.equal(
    await tab.eval("document.getElementById('colour').value"),
    "package",
  );
});

testPage(
  "an empty page says why",
  () => page("empty", "-q", "--focus=nothing", "app.pb.gz"),
  async () => {
    assert.equal(
      await text(tab, "empty"),
      "None of 5 samples passes the filters.",
    );
    const at = await tab.eval(`(() => {
      const { x, y, width } = document.getElementById("empty")
        .getBoundingClientRect();
      const chart = document.getElementById("chart").getBoundingClientRect();
      return x >= chart.x && y > chart.y && y < chart.bottom && width > 100;
    })()`);
    assert.ok(at);
    assert.match(await text(tab, "notes"), /Active filters:\s*focus=nothing/);
    assert.equal((await table(tab)).length, 0);
  },
);

profile("half", ["a;b 0 7", "a;c 0 3"]);
testPage(
  "a type without values says so, and the other has them",
  () => page("half", "--sample-index=0", "half.pb.gz"),
  async () => {
    const hidden = () => tab.eval("document.getElementById('empty').hidden");
    assert.equal(
      await text(tab, "empty"),
      "All values of type samples are 0; choose another type.",
    );
    assert.equal(await hidden(), false);
    await choose(tab, "type", 1);
    assert.equal(await hidden(), true);
  },
);

// Names of a C program, of which all belong to one binary or to none.
profile(
  "plain",
  ["main;read_all 3", "main;parse;lex 4", "main;write_all 2"],
  "samples/count",
);
testPage(
  "without packages and files, colours are by name",
  () => page("plain", "plain.pb.gz"),
  async () => {
    const seen = new Set();
    for (const name of ["main", "read_all", "parse", "lex", "write_all"]) {
      const at = await box(tab, name);
      seen.add(String(await pixel(tab, at.x - at.w / 2 + 2, at.y - 2)));
    }
    assert.equal(seen.size, 5);
    assert.ok(!seen.has("220,223,228")); // grey
  },
);

const sort =
  "void std::sort<It<unsigned long*, std::vector<unsigned long> >, Less<long> >" +
  "(It<unsigned long*, std::vector<unsigned long> >, Less<long>)";
const swap =
  "void std::swap<std::map<std::string, long> >" +
  "(std::map<std::string, long>&, std::map<std::string, long>&)";
profile("cxx", [`main;${sort} 3`, `main;${swap} 1`], "samples/count");
testPage(
  "template arguments are left out of boxes and table, not of the tip",
  () => page("cxx", "cxx.pb.gz"),
  async () => {
    const fit = (name, room) =>
      tab.eval(`(() => {
        const { fitter, profile } = flame.view;
        const k = profile.names.indexOf(${JSON.stringify(name)});
        return fitter.fit(profile.names[k], profile.brief[k], ${room});
      })()`);
    assert.equal(await fit(sort, 2000), sort);
    assert.equal(await fit(sort, 200), "std::sort<...>(...)");
    assert.equal(await fit(sort, 60), "std::sort");
    assert.equal(await fit(sort, 30), "sort");
    assert.equal(await fit(swap, 200), "std::swap<...>(...)");
    assert.deepEqual(
      (await table(tab)).map(cells => cells[4]),
      ["std::sort<...>(...)", "std::swap<...>(...)", "main"],
    );
    assert.equal(
      await tab.eval("document.querySelector('#rows td.name div').title"),
      sort,
    );
    const { x, y } = await box(tab, swap);
    await tab.move(x, y);
    await tab.until("!document.getElementById('tip').hidden");
    assert.equal(
      await tab.eval("document.querySelector('#tip b').textContent"),
      swap,
    );
    // What is left out can be searched for.
    await search(tab, "std::map");
    assert.equal((await table(tab)).length, 1);
  },
);

testPage(
  "what is below nothing is as wide as its amount",
  () => page("less", "--base", "old.pb.gz", "app.pb.gz"),
  async () => {
    // 40 in serve, 15 in the script, 5 less in what is gone: 50 in all, but
    // amounts of 60.
    assert.equal(
      await text(tab, "total"),
      "+50\u2009ms net: +55\u2009ms and \u22125\u2009ms",
    );
    const all = (await box(tab, "all")).w;
    for (const [name, width] of [
      [serve, 40],
      [script, 15],
      ["gone.Gone", 5],
    ])
      assert.ok(near((await box(tab, name, 2)).w / all, width / 60), name);
    const { x, y } = await box(tab, "gone.Gone");
    await tab.move(x, y);
    await tab.until(
      "document.getElementById('details').textContent.includes('gone')",
    );
    assert.match(
      await text(tab, "details"),
      /cum \u22125\u2009ms \(8\.33%\)/,
    );
  },
);

testPage("all that can be used has a name and a role", app, async () => {
  const { nodes } = await tab.send("Accessibility.getFullAXTree");
  const of = role =>
    nodes.filter(node => !node.ignored && node.role?.value === role);
  for (const role of ["button", "combobox", "searchbox", "application", "grid"])
    assert.ok(
      of(role).length > 0 && of(role).every(node => node.name?.value),
      role,
    );
  assert.equal(of("columnheader").length, 3);
  assert.equal(of("gridcell").length, 6 * 5);
  assert.equal(of("status").length, 2); // the share and the details
});

testPage("a text fits its box, cut only where enough of it is left", app, async () => {
  const names = [
    "short",
    "github.com/a/b/c.(*Type[github.com/d/e.F]).Method",
    "std::vector<int, std::allocator<int>>::push_back(int const&)",
    "\u7a0b\u5e8f\u5206\u6790.\u51fd\u6570\u540d\u79f0",
    "\u{1f525}".repeat(40),
    "x".repeat(100000),
    "iiiiiiiiiiiiiiiiiiiiWWWWWWWWWWWWWWWWWWWW",
  ];
  const fitted = await tab.eval(`(() => {
    const { fitter } = flame.view;
    const fits = [];
    for (const name of ${JSON.stringify(names)})
      for (const room of [16, 30, 61.5, 120, 400]) {
        const text = fitter.fit(name, name, room);
        fits.push([text, room, fitter.context.measureText(text).width]);
      }
    return fits;
  })()`);
  assert.equal(fitted.length, 35);
  for (const [text, room, width] of fitted)
    assert.ok(width <= room + 0.01, `${text}: ${width} in ${room}`);
  const texts = fitted.map(([text]) => text);
  assert.equal(texts[4], "short");
  assert.equal(texts[8], "Method"); // path, package and type went first
  assert.match(texts[28], /^x{8,}\u2026$/);
  for (const text of texts)
    assert.ok(!text.includes("\u2026") || Array.from(text).length > 8, text);
});

profile("marks", ["main;\u0939e" + "\u0301".repeat(50) + " 1 1"]);
testPage(
  "marks of a letter do not grow into other boxes",
  () => page("marks", "marks.pb.gz"),
  async () => {
    const texts = await tab.eval(`(() => {
      const texts = [];
      const { prototype } = CanvasRenderingContext2D;
      prototype.fillText = text => texts.push(text);
      flame.chart.draw();
      return new Promise(done => requestAnimationFrame(() =>
        requestAnimationFrame(() => done(texts))));
    })()`);
    assert.deepEqual(texts, ["all", "main", "\u0939e\u0301\u0301"]);
  },
);

testPage("colours are those of --flame=svg", app, async () => {
  const svg = tool("pbcat", "--flame=svg", "app.pb.gz").toString();
  for (const [dark, pattern] of [
    [false, /fill="#(\w{6})"/],
    [true, /--dark:#(\w{6})"/],
  ]) {
    await tab.eval(`flame.setTheme(${dark})`);
    for (const name of [serve, parse, "runtime.mallocgc"]) {
      const at = await box(tab, name);
      const [r, g, b] = await pixel(tab, at.x - at.w / 2 + 2, at.y - 2);
      const group = svg.split("<g>").find(part => part.includes(name));
      const [, hex] = group.match(pattern);
      assert.equal((r << 16) | (g << 8) | b, parseInt(hex, 16), name);
    }
  }
});

profile("unit", ["a;b 1500"], "constructor/constructor");

testPage(
  "a unit may have any name",
  () => page("unit", "unit.pb.gz"),
  async () => {
    assert.equal(await text(tab, "total"), "1\u2009500\u2009constructor total");
  },
);

profile(
  "hostile",
  [`<img src=x onerror=alert(1)>;${script};--><b>;${quotes} 1`],
  "<i>/</script>",
);

testPage(
  "names are text, whatever they look like",
  () => page("hostile", "hostile.pb.gz"),
  async () => {
    assert.equal(
      await tab.eval(
        "document.querySelectorAll('b, i:not([style]), img').length",
      ),
      0,
    );
    const { x, y } = await box(tab, script);
    await tab.move(x, y);
    await tab.until("!document.getElementById('tip').hidden");
    assert.equal(
      await tab.eval("document.querySelector('#tip b').textContent"),
      script,
    );
    assert.deepEqual(
      (await table(tab)).map(cells => cells[4]).sort(),
      ["-->" + "<b>", "<img src=x onerror=alert(1)>", script, quotes].sort(),
    );
    assert.equal(
      await tab.eval("document.getElementById('type').options[0].text"),
      "<i> (</script>)",
    );
    // one, since the data are gone
    assert.equal(await tab.eval("document.scripts.length"), 1);
  },
);

testPage(
  "a difference is as wide as the greater of both sides",
  () => page("diff", "--diff-base", "old.pb.gz", "app.pb.gz"),
  async () => {
    assert.match(
      await text(tab, "total"),
      /^50\u2009ms → 100\u2009ms, \+50\u2009ms \(\+100%\)$/,
    );
    // Widths: the greater of both: 40, 45, 15, and 5 for what is gone.
    const all = (await box(tab, "all")).w;
    for (const [name, width] of [
      [parse, 40],
      [serve, 45],
      ["gone.Gone", 5],
      [script, 15],
    ])
      assert.ok(near((await box(tab, name, 2)).w / all, width / 105), name);
    await tab.eval("document.querySelector('[data-key=cumChange]').click()");
    const [first] = await table(tab);
    assert.deepEqual(first, [
      "0",
      "0",
      "100\u2009ms",
      "+50\u2009ms",
      "main.main",
    ]);
    assert.deepEqual(
      (await table(tab)).find(cells => cells[4] === "gone.Gone"),
      ["0", "\u22125\u2009ms", "0", "\u22125\u2009ms", "gone.Gone"],
    );
  },
);

// Of n samples 2 * sqrt(n) more or less are chance: of 100 and 120 29.7 are, of
// 100 and 200 34.6, of 4 and none 4, of 5 and none 4.5.
for (const [kind, type] of [["counted", "samples"], ["other", "objects"]]) {
  const types = type + "/count,cpu/nanoseconds";
  const of = n => `${n} ${n * 10}`;
  const stacks = counts =>
    Object.entries(counts).map(([name, n]) => `main;${name} ${of(n)}`);
  profile(kind + "-old", stacks({ a: 100, four: 4, five: 5, most: 100 }), types);
  profile(kind + "-new", stacks({ a: 120, most: 200 }), types);
}

// The colours of names in the graph, and in the table.
async function coloursOf(names) {
  const found = [];
  for (const name of names) {
    const at = await box(tab, name);
    found.push(await pixel(tab, at.x - at.w / 2 + 1.5, at.y - 2));
  }
  await listed(tab);
  const swatches = await tab.eval(`Object.fromEntries(
    [...document.querySelectorAll("#rows tr[data-name]")].map(row => [
      row.querySelector("bdi").textContent,
      row.querySelector("i").style.background.match(/\\d+/g).map(Number),
    ]))`);
  assert.deepEqual(found, names.map(name => swatches[name]));
  return found;
}

testPage(
  "the greatest change has the full colour, and what chance explains none",
  () => page("counted", "--diff-base=counted-old.pb.gz", "counted-new.pb.gz"),
  async () => {
    const names = ["main", "a", "five", "four", "most"];
    const grey = [233, 233, 236];
    // 111 more in all; 5 and 100 of that: the root of the share.
    const all = [235, 92, 74],
      five = [201, 214, 237],
      most = [235, 99, 82];
    assert.deepEqual(await coloursOf(names), [all, grey, five, grey, most]);
    assert.match(await text(tab, "legend"), /^\s*less\s*more\s/);
    assert.match(await text(tab, "legend"), /Gray: within two standard errors/);
    const tip = async name => {
      const { x, y } = await box(tab, name);
      await tab.move(x, y);
      await tab.until(
        `document.querySelector("#tip b")?.textContent === "${name}"`,
      );
      return text(tab, "tip");
    };
    assert.match(await tip("a"), /within two standard errors/);
    assert.doesNotMatch(await tip("most"), /standard errors/);
    // The counts themselves are the same.
    await choose(tab, "type", "0");
    assert.deepEqual(await coloursOf(names), [all, grey, five, grey, most]);
    // As large as the new, the old has 153 in a and in most.
    await choose(tab, "scale", "normalized");
    const [main, , , , grown] = await coloursOf(names);
    assert.deepEqual(main, grey);
    assert.deepEqual(grown, all);
  },
);

testPage(
  "without counts every change has a colour",
  () => page("other", "--diff-base=other-old.pb.gz", "other-new.pb.gz"),
  async () => {
    const [a, four] = await coloursOf(["a", "four"]);
    assert.deepEqual(a, [234, 173, 167]);
    assert.deepEqual(four, [205, 216, 237]);
    assert.doesNotMatch(await text(tab, "legend"), /Gray/);
  },
);

testPage(
  "the normalized scale takes the growth of all away",
  () => page("diff", "--diff-base", "old.pb.gz", "app.pb.gz"),
  async () => {
    assert.match(await text(tab, "notes"), /^Old: old\.pb\.gzNew: app\.pb\.gz/);
    await choose(tab, "scale", "normalized");
    // The old by 2: parse was 80 and is 40, serve was 10 and is 45 (own: 10
    // and 5; below: 0 and 40), gone was 10.
    assert.match(
      await text(tab, "total"),
      /^100\u2009ms → 100\u2009ms, unchanged/,
    );
    const all = (await box(tab, "all")).w;
    for (const [name, width] of [
      [parse, 80],
      [serve, 50],
      ["gone.Gone", 10],
      [script, 15],
    ])
      assert.ok(near((await box(tab, name, 2)).w / all, width / 155), name);
    const at = await box(tab, parse, 2);
    await tab.move(at.x, at.y);
    await tab.until(
      "document.getElementById('details').textContent.includes('Parse')",
    );
    assert.match(
      await text(tab, "details"),
      /cum 80\u2009ms → 40\u2009ms, \u221240\u2009ms \(\u221250\.0%\)/,
    );
  },
);

// a grew by 5, new by 2, gone shrank by 5: amounts of 12, of which --text
// takes shares; net 2.
profile("s-old", ["main;gone 5", "main;a 3"], "samples/count");
profile("s-new", ["main;a 8", "main;new 2"], "samples/count");
tool("pbmerge", "--base=s-old.pb.gz", "-o", "signed.pb.gz", "s-new.pb.gz");
testPage(
  "values below 0 are blue, and shares are of amounts",
  () => page("signed", "signed.pb.gz"),
  async () => {
    const colour = async name => {
      const at = await box(tab, name);
      return pixel(tab, at.x - at.w / 2 + 2, at.y - 2);
    };
    assert.equal(await text(tab, "total"), "+2 net: +7 and \u22125");
    assert.equal(
      await tab.eval("document.getElementById('legend').hidden"),
      false,
    );
    assert.match(await text(tab, "legend"), /^\s*shrank\s*grew\s/);
    assert.match(await text(tab, "legend"), /Shares are of all amounts, 12\./);
    assert.match(await text(tab, "notes"), /^A difference/);
    assert.deepEqual(await colour("gone"), [84, 142, 240]);
    assert.deepEqual(await colour("a"), [235, 92, 74]);
    // 7 grew, 5 shrank: the root of 2/5 of the way from grey to red
    assert.deepEqual(await colour("main"), [234, 144, 134]);
    const all = (await box(tab, "all")).w;
    for (const [name, width] of [
      ["a", 5],
      ["gone", 5],
      ["new", 2],
      ["main", 12],
    ])
      assert.ok(near((await box(tab, name)).w / all, width / 12), name);
    // Equal amounts are in the order of their names.
    assert.deepEqual(await table(tab), [
      ["+5", "41.7%", "+5", "41.7%", "a"],
      ["\u22125", "41.7%", "\u22125", "41.7%", "gone"],
      ["+2", "16.7%", "+2", "16.7%", "new"],
      ["0", "0.00%", "+2", "16.7%", "main"],
    ]);
    await tab.eval("document.querySelector('[data-key=cum]').click()");
    assert.deepEqual(
      (await table(tab)).map(cells => cells[4]),
      ["a", "gone", "main", "new"],
    );
    await search(tab, "gone");
    assert.equal(await text(tab, "share"), "41.7% (\u22125)");
    await tab.key("Escape");
    const { x, y } = await box(tab, "gone");
    await tab.move(x, y);
    await tab.until(
      "document.getElementById('details').textContent.startsWith('gone')",
    );
    assert.match(await text(tab, "details"), /cum \u22125 \(41\.7%\)$/);
    await tab.eval("dispatchEvent(new Event('beforeprint'))");
    assert.match(await text(tab, "paper"), /Red: more than before; blue: less/);
  },
);

// 147 * (10 / 490) is not 3 to the last bit.
profile("tens", ["a;b 7", "a;c 3"], "samples/count");
profile("more-tens", ["a;b 343", "a;c 147"], "samples/count");
testPage(
  "what only grew with all is unchanged on the normalized scale",
  () => page("tens", "--diff-base", "more-tens.pb.gz", "tens.pb.gz"),
  async () => {
    await choose(tab, "scale", "normalized");
    const { x, y } = await box(tab, "c");
    await tab.move(x, y);
    await tab.until(
      "document.getElementById('details').textContent.startsWith('c ')",
    );
    assert.match(await text(tab, "details"), /cum 3 → 3, unchanged$/);
    for (const cells of await table(tab))
      assert.deepEqual([cells[1], cells[3]], ["0", "0"]);
  },
);

// 3000 callees of equal weight: each is a third of a pixel.
profile(
  "narrow",
  Array.from(
    { length: 3000 },
    (_, i) => `root;f${String(i).padStart(4, "0")};leaf 1`,
  ),
  "samples/count",
);

testPage(
  "narrow boxes are one together, and a click zooms to them",
  () => page("narrow", "--nodefraction=0", "narrow.pb.gz"),
  async () => {
    const drawn = await boxes(tab);
    assert.ok(drawn.length < 10, drawn.length + " boxes");
    const run = drawn.find(b => b.name === null);
    assert.ok(near(run.w, drawn[0].w));
    await tab.move(run.x, run.y);
    await tab.until(
      "document.getElementById('details').textContent.includes('narrow')",
    );
    assert.match(
      await text(tab, "details"),
      /^3\u2009000 narrow boxes — cum 3\u2009000 \(100%\)/,
    );
    await search(tab, "f1234");
    assert.equal(await text(tab, "share"), "0.03% (1)");
    await tab.click(run.x, run.y);
    await tab.eval("flame.zoom({ first: 1234 * 2 + 1, end: 1234 * 2 + 3 })");
    assert.ok(near((await box(tab, "f1234")).w, drawn[0].w));
    assert.equal(await text(tab, "share"), "100% (1)");
  },
);

testPage(
  "small nodes that were merged are said to be, with their sums",
  () => page("merged", "--nodefraction=0.2", "app.pb.gz"),
  async () => {
    assert.match(
      await text(tab, "notes"),
      /^4 boxes below 20% of the total are merged; they hold 25\.0% of it\./,
    );
    assert.equal(await text(tab, "total"), "100\u2009ms total");
    assert.ok(
      near((await box(tab, parse, 2)).w / (await box(tab, "all")).w, 0.4),
    );
    // Of all of it, functions are exact.
    const values = async () =>
      (await table(tab)).map(cells => [cells[0], cells[2], cells[4]]);
    assert.deepEqual(await values(), [
      ["80\u2009ms", "80\u2009ms", "runtime.mallocgc"],
      ["15\u2009ms", "15\u2009ms", quotes],
      ["5\u2009ms", "45\u2009ms", serve],
      ["0", "15\u2009ms", script],
      ["0", "40\u2009ms", parse],
      ["0", "100\u2009ms", "main.main"],
    ]);
    await search(tab, "mallocgc");
    assert.equal(await text(tab, "share"), "\u226570.0% (70\u2009ms)");
    await tab.key("Escape");
    // A part of it is, unless boxes were merged there.
    for (const [name, wanted] of [
      [
        serve,
        [
          ["40\u2009ms", "40\u2009ms", "runtime.mallocgc"],
          ["5\u2009ms", "45\u2009ms", serve],
        ],
      ],
      [
        parse,
        [
          ["\u226530\u2009ms", "\u226530\u2009ms", "runtime.mallocgc"],
          ["10\u2009ms", "10\u2009ms", "(too small)"],
          ["\u22650", "\u226540\u2009ms", parse],
        ],
      ],
    ]) {
      const { x, y } = await box(tab, name, 2);
      await tab.click(x, y);
      assert.deepEqual(await values(), wanted);
      await tab.key("Escape");
    }
  },
);

profile(
  "deep",
  [Array.from({ length: 3000 }, (_, i) => "f" + (i % 7)).join(";") + " 5"],
  "samples/count",
);

testPage(
  "deep stacks scroll, and what is far down can be zoomed to",
  () => page("deep", "deep.pb.gz"),
  async () => {
    const [{ length }, height, room] = [
      await boxes(tab),
      await tab.eval("flame.chart.box.scrollHeight"),
      await tab.eval("innerHeight"),
    ];
    assert.equal(length, 3001);
    assert.ok(height > 3000 * 15 && room < 1000);
    await tab.eval("flame.chart.box.scrollTop = 30000");
    await settle(tab);
    const drawn = (await boxes(tab)).find(b => b.y > 200);
    await tab.click(drawn.x, drawn.y);
    assert.equal((await boxes(tab)).length, 3001); // callers stay
    const lines = await table(tab);
    assert.deepEqual(
      lines.map(cells => cells[2]),
      Array(7).fill("5"),
    ); // once a stack
  },
);

profile("large", ["a;b 9007199254740993", "a;c 2"], "bytes/bytes");

testPage(
  "values that do not fit a double are said to be rounded",
  () => page("large", "large.pb.gz"),
  async () => {
    assert.match(await text(tab, "notes"), /Values above 2⁵³ are rounded\./);
  },
);

testPage(
  "a narrow window has all of it",
  app,
  async () => {
    assert.ok(
      await tab.eval("document.documentElement.scrollWidth <= innerWidth"),
    );
    const isInside = (...ids) =>
      tab.eval(`${JSON.stringify(ids)}.every(id => {
    const at = document.getElementById(id).getBoundingClientRect();
    return at.left > -1 && at.right < innerWidth + 1 &&
      at.top > -1 && at.bottom < innerHeight + 1 && at.width > 0;
  })`);
    assert.ok(await isInside("chart", "details", "side"));
    assert.ok(!(await isInside("table")));
    // One row of tools, which scrolls; the table is in place of the graph.
    assert.ok(
      await tab.eval("document.querySelector('header').clientHeight < 50"),
    );
    await tab.eval("document.querySelector('header').scrollLeft = 10000");
    assert.ok(await isInside("help"));
    await tab.key("t");
    await listed(tab);
    assert.ok(await isInside("table"));
    assert.ok(!(await isInside("chart")));
    await openName(tab, serve); // shows the graph
    assert.ok(await isInside("chart"));
    assert.equal((await box(tab, serve)).w, await tab.eval("flame.chart.width"));
  },
  { width: 420, height: 640, scale: 2 },
);

testPage("a new size of the window is drawn at once", app, async () => {
  await tab.resize(1000, 500);
  await settle(tab);
  const [chart, all] = [
    await tab.eval("flame.chart.box.clientWidth"),
    await box(tab, "all"),
  ];
  assert.equal(all.w, chart);
  assert.ok(chart < 1000 && chart > 500);
});

testPage("inverted, callers are below, and the table is the same", app, async () => {
  const before = (await table(tab)).sort();
  await tab.key("i");
  await tab.until("flame.view.profile.inverted");
  const all = (await box(tab, "all")).w;
  const is = async (name, row, share) =>
    assert.ok(
      near((await box(tab, name, row)).w / all, share),
      name + " in row " + row,
    );
  // Stacks end in mallocgc (80 ms), serve (5) and what is called as HTML (15).
  await is("runtime.mallocgc", 1, 0.8);
  await is(serve, 1, 0.05);
  await is(quotes, 1, 0.15);
  // mallocgc is called by parse (40) and serve (40).
  await is(parse, 2, 0.4);
  await is(serve, 2, 0.4);
  await is(script, 2, 0.15);
  assert.deepEqual((await table(tab)).sort(), before);
  const { x, y } = await box(tab, "runtime.mallocgc");
  await tab.move(x, y);
  assert.match(
    await text(tab, "details"),
    /mallocgc — flat 80\u2009ms \(80.0%.*; cum 80\u2009ms/,
  );
  // A reload and Back keep and leave it.
  assert.equal(await tab.eval("location.hash"), "#at=i");
  await tab.eval("flame.restore('at=i')");
  assert.equal(await tab.eval("flame.view.profile.inverted"), true);
  await tab.key("i");
  await tab.until("!flame.view.profile.inverted");
});

// Of 100 ms, 90 in line 2 of heavy(), which main() calls in line 4.
const hostileLine = "return n; } // " + script;
writeFileSync(
  join(scratch, "lines.c"),
  ["int heavy(int n) {", hostileLine, "", "int main() { heavy(1); }"].join(
    "\n",
  ) + "\n",
);
encode(
  "lines",
  `sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 value: 90 }
sample { location_id: 2 value: 10 }
location { id: 1 line { function_id: 1 line: 2 } }
location { id: 2 line { function_id: 2 line: 4 } }
function { id: 1 name: 3 filename: 5 }
function { id: 2 name: 4 filename: 5 }
string_table: ["", "cpu", "ms", "heavy", "main", "lines.c"]
`,
);

testPage(
  "the source of a function, where it is embedded",
  () => page("lines", "--with=source", "lines.pb"),
  async () => {
    const source = () =>
      tab.eval(`[...document.querySelectorAll("#source .code > *")].map(
        line => line.textContent.replace(/ +/g, " "))`);
    const shows = name =>
      tab.until(`document.getElementById("source-name").value === "${name}"`);
    const { x, y } = await box(tab, "heavy");
    await tab.click(x, y);
    await tab.key("s");
    await shows("heavy");
    assert.deepEqual((await source()).slice(0, 2), [
      " 1 . . int heavy(int n) {",
      " 2 90ms 90ms " + hostileLine,
    ]);
    await choose(tab, "source-name", "main");
    await shows("main");
    assert.ok(
      (await source()).includes(" 4 10ms 100ms int main() { heavy(1); }"),
    );
    assert.equal(await tab.eval("document.scripts.length"), 1);
    await tab.key("s");
    await tab.until("document.getElementById('source').hidden");
  },
);

testPage("prints title, total, graph and table", app, async () => {
  await tab.eval("dispatchEvent(new Event('beforeprint'))");
  const paper = await tab.eval(`({
    title: document.querySelector("#paper h1").textContent,
    lines: [...document.querySelectorAll("#paper p")].map(p => p.textContent),
    canvases: document.querySelectorAll("#paper canvas").length,
    names: [...document.querySelectorAll("#paper tbody td.name")].map(
      td => td.textContent),
  })`);
  assert.equal(paper.title, await text(tab, "title"));
  assert.ok(paper.lines.includes("cpu: 100\u2009ms total"));
  assert.equal(paper.canvases, 1);
  assert.equal(paper.names.length, 6);
  assert.ok(paper.names.includes(script));
  await tab.eval("dispatchEvent(new Event('afterprint'))");
  const pdf = await tab.print();
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.ok(pdf.toString("latin1").match(/\/Type ?\/Page\b/g).length >= 1);
  assert.equal(
    await tab.eval("document.getElementById('paper').childElementCount"),
    0,
  );
});

const notes = () =>
  tab.eval(`[...document.querySelectorAll("#notes li")].map(
    note => note.textContent)`);

testPage(
  "two equal profiles are said to be equal",
  () => page("equal", "--diff-base=app.pb.gz", "app.pb.gz"),
  async () => {
    assert.equal((await notes())[0], "Both profiles are equal.");
    assert.equal((await table(tab)).length, 6);
  },
);

testPage(
  "a type of which both profiles have the same values",
  () => {
    profile("slower", [
      `main.main;${parse};runtime.mallocgc 3 30000001`,
      `main.main;${parse};${parse};runtime.mallocgc 1 10000000`,
    ]);
    profile("faster", [
      `main.main;${parse};runtime.mallocgc 3 30000000`,
      `main.main;${parse};${parse};runtime.mallocgc 1 10000000`,
    ]);
    return page("same", "--diff-base=slower.pb.gz", "faster.pb.gz");
  },
  async () => {
    assert.doesNotMatch((await notes()).join(), /Both profiles/);
    await choose(tab, "type", "0");
    assert.equal(
      (await notes())[0],
      "Both profiles have the same values of this type.",
    );
  },
);

// What pbdiff says of a function is in the cell of its change.  f is in half of
// the samples before, and in three fifths after.
for (const run of [1, 2, 3]) {
  const g = `main;g ${1010 - run}`;
  profile(`before-${run}`, [`main;f ${1000 + run}`, g], "samples/count");
  profile(`after-${run}`, [`main;f ${1500 + run}`, g], "samples/count");
}
testPage(
  "the table of pbdiff --html has the verdicts",
  () => {
    const runs = side => [1, 2, 3].map(run => `${side}-${run}.pb.gz`);
    const sides = [...runs("before"), "--", ...runs("after")];
    const to = ["--html", "-o", "verdicts.html"];
    // A regression.
    assert.throws(() => tool("pbdiff", ...to, ...sides), { status: 1 });
    return pathToFileURL(join(scratch, "verdicts.html")).href;
  },
  async () => {
    await listed(tab);
    assert.deepEqual(
      await tab.eval(`[...document.querySelectorAll("#rows tr[data-name]")].map(
        row => [...row.cells].filter(cell => cell.title).map(cell =>
          cell.textContent.slice(-1) + cell.title.split(":")[0]).join(", "))`),
      [
        "\u25b2slower, \u25b2slower",
        "\u25bcfaster, \u25bcfaster",
        "0no change shown",
      ],
    );
  },
);

try {
  await report();
} finally {
  await browser.stop();
}
