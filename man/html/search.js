// search.js - finds options, sections and pages of the site
//
// The index, search-index.js, is loaded when a reader begins to search: as a
// script, since a page from a file may load nothing else.

const box = document.querySelector("[role=search]"),
  input = box.querySelector("input"),
  list = box.querySelector("ul");

box.hidden = false; // without scripts there is no search

function loadIndex() {
  if (document.getElementById("search-index")) return;
  const script = document.createElement("script");
  script.id = "search-index";
  script.src = "search-index.js";
  script.onload = showMatches;
  document.head.append(script);
}

// Titles that begin with what was typed come first, then those that contain it,
// then texts; of equals, the shorter title, and what is of all tools.
function rank([title, page, , text], words) {
  const name = title.toLowerCase(),
    all = `${name} ${page} ${text}`.toLowerCase();
  if (!words.every(word => all.includes(word))) return Infinity;
  const first = words[0].replace(/^-+/, ""),
    parts = name.split(/[\s,=[]+/).map(part => part.replace(/^-+/, ""));
  const place = parts.includes(first) ? 0
    : parts.some(part => part.startsWith(first)) ? 1
    : name.includes(first) ? 2 : 3;
  const general = page.endsWith("(7)") ? 0 : 0.5;
  return place * 1000 + Math.min(name.length, 999) + general;
}

function showMatches() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  if (!words.length || typeof searchIndex == "undefined") return;
  const found = searchIndex
    .map(entry => [rank(entry, words), entry])
    .filter(([order]) => order < Infinity)
    .sort(([a], [b]) => a - b)
    .slice(0, 12);
  for (const [, [title, page, href, text]] of found) {
    const item = document.createElement("li"),
      link = document.createElement("a"),
      where = document.createElement("span");
    link.href = href;
    link.append(Object.assign(document.createElement("b"), { textContent: title }));
    where.textContent = title == page ? ` ${text}` : ` ${page}: ${text}`;
    link.append(where);
    item.append(link);
    list.append(item);
  }
  if (!found.length) {
    const item = document.createElement("li");
    item.textContent = "Nothing found";
    list.append(item);
  }
}

input.addEventListener("focus", loadIndex);
input.addEventListener("input", () => {
  loadIndex();
  showMatches();
});
box.addEventListener("keydown", event => {
  const links = [...list.querySelectorAll("a")],
    at = links.indexOf(document.activeElement);
  if (event.key == "Escape") {
    input.value = "";
    showMatches();
    input.focus();
  } else if (event.key == "ArrowDown") {
    links[Math.min(at + 1, links.length - 1)]?.focus();
  } else if (event.key == "ArrowUp") {
    (at > 0 ? links[at - 1] : input).focus();
  } else if (event.key == "Enter" && at < 0) {
    links[0]?.click();
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (event.key != "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener("click", event => {
  if (!box.contains(event.target)) list.replaceChildren();
});
