"use strict";
// Loaded into every Node process of a test command, by NODE_OPTIONS. Where the process is a test program's main one, its
// results are also written into this file's folder; what it prints stays as it is. It must never break a process:
// whatever it can't do, it leaves.

const fs = require("fs");
const path = require("path");

const MESSAGE_AT_MOST = 8000;
const SCRIPT_AT_MOST = 1 << 20;
const JEST = new Set(["jest", "jest-cli", "react-scripts", "react-app-rewired", "@craco/craco"]);
const MOCHA = new Set(["mocha", "ts-mocha", "electron-mocha"]);
const SCRIPT_RUNNERS = new Set(["npm", "yarn", "pnpm", "corepack", "npm-run-all", "npm-run-all2", "concurrently"]);
const WRAPPED = /\/\.node-spawn-wrap-[^/]+\/[^/]+$/; // as older versions of nyc start a program, whose name follows

let sessions = 0;

/** A results file of this process: a line for each test, and a last one that says how many there are. */
class Session {
  constructor(program) {
    this.file = fileFor(program);
    this.count = 0;
    fs.writeFileSync(this.file, "");
  }

  add(result) {
    this.count += 1;
    const message = String(result.message || "").slice(0, MESSAGE_AT_MOST);
    fs.appendFileSync(this.file, JSON.stringify(Object.assign({}, result, { message })) + "\n");
  }

  /** `early`: at an error, before all tests had their turn. */
  end(early = false) {
    fs.appendFileSync(this.file, JSON.stringify({ end: this.count, early }) + "\n");
  }
}

function fileFor(program) {
  sessions += 1;
  return path.join(__dirname, `${program}-${Date.now()}-${process.pid}-${sessions}.results`);
}

function textOf(error) {
  if (error && typeof error === "object") {
    const stack = String(error.stack || "");
    const message = String(error.message || "");
    return stack.includes(message) ? stack : `${message}\n${stack}`;
  }
  return String(error);
}

// --- What this process is

function record() {
  const isOther = process.env.NODE_TEST_CONTEXT || process.versions.electron;
  if (isOther || !require("worker_threads").isMainThread) return;
  if (process.execArgv.includes("--test")) {
    startAgainWithReporter();
    return;
  }
  const named = process.argv[WRAPPED.test(process.argv[1]) ? 2 : 1];
  if (!named) return;
  const script = scriptOf(named);
  const name = packageOf(script);
  if (name === "vitest") recordVitest();
  else if (JEST.has(name) || MOCHA.has(name)) watchLoading();
  else if (SCRIPT_RUNNERS.has(name)) keepInScripts();
  else if (!name && byItsText(script)) return;
  else if (name === "tape" || has("tape", script)) recordTape();
}

function scriptOf(named) {
  for (const file of [named, `${named}.js`]) {
    try {
      return fs.realpathSync(file).replace(/\\/g, "/");
    } catch (_) {
      continue;
    }
  }
  return named;
}

/** The package that a program belongs to, "" for a file of the project's own. */
function packageOf(script) {
  const found = script.match(/.*\/(?:node_modules|nodejs)\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) return found[1];
  return /\/yarn(-[\d.]+)?\.c?js$/.test(script) ? "yarn" : "";
}

/** Whether a program, or else a file of the folder that it runs in, finds this package. */
function has(name, script) {
  const { createRequire } = require("module");
  return [script, path.join(process.cwd(), "any.js")].some((file) => {
    try {
      return createRequire(file).resolve(`${name}/package.json`);
    } catch (_) {
      return false;
    }
  });
}

