// The sources of heavy functions, where pbcat --with=source put them into the
// page: base64 of gzip of the JSON that lib/report/code/embed.h describes.

class Sources {
  // text: the data, or ""; type: what their values are of
  constructor(text, type) {
    this.text = text.trim();
    this.type = type;
    this.box = document.getElementById("source");
    this.list = document.getElementById("source-name");
    this.lines = document.getElementById("source-lines");
    this.list.addEventListener("change", () => this.show(this.list.value));
  }

  // Nobody waits for it who does not ask for it.
  async read() {
    if (this.parts) return;
    const bytes = await gunzip(bytesOfBase64(this.text));
    this.text = "";
    this.parts = new Map();
    for (const part of JSON.parse(new TextDecoder().decode(bytes))) {
      const name = visible(part.name);
      if (!this.parts.has(name)) this.parts.set(name, []);
      this.parts.get(name).push(part);
    }
    const heaviest = name =>
      Math.max(...this.parts.get(name).map(({ cum }) => Math.abs(cum)));
    const names = [...this.parts.keys()].sort(
      (a, b) => heaviest(b) - heaviest(a),
    );
    this.list.replaceChildren(...names.map(name => new Option(name)));
  }

  show(name) {
    const parts = this.parts.get(name);
    this.list.value = parts ? name : "";
    const note = textElement(
      "p",
      parts
        ? `Flat and cum of the lines are ${this.type}, of the whole profile. ` +
            "A click on a line opens what is behind it."
        : name
          ? `No source of ${name} is in this page.`
          : "Choose a function.",
    );
    this.lines.replaceChildren(note, ...(parts || []).flatMap(partElements));
    this.lines.scrollTop = 0;
  }
}

function partElements({ file, html }) {
  const code = document.createElement("div");
  code.className = "code";
  // All text in it was escaped when it was made.
  code.innerHTML = html;
  return [textElement("h3", visible(file) || "(file not known)"), code];
}
