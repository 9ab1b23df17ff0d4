// The table beside the graph: what each name has in the zoom, sorted.  Only
// the lines that are seen are there; two empty ones stand for the rest.

const lineHeight = 22;
const beyond = 12; // lines kept above and below what is seen

const meanings = {
  flat: "In the function itself",
  cum: "In the function and all that it calls",
  change: "In the function itself: the new less the old",
  cumChange: "In the function and all that it calls: the new less the old",
  name: "",
};

class Table {
  // view: as the chart's, and wanted (which names match, or null) and listed
  // (the view whose functions it has); onPick(name or -1), onOpen(name),
  // onMenu(name, x, y)
  constructor(view, onPick, onOpen, onMenu) {
    this.shownView = view;
    this.onPick = onPick;
    this.onOpen = onOpen;
    this.box = document.getElementById("table");
    this.rows = document.getElementById("rows");
    this.columns = document.getElementById("columns");
    this.picked = -1;
    const { diff } = view.profile.header;
    this.sort = { by: diff ? "change" : "flat", down: true };
    this.box.addEventListener("scroll", () => this.fill());
    new ResizeObserver(() => this.fill()).observe(this.box);
    this.rows.addEventListener("click", event => this.pick(this.nameOf(event)));
    this.rows.addEventListener("dblclick", event =>
      this.open(this.nameOf(event)),
    );
    this.rows.addEventListener("contextmenu", event => {
      const k = this.nameOf(event);
      if (k < 0) return;
      event.preventDefault();
      this.pick(k);
      onMenu(k, event.clientX, event.clientY);
    });
    this.rows.addEventListener("keydown", event => this.key(event));
  }

  get view() {
    return this.shownView.listed;
  }

  // key, heading, value of a name
  columnList() {
    const { sums } = this;
    const { m } = this.view;
    const list = [
      ["flat", "Flat", k => sums.flat[k]],
      ["cum", "Cum", k => sums.cum[k]],
    ];
    if (m.base) {
      list.splice(1, 0, [
        "change",
        "Change",
        k => changeFrom(m, sums.baseFlat[k], sums.flat[k]),
      ]);
      list.push([
        "cumChange",
        "Change",
        k => changeFrom(m, sums.baseCum[k], sums.cum[k]),
      ]);
    }
    return list;
  }

  // After a change of range, type, scale or search.  The graph is drawn first:
  // nobody waits for it while many names are sorted.
  update() {
    this.due ||= requestAnimationFrame(() => setTimeout(() => this.now()));
  }

  now() {
    const { view } = this;
    this.due = 0;
    if (this.of !== view.range || this.measured !== view.m) {
      this.sums = byName(view.profile, view.range, view.m);
      this.partial =
        isPartial(view) && !(showsAll(view) && view.profile.functions);
      this.of = view.range;
      this.measured = view.m;
    }
    this.order();
  }

  // Names that are equal in what is sorted by stay in their own order, which
  // is that of their numbers.
  order() {
    const { wanted } = this.view;
    const { present } = this.sums;
    const { by, down } = this.sort;
    const list = this.columnList();
    const column = list.find(([key]) => key === by);
    const way = down ? -1 : 1;
    this.shown = Int32Array.from(
      wanted ? present.filter(k => wanted[k]) : present,
    ).sort();
    if (column) {
      const value = new Float64Array(this.view.profile.names.length);
      for (const k of this.shown) value[k] = this.size(column, k);
      this.shown.sort((a, b) => way * (value[a] - value[b]) || a - b);
    } else if (down) {
      this.shown.reverse();
    }
    this.head(list);
    this.box.scrollTop = 0;
    this.fill(true);
  }

  // What a column is sorted by.  Changes are by their size: what shrank most
  // is as telling as what grew.
  size(column, k) {
    const [, , value] = column;
    return this.isChange(column) ? Math.abs(value(k)) : value(k);
  }

  // A value as it is shown; merged boxes, which have a line, are all there.
  valueText(column, k, text) {
    const { m, profile } = this.view;
    const change = this.isChange(column);
    const partial = this.partial && k !== profile.header.other;
    const value = change ? signed(text, column[2](k)) : text;
    return sumText(partial, value, change || m.signed);
  }

  // Of a column of numbers, in CSS.
  kindOf(heading) {
    const now = this.view.m.base && heading !== "Change";
    return now ? "number now" : "number";
  }

  isChange([, heading]) {
    return heading === "Change" || this.view.m.signed;
  }

