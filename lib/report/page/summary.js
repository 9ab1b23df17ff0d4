// What is said about the profile as a whole: above the graph, and on paper.

function totalText(view) {
  const { m, unit } = view;
  return m.base
    ? changeText(view, m.total, m.baseTotal * m.factor)
    : formatValue(m.total, unit) + " total";
}

// What the colours and widths of a difference are.
function legendText({ m }) {
  const scaled =
    m.factor === 1
      ? ""
      : `The old is scaled by ${digits(m.factor)} to the total of the new. `;
  return scaled + "A box is as wide as the greater of the two.";
}

// How much of what is shown has names that are searched for.
function shareText(view) {
  if (!view.query) return "";
  const { profile, range, m, unit } = view;
  const sum = shareOf(profile, range, m.cum, view.wanted);
  const share = formatPercent(sum, rangeSum(profile, range, m.cum));
  return share + " (" + formatValue(sum, unit) + ")";
}

// What is hidden of the profile: how many nodes, and what they hold.
function mergedText({ profile, m }) {
  const { merged, limit, other } = profile.header;
  const all = { first: 0, end: profile.n };
  const held = shareOf(profile, all, m.cum, { [other]: true });
  return (
    `${grouped(merged)} boxes below ${digits(100 * limit)}% of the total are ` +
    `merged; they hold ${formatPercent(held, m.total)} of it.`
  );
}

// What the profile says of itself, and what is not exactly as in it.
function notesOf(view) {
  const { profile, m } = view;
  const { note, merged } = profile.header;
  // The types have a place of their own, and the total of one is wrong of
  // another.
  const notes = note
    .filter(line => !line.startsWith("Type: "))
    .map(line => visible(line.replace(/, Total samples = .*/, "")));
  if (merged) notes.push(mergedText(view));
  if (m.rounded) notes.push("Values above 2\u2075\u00b3 are rounded.");
  if (m.weight !== m.cum && !m.base)
    notes.push("Some values are negative: boxes are as wide as their amounts.");
  return notes;
}
