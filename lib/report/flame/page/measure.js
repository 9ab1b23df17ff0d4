// Sums over the tree: for one type and one scale what each node has, and for
// what is zoomed to, what each name has.
//
// A range is what is zoomed to: siblings [first, end) and all below them.  If
// it has `parts`, it is only these of them: [first, end) each, in order.

function partsOf({ first, end, parts }) {
  return parts || [[first, end]];
}

// All of a profile: of a sandwich, the function.
function wholeRange({ split, end, n }) {
  return { first: 0, end: split ? end[0] : n };
}

function isWhole({ profile, range }) {
  const { end } = wholeRange(profile);
  return range.first === 0 && range.end === end && !range.parts;
}

// Adds each node's value to its parent's: children come behind it.
function addUp(values, parent) {
  for (let i = values.length - 1; i >= 0; i--)
    if (parent[i] >= 0) values[parent[i]] += values[i];
  return values;
}

function sumOf(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}

const exact = value => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

// Shares are of `whole`, the sum of the samples' amounts.  That is the total,
// unless values are below 0 without a base to tell from: `signed`.  amount has
// each node's part of it.
//
// self and cum are the values; base and baseCum those of the old profile,
// times `factor`, which is not 1 on the normalized scale.  weight is what
// widths are drawn by.  It is cum where nothing is negative.  Elsewhere own
// values count as what they amount to, and in a difference as the greater of
// new and old: so children always fit below their parent, and what has
// vanished is seen.
//
// most is the greatest change of a node, or of all of them together.  counts
// has how many samples both sides of each node have, as cum and baseCum, if
// the profile tells.
function measure(profile, type, normalized) {
  const { parent } = profile;
  const self = profile.self[type];
  const cum = addUp(self.slice(), parent);
  const total = sumOf(profile.root.self[type]);
  const m = {
    type,
    self,
    cum,
    total,
    whole: profile.header.totals[type],
    signed: profile.header.signed[type],
    base: null,
    baseCum: null,
    factor: 1,
    weight: cum,
    counts: null,
  };
  if (profile.base) {
    const old = profile.base[type];
    m.baseTotal = sumOf(profile.root.base[type]);
    if (normalized && m.baseTotal && total) m.factor = total / m.baseTotal;
    m.base = m.factor === 1 ? old : old.map(x => x * m.factor);
    m.baseCum = addUp(m.base.slice(), parent);
    m.weight = addUp(
      self.map((x, i) => Math.max(Math.abs(x), Math.abs(m.base[i]))),
      parent,
    );
    m.counts = countSamples(profile, type);
  } else if (m.signed) {
    m.weight = addUp(self.map(Math.abs), parent);
  }
  if (m.base) m.whole = total;
  if (m.base || m.signed) m.most = greatestChange(m);
  m.amount = m.signed ? m.weight : cum;
  // What a box has of its own: where boxes lead to callers, those that stacks
  // end in have all of it.
  const ends = values => values.map((x, i) => (profile.depth[i] ? 0 : x));
  m.flat = profile.inverted ? ends(cum) : self;
  m.baseFlat = profile.inverted && m.base ? ends(m.baseCum) : m.base;
  m.rounded = !cum.every(exact) || (m.baseCum && !m.baseCum.every(exact));
  return m;
}

// How many samples each node has, new and old; null: the profile does not tell.
function countSamples({ header, self, base, parent }, shown) {
  const counts = i => {
    const { type = "", unit } = header.types[i] || {};
    return unit === "count" && /^samples$|_sample$/.test(type);
  };
  const type = counts(shown) ? shown : shown - 1;
  if (!counts(type)) return null;
  return {
    type,
    cum: addUp(self[type].slice(), parent),
    baseCum: addUp(base[type].slice(), parent),
  };
}

function greatestChange(m) {
  const { cum, baseCum, total, baseTotal, factor } = m;
  const all = baseCum ? changeFrom(m, baseTotal * factor, total) : total;
  let most = Math.abs(all);
  for (let i = 0; i < cum.length; i++) {
    const change = baseCum ? changeFrom(m, baseCum[i], cum[i]) : cum[i];
    most = Math.max(most, Math.abs(change));
  }
  return most;
}

// Whether a change is within two standard errors: n samples, and what they add
// up to, vary by their square root if the program does the same again.
function isChance(old, now, oldCount, count) {
  const error = (value, n) => (n ? (value * value) / n : 0);
  const both = error(old, oldCount) + error(now, count);
  return Math.abs(now - old) <= 2 * Math.sqrt(both);
}

const lastMeasures = new WeakMap();

// The same, which takes no time if it was the last one of the profile.
function measureOnce(profile, type, normalized) {
  const last = lastMeasures.get(profile);
  if (last?.type === type && last.normalized === normalized) return last.m;
  const m = measure(profile, type, normalized);
  lastMeasures.set(profile, { type, normalized, m });
  return m;
}

