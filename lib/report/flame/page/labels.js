// The labels of samples: what pbcat put into the page, as
// lib/report/flame/flamelabels.c describes it, and filters by them.
//
// profile.labels is null without labels, else
//   keys    {name, unit, many} of each key
//   list    {key, text, number} of each label; number: only of numbers
//   lacks   why there are only totals, or ""
//   sets    of each set of labels their indexes; set 0 has none
//   node, set    of each part of the own values of nodes
//   self, base   by type: the value of each part, or with `lacks` the total of
//                each label

const isOfLabels = option => option.startsWith("tag");

async function readLabels(text, { n, self, base }) {
  if (!text.trim()) return null;
  const { header, columns } = await unpack(text);
  let values = () => columns.signed(header.list.length);
  const labels = { ...header };
  if (!header.lacks) {
    const sizes = columns.unsigned(header.sets);
    labels.sets = [[], ...Array.from(sizes, size => columns.unsigned(size))];
    const counts = columns.unsigned(n);
    const node = new Int32Array(sumOf(counts));
    let at = 0;
    counts.forEach((count, i) => node.fill(i, at, (at += count)));
    labels.node = node;
    labels.set = columns.unsigned(node.length);
    // The last part of a node has what the others leave of its own value.
    const isLast = at => node[at + 1] !== node[at];
    const listed = node.filter((_, at) => !isLast(at)).length;
    values = own => {
      const left = own.slice();
      const parts = columns.signed(listed);
      let from = 0;
      return Float64Array.from(node, (i, at) => {
        const value = isLast(at) ? left[i] : parts[from++];
        left[i] -= value;
        return value;
      });
    };
  }
  labels.self = self.map(values);
  labels.base = base && base.map(values);
  columns.finish();
  return labels;
}

// The parts that are kept, those of node i as parts of node to[i]; or of none
// if that is -1.
function keepParts(labels, to, isKept = () => true) {
  if (!labels?.node) return labels;
  const { node, set, self, base } = labels;
  const kept = node
    .map((_, at) => at)
    .filter(at => to[node[at]] >= 0 && isKept(at));
  const taken = values => values.constructor.from(kept, at => values[at]);
  return {
    ...labels,
    node: taken(node).map(i => to[i]),
    set: taken(set),
    self: self.map(taken),
    base: base && base.map(taken),
  };
}

// Keeps the samples with a label that matches, or the others.
function filterByLabel(profile, value, isWanted) {
  const { labels, n } = profile;
  if (!labels?.node)
    throw new Error(labels?.lacks || "invalid filter: there are no labels");
  const same = Int32Array.from({ length: n }, (_, i) => i);
  const matches = matchSets(labels, value);
  const kept = keepParts(
    labels,
    same,
    at => matches[labels.set[at]] === isWanted,
  );
  const sums = values => sumsAt(values, kept.node, n);
  const left = {
    ...profile,
    labels: kept,
    self: kept.self.map(sums),
    base: kept.base && kept.base.map(sums),
  };
  return moveSamples(left, same);
}

// Of each set whether it matches, as pbfilter has it: [KEY=]RANGE,
// KEY=RE[,RE...], where any of them will do, or RE[,RE...], which match
// "key:text" and all have to.
function matchSets({ keys, list, sets }, value) {
  const cut = value.indexOf("=");
  const key = value.slice(0, Math.max(cut, 0));
  const text = value.slice(cut + 1);
  const lost = keys.find(({ many, name }) => many && (!key || name === key));
  if (lost) throw new Error(`The page has no values of label ${lost.name}.`);
  const having = isWanted => {
    const wanted = list.map(
      label => (!key || keys[label.key].name === key) && isWanted(label),
    );
    return sets.map(set => set.some(i => wanted[i]));
  };
  const range = rangeOf(text);
  if (range)
    return having(
      ({ key, number }) => number && isInRange(number, keys[key].unit, range),
    );
  const found = text.split(",").map(one => {
    const expression = patternOf(one);
    return having(
      label =>
        !label.number &&
        expression.test((key ? "" : keys[label.key].name + ":") + label.text),
    );
  });
  return sets.map((_, set) =>
    key ? found.some(has => has[set]) : found.every(has => has[set]),
  );
}

// pbfilter's units have no minutes.
const labelUnit = unit => (/^min/i.test(unit) ? undefined : knownUnit(unit));

// "32kb", ":64kb", "4mb:" or "12kb:64mb": the ends, in the first unit of the
// scale, that scale, and the size of the range's unit.  Null of other text.
function rangeOf(text) {
  const [, from, fromUnit, colon, to, toUnit] =
    /^(?:([+-]?\d+)([a-z]*))?(:)?(?:([+-]?\d+)([a-z]*))?$/i.exec(text) || [];
  if (colon ? !from && !to : !from || to) return null;
  const [scale, size] = labelUnit(from ? fromUnit : toUnit) || ["", 1];
  const [toScale, toSize] = labelUnit(toUnit || "") || [scale, size];
  if (toScale !== scale) return null;
  const least = from ? from * size : -Infinity;
  const most = to ? to * toSize : colon ? Infinity : least;
  return { least, most, scale, size };
}

// A number without a known unit has that of the range.
function isInRange(number, unit, range) {
  const [scale, size] = labelUnit(unit) || [range.scale, range.size];
  const value = number * size;
  return scale === range.scale && value >= range.least && value <= range.most;
}

// What matches only these labels, which have one key and text; or "": nothing.
function expressionOf({ keys, list }, tags) {
  const { key, text } = list[tags[0]];
  const { name, unit } = keys[key];
  const numbers = tags.map(i => list[i].number).sort((a, b) => a - b);
  if (!name || /[=\0-\x1f\x7f-\x9f]/.test(name)) return "";
  if (numbers.every(Boolean)) {
    const ends = new Set([numbers[0], numbers.at(-1)]);
    const letters = labelUnit(unit) ? unit : "";
    return `${name}=${[...ends].map(end => end + letters).join(":")}`;
  }
  if (numbers.some(Boolean)) return "";
  // A comma would separate expressions.
  const hex = c => `\\x{${c.charCodeAt(0).toString(16)}}`;
  const pattern = patternOfName("", text).replace(unseen, hex);
  return `${name}=${pattern.replaceAll(",", hex)}`;
}
