// The graph: a canvas as large as what is seen of it, in a box that scrolls.

class Chart {
  // view: see drawRows(), and: profile, range, m, unit, up (roots below), byName
  // (the order of siblings; else by weight);
  // onZoom(range, or null: everything), onDetails(description or null),
  // onMenu(box, x, y), a point of the window
  constructor(view, onZoom, onDetails, onMenu) {
    this.view = view;
    this.onZoom = onZoom;
    this.onDetails = onDetails;
    this.onMenu = onMenu;
    this.box = document.getElementById("chart");
    this.height = document.getElementById("height");
    this.canvas = document.getElementById("boxes");
    this.tip = document.getElementById("tip");
    this.box.addEventListener("scroll", () => this.draw());
    this.canvas.addEventListener("mousemove", event => this.point(event));
    this.canvas.addEventListener("mouseleave", () => this.leave());
    this.canvas.addEventListener("click", event => this.click(event));
    // Where a finger rests on the screen, too.
    this.canvas.addEventListener("contextmenu", event => this.menu(event));
    this.box.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  // After a change of range, type or scale.
  lay() {
    const { view, box } = this;
    this.width = box.clientWidth;
    const { profile, range, m, byName } = view;
    view.layout = layOut(profile, range, m.weight, this.width, byName);
    view.hover = null;
    this.tip.hidden = true;
    this.place();
    this.draw();
  }

  // The height of all rows; at least that of the box, so that a flame stands
  // on its lower edge.
  place() {
    const rows = this.view.layout.rows.length;
    this.room = this.box.clientHeight;
    this.full = Math.max(rows * rowHeight + 1, this.room);
    this.height.style.height = this.full + "px";
  }

  // What a flame stands on stays where it is.
  resize() {
    const { view, box, full } = this;
    if (!view.layout) return;
    const below = full - box.scrollTop - this.room;
    if (box.clientWidth !== this.width) this.lay();
    else this.place();
    if (view.up) box.scrollTop = this.full - below - this.room;
    this.draw();
  }

  yOf(depth) {
    return this.view.up
      ? this.full - (depth + 1) * rowHeight
      : depth * rowHeight;
  }

  depthAt(y) {
    return Math.floor((this.view.up ? this.full - y : y) / rowHeight);
  }

  // Shows the row, with what leads to it where there is room: of a sandwich
  // with callers and callees.
  scrollTo(depth) {
    const y = this.yOf(depth),
      room = this.box.clientHeight;
    const before = isSandwich(this.view)
      ? room / 2
      : Math.min(3 * rowHeight, room / 4);
    this.box.scrollTop = this.view.up
      ? y + rowHeight + before - room
      : y - before;
  }

  // Scrolls no further than it takes to see the row.
  reveal(depth) {
    const y = this.yOf(depth),
      room = this.box.clientHeight;
    if (y < this.box.scrollTop) this.box.scrollTop = y;
    else if (y + rowHeight > this.box.scrollTop + room)
      this.box.scrollTop = y + rowHeight - room;
  }

  draw() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.paint();
    });
  }

  paint() {
    const { view, box } = this;
    const top = box.scrollTop,
      room = box.clientHeight;
    const context = prepareCanvas(
      this.canvas,
      this.width,
      room,
      devicePixelRatio,
    );
    context.fillStyle = view.theme.ground;
    context.fillRect(0, 0, this.width, room);
    const ends = [this.depthAt(top), this.depthAt(top + room)];
    drawRows(
      context,
      view,
      Math.max(0, Math.min(...ends)),
      Math.min(view.layout.rows.length, Math.max(...ends) + 1),
      d => this.yOf(d) - top,
    );
    view.frames = (view.frames || 0) + 1;
  }

  // The box below the pointer, or null.
  under(event) {
    const depth = this.depthAt(event.offsetY + this.box.scrollTop);
    const row = this.view.layout.rows[depth];
    const i = row ? row.at(event.offsetX, 0.5) : -1;
    return i < 0 ? null : row.box(i, depth);
  }

  point(event) {
    const { view } = this;
    const box = this.under(event);
    this.canvas.style.cursor = box ? "pointer" : "";
    if (box?.node !== view.hover?.node || box?.end !== view.hover?.end) {
      view.hover = box;
      this.draw();
      this.showTip(box);
      this.onDetails(box && describe(view, box));
    }
    if (box) this.moveTip(event);
  }

  showTip(box) {
    this.tip.hidden = !box;
    if (!box) return;
    const { name, lines } = describe(this.view, box);
    const list = document.createElement("dl");
    for (const [what, text] of lines)
      list.append(textElement("dt", what), textElement("dd", text));
    this.tip.replaceChildren(textElement("b", name), list);
  }

  moveTip(event) {
    const { tip } = this;
    const x = event.clientX + 14,
      y = event.clientY + 18;
    tip.style.left =
      Math.max(4, Math.min(x, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top =
      (y + tip.offsetHeight < innerHeight - 4
        ? y
        : Math.max(4, event.clientY - tip.offsetHeight - 10)) + "px";
  }

  leave() {
    this.view.hover = null;
    this.tip.hidden = true;
    this.draw();
  }

  click(event) {
    const box = this.under(event);
    if (!box) return;
    this.view.cursor = box;
    this.zoomTo(box);
  }

  menu(event) {
    const box = this.under(event);
    if (!box) return;
    event.preventDefault();
    this.view.cursor = box;
    this.leave();
    this.onMenu(box, event.clientX, event.clientY);
  }

  // A point of the window at the lower left corner of a box that is laid out.
  pointOf({ node, depth }) {
    const row = this.view.layout.rows[depth];
    const i = row ? row.find(node) : -1;
    const { x, y } = this.canvas.getBoundingClientRect();
    const down = this.yOf(depth) - this.box.scrollTop + rowHeight;
    return { x: x + (i < 0 ? 0 : row.x[i]), y: y + down };
  }

  zoomTo(box) {
    const { profile } = this.view;
    this.onZoom(box.node < 0 ? null : rangeOfBox(profile, box));
  }

  key(event) {
    const steps = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, this.view.up ? 1 : -1],
      ArrowDown: [0, this.view.up ? -1 : 1],
    };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (steps[event.key]) this.step(...steps[event.key]);
    else if (event.key === "Enter" && this.view.cursor)
      this.zoomTo(this.view.cursor);
    else return;
    event.preventDefault();
  }

  // Moves the cursor, or puts it on what is zoomed to.
  step(across, down) {
    const { view } = this;
    const { rows, top } = view.layout;
    const at = view.cursor?.depth;
    const i = rows[at] ? rows[at].find(view.cursor.node) : -1;
    const depth = i < 0 ? top : at + down;
    const row = rows[depth];
    const to = i < 0 ? 0 : this.neighbour(at, i, across, down);
    if (!row || to < 0 || to >= row.x.length) return;
    view.cursor = row.box(to, depth);
    this.reveal(depth);
    this.draw();
    this.onDetails(describe(view, view.cursor));
  }

  // Of box i in its row: the one beside it, the one that it is attached to, or
  // the widest of those attached to it; its number in the row it is in.
  neighbour(depth, i, across, down) {
    const { rows, bar } = this.view.layout;
    const row = rows[depth],
      next = rows[depth + down];
    if (!down) return i + across;
    if (!next) return -1;
    const isOutward = depth === bar || Math.sign(depth - bar) === down;
    return isOutward
      ? this.widestBelow(row, i, next)
      : next.at(row.x[i] + row.w[i] / 2);
  }

  widestBelow(row, i, below) {
    let widest = -1;
    for (let k = 0; k < below.x.length; k++) {
      const inside =
        below.x[k] >= row.x[i] - 0.01 &&
        below.x[k] + below.w[k] <= row.x[i] + row.w[i] + 0.01;
      if (inside && (widest < 0 || below.w[k] > below.w[widest])) widest = k;
    }
    return widest;
  }
}
