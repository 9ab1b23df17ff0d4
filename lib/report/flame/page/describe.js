// What is said about a box: lines for the tip, one line for the status.

// A value with its unit; with a sign where some are below 0.
function plainText({ m, unit }, value) {
  const text = formatValue(value, unit);
  return m.signed ? signed(text, value) : text;
}

// "1.2 s (12%)": of the total, and of what is zoomed to.
function valueText(view, value) {
  const { m } = view;
  const shares = [shareText(m, value)];
  const of = isSandwich(view) ? "the function" : "the zoom";
  if (!showsAll(view))
    shares.push(`${shareText(m, value, rangeWhole(view))} of ${of}`);
  return `${plainText(view, value)} (${shares.join(", ")})`;
}

// "1 s → 3 s, +2 s (+200%)": from the old to the new.
function changeText({ m, unit }, now, old) {
  const values = formatValue(old, unit) + " \u2192 " + formatValue(now, unit);
  const change = changeFrom(m, old, now);
  if (!change) return values + ", unchanged";
  const relative = old
    ? signed(formatPercent(change, Math.abs(old)), change)
    : "new";
  const absolute = signed(formatValue(change, unit), change);
  return `${values}, ${absolute} (${relative})`;
}

// Several siblings in one box: how many, and their sums.
function describeRun(view, box) {
  const { profile, m } = view;
  const range = rangeOfBox(profile, box);
  let count = 0;
  for (const [first, end] of partsOf(range))
    for (let i = first; i < end; i = profile.end[i]) count++;
  const cum = rangeSum(profile, range, m.cum);
  const old = m.base ? rangeSum(profile, range, m.baseCum) : 0;
  return {
    name: grouped(count) + (count === 1 ? " narrow box" : " narrow boxes"),
    lines: [
      ["cum", m.base ? changeText(view, cum, old) : valueText(view, cum)],
      ["", "click to zoom to " + (count === 1 ? "it" : "them")],
    ],
  };
}

function describe(view, box) {
  if (box.end) return describeRun(view, box);
  const { profile, m, unit } = view;
  const { node } = box;
  if (node < 0)
    return {
      name: "all of " + profile.header.title,
      lines: [
        [
          "total",
          totalText(view),
        ],
      ],
    };
  const k = profile.name[node];
  const lines = [];
  const sums = [["cum", m.cum, m.baseCum]];
  // Of a caller in a sandwich, only what leads to the function is known.
  if (!isCaller(profile, node)) sums.unshift(["flat", m.flat, m.baseFlat]);
  for (const [what, now, old] of sums) {
    lines.push([
      what,
      m.base
        ? changeText(view, now[node], old[node])
        : valueText(view, now[node]),
    ]);
    const whole = !m.base && now[node] ? formatExact(now[node], unit) : "";
    if (whole) lines.push(["", whole]);
  }
  const { counts } = m;
  if (
    counts &&
    m.cum[node] !== m.baseCum[node] &&
    isChance(
      m.baseCum[node],
      m.cum[node],
      counts.baseCum[node],
      counts.cum[node],
    )
  )
    lines.push(["", "within two standard errors"]);
  if (profile.fileOf[k])
    lines.push(["file", profile.files[profile.fileOf[k] - 1]]);
  if (profile.packageOf[k])
    lines.push(["package", profile.packages[profile.packageOf[k] - 1]]);
  if (profile.binaryOf[k])
    lines.push(["module", profile.binaries[profile.binaryOf[k] - 1]]);
  return { name: profile.names[k], lines };
}

// The same in one line, for the status line and those who have it read out.
function describeInLine({ name, lines }) {
  return (
    name +
    " \u2014 " +
    lines
      .filter(([what]) => what)
      .map(([what, text]) => what + " " + text)
      .join("; ")
  );
}

// What is zoomed to: a name and what it weighs, or how many boxes.
function zoomText(view) {
  const { profile, range } = view;
  const one = range.first < range.end && profile.end[range.first] === range.end;
  const { first, end, parts } = range;
  const box = { node: first, end: one ? 0 : end, parts };
  return describeInLine(describe(view, box));
}
