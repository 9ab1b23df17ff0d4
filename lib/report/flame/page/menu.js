// The menu of a box or of a line of the table: its whole name, as text that can
// be selected, and what can be done with it.

const filterEntries = [
  ["focus", "Focus: keep only stacks with it"],
  ["ignore", "Ignore: drop stacks with it"],
  ["hide", "Hide: remove its frames"],
  ["show-from", "Show from: remove its callers"],
];

// Names from the outermost caller to the box, one a line.
function stackText(profile, node) {
  const { names, name, parent } = profile;
  const inverted = profile.inverted || isCaller(profile, node);
  const stack = [];
  for (let i = node; i >= 0; i = parent[i]) stack.push(names[name[i]]);
  // Where boxes lead to callers, the parent is what is called.
  return (inverted ? stack : stack.reverse()).join("\n");
}

class Menu {
  // onClose() is told when the menu closes by a choice or by Escape, not when
  // something else has taken the focus.
  constructor(onClose) {
    this.onClose = onClose;
    this.box = document.getElementById("menu");
    this.box.addEventListener("keydown", event => this.key(event));
    this.box.addEventListener("focusout", event => {
      if (!this.box.contains(event.relatedTarget)) this.box.hidden = true;
    });
    addEventListener("resize", () => (this.box.hidden = true));
  }

  // entries: [text, function] each; x and y are a point of the window.
  open(name, entries, x, y) {
    const { box } = this;
    const buttons = entries.map(([text, call]) => {
      const button = textElement("button", text);
      button.setAttribute("role", "menuitem");
      button.addEventListener("click", () => {
        this.close();
        call();
      });
      return button;
    });
    box.replaceChildren(textElement("p", name), ...buttons);
    box.hidden = false;
    const within = (at, size, room) =>
      Math.max(4, Math.min(at, room - size - 4)) + "px";
    box.style.left = within(x, box.offsetWidth, innerWidth);
    box.style.top = within(y, box.offsetHeight, innerHeight);
    buttons[0].focus();
  }

  close() {
    this.box.hidden = true;
    this.onClose();
  }

  // No key of the page works in the menu.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const buttons = [...this.box.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (step)
      buttons[(at + step + buttons.length) % buttons.length].focus();
    else return;
    event.preventDefault();
  }
}