/** A script of the project's own that starts a test program, or is a test itself: true where it is known which. */
function byItsText(script) {
  let text = "";
  try {
    if (fs.statSync(script).size <= SCRIPT_AT_MOST) text = fs.readFileSync(script, "utf8");
  } catch (_) {
    return false;
  }
  if (/["'](jest|jest-cli|@jest\/core|mocha)(\/[^"'\n]*)?["']/.test(text)) watchLoading();
  else if (/["']node:test["']/.test(text) && !process.send) startAgainWithReporter();
  else return false;
  return true;
}

/** NODE_OPTIONS without this file: processes that a test program starts are part of its tests. */
function withoutUs(options) {
  const ours = [`--require=${__filename}`, `--require="${__filename}"`];
  return ours.reduce((left, word) => left.split(word).join(""), options || "").trim();
}

function leaveChildrenAlone() {
  const left = withoutUs(process.env.NODE_OPTIONS);
  if (left) process.env.NODE_OPTIONS = left;
  else delete process.env.NODE_OPTIONS;
}

// --- node:test: the same command once more, with a reporter beside those that it has

function startAgainWithReporter() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const known = major >= 20 || (major === 19 && minor >= 6) || (major === 18 && minor >= 15);
  const given = [...(process.env.NODE_OPTIONS || "").split(/\s+/), ...process.execArgv];
  if (!known || given.some((word) => /^--(watch|experimental-(default-)?config-file)/.test(word))) return;
  const count = (option) => given.filter((word) => word === option || word.startsWith(`${option}=`)).length;
  const reporters = count("--test-reporter");
  const destinations = count("--test-reporter-destination");
  const added = [];
  if (reporters === 0 && destinations === 0) {
    const usual = process.stdout.isTTY || major >= 23 ? "spec" : "tap";
    added.push(`--test-reporter=${usual}`, "--test-reporter-destination=stdout");
  } else if (reporters === 1 && destinations === 0) {
    added.push("--test-reporter-destination=stdout");
  } else if (reporters !== destinations) {
    return;
  }
  added.push(`--test-reporter=${reporter()}`, "--test-reporter-destination=stdout");
  leaveChildrenAlone();
  const again = [...process.execArgv, ...added, ...process.argv.slice(1)];
  const { status, signal, error } = require("child_process").spawnSync(process.execPath, again, { stdio: "inherit" });
  if (error) return;
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}

/** The reporter as a module by itself: a path would need an ending that linters of the project would look at. */
function reporter() {
  const from = JSON.stringify(path.join(__dirname, "for-node-test"));
  const text = `import { createRequire } from "node:module"; export default createRequire(${from})(${from});`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

// --- Vitest: its own JSON reporter, beside those that it has

function recordVitest() {
  const words = process.argv.slice(2);
  const command = words.find((word) => !word.startsWith("-"));
  const other = ["bench", "init", "list", "typecheck", "preview"].includes(command);
  const file = require(path.join(scriptOf(process.argv[1]), "..", "package.json"));
  const taken = words.some((word) => /^--outputFile(=|$)|^--outputFile\.json\b|^--(mergeReports|merge-reports)\b/.test(word));
  if (other || taken || Number(file.version.split(".")[0]) < 1) return;
  const has = (option) => words.some((word) => word === option || word.startsWith(`${option}=`));
  const added = has("--reporter") ? [] : ["--reporter=default"];
  if (!has("--bail")) added.push("--bail=0");
  added.push("--reporter=json", `--outputFile.json=${fileFor("vitest")}`);
  process.argv.splice(2, 0, ...added);
  leaveChildrenAlone();
}

// --- Jest and Mocha: their own objects, when they are loaded

function watchLoading() {
  const Module = require("module");
  const load = Module._load;
  function watching(request) {
    const loaded = load.apply(this, arguments);
    try {
      return seen(String(request), loaded);
    } catch (_) {
      return loaded;
    }
  }
  Module._load = watching;
  stopWatching = () => {
    if (Module._load === watching) Module._load = load;
  };
}

let stopWatching = () => {};
const wrapped = new WeakMap();

function seen(request, loaded) {
  if (request === "@jest/core" && loaded && typeof loaded.runCLI === "function") {
    if (!wrapped.has(loaded)) wrapped.set(loaded, ofJest(loaded));
    return wrapped.get(loaded);
  }
  const name = request.replace(/\.c?js$/, "").split("/").pop();
  if (name === "runner" || name === "parallel-buffered-runner") recordMocha(loaded.Runner || loaded);
  if (name === "esm-utils") recordUnloadable(loaded);
  return loaded;
}

function ofJest(core) {
  const runCLI = async function (argv, projects) {
    stopWatching();
    leaveChildrenAlone();
    const asked = argv && argv.bail === undefined ? Object.assign({}, argv, { bail: 0 }) : argv;
    const done = await core.runCLI(asked, projects);
    try {
      writeJest(done.results);
    } catch (_) {
      // no results then
    }
    return done;
  };
  return Object.create(core, { runCLI: { value: runCLI, enumerable: true } });
}

function writeJest(results) {
  const session = new Session("jest");
  for (const file of results.testResults) {
    if (file.testExecError) {
      session.add({ file: file.testFilePath, titles: [], status: "error", message: file.failureMessage });
    }
    for (const test of file.testResults) {
      session.add({
        file: file.testFilePath,
        titles: [...test.ancestorTitles, test.title],
        status: { passed: "passed", failed: "failed" }[test.status] || "skipped",
        message: (test.failureMessages || []).join("\n"),
        line: test.location ? test.location.line : undefined,
      });
    }
  }
  if (!results.wasInterrupted) session.end();
}

let loading;

function recordMocha(Runner) {
  if (typeof Runner !== "function" || !Runner.constants || wrapped.has(Runner)) return;
  if (!Object.prototype.hasOwnProperty.call(Runner.prototype, "run")) return;
  const run = Runner.prototype.run;
  wrapped.set(Runner, Runner);
  Runner.prototype.run = function () {
    stopWatching();
    leaveChildrenAlone();
    try {
      listen(this);
      if (!process.argv.some((word) => word === "--bail" || word === "-b")) goOn(this.suite);
    } catch (_) {
      // no results then
    }
    return run.apply(this, arguments);
  };
}

function listen(runner) {
  if (wrapped.has(runner)) return;
  wrapped.set(runner, runner);
  const session = new Session("mocha");
  const keys = new Map();
  const add = (test, status, message) => {
    if (!keys.has(test)) keys.set(test, keys.size);
    const titles = typeof test.titlePath === "function" ? test.titlePath() : [test.title];
    session.add({ file: test.file, titles, status, message, key: keys.get(test) });
  };
  runner.on("pass", (test) => add(test, "passed"));
  runner.on("pending", (test) => add(test, "skipped"));
  runner.on("fail", (test, error) => add(test, test.type === "test" ? "failed" : "error", textOf(error)));
  runner.once("end", () => session.end());
}

/** One failing test of a project whose settings say “bail” must not hide the others. */
function goOn(suite) {
  if (!suite) return;
  suite._bail = false;
  (suite.suites || []).forEach(goOn);
}

/** A test file that can't be loaded ends Mocha before any test has run. */
function recordUnloadable(loader) {
  if (!loader || typeof loader.requireOrImport !== "function" || wrapped.has(loader)) return;
  wrapped.set(loader, loader);
  const load = loader.requireOrImport;
  loader.requireOrImport = async function (file) {
    try {
      return await load.apply(this, arguments);
    } catch (error) {
      loading = loading || new Session("mocha");
      loading.add({ file, titles: [], status: "error", message: textOf(error) });
      loading.end();
      throw error;
    }
  };
}

// --- tape

function recordTape() {
  require(path.join(__dirname, "for-tape"))({ Session, textOf, leaveChildrenAlone });
}

// --- npm and the like: a script that sets NODE_OPTIONS would lose this file

function keepInScripts() {
  const processes = require("child_process");
  const spawn = processes.spawn;
  processes.spawn = function (file, args, ...rest) {
    const isScript = Array.isArray(args) && args[0] === "-c" && typeof args[1] === "string";
    return spawn.call(this, file, isScript ? ["-c", kept(args[1]), ...args.slice(2)] : args, ...rest);
  };
}

function kept(script) {
  return script.replace(/(^|[\s;&|(])NODE_OPTIONS=/g, `$1NODE_OPTIONS="--require=${__filename} "`);
}

const HERE = Symbol.for("selfcode recorder");
delete require.cache[__filename];
if (!globalThis[HERE]) {
  Object.defineProperty(globalThis, HERE, { value: true });
  try {
    record();
  } catch (_) {
    // the process goes on without
  }
}
