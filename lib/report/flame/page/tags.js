// The labels of samples as a table: of each key its values, and what the
// samples with them have.  It is what pbcat --tags prints.

const mostTags = 3000; // lines of the table

// Keys by name, each with what samples have that have it: now, old, and tags:
// the same of each value, the heaviest first.  They are those of the range.
// Labels of one text, as numbers that are rounded, are one.
function listTags({ profile, range, m }) {
  const { keys, list, lacks, sets, node, set, self, base } = profile.labels;
  const seen = list.map(() => lacks);
  const add = values => {
    if (lacks) return values;
    const sums = new Float64Array(list.length);
    node.forEach((i, at) => {
      if (i < range.first || i >= range.end) return;
      for (const k of sets[set[at]]) {
        sums[k] += values[at];
        seen[k] = true;
      }
    });
    return sums;
  };
  const now = add(self[m.type]);
  const old = m.base && add(base[m.type]);
  const lists = keys.map(key => ({ ...key, now: 0, old: 0, tags: new Map() }));
  list.forEach(({ key, text }, i) => {
    if (!seen[i]) return;
    const { tags } = lists[key];
    if (!tags.has(text)) tags.set(text, { text, now: 0, old: 0, labels: [] });
    for (const sum of [lists[key], tags.get(text)]) {
      sum.now += now[i];
      sum.old += old ? old[i] * m.factor : 0;
    }
    tags.get(text).labels.push(i);
  });
  const size = ({ now, old }) =>
    Math.abs(m.base ? changeFrom(m, old, now) : now);
  for (const key of lists)
    key.tags = [...key.tags.values()].sort(
      (a, b) => size(b) - size(a) || (a.text < b.text ? -1 : 1),
    );
  return lists
    .filter(({ tags, many }) => tags.length || many)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

class Tags {
  // onStep(step) adds a filter
  constructor(view, onStep) {
    this.view = view;
    this.onStep = onStep;
    this.box = document.getElementById("tags");
  }

  update() {
    const { view, box } = this;
    if (box.hidden) return;
    // A sandwich or inverted boxes are made of these.
    const { profile, range } = plainView(view);
    const { labels } = profile;
    const rows = document.createElement("tbody");
    const element = document.createElement("table");
    for (const key of listTags({ profile, range, m: view.m })) {
      const name = visible(key.name);
      const head = key.many
        ? this.row({ now: 0, old: 0 }, `${name}: too many values to list`)
        : this.row(key, name);
      head.className = "key";
      rows.append(head);
      for (const tag of key.tags.slice(0, mostTags - rows.rows.length))
        rows.append(this.row(tag, visible(tag.text), labels));
    }
    element.append(rows);
    box.replaceChildren(textElement("p", this.aboutText()), element);
  }

  // What the values are of, and what can be done with them.
  aboutText() {
    const { view } = this;
    const plain = plainView(view);
    const { lacks } = plain.profile.labels;
    if (lacks) return (view.steps.length ? "Before filters. " : "") + lacks;
    return (
      (showsAll(plain) ? "" : "Of the zoom. ") +
      "Click a value to keep only its samples, with Shift to drop them."
    );
  }

  // labels: those that a click filters by, or none
  row({ now, old, labels: tags }, text, labels) {
    const { view } = this;
    const { m } = view;
    const row = document.createElement("tr");
    const cell = (text, kind) => {
      const td = textElement("td", text);
      td.className = kind;
      row.append(td);
      return td;
    };
    if (m.base) {
      const change = changeFrom(m, old, now);
      cell(plainText(view, now), "number now");
      cell(
        signed(formatValue(change, view.unit), change),
        "number " + (change > 0 ? "more" : change < 0 ? "less" : ""),
      );
    } else {
      cell(plainText(view, now), "number");
      cell(shareText(m, now), "number share");
    }
    const value = labels?.node ? expressionOf(labels, tags) : "";
    const name = textElement(value ? "button" : "span", text);
    name.title = text;
    name.addEventListener("click", ({ shiftKey }) => {
      if (value)
        this.onStep({ option: shiftKey ? "tagignore" : "tagfocus", value });
    });
    cell("", "name").append(name);
    return row;
  }
}
