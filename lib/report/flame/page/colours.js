// Colours of boxes: a hue for each of the heaviest groups of names, grey for
// the others, a shade for each name; in a difference, red where it grew and
// blue where it shrank, the stronger the greater the change is, and grey where
// chance explains it.
//
// A group is a package, file, module or name, or one of kinds.js.  The shade is
// hash % 5 steps; the hash is FNV-1a, 32 bits, of the UTF-8 bytes of the name.

const encoder = new TextEncoder();

function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

// In the light theme, and in the dark one.
const palette = {
  ground: ["#ffffff", "#16181c"],
  text: ["#1c1e21", "#eef0f3"],
  faint: ["#5b626e", "#a3acb8"],
  accent: ["#f5c211", "#8f6700"],
  edge: ["#111827", "#ffffff"],
  onAccent: ["#1c1e21", "#ffffff"],
  box: [
    (hue, shade) => `hsl(${hue} 46% ${75 + 2.2 * shade}%)`,
    (hue, shade) => `hsl(${hue} 34% ${24 + 2 * shade}%)`,
  ],
  plain: ["#dcdfe4", "#3a3e46"],
  above: ["#e6e8ec", "#2a2d33"],
  stripe: ["rgb(0 0 0 / .18)", "rgb(255 255 255 / .2)"],
  same: [[233, 233, 236], [62, 66, 73]],
  more: [[235, 92, 74], [178, 56, 42]],
  less: [[84, 142, 240], [40, 96, 190]],
  dim: [0.35, 0.4],
};

const themeOf = i =>
  Object.fromEntries(Object.entries(palette).map(([k, of]) => [k, of[i]]));
const themes = { light: themeOf(0), dark: themeOf(1) };

// In the order of the groups' weight.
const hues = [210, 30, 140, 330, 265, 55, 180, 0, 95, 300];

const groupsBy = {
  package: ({ packages, packageOf }, k) => packages[packageOf[k] - 1],
  file: ({ files, fileOf }, k) => files[fileOf[k] - 1],
  module: ({ binaries, binaryOf }, k) => binaries[binaryOf[k] - 1],
  kind: kindOfName,
  name: ({ names }, k) => names[k],
};

// The hues of the heaviest groups.  A group weighs what the stacks through it
// do, each counted once, so that no wide box is grey.
function huesOfGroups(profile, by) {
  if (by === "kind") return kindHues;
  const { name, names, end, parent, header } = profile;
  const own = profile.self[header.default_type].map(Math.abs);
  const cum = addUp(own, parent);
  const ids = new Map();
  const idOf = names.map((_, k) => {
    const group = groupsBy[by](profile, k);
    if (group === undefined || k === header.other) return -1;
    if (!ids.has(group)) ids.set(group, ids.size);
    return ids.get(group);
  });
  const weights = new Float64Array(ids.size);
  const until = new Int32Array(ids.size);
  for (let i = 0; i < name.length; i++) {
    const id = idOf[name[i]];
    if (id < 0 || i < until[id]) continue;
    until[id] = end[i];
    weights[id] += cum[i];
  }
  const groups = [...ids.keys()];
  const order = groups
    .map((_, id) => id)
    .sort((a, b) => weights[b] - weights[a] || a - b)
    .slice(0, hues.length);
  return new Map(order.map((id, i) => [groups[id], hues[i]]));
}

// The hues of a profile do not change while it is filtered or zoomed.
const knownHues = new WeakMap();

function huesOf(whole, by) {
  if (!knownHues.has(whole)) knownHues.set(whole, {});
  return (knownHues.get(whole)[by] ||= huesOfGroups(whole, by));
}

// The colour of a name, found out when it is first seen.
function colourOfNames(profile, whole, by, theme) {
  const { names, header } = profile;
  const known = new Map();
  const hueOf = huesOf(whole, by);
  const find = k => {
    const hue = hueOf.get(groupsBy[by](profile, k));
    if (hue === undefined || k === header.other) return theme.plain;
    return theme.box(hue, fnv1a(names[k]) % 5);
  };
  return k => {
    if (!known.has(k)) known.set(k, find(k));
    return known.get(k);
  };
}

// The colour of a change: the greatest one has all of it, and a quarter of that
// half of it.
function colourOfChange(change, most, theme) {
  const to = change > 0 ? theme.more : theme.less;
  const part = most ? Math.sqrt(Math.min(1, Math.abs(change) / most)) : 0;
  const mixed = theme.same.map((from, i) =>
    Math.round(from + (to[i] - from) * part),
  );
  return `rgb(${mixed})`;
}

// The colours of the view: of a node, and of a name with sums of byName().
function colouring({ profile, whole, m, by }, theme) {
  if (!m.base && !m.signed) {
    const ofName = colourOfNames(profile, whole, by, theme);
    return { ofName, ofNode: node => ofName(profile.name[node]) };
  }
  const of = change => colourOfChange(change, m.most, theme);
  if (m.signed)
    return {
      ofName: (k, sums) => of(sums.cum[k]),
      ofNode: node => of(m.cum[node]),
    };
  const ofBoth = (old, now, oldCount, count) =>
    of(
      m.counts && isChance(old, now, oldCount, count)
        ? 0
        : changeFrom(m, old, now),
    );
  return {
    ofName: (k, sums) =>
      ofBoth(
        sums.baseCum[k],
        sums.cum[k],
        sums.baseCount?.[k],
        sums.count?.[k],
      ),
    ofNode: node =>
      ofBoth(
        m.baseCum[node],
        m.cum[node],
        m.counts?.baseCum[node],
        m.counts?.cum[node],
      ),
  };
}
