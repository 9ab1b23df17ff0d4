// Chromium without a window, driven over its debugging pipe: the protocol's
// messages as JSON, each ended by a NUL byte, on file descriptors 3 and 4.
// So there is no driver to install, and nothing listens on a port.
//
// CHROMIUM names the program; default: chromium.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patience = 1000000; // ms: what takes longer has failed

export class Browser {
  static async start() {
    const browser = new Browser();
    const root = process.getuid() === 0 ? ["--no-sandbox"] : [];
    browser.home = mkdtempSync(join(tmpdir(), "browser-"));
    browser.process = spawn(
      process.env.CHROMIUM || "chromium",
      [
        "--headless",
        "--remote-debugging-pipe",
        "--user-data-dir=" + browser.home,
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-color-profile=srgb",
        "--hide-scrollbars=false",
        ...root,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] },
    );
    browser.listen();
    await browser.send("Browser.getVersion");
    return browser;
  }

  listen() {
    this.last = 0;
    this.waiting = new Map();
    this.handlers = new Map();
    let said = "",
      rest = Buffer.alloc(0);
    this.process.stderr.on("data", text => (said = (said + text).slice(-2000)));
    this.process.on("error", error => this.fail(error));
    this.process.on("exit", status =>
      this.fail(new Error(`chromium has ended (${status}): ${said}`)),
    );
    this.process.stdio[3].on("error", error => this.fail(error));
    this.process.stdio[4].on("data", data => {
      rest = Buffer.concat([rest, data]);
      for (let at; (at = rest.indexOf(0)) >= 0; rest = rest.subarray(at + 1))
        this.take(JSON.parse(rest.subarray(0, at)));
    });
  }

  take({ id, result, error, method, params, sessionId }) {
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    if (call)
      error ? call.reject(new Error(error.message)) : call.resolve(result);
    else if (method) this.handlers.get(sessionId)?.(method, params);
  }

  fail(error) {
    this.dead = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      if (this.dead) return reject(this.dead);
      const id = ++this.last;
      const timer = setTimeout(
        () => reject(new Error(method + " takes too long")),
        patience,
      );
      const done = call => value => (clearTimeout(timer), call(value));
      this.waiting.set(id, { resolve: done(resolve), reject: done(reject) });
      this.process.stdio[3].write(
        JSON.stringify({ id, method, params, sessionId }) + "\0",
      );
    });
  }

  // A page of its own, with nothing in it: {width, height, scale} in pixels.
  async open({ width = 1200, height = 700, scale = 1 } = {}) {
    const { targetId } = await this.send("Target.createTarget", {
      url: "about:blank",
    });
    const { sessionId } = await this.send("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    const tab = new Tab(this, targetId, sessionId);
    for (const domain of ["Page", "Runtime", "Log", "Network"])
      await tab.send(domain + ".enable");
    await tab.resize(width, height, scale);
    return tab;
  }

  async stop() {
    const ended = new Promise(resolve => this.process.once("exit", resolve));
    await this.send("Browser.close").catch(() => this.process.kill());
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 30000);
    await ended;
    clearTimeout(timer);
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const keyCodes = {
  Enter: 13,
  Escape: 27,
  Backspace: 8,
  Tab: 9,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

export class Tab {
  errors = []; // what the console has as errors, and exceptions
  requests = []; // addresses that the page asked for

  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId });
    this.once = new Map();
    browser.handlers.set(sessionId, (method, params) =>
      this.take(method, params),
    );
  }

  take(method, params) {
    if (method === "Runtime.exceptionThrown")
      this.errors.push(
        params.exceptionDetails.exception?.description ||
          params.exceptionDetails.text,
      );
    if (
      method === "Runtime.consoleAPICalled" &&
      ["error", "warning", "assert"].includes(params.type)
    )
      this.errors.push(
        params.args.map(arg => arg.value ?? arg.description).join(" "),
      );
    if (
      method === "Log.entryAdded" &&
      ["error", "warning"].includes(params.entry.level)
    )
      this.errors.push(params.entry.text);
    if (
      method === "Network.requestWillBeSent" &&
      !params.request.url.startsWith("data:")
    )
      this.requests.push(params.request.url);
    this.once.get(method)?.(params);
    this.once.delete(method);
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  wait(event) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("no " + event)),
        patience,
      );
      this.once.set(event, params => (clearTimeout(timer), resolve(params)));
    });
  }

  resize(width, height, deviceScaleFactor = 1) {
    return this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor,
      mobile: false,
    });
  }

  // light or dark, screen or print
  media(scheme, media = "") {
    return this.send("Emulation.setEmulatedMedia", {
      media,
      features: [{ name: "prefers-color-scheme", value: scheme }],
    });
  }

  async go(url) {
    const loaded = this.wait("Page.loadEventFired");
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(url + ": " + errorText);
    await loaded;
  }

  // The value of an expression, or of the promise that it is.
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(
        exceptionDetails.exception?.description || exceptionDetails.text,
      );
    return result.value;
  }

  // Until the expression is true; its value.
  async until(expression) {
    const end = Date.now() + patience;
    for (;;) {
      const value = await this.eval(expression);
      if (value) return value;
      if (Date.now() > end) throw new Error("never true: " + expression);
      await new Promise(resolve => setTimeout(resolve, 15));
    }
  }

  async key(key, text = key.length === 1 ? key : undefined) {
    const code = keyCodes[key] ?? key.toUpperCase().charCodeAt(0);
    const what = { key, windowsVirtualKeyCode: code };
    await this.send("Input.dispatchKeyEvent", {
      type: "keyDown",
      ...what,
      text: key === "Enter" ? "\r" : text,
    });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...what });
  }

  type(text) {
    return this.send("Input.insertText", { text });
  }

  move(x, y) {
    return this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  async click(x, y, times = 1, button = "left") {
    await this.move(x, y);
    for (let clickCount = 1; clickCount <= times; clickCount++)
      for (const type of ["mousePressed", "mouseReleased"])
        await this.send("Input.dispatchMouseEvent", {
          type,
          x,
          y,
          button,
          clickCount,
        });
  }

  async picture() {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
    });
    return Buffer.from(data, "base64");
  }

  async print() {
    const { data } = await this.send("Page.printToPDF", {
      printBackground: true,
      preferCSSPageSize: true,
    });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}
