// Whether text of one colour can be read on another.

// Of "#rrggbb", "rgb(r, g, b)" or "hsl(h s% l%)", channels from 0 to 1.
export function channels(colour) {
  if (colour.startsWith("#"))
    return [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255);
  if (colour.startsWith("rgb"))
    return colour.match(/[\d.]+/g).slice(0, 3).map(c => c / 255);
  const [h, s, l] = colour.match(/[\d.]+/g).map(Number);
  const a = (s / 100) * Math.min(l / 100, 1 - l / 100);
  return [0, 8, 4].map(n => {
    const k = (n + h / 30) % 12;
    return l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}

// As WCAG defines it.
export function contrast(...colours) {
  const [dark, light] = colours
    .map(colour => {
      const [r, g, b] = channels(colour).map(c =>
        c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