  head(list) {
    const cells = [];
    const add = (key, text, span) => {
      const cell = document.createElement("th");
      const button = document.createElement("button");
      const on = this.sort.by === key;
      cell.scope = "col";
      cell.colSpan = span;
      cell.className = key === "name" ? "name" : this.kindOf(text);
      cell.setAttribute(
        "aria-sort",
        !on ? "none" : this.sort.down ? "descending" : "ascending",
      );
      button.textContent =
        text + (on ? (this.sort.down ? " \u25be" : " \u25b4") : "");
      button.dataset.key = key;
      button.title = meanings[key];
      button.addEventListener("click", () => this.sortBy(key));
      cell.append(button);
      cells.push(cell);
    };
    for (const [key, text] of list) add(key, text, this.view.m.base ? 1 : 2);
    const { length } = this.shown;
    add(
      "name",
      grouped(length) +
        (this.view.wanted ? " matching" : "") +
        (length === 1 ? " name" : " names"),
      1,
    );
    const focused = document.activeElement?.dataset?.key;
    this.columns.replaceChildren(...cells);
    if (focused) this.columns.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  sortBy(key) {
    const down = this.sort.by === key ? !this.sort.down : key !== "name";
    this.sort = { by: key, down };
    this.now();
  }

  // Puts the lines that are seen there.
  fill(anew) {
    if (!this.shown || !this.box.clientHeight) return;
    const from = Math.max(
      0,
      Math.floor(this.box.scrollTop / lineHeight) - beyond,
    );
    const to = Math.min(
      this.shown.length,
      Math.ceil((this.box.scrollTop + this.box.clientHeight) / lineHeight) +
        beyond,
    );
    if (!anew && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const list = this.columnList();
    this.pickedShown = this.picked >= 0 && this.shown.includes(this.picked);
    const lines = [this.blank(from)];
    for (let i = from; i < to; i++)
      lines.push(this.line(list, this.shown[i], i));
    lines.push(this.blank(this.shown.length - to));
    const focused = this.rows.contains(document.activeElement);
    this.rows.replaceChildren(...lines);
    this.rows.parentElement.setAttribute(
      "aria-rowcount",
      this.shown.length + 1,
    );
    if (focused)
      this.rows.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }

  blank(count) {
    const row = document.createElement("tr");
    row.setAttribute("aria-hidden", "true");
    row.className = "blank";
    row.style.height = count * lineHeight + "px";
    return row;
  }

  line(list, k, i) {
    const { view } = this;
    const row = document.createElement("tr");
    row.dataset.name = k;
    row.setAttribute("aria-rowindex", i + 2);
    row.setAttribute("aria-selected", k === this.picked);
    row.tabIndex = k === this.picked || (i === 0 && !this.pickedShown) ? 0 : -1;
    const cell = (text, kind) => {
      const td = document.createElement("td");
      td.className = kind;
      td.textContent = text;
      row.append(td);
      return td;
    };
    for (const column of list) {
      const x = column[2](k);
      const text = this.valueText(column, k, formatValue(x, view.unit));
      if (this.isChange(column))
        cell(
          text,
          "number " + (x > 0 ? "more" : x < 0 ? "less" : ""),
        );
      else cell(text, this.kindOf(column[1]));
      this.mark(row.lastChild, column[0], k);
      if (text.startsWith("\u2265"))
        row.lastChild.title = "At least: merged boxes may hold more";
      if (!view.m.base) cell(shareText(view.m, x), "number share");
    }
    const name = cell("", "name");
    name.append(this.nameCell(k));
    return row;
  }

  // What pbdiff said of a change; it is about all samples, whatever is zoomed.
  mark(cell, key, k) {
    const { header, names } = this.view.profile;
    const verdicts = header.verdicts?.[key];
    if (!verdicts || !Object.hasOwn(verdicts, names[k])) return;
    const [way, text] = verdicts[names[k]];
    cell.title = text;
    cell.append(["", " \u25b2", " \u25bc"][way]);
  }

  // The brief name: one piece of text, so that it can be searched for and copied.
  // Where there is no room for all of it, its beginning gives way.
  nameCell(k) {
    const { names, brief } = this.view.profile;
    const swatch = document.createElement("i");
    swatch.style.background = this.view.colourOfName(k, this.sums);
    const text = document.createElement("span");
    text.append(textElement("bdi", brief[k]));
    const cell = document.createElement("div");
    cell.title = names[k];
    cell.append(swatch, text);
    return cell;
  }

  nameOf(event) {
    const row = event.target.closest("tr[data-name]");
    return row ? Number(row.dataset.name) : -1;
  }

  pick(k) {
    if (k < 0) return;
    this.picked = k;
    for (const row of this.rows.children) {
      row.setAttribute("aria-selected", Number(row.dataset.name) === k);
      row.tabIndex = Number(row.dataset.name) === k ? 0 : -1;
    }
    this.onPick(k, this.sums);
  }

  open(k) {
    if (k >= 0) this.onOpen(k);
  }

  key(event) {
    const k = this.nameOf(event);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") this.open(k);
    else if (step) this.move(this.shown.indexOf(k) + step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  move(i) {
    if (i < 0 || i >= this.shown.length) return;
    const y = i * lineHeight,
      room = this.box.clientHeight - 2 * lineHeight;
    if (y < this.box.scrollTop) this.box.scrollTop = y;
    else if (y > this.box.scrollTop + room) this.box.scrollTop = y - room;
    this.picked = this.shown[i];
    this.fill(true);
    this.pick(this.picked);
    this.rows
      .querySelector("[aria-selected='true']")
      .focus({ preventScroll: true });
  }
}
