// Colours of boxes: a hue for each package or file, a shade for each name; in
// a difference, red where it grew and blue where it shrank.
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

const themes = {
  light: {
    ground: "#ffffff",
    text: "#1c1e21",
    faint: "#6b7280",
    accent: "#f5c211",
    edge: "#111827",
    onAccent: "#1c1e21",
    box: (hue, shade) => `hsl(${hue} 46% ${75 + 2.2 * shade}%)`,
    plain: "#dcdfe4",
    above: "#e6e8ec",
    stripe: "rgb(0 0 0 / .18)",
    same: [233, 233, 236],
    more: [235, 92, 74],
    less: [84, 142, 240],
    dim: 0.35,
  },
  dark: {
    ground: "#16181c",
    text: "#eef0f3",
    faint: "#9aa3af",
    accent: "#a87900",
    edge: "#ffffff",
    onAccent: "#ffffff",
    box: (hue, shade) => `hsl(${hue} 34% ${27 + 2.2 * shade}%)`,
    plain: "#3a3e46",
    above: "#2a2d33",
    stripe: "rgb(255 255 255 / .2)",
    same: [62, 66, 73],
    more: [178, 56, 42],
    less: [40, 96, 190],
    dim: 0.4,
  },
};

// One colour string for each name.
function colourNames(profile, by, theme) {
  const { names, header } = profile;
  const groups = by === "file" ? profile.files : profile.packages;
  const groupOf = by === "file" ? profile.fileOf : profile.packageOf;
  const hues = groups.map(group => (fnv1a(group) % 36) * 10);
  return names.map((name, i) =>
    groupOf[i] === 0 || i === header.other
      ? theme.plain
      : theme.box(hues[groupOf[i] - 1], fnv1a(name) % 5),
  );
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
