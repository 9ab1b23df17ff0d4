// The view on paper: light, all rows of it, in canvases that no page break
// cuts, and the first lines of the table.

// Low canvases: what does not fit below the head would leave its page empty.
const paper = { width: 1040, rows: 6, canvases: 110, names: 40 }; // landscape

function paperHead(view) {
  const { header } = view.profile;
  const { type } = header.types[view.m.type];
  const say = text => lines.push(textElement("p", text));
  const lines = [textElement("h1", header.title)];
  say(`${type}: ${totalText(view)}`);
  for (const note of notesOf(view)) say(note);
  if (view.m.base || view.m.signed)
    say("Red: more than before; blue: less. " + legendText(view));
  if (emptyText(view)) say(emptyText(view));
  if (!showsAll(view)) say(`Zoomed to: ${zoomText(view)}`);
  if (view.steps.length) say(`Filters: ${view.steps.map(stepText).join("; ")}`);
  if (view.query) say(`Search: ${view.query}: ${foundText(view.listed)}`);
  return lines;
}

function paperGraph(view, ratio) {
  const { profile, range, m, byName } = view;
  const layout = layOut(profile, range, m.weight, paper.width, byName);
  const count = layout.rows.length;
  const fit = {
    ...view,
    layout,
    fitter: null,
    hover: null,
    cursor: null,
    theme: themes.light,
    colourOf: colouring(view, themes.light).ofNode,
  };
  const parts = [];
  for (
    let from = 0;
    from < count && parts.length < paper.canvases;
    from += paper.rows
  ) {
    const to = Math.min(count, from + paper.rows);
    const canvas = document.createElement("canvas");
    const context = prepareCanvas(
      canvas,
      paper.width,
      (to - from) * rowHeight,
      ratio,
    );
    context.fillStyle = fit.theme.ground;
    context.fillRect(0, 0, paper.width, (to - from) * rowHeight);
    drawRows(
      context,
      fit,
      from,
      to,
      d => (view.up ? to - 1 - d : d - from) * rowHeight,
    );
    parts.push(canvas);
  }
  const left = count - paper.rows * paper.canvases;
  if (view.up) parts.reverse();
  if (left > 0)
    parts.push(textElement("p", `${left} more rows are not printed.`));
  return parts;
}

function paperTable(view, table) {
  const element = document.createElement("table");
  const list = table.columnList();
  const head = element.createTHead().insertRow();
  const cell = (row, text, kind) => {
    const td = textElement("td", text);
    td.className = kind;
    row.append(td);
  };
  for (const [, text] of list) {
    cell(head, text, "number");
    if (text !== "Change") cell(head, "", "number");
  }
  cell(head, "Name", "name");
  const body = element.createTBody();
  for (const k of table.shown.slice(0, paper.names)) {
    const row = body.insertRow();
    for (const [, text, value] of list) {
      const x = value(k);
      cell(
        row,
        text === "Change"
          ? signed(formatValue(x, view.unit), x)
          : plainText(view, x),
        "number",
      );
      if (text !== "Change")
        cell(row, shareText(view.m, x), "number");
    }
    cell(row, view.profile.names[k], "name");
  }
  const left = table.shown.length - paper.names;
  return left > 0
    ? [element, textElement("p", `${grouped(left)} more names.`)]
    : [element];
}

function printWith(view, table) {
  const box = document.getElementById("paper");
  addEventListener("beforeprint", () => {
    table.now();
    box.replaceChildren(
      ...paperHead(view),
      ...paperGraph(view, 2),
      ...paperTable(view, table),
    );
  });
  addEventListener("afterprint", () => box.replaceChildren());
}
