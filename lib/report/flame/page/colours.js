// Colours of boxes: a hue for each package, file or name, a shade for each
// name; in a difference, red where it grew and blue where it shrank.
//
// The hash is FNV-1a, 32 bits, of the UTF-8 bytes: the hue is hash % 36 tens
// of degrees; the shade is hash % 5 steps of the name's.

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
  faint: ["#6b7280", "#9aa3af"],
  accent: ["#f5c211", "#a87900"],
  edge: ["#111827", "#ffffff"],
  onAccent: ["#1c1e21", "#ffffff"],
  box: [
    (hue, shade) => `hsl(${hue} 46% ${75 + 2.2 * shade}%)`,
    (hue, shade) => `hsl(${hue} 34% ${27 + 2.2 * shade}%)`,
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

// The colour of a name, found out when it is first seen.
function colourOfNames(profile, by, theme) {
  const { names, header } = profile;
  const groups = {
    package: k => profile.packages[profile.packageOf[k] - 1],
    file: k => profile.files[profile.fileOf[k] - 1],
    name: k => names[k],
  };
  const known = new Map();
  const find = k => {
    const group = groups[by](k);
    if (group === undefined || k === header.other) return theme.plain;
    return theme.box((fnv1a(group) % 36) * 10, fnv1a(names[k]) % 5);
  };
  return k => {
    if (!known.has(k)) known.set(k, find(k));
    return known.get(k);
  };
}

// How a node changed, from -1 (only in the old) to 1 (only in the new).
function changeOf(now, old) {
  const most = Math.max(Math.abs(now), Math.abs(old));
  return most ? Math.max(-1, Math.min(1, (now - old) / most)) : 0;
}

function colourOfChange(change, theme) {
  const to = change > 0 ? theme.more : theme.less;
  const part = Math.abs(change);
  const mixed = theme.same.map((from, i) =>
    Math.round(from + (to[i] - from) * part),
  );
  return `rgb(${mixed})`;
}

// The colours of the view: of a node, and of a name with sums of byName().
function colouring({ profile, m, by }, theme) {
  if (!m.base && !m.signed) {
    const ofName = colourOfNames(profile, by, theme);
    return { ofName, ofNode: node => ofName(profile.name[node]) };
  }
  const of = (now, old) => colourOfChange(changeOf(now, old), theme);
  // Without a base, what grew stands for the new and what shrank for the old.
  const ofBoth = (amount, net) => of(amount + net, amount - net);
  if (m.signed)
    return {
      ofName: (k, sums) => ofBoth(sums.amount[k], sums.cum[k]),
      ofNode: node => ofBoth(m.weight[node], m.cum[node]),
    };
  return {
    ofName: (k, sums) => of(sums.cum[k], sums.baseCum[k]),
    ofNode: node => of(m.cum[node], m.baseCum[node]),
  };
}
