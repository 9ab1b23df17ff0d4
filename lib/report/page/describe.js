// What is said about a box: lines for the tip, one line for the status.

// "1.2 s (12%)": of the total, and of what is zoomed to where that is less.
function valueText(view, value) {
  const { m, unit, range } = view;
  const share = formatPercent(value, m.total);
  const zoomed = range.first > 0 || range.end < view.profile.n;
  const within = rangeSum(view.profile, range, m.cum);
  return (
    formatValue(value, unit) +
    " (" +
    share +
    (zoomed ? ", " + formatPercent(value, within) + " of the zoom" : "") +
    ")"
  );
}

function changeText(view, now, old) {
  const { unit } = view;
  const relative = old ? formatPercent(now - old, Math.abs(old)) : "new";
  return (
    formatValue(old, unit) +
    " \u2192 " +
    formatValue(now, unit) +
    ", " +
    (now === old
      ? "unchanged"
      : signed(formatValue(now - old, unit), now - old) +
        " (" +
        (old ? signed(relative, now - old) : relative) +
        ")")
  );
}

// Several siblings in one box: how many, and their sums.
function describeRun(view, node, end) {
  const { profile, m } = view;
  let count = 0,
    cum = 0,
    old = 0;
  for (let i = node; i < end; i = profile.end[i]) {
    count++;
    cum += m.cum[i];
    old += m.base ? m.baseCum[i] : 0;
  }
  return {
    name: grouped(count) + (count === 1 ? " narrow box" : " narrow boxes"),
    lines: [
      ["cum", m.base ? changeText(view, cum, old) : valueText(view, cum)],
      ["", "click to zoom to " + (count === 1 ? "it" : "them")],
    ],
  };
}

function describe(view, node, end) {
  if (end) return describeRun(view, node, end);
  const { profile, m, unit } = view;
  if (node < 0)
    return {
      name: "all of " + profile.header.title,
      lines: [
        [
          "total",
          m.base
            ? changeText(view, m.total, m.baseTotal * m.factor)
            : formatValue(m.total, unit),
        ],
      ],
    };
  const k = profile.name[node];
  const lines = [];
  for (const [what, now, old] of [
    ["flat", m.self, m.base],
    ["cum", m.cum, m.baseCum],
  ]) {
    lines.push([
      what,
      m.base
        ? changeText(view, now[node], old[node])
        : valueText(view, now[node]),
    ]);
    const whole = !m.base && now[node] ? formatExact(now[node], unit) : "";
    if (whole) lines.push(["", whole]);
  }
  if (profile.fileOf[k])
    lines.push(["file", profile.files[profile.fileOf[k] - 1]]);
  if (profile.packageOf[k])
    lines.push(["package", profile.packages[profile.packageOf[k] - 1]]);
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
