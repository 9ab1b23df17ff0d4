// What is said about the profile as a whole: above the graph, and on paper.

function totalText(view) {
  const { m, unit } = view;
  if (m.base) return changeText(view, m.total, m.baseTotal * m.factor);
  const net = plainText(view, m.total);
  if (!m.signed) return net + " total";
  const grew = (m.whole + m.total) / 2;
  const ways = [grew, grew - m.whole].map(value => plainText(view, value));
  return `${net} net: ${ways.join(" and ")}`;
}

// What the ends of the colours mean, if the type is that of a difference.
function legendEnds({ m }) {
  if (m.base) return ["only in the old", "only in the new"];
  return m.signed ? ["shrank", "grew"] : null;
}

// What the colours and widths of a difference are.
function legendText({ m, unit }) {
  if (m.signed)
    return (
      "A box is as wide as the amounts below it, whatever their sign. " +
      `Shares are of all amounts, ${formatValue(m.whole, unit)}.`
    );
  const scaled =
    m.factor === 1
      ? ""
      : `The old is scaled by ${digits(m.factor)} to the total of the new. `;
  return scaled + "A box is as wide as the greater of the two.";
}

// Why there is nothing to see, or "".
function emptyText({ profile, m }) {
  const { types, empty } = profile.header;
  if (empty || m.whole || (m.base && m.baseTotal)) return empty;
  const { type } = types[m.type];
  return `All values of type ${visible(type)} are 0; choose another type.`;
}

// How much of what is shown has names that are searched for.
function foundText(view) {
  if (!view.query) return "";
  const { profile, range, m } = view;
  const sum = shareOf(profile, range, m.cum, view.wanted);
  const text = shareText(m, sum, rangeWhole(view));
  const partial = isPartial(view) && !view.wanted[profile.header.other];
  return sumText(partial, `${text} (${plainText(view, sum)})`, m.signed);
}

// What is hidden of the profile: how many nodes, and what they hold.
function mergedText({ profile, m }) {
  const { merged, limit, other } = profile.header;
  if (profile.partial && !profile.functions)
    return (
      "Boxes were merged before the filters, which cannot see what is in " +
      "them: \u2265 marks values that may be greater."
    );
  const all = { first: 0, end: profile.n };
  const held = shareOf(profile, all, m.amount, { [other]: true });
  return (
    `${grouped(merged)} boxes below ${digits(100 * limit)}% of the total are ` +
    `merged; they hold ${shareText(m, held)} of it. The table is exact for ` +
    "the whole profile; in a zoom, \u2265 marks what may be more."
  );
}

function callersText({ profile }) {
  const what = profile.places
    ? `The callers of ${profile.names[profile.name[0]]} in all its places ` +
      `(${grouped(profile.places)})`
    : "Inverted: where stacks end, and below each box its callers";
  return what + " (Backspace leads back).";
}

function placesText({ profile }) {
  return (
    `All ${grouped(profile.places)} places of ` +
    `${profile.names[profile.name[0]]} together, without their callers ` +
    "(Escape shows everything)."
  );
}

// Whether a difference has none, in the type that is shown or in all.
function equalText({ profile, m }) {
  const { self, base, n } = profile;
  if (!base || !n) return "";
  const isEqual = type => self[type].every((x, i) => x === base[type][i]);
  if (!isEqual(m.type)) return "";
  return self.every((_, type) => isEqual(type))
    ? "Both profiles are equal."
    : "Both profiles have the same values of this type.";
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
  if (merged && profile === profile.root) notes.push(mergedText(view));
  if (m.rounded) notes.push("Values above 2\u2075\u00b3 are rounded.");
  if (m.signed) notes.unshift("A difference.");
  const equal = equalText(view);
  if (equal) notes.unshift(equal);
  if (profile.inverted) notes.unshift(callersText(view));
  else if (profile.places) notes.unshift(placesText(view));
  return notes;
}
