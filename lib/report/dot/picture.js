// Pan and zoom of the graph of --svg.  What is seen of it is the viewBox;
// without this script, that is all of it.
{
  const svg = document.currentScript.parentNode;
  const { x, y, width, height } = svg.viewBox.baseVal;
  let seen;

  function show(...box) {
    seen = box;
    svg.setAttribute("viewBox", box.join(" "));
  }

  // All of it, and no larger than it was drawn: 3 points are 4 pixels.
  function reset() {
    const w = Math.max(width, innerWidth * 0.75);
    const h = Math.max(height, innerHeight * 0.75);
    show(x - (w - width) / 2, y - (h - height) / 2, w, h);
  }

  // A point of the window in the drawing.
  const pointOf = ({ x, y }) =>
    new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());

  // Moves what is at one point of the window to another, so many times as
  // large.
  function move(from, to, scale) {
    const at = pointOf(from);
    const most = 4 * Math.max(width, innerWidth);
    const w = Math.min(Math.max(seen[2] / scale, 20), most);
    show(seen[0], seen[1], w, (seen[3] * w) / seen[2]);
    const now = pointOf(to);
    show(seen[0] + at.x - now.x, seen[1] + at.y - now.y, seen[2], seen[3]);
  }

  const pointers = new Map(); // that are down: the mouse, or fingers

  // The middle of the pointers, and how far the first is from it.
  function grip() {
    const all = [...pointers.values()];
    const x = all.reduce((sum, at) => sum + at.x, 0) / all.length;
    const y = all.reduce((sum, at) => sum + at.y, 0) / all.length;
    return { x, y, far: Math.hypot(all[0].x - x, all[0].y - y) };
  }

  function press(event) {
    if (event.button) return;
    svg.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  function drag(event) {
    if (!pointers.has(event.pointerId)) return;
    const before = grip();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = grip();
    move(before, now, before.far ? now.far / before.far : 1);
  }

  function release(event) {
    pointers.delete(event.pointerId);
  }

  // Browsers tell of a pinch on a touchpad as of a wheel with Ctrl, in small
  // steps.
  function turn(event) {
    const at = { x: event.clientX, y: event.clientY };
    const pixels = event.deltaY * (event.deltaMode ? 20 : 1);
    event.preventDefault();
    move(at, at, Math.exp(-pixels / (event.ctrlKey ? 100 : 500)));
  }

  const steps = {
    ArrowLeft: [80, 0],
    ArrowRight: [-80, 0],
    ArrowUp: [0, 80],
    ArrowDown: [0, -80],
  };
  const scales = { "+": 1.25, "=": 1.25, "-": 0.8 };

  function key(event) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(key === "0" || key in steps || key in scales)) return;
    event.preventDefault();
    if (key === "0") return reset();
    const middle = { x: innerWidth / 2, y: innerHeight / 2 };
    const [right, down] = steps[key] || [0, 0];
    const to = { x: middle.x + right, y: middle.y + down };
    move(middle, to, scales[key] || 1);
  }

  reset();
  svg.style.touchAction = "none";
  svg.style.cursor = "grab";
  svg.addEventListener("pointerdown", press);
  svg.addEventListener("pointermove", drag);
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("wheel", turn, { passive: false });
  svg.addEventListener("dblclick", reset);
  // Dragging would select text.
  svg.addEventListener("mousedown", event => event.preventDefault());
  addEventListener("keydown", key);
}
