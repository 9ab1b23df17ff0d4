// The filters of what is shown, as a row of chips: each can be removed, and a
// form adds one.  The same as a command is for the clipboard.

const filterHelp = {
  focus: "Keep only stacks with a frame that matches",
  ignore: "Drop stacks with a frame that matches",
  hide: "Remove frames that match",
  show: "Keep only frames that match",
  "show-from": "Remove the callers of the outermost match",
  "prune-from": "Remove what the innermost match calls",
  tagfocus: "Keep only samples with a label that matches",
  tagignore: "Drop samples with a label that matches",
  "merge-recursion": "Show a function that calls itself as one frame",
  nodefraction: "Merge boxes below this share of the total, such as 0.01",
};

// The profiles after each step, of which those of steps that stay are kept.
// Boxes are merged last, wherever that step is: the other filters need them.
class Pipeline {
  constructor(whole) {
    this.whole = whole;
    this.steps = [];
    this.done = [];
  }

  // The profile after these steps.  Throws an error for one that is not valid;
  // then all is as it was.
  filter(steps) {
    const isLast = ({ option }) => option === "nodefraction";
    const list = [
      ...steps.filter(step => !isLast(step)),
      ...steps.filter(isLast),
    ];
    const isDone = ({ option, value }, at) =>
      this.done[at]?.option === option && this.done[at].value === value;
    const change = list.findIndex((step, at) => !isDone(step, at));
    const done = this.done.slice(0, change < 0 ? list.length : change);
    let profile = done.at(-1)?.profile ?? this.whole;
    for (const step of list.slice(done.length)) {
      profile = filterProfile(profile, step);
      done.push({ ...step, profile });
    }
    this.done = done;
    this.steps = steps;
    return profile;
  }
}

// "1.2 s, 49% of all"
function leftText(view, whole) {
  const { m } = view;
  const { type } = m;
  const all = m.base ? sumOf(whole.self[type]) : whole.header.totals[type];
  const text = `${plainText(view, m.total)}, ${formatPercent(m.whole, all)} of all`;
  return sumText(view.profile.partial, text, m.base || m.signed);
}

const stepText = ({ option, value }) =>
  takesValue(option) ? `${option}: ${value}` : option;

class Chips {
  // onSteps(steps) filters, and throws an error that the form shows;
  // textHere(): what to match at the cursor, or ""
  constructor(onSteps, textHere, hasLabels) {
    const find = id => document.getElementById(id);
    this.onSteps = onSteps;
    this.steps = [];
    this.proposed = "";
    this.row = find("filters");
    this.list = find("steps");
    this.left = find("left");
    this.button = find("filter");
    this.option = find("option");
    this.value = find("value");
    this.error = find("add-error");
    for (const option of filterOptions)
      if (hasLabels || !isOfLabels(option))
        this.option.add(new Option(option));
    this.option.addEventListener("change", () => this.choose());
    this.button.addEventListener("click", () =>
      this.open(!this.isOpen, textHere()),
    );
    find("add").addEventListener("submit", event => {
      event.preventDefault();
      const { value: option } = this.option;
      this.add({ option, value: takesValue(option) ? this.value.value : "" });
    });
    this.choose();
    this.show([], "");
  }

  // What the form is for.  It proposes the function that it was opened for.
  choose() {
    const { value } = this.option;
    const isOfNames = value !== "nodefraction" && !isOfLabels(value);
    if (this.value.value === this.proposed)
      this.value.value =
        this.name && isOfNames ? patternOfName(value, this.name) : "";
    this.proposed = this.value.value;
    this.option.title = this.value.title = filterHelp[value];
    this.value.placeholder = isOfLabels(value)
      ? "key=expression"
      : value === "nodefraction"
        ? "0.01"
        : "Regular expression";
    this.value.hidden = !takesValue(value);
    this.error.textContent = "";
  }

  // name: of a function, or ""
  open(isOpen, name = "") {
    this.isOpen = isOpen;
    this.name = name;
    this.choose();
    this.show(this.steps, this.left.textContent);
    if (!isOpen) return;
    (this.value.hidden ? this.option : this.value).focus();
    this.value.select();
  }

  add(step) {
    if (takesValue(step.option) && !step.value) return;
    const isOnce = !takesValue(step.option) || step.option === "nodefraction";
    const others = isOnce
      ? this.steps.filter(({ option }) => option !== step.option)
      : this.steps;
    this.change([...others, step]);
  }

  change(steps) {
    try {
      this.onSteps(steps);
      this.value.value = this.proposed = this.error.textContent = "";
    } catch (error) {
      this.open(true, this.name);
      this.error.textContent = error.message;
    }
  }

  // left: how much of the profile they leave
  show(steps, left) {
    this.steps = steps;
    this.row.hidden = !this.isOpen && !steps.length;
    document.getElementById("add").hidden = !this.isOpen;
    this.button.setAttribute("aria-pressed", Boolean(this.isOpen));
    this.left.textContent = steps.length ? left : "";
    this.list.replaceChildren(
      ...steps.map((step, at) => {
        const chip = textElement("li", stepText(step));
        const remove = textElement("button", "\u00d7");
        chip.title = filterHelp[step.option];
        remove.setAttribute("aria-label", "Remove " + stepText(step));
        remove.addEventListener("click", () =>
          this.change(steps.filter((_, i) => i !== at)),
        );
        chip.append(remove);
        return chip;
      }),
    );
  }
}

// A word as sh reads it.
function shellWord(text) {
  return /^[\w@%+=:,.\/-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}

// What pbcat is told to show this type first.
function typeOption({ types, default_type }, type) {
  if (type === default_type) return "";
  const name = types[type].type;
  const isName =
    /^[^\0-\x1f\x7f]*[^\d\0-\x1f\x7f][^\0-\x1f\x7f]*$/.test(name) &&
    types.filter(other => other.type === name).length === 1;
  return " --sample-index=" + (isName ? shellWord(name) : type);
}

// The command that makes a page of what the filters leave.  That recursion is
// merged is a matter of this page.
function commandOf({ header }, steps, type) {
  const option = ({ option, value }) => ` --${option}=${shellWord(value)}`;
  const isOfReport = ({ option }) => option === "nodefraction";
  const filters = steps.filter(
    step => takesValue(step.option) && !isOfReport(step),
  );
  const page =
    "pbcat --flame" +
    steps.filter(isOfReport).map(option).join("") +
    typeOption(header, type);
  const input = header.diff ? " --diff-base=OLD NEW" : " FILE";
  if (!filters.length) return page + input;
  const parts = filters.map(step => "pbfilter" + option(step));
  if (header.diff) parts.unshift("pbcat --proto" + input);
  else parts[0] += input;
  return [...parts, page].join(" | ");
}

// Some browsers give the clipboard only to what a server sends.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = textElement("textarea", text);
    const { activeElement } = document;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    activeElement?.focus();
  }
}
