// The page of pbcat --flame.  The files of this directory only declare; what
// runs begins here, once all of them have been read.

const byId = id => document.getElementById(id);

// Names are data: they only ever get into the page as text.
function textElement(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

class Page {
  constructor(profile) {
    this.view = {
      profile,
      whole: profile, // before filters
      range: wholeRange(profile),
      up: false,
      byName: false,
      by: profile.header.colour,
      query: "",
      wanted: null,
      matches: null,
      marked: null,
      hover: null,
      cursor: null,
      normalized: false,
      steps: [],
      dark: matchMedia("(prefers-color-scheme: dark)").matches,
      textOf: node => (node < 0 ? "all" : this.shown.names[this.nameOf(node)]),
      briefOf: node => (node < 0 ? "all" : this.shown.brief[this.nameOf(node)]),
      hovered: node => this.isHovered(node),
      hatched: node => this.nameOf(node) === this.shown.header.other,
      colourOfName: (k, sums) => this.colours.ofName(k, sums),
    };
    this.chart = new Chart(
      this.view,
      range => this.zoom(range),
      what => this.tell(what),
      (box, x, y) => this.openMenu(box, x, y),
    );
    this.menu = new Menu(() => byId("chart").focus());
    this.table = new Table(
      this.view,
      k => this.mark(k),
      k => this.openSandwich(k),
      (k, x, y) => this.openNameMenu(k, null, x, y),
    );
    const { types, default_type } = profile.header;
    this.sources = new Sources(
      byId("code").textContent,
      visible(types[default_type].type),
    );
    byId("code").remove();
    this.tags = new Tags(this.view, step => this.addStep(step));
    byId("with-tags").hidden = !profile.labels;
    byId("with-source").hidden = !this.sources.text;
    this.pipeline = new Pipeline(profile);
    this.chips = new Chips(
      steps => this.setSteps(steps),
      () => this.textHere(),
      Boolean(profile.labels),
    );
    this.history = new History(text => this.restore(text));
    printWith(this.view, this.table);
    this.fillHead();
    this.listen();
    this.setTheme(this.view.dark);
    if (this.isSmall) this.showTable(false);
    this.restore(this.history.text);
  }

  // Whether the table takes the place of the graph, as flame.css says.
  get isSmall() {
    return matchMedia("(max-width: 560px)").matches;
  }

  get shown() {
    return this.view.profile;
  }

  nameOf(node) {
    return this.shown.name[node];
  }

  fillHead() {
    const { header } = this.view.profile;
    byId("title").textContent = header.title;
    byId("title").title = header.title;
    header.types.forEach(({ type, unit }, i) => {
      byId("type").add(
        new Option(visible(type) + (unit ? " (" + visible(unit) + ")" : ""), i),
      );
    });
    byId("type").value = String(header.default_type);
    byId("colour").value = header.colour;
    byId("scale-label").hidden = !header.diff;
  }

  listen() {
    const on = (id, event, call) => byId(id).addEventListener(event, call);
    on("type", "change", () => this.setType(Number(byId("type").value)));
    on("scale", "change", () =>
      this.setScale(byId("scale").value === "normalized"),
    );
    on("colour", "change", () => this.setColour(byId("colour").value));
    on("up", "click", () => this.flip());
    on("side", "click", () => this.showTable(byId("table").hidden));
    on("inverted", "click", () => this.invert());
    on("sandwich", "click", () => this.toggleSandwich());
    on("with-source", "click", () => this.showSource());
    on("with-tags", "click", () => this.turn("tags"));
    on("theme", "click", () => this.setTheme(!this.view.dark));
    on("reset", "click", () => this.zoom(null));
    on("info", "click", () =>
      byId("info").setAttribute(
        "aria-expanded",
        byId("info").getAttribute("aria-expanded") === "false",
      ),
    );
    on("help", "click", () => this.showKeys());
    on("pattern", "input", () => this.searchSoon());
    on("search", "submit", event => {
      event.preventDefault();
      this.search(byId("pattern").value);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change",
      event => this.setTheme(event.matches),
    );
    document.addEventListener("keydown", event => this.key(event));
    document.addEventListener(
      "keydown",
      () => document.documentElement.classList.add("keys"),
      { once: true },
    );
  }

  key(event) {
    const typing = event.target.matches("input, select");
    if (event.altKey || event.ctrlKey || event.metaKey || byId("keys").open)
      return;
    if (event.key === "Escape") this.leave();
    else if (typing) return;
    else if (this.keys[event.key]) this.keys[event.key]();
    else if (
      event.key.startsWith("Arrow") &&
      !event.defaultPrevented &&
      event.target === document.body
    )
      this.chart.key(event);
    else return;
    event.preventDefault();
  }

  keys = {
    "/": () => byId("pattern").select(),
    a: () => this.chips.open(true, this.textHere()),
    y: () => this.copyCommand(),
    "?": () => this.showKeys(),
    f: () => this.flip(),
    i: () => this.invert(),
    m: () => this.openMenuHere(),
    3: () => this.toggleSandwich(),
    t: () => this.showTable(byId("table").hidden),
    s: () => byId("with-source").hidden || this.showSource(),
    l: () => byId("with-tags").hidden || this.turn("tags"),
    d: () => this.setTheme(!this.view.dark),
    o: () => this.setOrder(!this.view.byName),
    n: () => this.view.m.base && this.setScale(!this.view.normalized),
    c: () => this.nextColour(),
    Backspace: () => this.zoomOut(),
  };

  // From the top, though the button at the end gets the focus.
  showKeys() {
    byId("keys").showModal();
    byId("keys").scrollTop = 0;
  }

  // Escape: one thing at a time.
  leave() {
    if (this.chips.isOpen) {
      this.chips.open(false);
    } else if (this.view.query) {
      byId("pattern").value = "";
      this.search("");
    } else if (this.view.marked) {
      this.mark(-1);
    } else {
      this.zoom(null);
    }
    byId("chart").focus();
  }

  setType(type) {
    this.measure(type);
    this.tellLeft();
    this.relay();
    this.save();
  }

  // Makes what is shown an entry of the history.
  save() {
    const { pipeline, view } = this;
    this.history.add(stateText(pipeline.whole, pipeline.steps, view));
  }

  // Shows what was saved.
  restore(text) {
    const { pipeline, view } = this;
    const { steps, type, path } = stateOf(text, pipeline.whole.header);
    let failed = "";
    let root;
    try {
      root = pipeline.filter(steps);
    } catch (error) {
      failed = error.message;
      root = pipeline.filter([]);
    }
    const { profile, range } = followPath(root, path);
    byId("type").value = String(type);
    this.take(profile, range, type);
    if (failed) byId("details").textContent = failed;
  }

  // Throws an error for steps that are not valid.
  setSteps(steps) {
    const root = this.pipeline.filter(steps);
    this.show(root, wholeRange(root));
  }

  // For what else adds filters: {option, value}, as pbfilter's options.
  addStep(step) {
    this.chips.add(step);
  }

  // The name that is marked, at the cursor or zoomed to, or -1.
  nameHere() {
    const { view, table } = this;
    const { profile, range, cursor } = view;
    if (view.marked && table.picked >= 0) return table.picked;
    if (cursor)
      return cursor.end || cursor.node < 0 ? -1 : this.nameOf(cursor.node);
    const isOne =
      range.first < range.end && profile.end[range.first] === range.end;
    return isOne && !showsAll(view) ? this.nameOf(range.first) : -1;
  }

  // What a filter would match of a name, or "": the binary of an address.
  textHere() {
    return this.textToMatch(this.nameHere());
  }

  textToMatch(k) {
    const { names, kindOf, binaries, binaryOf } = this.shown;
    if (k < 0 || kindOf[k] === frameKinds.none) return "";
    if (kindOf[k] === frameKinds.function) return names[k];
    return binaryOf[k] ? binaries[binaryOf[k] - 1] : "";
  }

  tellLeft() {
    const { pipeline, view } = this;
    view.steps = pipeline.steps;
    this.chips.show(view.steps, leftText(view, pipeline.whole));
  }

  copyCommand() {
    const { pipeline, view } = this;
    const text = commandOf(pipeline.whole, pipeline.steps, view.m.type);
    copyText(text);
    byId("details").textContent = "Copied: " + text;
  }

  measure(type) {
    const { view } = this;
    const { profile } = view;
    const measured = profile => measureOnce(profile, type, view.normalized);
    view.m = measured(profile);
    view.unit = profile.header.types[type].unit;
    // The table has what a sandwich was made from.
    view.listed = profile.split
      ? Object.assign(Object.create(view), profile.back, {
          m: measured(profile.back.profile),
        })
      : view;
    view.barText = barText(view);
    this.tellSummary();
    this.tell(null); // it was of another type, scale or profile
    this.recolour();
  }

  setScale(normalized) {
    this.view.normalized = normalized;
    byId("scale").value = normalized ? "normalized" : "absolute";
    this.setType(this.view.m.type);
  }

  setColour(by) {
    this.view.by = by;
    byId("colour").value = by;
    this.recolour();
    this.chart.draw();
    this.table.fill(true);
  }

  // Of siblings: by name, or the heaviest first.
  setOrder(byName) {
    this.view.byName = byName;
    this.chart.lay();
    byId("details").textContent = byName
      ? "Boxes are ordered by name."
      : "The heaviest boxes come first.";
  }

  nextColour() {
    const list = byId("colour");
    const next = (list.selectedIndex + 1) % list.length;
    this.setColour(list.options[next].value);
  }

  setTheme(dark) {
    const { view } = this;
    view.dark = dark;
    view.theme = dark ? themes.dark : themes.light;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").textContent = dark ? "Light" : "Dark";
    if (!view.m) return;
    this.recolour();
    this.chart.draw();
    this.table.fill(true);
  }

  recolour() {
    this.colours = colouring(this.view, this.view.theme);
    this.view.colourOf = this.colours.ofNode;
  }

  relay() {
    this.chart.lay();
    if (this.view.up) this.chart.scrollTo(this.view.layout.top);
    this.table.update();
    this.tags.update();
    this.tellShare();
  }

  // Null: everything.
  zoom(range) {
    const { view } = this;
    const { root } = view.profile;
    if (range) this.show(view.profile, range);
    else this.show(root, wholeRange(root));
  }

  show(profile, range) {
    this.take(profile, range, this.view.m.type);
    this.save();
  }

  take(profile, range, type) {
    const { view } = this;
    const other = profile !== view.profile;
    view.range = range;
    view.profile = profile;
    if (other) view.cursor = view.marked = null;
    if (other || type !== view.m?.type) {
      this.measure(type);
      this.find();
    }
    this.tellLeft();
    byId("inverted").setAttribute("aria-pressed", Boolean(profile.inverted));
    byId("sandwich").setAttribute("aria-pressed", profile.split > 0);
    byId("reset").disabled = showsAll(view);
    this.relay();
    this.chart.scrollTo(view.layout.top);
    this.chart.draw();
  }

  zoomOut() {
    const { profile, range } = this.view;
    const { back } = profile;
    const parent = range.first < profile.n ? profile.parent[range.first] : -1;
    if (parent >= 0 && parent !== profile.split)
      this.zoom({ first: parent, end: profile.end[parent] });
    else if (!back) this.zoom(null);
    else if (isWhole(this.view)) this.show(back.profile, back.range);
    else this.zoom(wholeRange(profile));
  }

  // From callees to callers, or back.
  invert() {
    const { profile, range } = plainView(this.view);
    if (this.shown.inverted) return this.show(profile, range);
    const inverted = invert(profile, range);
    this.show(inverted, wholeRange(inverted));
  }

  // The callers and callees of a function, in what the table lists.
  openSandwich(k) {
    const { view, table } = this;
    const { profile, range } = plainView(view);
    const sandwich = k < 0 ? null : sandwichOf(profile, range, k);
    if (!sandwich) {
      byId("details").textContent =
        k < 0
          ? "Choose a function first, in the graph or in the table."
          : `All places of ${profile.names[k]} are in merged boxes.`;
      return;
    }
    if (this.isSmall) this.showTable(false);
    table.picked = k;
    this.show(sandwich, wholeRange(sandwich));
    view.cursor = view.layout.rows[view.layout.bar].box(0, view.layout.bar);
    this.tell(describe(view, view.cursor));
  }

  // Of what is chosen; once more: back.
  toggleSandwich() {
    const { profile } = this.view;
    const k = this.nameHere();
    if (profile.split && k === profile.name[0]) {
      const { back } = profile;
      this.show(back.profile, back.range);
    } else {
      this.openSandwich(k);
    }
  }

  // Whether a node is of the function that the pointer is on.
  isHovered(node) {
    const { hover, profile } = this.view;
    if (!hover || hover.end || hover.node < 0 || node < 0) return false;
    const k = this.nameOf(hover.node);
    return k === this.nameOf(node) && k !== profile.header.other;
  }

  openMenu(box, x, y) {
    if (box.node >= 0 && !box.end)
      return this.openNameMenu(this.nameOf(box.node), box, x, y);
    const { name } = describe(this.view, box);
    const zoom = ["Zoom", () => this.chart.zoomTo(box)];
    this.menu.open(name, [zoom, this.orderEntry()], x, y);
  }

  orderEntry() {
    const { byName } = this.view;
    return [
      byName ? "Order boxes by weight" : "Order boxes by name",
      () => this.setOrder(!byName),
    ];
  }

  // Of a function, and of the box of it that was chosen, or null.
  openNameMenu(k, box, x, y) {
    const { profile } = this.view;
    const name = profile.names[k];
    const entries = [];
    const copy = (what, text) => {
      copyText(text);
      byId("details").textContent = `Copied the ${what}: ${text}`;
    };
    if (box) entries.push(["Zoom", () => this.chart.zoomTo(box)]);
    if (k !== profile.header.other)
      entries.push([
        "Sandwich: callers and callees",
        () => this.openSandwich(k),
      ]);
    entries.push(["Copy name", () => copy("name", name)]);
    if (box)
      entries.push([
        "Copy stack",
        () => copy("stack", stackText(profile, box.node)),
      ]);
    const text = this.textToMatch(k);
    for (const [option, what] of text ? filterEntries : [])
      entries.push([
        what,
        () => this.addStep({ option, value: patternOfName(option, text) }),
      ]);
    if (box) entries.push(this.orderEntry());
    this.menu.open(name, entries, x, y);
  }

  // Of the box at the cursor, or of what is marked or zoomed to.
  openMenuHere() {
    const { view, chart } = this;
    const { cursor } = view;
    const k = this.nameHere();
    const isBox = cursor && (k < 0 || this.nameOf(cursor.node) === k);
    const { x, y } = isBox
      ? chart.pointOf(cursor)
      : byId("chart").getBoundingClientRect();
    if (isBox) this.openMenu(cursor, x, y);
    else if (k >= 0) this.openNameMenu(k, null, x, y);
  }

  mark(k) {
    const view = this.view.listed;
    const { m } = view;
    this.view.marked = k < 0 ? null : node => this.nameOf(node) === k;
    this.chart.draw();
    if (k < 0) return;
    const { flat, cum, baseFlat, baseCum, places, heaviest } = this.table.sums;
    const partial = this.table.partial && k !== view.profile.header.other;
    const text = (now, old) =>
      sumText(
        partial,
        m.base ? changeText(view, now[k], old[k]) : valueText(view, now[k]),
        m.base || m.signed,
      );
    const lines = [
      ["flat", text(flat, baseFlat)],
      ["cum", text(cum, baseCum)],
    ];
    if (places[k] > 1)
      lines.push([
        "in",
        `${grouped(places[k])} places, the heaviest ` +
          plainText(view, m.cum[heaviest[k]]),
      ]);
    this.tell({ name: view.profile.names[k], lines });
  }

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(byId("pattern").value), 60);
  }

  search(query) {
    const { view } = this;
    clearTimeout(this.timer);
    if (query === view.query) return;
    view.query = query;
    view.wanted = query ? matchNames(view.profile.names, query) : null;
    this.find();
    this.tellShare();
    this.chart.draw();
    this.table.update();
  }

  // The boxes that match.
  find() {
    const { view } = this;
    const { profile } = view;
    view.matches = null;
    if (!view.wanted) return;
    if (view.wanted.length !== profile.names.length)
      view.wanted = matchNames(profile.names, view.query);
    const { wanted } = view;
    const before = countBefore(profile, wanted);
    const hasMatch = ([first, end]) => before[end] > before[first];
    view.matches = box =>
      box.end
        ? partsOf(rangeOfBox(profile, box)).some(hasMatch)
        : wanted[profile.name[box.node]];
  }

  tellShare() {
    byId("share").textContent = foundText(this.view.listed);
  }

  tellSummary() {
    const { view } = this;
    const notes = notesOf(view);
    const ends = legendEnds(view);
    const empty = emptyText(view);
    byId("empty").textContent = empty;
    byId("empty").hidden = !empty;
    byId("legend").hidden = !ends;
    byId("colour-label").hidden = ends !== null;
    ["less", "more"].forEach((id, i) => (byId(id).textContent = ends?.[i]));
    byId("total").textContent = totalText(view);
    byId("legend-text").textContent = legendText(view);
    byId("notes").replaceChildren(
      ...notes.map(note => textElement("li", note)),
    );
  }

  tell(what) {
    byId("details").textContent = what ? describeInLine(what) : "";
  }

  flip() {
    const { view } = this;
    view.up = !view.up;
    byId("up").setAttribute("aria-pressed", view.up);
    this.tellSummary();
    this.chart.scrollTo(view.layout.top);
    this.chart.draw();
  }

  // The source of what is marked, at the cursor or zoomed to; or no longer.
  async showSource() {
    const shown = byId("source").hidden;
    if (shown) {
      await this.sources.read();
      const k = this.nameHere();
      this.sources.show(
        k < 0 ? this.sources.list.options[0]?.value : this.shown.names[k],
      );
    }
    this.turn("source");
  }

  // To what is beside the graph in place of the table, or back.
  turn(which) {
    const shown = byId(which).hidden;
    this.showBeside(shown ? which : this.isSmall ? "" : "table");
  }

  showTable(shown) {
    this.showBeside(shown ? "table" : "");
  }

  // One of these is beside the graph, or none.
  showBeside(which) {
    const buttons = { table: "side", source: "with-source", tags: "with-tags" };
    for (const id in buttons) {
      byId(id).hidden = id !== which;
      byId(buttons[id]).setAttribute("aria-pressed", id === which);
    }
    this.table.fill(true);
    this.tags.update();
  }
}

async function start() {
  try {
    const data = byId("profile");
    const profile = await readProfile(data.textContent);
    profile.labels = await readLabels(byId("labels").textContent, profile);
    data.remove(); // its memory is better used
    byId("labels").remove();
    self.flame = new Page(profile);
    // Where another page embeds this one, it keeps the focus.
    if (self === top) byId("chart").focus();
  } catch (error) {
    byId("details").textContent = error.message;
    throw error;
  }
}

document.addEventListener("DOMContentLoaded", start);
