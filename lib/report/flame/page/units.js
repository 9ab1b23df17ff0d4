// Values as people read them.

const scales = {
  time: [
    ["ns", 1],
    ["µs", 1e3],
    ["ms", 1e6],
    ["s", 1e9],
    ["min", 60e9],
    ["h", 3600e9],
  ],
  memory: [
    ["B", 1],
    ["kB", 2 ** 10],
    ["MB", 2 ** 20],
    ["GB", 2 ** 30],
    ["TB", 2 ** 40],
  ],
};

// Units of profiles: which scale they are on, and how much of its first.  A
// map, since a profile may call its unit "constructor".
const unitNames = new Map([
  ["nanosecond", ["time", 1]],
  ["ns", ["time", 1]],
  ["microsecond", ["time", 1e3]],
  ["us", ["time", 1e3]],
  ["millisecond", ["time", 1e6]],
  ["ms", ["time", 1e6]],
  ["second", ["time", 1e9]],
  ["sec", ["time", 1e9]],
  ["s", ["time", 1e9]],
  ["minute", ["time", 60e9]],
  ["min", ["time", 60e9]],
  ["hour", ["time", 3600e9]],
  ["hr", ["time", 3600e9]],
  ["byte", ["memory", 1]],
  ["b", ["memory", 1]],
  ["kilobyte", ["memory", 2 ** 10]],
  ["kb", ["memory", 2 ** 10]],
  ["megabyte", ["memory", 2 ** 20]],
  ["mb", ["memory", 2 ** 20]],
  ["gigabyte", ["memory", 2 ** 30]],
  ["gb", ["memory", 2 ** 30]],
]);

function knownUnit(unit) {
  const name = unit.toLowerCase();
  return unitNames.get(name) || unitNames.get(name.replace(/s$/, ""));
}

// 1234567 with thin spaces; fractions, which only scaled values have, where
// they matter.
function grouped(value) {
  const places = Math.abs(value) >= 100 ? 1 : 100;
  const [whole, rest] = (Math.round(value * places) / places)
    .toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 2 })
    .split(".");
  return (
    whole.replace(/\B(?=(\d{3})+$)/g, "\u2009").replace("-", "\u2212") +
    (rest ? "." + rest : "")
  );
}

// Four digits, without zeros at the end.
function digits(x) {
  if (Math.abs(x) >= 1000) return grouped(Math.round(x));
  return String(Number(x.toPrecision(4))).replace("-", "\u2212");
}

function formatValue(value, unit) {
  const known = knownUnit(unit);
  if (!known)
    return (
      grouped(value) +
      (unit && unit !== "count" ? "\u2009" + visible(unit) : "")
    );
  const inFirst = value * known[1];
  const scale = scales[known[0]];
  let chosen = scale[0];
  for (const step of scale) if (Math.abs(inFirst) >= step[1]) chosen = step;
  return value === 0 ? "0" : digits(inFirst / chosen[1]) + "\u2009" + chosen[0];
}

// The number that is in the profile, where formatValue() shows it in another
// unit.
function formatExact(value, unit) {
  return knownUnit(unit) && Number.isInteger(value) && exact(value)
    ? grouped(value) + "\u2009" + unit
    : "";
}

// Of a total below 0, too, what is above 0 is.
function formatPercent(part, whole) {
  if (!whole) return "\u2014";
  const percent = (100 * part) / Math.abs(whole);
  const size = Math.abs(percent);
  const places = size >= 99.95 && size < 100.05 ? 0 : size >= 10 ? 1 : 2;
  if (size > 0 && size < 0.005) return percent > 0 ? "<0.01%" : ">\u22120.01%";
  return percent.toFixed(places).replace("-", "\u2212") + "%";
}

function signed(text, value) {
  return value > 0 ? "+" + text : text;
}
