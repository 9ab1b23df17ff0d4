// Painting rows of boxes on a canvas.

const rowHeight = 18;
const font =
  "12px ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const textRoom = 24; // pixels below which a box has no text
const padding = 4;

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

  fits(text, room) {
    for (const c of text) if ((room -= this.widthOf(c)) < 0) return false;
    return true;
  }

  // The text; or its beginning and its end around an ellipsis; or nothing
  // where that would say nothing.
  cut(text, room) {
    if (this.fits(text, room)) return text;
    const most = Math.ceil(room); // as many characters are too many
    const from = Array.from(text.slice(0, most)),
      to = Array.from(text.slice(-most)).reverse();
    const left = [],
      right = [];
    let rest = room - this.widthOf("…");
    for (let i = 0; i < from.length; i++) {
      if ((rest -= this.widthOf(from[i])) < 0) break;
      left.push(from[i]);
      if ((rest -= this.widthOf(to[i])) < 0) break;
      right.push(to[i]);
    }
    return left.length + right.length < 4
      ? ""
      : left.join("") + "…" + right.reverse().join("");
  }

  // A name: without its path before it is cut.
  fit(name, room) {
    return this.fits(name, room) ? name : this.cut(shortName(name), room);
  }
}

// github.com/a/b.(*T).M[/x] to b.(*T).M[/x]: what a path is in, not what is in
// brackets.
function shortName(name) {
  const bracket = name.search(/[(<[]/);
  const slash = name.lastIndexOf("/", bracket < 0 ? Infinity : bracket);
  return slash > 0 ? name.slice(slash + 1) : name;
}

// Gives a canvas its size, in pixels of the page, and a context to draw with
// in those, as sharp as the screen is.
function prepareCanvas(canvas, width, height, ratio) {
  const w = Math.max(1, Math.round(width * ratio)),
    h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
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
//   theme, colourOf(node), textOf(node)
//   matches    function of (node, end): whether the box has a match; or null
//   marked     function of a node: whether it has a frame; or null
//   hover, cursor: {node} or null
//   zoomDepth  rows above it are callers of what is zoomed to
function drawRows(context, view, from, to, yOf) {
  const { theme, layout } = view;
  const fitter = (view.fitter ||= new TextFitter(context));
  fitter.context = context;
  context.strokeStyle = theme.stripe;
  for (let d = from; d < to; d++) {
    const row = layout.rows[d];
    if (!row) continue;
    const y = yOf(d);
    for (let i = 0; i < row.x.length; i++)
      drawBox(context, view, fitter, row, i, y, d < layout.top);
  }
}

function drawBox(context, view, fitter, row, i, y, above) {
  const { theme } = view;
  const node = row.node[i],
    end = row.end[i];
  const x = row.x[i],
    gap = row.w[i] > 3 ? 1 : row.w[i] > 1.5 ? 0.4 : 0;
  const w = row.w[i] - gap,
    h = rowHeight - 1;
  const match = view.matches && view.matches(node, end);
  context.globalAlpha = view.matches && !match ? theme.dim : 1;
  context.fillStyle =
    match && !end
      ? theme.accent
      : above
        ? theme.above
        : end
          ? theme.plain
          : view.colourOf(node);
  context.fillRect(x, y, w, h);
  if (end && match) {
    context.fillStyle = theme.accent;
    context.fillRect(x, y + h - 4, w, 4);
  }
  if ((end && w > 2) || view.hatched(node)) stripe(context, x, y, w, h);
  context.globalAlpha = 1;
  if (view.marked && !end && view.marked(node))
    frame(context, x, y, w, h, theme.edge, 1.5);
  if (view.hover && view.hover.node === node && !view.hover.end === !end)
    frame(context, x, y, w, h, theme.edge, 1);
  if (view.cursor && view.cursor.node === node && !view.cursor.end === !end)
    frame(context, x, y, w, h, theme.edge, 2);
  if (w < textRoom || end) return;
  const text = fitter.fit(view.textOf(node), w - 2 * padding);
  context.fillStyle =
    view.matches && !match
      ? theme.faint
      : above
        ? theme.faint
        : match
          ? theme.onAccent
          : theme.text;
  context.fillText(text, x + padding, y + h / 2 + 0.5);
}

function frame(context, x, y, w, h, colour, line) {
  const before = context.strokeStyle;
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(
    x + line / 2,
    y + line / 2,
    Math.max(w - line, 0.5),
    h - line,
  );
  context.lineWidth = 1;
  context.strokeStyle = before;
}
