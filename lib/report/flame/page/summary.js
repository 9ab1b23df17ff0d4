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

// Whether a sandwich lacks places, which are in merged boxes: the sums of
// functions tell if they are known.
function lacksPlaces({ profile, listed, m }) {
  if (!isPartial(listed)) return false;
  const { functions } = listed.profile;
  const isKnown = functions && showsAll(listed);
  return !isKnown || functions.cum[m.type][profile.name[0]] !== m.cum[0];
}

// What the function of a sandwich has in all its places.
function barText(view) {
  const { profile, m } = view;
  if (!profile.split) return "";
  const text = m.base
    ? changeText(view, m.cum[0], m.baseCum[0])
    : `${plainText(view, m.cum[0])} (${shareText(m, m.cum[0])})`;
  return sumText(lacksPlaces(view), text, m.base || m.signed);
}

// What the ends of the colours mean, if the type is that of a difference.
function legendEnds({ m }) {
  if (m.base) return ["less", "more"];
  return m.signed ? ["shrank", "grew"] : null;
}

function strengthText({ m }) {
  return (
    "The greatest change has the full color, a quarter of it half." +
    (m.counts ? " Gray: within two standard errors of the sample counts." : "")
  );
}

// What the colours and widths of a difference are.
function legendText(view) {
  const { m, unit } = view;
  if (m.signed)
    return (
      strengthText(view) +
      " A box is as wide as the amounts below it, whatever their sign. " +
      `Shares are of all amounts, ${formatValue(m.whole, unit)}.`
    );
  const scaled =
    m.factor === 1
      ? ""
      : `The old is scaled by ${digits(m.factor)} to the total of the new. `;
  return (
    strengthText(view) +
    ` ${scaled}A box is as wide as the greater of the two.`
  );
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

// What is shown in place of the graph of the profile, or "".
function viewText(view) {
  const { profile, up } = view;
  if (profile.inverted)
    return (
      "Inverted: where stacks end, and below each box its callers " +
      "(Backspace leads back)."
    );
  if (!profile.split) return "";
  const count = profile.places;
  const places =
    count === 1 ? "its only place" : `all ${grouped(count)} places`;
  const missing = lacksPlaces(view)
    ? " Places in merged boxes are not included."
    : "";
  return (
    `Sandwich of ${profile.names[profile.name[0]]} in ${places}: its callers ` +
    `${up ? "below" : "above"}, what it calls ${up ? "above" : "below"}; ` +
    `recursion counts once (Backspace leads back).${missing}`
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
  const what = viewText(view);
  if (what) notes.unshift(what);
  return notes;
}
