// Painting rows of boxes on a canvas.

const rowHeight = 18;
const font =
  "12px ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
const textRoom = 24; // pixels below which a box has no text
const padding = 4;
const leastCut = 8; // letters before an ellipsis

// Texts that fit: widths are sums of its characters' (no kerning), so that
// cutting one does not have to measure it again.
class TextFitter {
  widths = new Map();

  constructor(context) {
    this.context = context;
  }

  widthOf(character) {
    let width = this.widths.get(character);
    if (width === undefined) {
      width = this.context.measureText(character).width;
      this.widths.set(character, width);
    }
    return width;
  }

  widthOfText(text) {
    let width = 0;
    for (const c of text) width += this.widthOf(c);
    return width;
  }

  fits(text, room) {
    for (const c of text) if ((room -= this.widthOf(c)) < 0) return false;
    return true;
  }

  // The text; or its beginning and an ellipsis; or nothing where that would say
  // nothing.
  cut(text, room) {
    if (this.fits(text, room)) return text;
    const left = [];
    let rest = room - this.widthOf("…");
    for (const c of text) {
      if ((rest -= this.widthOf(c)) < 0) break;
      left.push(c);
    }
    return left.length < leastCut ? "" : left.join("") + "…";
  }

  // A name, its brief form, that without brackets, path, scopes and types as
  // far as needed, or what there is room for of it.
  fit(name, brief, room) {
    const bare = brief.replaceAll("<...>", "").replaceAll("(...)", "");
    for (const text of [name, brief, bare])
      if (this.fits(text, room)) return text;
    let text = shortName(bare);
    for (const lengthOf of [scopeOf, partOf])
      for (let n; !this.fits(text, room) && (n = lengthOf(text)); )
        text = text.slice(n);
    return this.cut(text, room);
  }
}

// github.com/a/b.(*T).M[/x] to b.(*T).M[/x]: what a path is in, not what is in
// brackets.
function shortName(name) {
  const bracket = name.search(/[(<[]/);
  const slash = name.lastIndexOf("/", bracket < 0 ? Infinity : bracket);
  return slash > 0 ? name.slice(slash + 1) : name;
}

// The length of the package or type of a method, as 7 in "gobank.add" and 8 in
// "(*Bank).Deposit"; 0: it has none.
function partOf(name) {
  let depth = 0;
  for (let i = 0; i + 1 < name.length; i++) {
    if ("<({[".includes(name[i])) depth++;
    else if (depth > 0 && ">)}]".includes(name[i])) depth--;
    else if (!depth && i && name[i] === "." && /[\p{L}(_]/u.test(name[i + 1]))
      return /^so\b/.test(name.slice(i + 1)) ? 0 : i + 1;
  }
  return 0;
}

// The length of the outermost scope, as 5 in "std::swap"; 0: it has none.
function scopeOf(name) {
  let depth = 0;
  for (let i = 0; i + 2 < name.length; i++) {
    if ("<({[".includes(name[i])) depth++;
    else if (depth > 0 && ">)}]".includes(name[i])) depth--;
    if (!depth && name.startsWith("::", i)) return i + 2;
  }
  return 0;
}

// Gives a canvas its size, in pixels of the page, and a context to draw with
// in those, as sharp as the screen is.
function prepareCanvas(canvas, width, height, ratio) {
  const w = Math.max(1, Math.round(width * ratio)),
    h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = font;
  context.fontKerning = "none";
  context.direction = "ltr";
  context.textBaseline = "middle";
  return context;
}

// Diagonal stripes: what has them stands for several nodes.
function stripe(context, x, y, w, h) {
  context.beginPath();
  for (let at = x - h; at < x + w; at += 6) {
    const from = Math.max(at, x),
      to = Math.min(at + h, x + w);
    context.moveTo(from, y + h - (from - at));
    context.lineTo(to, y + h - (to - at));
  }
  context.stroke();
}

// Draws rows [from, to) of view.layout; yOf(depth) is a row's upper edge.
// The view has
//   theme, colourOf(node), textOf(node), briefOf(node), hatched(node): stands
//              for several
//   barText    what the function of a sandwich has, or ""
//   matches    function of a box: whether it has a match; or null
//   marked     function of a node: whether it has a frame; or null
//   hovered    function of a node: whether it is of the function below the
//              pointer
//   hover, cursor: a box (see layout.js) or null
function drawRows(context, view, from, to, yOf) {
  const { theme, layout } = view;
  view.fitter ||= new TextFitter(context);
  view.fitter.context = context;
  context.strokeStyle = theme.stripe;
  for (let d = from; d < to; d++) {
    const row = layout.rows[d];
    if (!row) continue;
    const y = yOf(d);
    for (let i = 0; i < row.x.length; i++)
      drawBox(view, context, boxOf(view, row, i, y, d));
  }
}

// What there is to know of a box before it is drawn.
function boxOf(view, row, i, y, d) {
  const { layout, profile } = view;
  const w = row.w[i];
  const gap = w > 3 ? 1 : w > 1.5 ? 0.4 : 0;
  const box = row.box(i, d);
  box.above = isOnWay(layout, d);
  box.isBar = profile.split > 0 && d === layout.bar;
  box.rect = [row.x[i], y, w - gap, rowHeight - 1];
  box.match = view.matches && view.matches(box);
  box.faint = view.matches && !box.match;
  return box;
}

function fillOf({ theme, colourOf }, { node, end, above, match }) {
  if (match && !end) return theme.accent;
  if (above) return theme.above;
  return end ? theme.plain : colourOf(node);
}

function textColourOf({ theme }, { above, match, faint }) {
  if (match) return theme.onAccent;
  return above || faint ? theme.faint : theme.text;
}

// The name, and what the function of a sandwich has where that leaves room.
function textIn({ fitter, textOf, briefOf, barText }, { node, isBar }, width) {
  const room = width - 2 * padding;
  const fit = room => fitter.fit(textOf(node), briefOf(node), room);
  const value = isBar ? "  " + barText : "";
  const left = room - fitter.widthOfText(value);
  return left > room / 3 ? fit(left) + value : fit(room);
}

function drawBox(view, context, box) {
  const { theme, fitter } = view;
  const { node, end } = box;
  const [x, y, w, h] = box.rect;
  const is = other => other && other.node === node && !other.end === !end;
  context.globalAlpha = box.faint ? theme.dim : 1;
  context.fillStyle = fillOf(view, box);
  context.fillRect(x, y, w, h);
  if (end && box.match) {
    // Some of these match, not all.
    context.fillStyle = theme.accent;
    context.fillRect(x, y + h - 4, w, 4);
  }
  if (end ? w > 2 : view.hatched(node)) stripe(context, x, y, w, h);
  context.globalAlpha = 1;
  if (view.marked && !end && view.marked(node))
    frame(context, box.rect, theme.edge, 1.5);
  if (is(view.hover) || (!end && view.hovered(node)))
    frame(context, box.rect, theme.edge, 1);
  if (is(view.cursor) || box.isBar) frame(context, box.rect, theme.edge, 2);
  if (w < textRoom || end) return;
  context.fillStyle = textColourOf(view, box);
  // What is set above letters, one mark on the other, would be over other boxes.
  const text = textIn(view, box, w).replace(/(\p{M}{2})\p{M}+/gu, "$1");
  context.fillText(text, x + padding, y + h / 2 + 0.5);
}

function frame(context, [x, y, w, h], colour, line) {
  const before = context.strokeStyle;
  const half = line / 2;
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(x + half, y + half, Math.max(w - line, 0.5), h - line);
  context.lineWidth = 1;
  context.strokeStyle = before;
}