// What is new of a value.  The old times a factor is rounded, and its sums
// are: a difference as small as that is none.
function changeFrom(m, old, now) {
  const change = now - old;
  const most = Math.max(Math.abs(now), Math.abs(old));
  return m.factor !== 1 && Math.abs(change) < 1e-9 * most ? 0 : change;
}

// The sum of a value over the siblings of a range.
function rangeSum(profile, range, cum) {
  let sum = 0;
  for (const [first, end] of partsOf(range))
    for (let i = first; i < end; i = profile.end[i]) sum += cum[i];
  return sum;
}

// How much of the widths in the range is in siblings' subtrees for which
// wanted[name] holds, each counted once however often it recurs.
function shareOf(profile, range, values, wanted) {
  const { name, end } = profile;
  let sum = 0;
  for (const [first, last] of partsOf(range))
    for (let i = first; i < last;) {
      if (wanted[name[i]]) {
        sum += values[i];
        i = end[i];
      } else {
        i++;
      }
    }
  return sum;
}

// What each name has in the range: flat and cum (and those of the old), how
// many places, and the one where it weighs most.  cum counts a stack once: a
// node is passed over while an outer one of its name is open.
function byName(profile, range, m) {
  const { name, end, names } = profile;
  const n = names.length;
  const sums = {
    flat: new Float64Array(n),
    cum: new Float64Array(n),
    baseFlat: m.base && new Float64Array(n),
    baseCum: m.base && new Float64Array(n),
    amount: m.signed && new Float64Array(n), // the weight of cum
    count: m.counts && new Float64Array(n),
    baseCount: m.counts && new Float64Array(n),
    heaviest: new Int32Array(n).fill(-1),
    places: new Int32Array(n),
    present: [],
  };
  const until = new Int32Array(n);
  const add = i => {
    const k = name[i];
    sums.flat[k] += m.flat[i];
    if (m.base) sums.baseFlat[k] += m.baseFlat[i];
    if (i < until[k]) return;
    until[k] = end[i];
    sums.cum[k] += m.cum[i];
    if (m.base) sums.baseCum[k] += m.baseCum[i];
    if (m.signed) sums.amount[k] += m.weight[i];
    if (m.counts) sums.count[k] += m.counts.cum[i];
    if (m.counts) sums.baseCount[k] += m.counts.baseCum[i];
    if (!sums.places[k]++) sums.present.push(k);
    if (sums.heaviest[k] < 0 || m.weight[i] > m.weight[sums.heaviest[k]])
      sums.heaviest[k] = i;
  };
  for (const [first, last] of partsOf(range))
    for (let i = first; i < last; i++) add(i);
  if (profile.functions && showsAll({ profile, range }))
    takeFunctions(profile, m, sums);
  return sums;
}

// Merged nodes have no names: what the functions have is known for all of the
// profile only.
function takeFunctions({ functions, header }, m, sums) {
  const of = (values, factor) => values[m.type].map(x => x * factor);
  sums.flat = of(functions.flat, 1);
  sums.cum = of(functions.cum, 1);
  if (m.base) {
    sums.baseFlat = of(functions.baseFlat, m.factor);
    sums.baseCum = of(functions.baseCum, m.factor);
    if (m.counts) {
      sums.count = functions.cum[m.counts.type];
      sums.baseCount = functions.baseCum[m.counts.type];
    }
  }
  sums.present = [...sums.cum.keys()].filter(k => k !== header.other);
}

function showsAll({ profile, range }) {
  return profile === profile.root && isWhole({ profile, range });
}

// Whether merged nodes hide some of what names have in the range.
function isPartial({ profile, range }) {
  const { header, name, partial } = profile;
  const hasMerged = ([first, end]) =>
    name.subarray(first, end).includes(header.other);
  return header.merged > 0 && (partial || partsOf(range).some(hasMerged));
}

// A sum over named nodes; without all of them, it is the least it can be,
// unless negative values are missing, too.
function sumText(partial, text, negative) {
  return partial ? (negative ? "\u2248" : "\u2265") + text : text;
}

// What shares of the zoom, or of the function of a sandwich, are of.
function rangeWhole(view) {
  const { profile, range, m } = view;
  return showsAll(view) ? m.whole : rangeSum(profile, range, m.amount);
}

// A share of `whole` as tables of pbcat have it: a loss is one like a gain.
function shareText(m, value, whole = m.whole) {
  return formatPercent(m.signed ? Math.abs(value) : value, whole);
}

// How many nodes before each one have a wanted name: whether there is one
// among [a, b) is then one subtraction.
function countBefore(profile, wanted) {
  const before = new Int32Array(profile.n + 1);
  for (let i = 0; i < profile.n; i++)
    before[i + 1] = before[i] + wanted[profile.name[i]];
  return before;
}

// Which names match: a regular expression without regard to case, or where
// it is not one, the text itself.
function matchNames(names, pattern) {
  try {
    const expression = patternOf(pattern, "i");
    return Uint8Array.from(names, name => expression.test(name));
  } catch {
    // such as "operator(": looked for as it stands
    const lower = pattern.toLowerCase();
    return Uint8Array.from(names, name => name.toLowerCase().includes(lower));
  }
}
