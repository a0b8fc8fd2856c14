"use strict";
// tape: its own objects, when they are loaded. A test or a file that throws fails alone, so that the others have their
// turn; tape by itself would end there, with nothing told of them.

const fs = require("fs");
const Module = require("module");
const path = require("path");
const { inspect } = require("util");

const FRAMES = 100;
const FRAME = /(?:file:\/\/)?(\/[^\s():]+\.[cm]?[jt]sx?):\d+/g;

/** `Session`, `textOf` and `leaveChildrenAlone` are the recorder's. */
module.exports = function recordTape({ Session, textOf, leaveChildrenAlone }) {
  const loading = []; // what is being loaded, innermost last
  const asking = new Set(); // files that load tape
  const blamed = new WeakMap(); // the file that is to blame, by its error
  const following = new WeakMap(); // what is known of each test
  const running = new Set(); // tests that have begun and not ended, innermost last
  const open = new Set(); // tests that have not ended, begun or not
  const sessions = new Map(); // by tape's own object for the results of one run
  const wrapped = new WeakMap();
  let isStandIn = false;

  // --- Loading

  const load = Module._load;
  Module._load = function (request, parent) {
    loading.push([request, parent]);
    try {
      const loaded = load.apply(this, arguments);
      return quietly(() => seen(String(request), parent, loaded), loaded);
    } catch (error) {
      quietly(() => blame(error));
      if (!isOfRunner(parent) || !path.isAbsolute(String(request))) throw error;
      if (!standInFor(fileOf([request, parent]) || request, error, parent.filename)) throw error;
    } finally {
      loading.pop();
    }
  };

  function seen(request, parent, loaded) {
    if (!parent || typeof parent.filename !== "string") return loaded;
    if (request === "tape" || request.startsWith("tape/")) asking.add(parent.filename);
    const name = request.replace(/\.js$/, "").split("/").pop();
    if (!isOfTape(parent.filename)) return loaded;
    if (name === "results") recordResults(loaded);
    if (name === "test") goOnAfter(loaded);
    if (name === "import-or-require") return importing(loaded, parent.filename);
    return loaded;
  }

  function importing(importOrRequire, runner) {
    if (typeof importOrRequire !== "function") return importOrRequire;
    return (file) => {
      const promise = importOrRequire(file);
      return promise && promise.then(undefined, (error) => {
        if (!standInFor(file, error, runner)) throw error;
      });
    };
  }

  /** A failing test in the place of a file that can't be loaded; false where none can be. */
  function standInFor(file, error, runner) {
    const tape = quietly(() => Module.createRequire(runner)("../index.js"));
    if (typeof tape !== "function") return false;
    const session = new Session("tape");
    session.add({ file, titles: [], status: "error", message: textOf(error) });
    session.end();
    isStandIn = true;
    tape(path.relative(process.cwd(), file), (t) => t.end(error || new Error(String(error))));
    isStandIn = false;
    return true;
  }

  function blame(error) {
    if (!error || typeof error !== "object" || blamed.has(error)) return;
    const files = loading.map(fileOf).filter((file) => file && isOfProject(file));
    const main = require.main && require.main.filename;
    const file = files.find((each) => asking.has(each)) || files.find((each) => each !== main) || files[0];
    if (file) blamed.set(error, file);
  }

  // --- Running

  function recordResults(Results) {
    if (typeof Results !== "function" || wrapped.has(Results) || !Results.prototype._watch) return;
    wrapped.set(Results, Results);
    leaveChildrenAlone();
    const { _watch, close } = Results.prototype;
    Results.prototype._watch = function (test) {
      if (!isStandIn) quietly(() => follow(test, this));
      return _watch.apply(this, arguments);
    };
    Results.prototype.close = function () {
      const closed = close.apply(this, arguments);
      quietly(() => endOf(this, false));
      return closed;
    };
  }

  function goOnAfter(Test) {
    if (typeof Test !== "function" || wrapped.has(Test) || !Test.prototype.run) return;
    wrapped.set(Test, Test);
    const run = Test.prototype.run;
    Test.prototype.run = function () {
      try {
        return run.apply(this, arguments);
      } catch (error) {
        this.ifError(error || new Error(String(error)));
        if (!this.calledEnd) this.end();
      }
    };
  }

  function follow(test, results) {
    const above = following.get(test);
    const known = {
      results,
      file: above ? above.file : fileNow(),
      titles: [...(above ? above.titles : []), String(test.name)],
      isSkipped: Boolean(test._skip || test._todo || !test._cb),
      failures: [],
      hasEnded: false,
      key: followed,
    };
    followed += 1;
    open.add(known);
    test.once("prerun", () => {
      running.add(known);
      sessionOf(results);
    });
    test.on("test", (inner) => following.set(inner, known));
    test.on("result", (result) => {
      if (!result || typeof result !== "object" || result.ok || result.todo) return;
      known.failures.push(told(result));
      if (known.hasEnded) write(known);
    });
    test.once("end", () => {
      known.hasEnded = true;
      running.delete(known);
      open.delete(known);
      write(known);
    });
  }

  let followed = 0;

  function write(known) {
    const { file, titles, key, failures } = known;
    const status = known.isSkipped ? "skipped" : failures.length ? "failed" : "passed";
    sessionOf(known.results).add({ file, titles, key, status, message: failures.join("\n") });
  }

  function told(result) {
    const error = result.actual instanceof Error ? result.actual : result.error;
    const values = ["expected", "actual"].filter((name) => result[name] !== undefined && result[name] !== error);
    const text = textOf(error || "");
    const heading = text.includes(result.name) ? [] : [result.name];
    return [...heading, ...values.map((name) => `${name}: ${inspect(result[name])}`), text].join("\n");
  }

  function sessionOf(results) {
    if (!sessions.has(results)) sessions.set(results, new Session("tape"));
    return sessions.get(results);
  }

  function endOf(results, early) {
    if (!sessions.has(results) || sessions.get(results).hasEnded) return;
    [...open].filter((each) => each.results === results && each.failures.length).forEach(write);
    sessions.get(results).hasEnded = true;
    sessions.get(results).end(early);
  }

  // --- What can't be gone on from

  process.on("uncaughtExceptionMonitor", (error) => quietly(() => fall(error)));
  process.on("exit", (code) => {
    if (code) quietly(() => fall(undefined, `the process ended with exit code ${code}`));
  });

  /** The test that runs, or the file that is loaded, has ended the process. */
  function fall(error, why) {
    const message = why || textOf(error);
    const innermost = [...running].pop();
    if (innermost) {
      innermost.failures.push(message);
    } else if (!why) {
      const session = new Session("tape");
      const file = (error && blamed.get(error)) || framesOf(textOf(error))[0];
      session.add({ file, titles: [], status: "error", message });
      session.end(true);
    }
    for (const results of sessions.keys()) endOf(results, true);
  }

  // --- Where

  function fileNow() {
    const files = loading.map(fileOf).filter((file) => file && isOfProject(file));
    if (files.length) return files[files.length - 1];
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = FRAMES;
    const { stack } = new Error();
    Error.stackTraceLimit = limit;
    return framesOf(stack)[0];
  }

  function framesOf(stack) {
    return [...String(stack).matchAll(FRAME)].map((found) => found[1]).filter(isOfProject);
  }

  function fileOf([request, parent]) {
    try {
      return Module._resolveFilename(String(request), parent);
    } catch (_) {
      return "";
    }
  }
};

function isOfProject(file) {
  return path.isAbsolute(file) && !/\/node_modules\//.test(file) && path.dirname(file) !== __dirname && fs.existsSync(file);
}

function isOfTape(file) {
  return /\/tape\/(index\.js|(bin|lib)\/[^/]+)$/.test(file);
}

function isOfRunner(parent) {
  return Boolean(parent && typeof parent.filename === "string" && /\/tape\/bin\/[^/]+$/.test(parent.filename));
}

/** What the recorder does must never break a process. */
function quietly(action, otherwise) {
  try {
    return action();
  } catch (_) {
    return otherwise;
  }
}
