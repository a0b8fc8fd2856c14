"""Small programs under the names of real ones, where the real ones keep what the recorder looks for."""

GLOBALS = """
const found = [];
const groups = [];
globalThis.describe = (title, body) => { groups.push(title); body(); groups.pop(); };
globalThis.test = globalThis.it = (title, body) => found.push({ groups: [...groups], title, body });
"""

JEST = {
    "node_modules/jest/bin/jest.js": """
        const { runCLI } = require("@jest/core");
        const words = process.argv.slice(2);
        runCLI({ bail: words.includes("--bail") ? 1 : undefined }, ["."]).then(({ results }) => {
          console.log(results.numFailedTests ? "some failed" : "all passed");
          process.exit(results.numFailedTests ? 1 : 0);
        });
    """,
    "node_modules/@jest/core/index.js": """
        const fs = require("fs");
        const path = require("path");
        const {GLOBALS} = require("./globals.js");
        Object.defineProperty(exports, "runCLI", { enumerable: true, get: () => runCLI });
        async function runCLI(argv) {
          const results = { testResults: [], numFailedTests: 0, wasInterrupted: false };
          for (const name of fs.readdirSync(".").filter((name) => name.endsWith(".test.js")).sort()) {
            const file = { testFilePath: path.resolve(name), testResults: [] };
            for (const one of GLOBALS(path.resolve(name))) {
              const result = { ancestorTitles: one.groups, title: one.title, status: "passed", failureMessages: [] };
              try { one.body(); } catch (error) { result.status = "failed"; result.failureMessages = [error.stack]; }
              results.numFailedTests += result.status === "failed";
              file.testResults.push(result);
            }
            results.testResults.push(file);
            if (argv.bail && results.numFailedTests) break;
          }
          return { results, globalConfig: {} };
        }
    """,
    "node_modules/@jest/core/globals.js": f"""
        {GLOBALS}
        exports.GLOBALS = (file) => {{ found.length = 0; require(file); return [...found]; }};
    """,
}

MOCHA = {
    "node_modules/mocha/bin/mocha.js": """
        const { spawnSync } = require("child_process");
        const cli = require("path").join(__dirname, "../lib/cli/cli.js");
        process.exit(spawnSync(process.execPath, [cli, ...process.argv.slice(2)], { stdio: "inherit" }).status);
    """,
    "node_modules/mocha/lib/cli/cli.js": """
        const { requireOrImport } = require("../nodejs/esm-utils");
        const { found } = require("../globals.js");
        const path = require("path");
        const Runner = require("../runner");
        (async () => {
          for (const file of process.argv.slice(2)) {
            const before = found.length;
            await requireOrImport(path.resolve(file));
            for (const one of found.slice(before)) one.file = path.resolve(file);
          }
          new Runner(found).run((failures) => process.exit(failures));
        })().catch((error) => { console.error(error); process.exit(1); });
    """,
    "node_modules/mocha/lib/nodejs/esm-utils.js": """
        exports.requireOrImport = async (file) => require(file);
    """,
    "node_modules/mocha/lib/globals.js": f"""
        {GLOBALS}
        exports.found = found;
    """,
    "node_modules/mocha/lib/runner.js": """
        const { EventEmitter } = require("events");
        class Runner extends EventEmitter {
          constructor(tests) { super(); this.tests = tests; }
          run(done) {
            let failures = 0;
            for (const one of this.tests) {
              const test = { type: "test", title: one.title, file: one.file };
              test.titlePath = () => [...one.groups, one.title];
              try {
                one.body();
                this.emit("pass", test);
              } catch (error) {
                failures += 1;
                this.emit("fail", test, error);
              }
              console.log("done:", one.title);
            }
            this.emit("end");
            done(failures);
          }
        }
        Runner.constants = { EVENT_RUN_END: "end" };
        module.exports = Runner;
    """,
}

VITEST = {
    "node_modules/vitest/package.json": '{"name": "vitest", "version": "3.2.7", "type": "module"}',
    "node_modules/vitest/vitest.mjs": """
        import fs from "node:fs";
        console.log(process.argv.slice(2).join(" "), "|", process.env.NODE_OPTIONS || "no options");
        const word = process.argv.find((word) => word.startsWith("--outputFile.json="));
        const test = { ancestorTitles: [], title: "works", status: "passed", failureMessages: [] };
        const file = { name: `${process.cwd()}/a.test.js`, status: "passed", message: "", assertionResults: [test] };
        if (word) fs.writeFileSync(word.split("=")[1], JSON.stringify({ numTotalTests: 1, testResults: [file] }));
    """,
}

NPM = {
    "node_modules/npm/bin/npm-cli.js": """
        const { spawn } = require("child_process");
        const script = JSON.parse(require("fs").readFileSync("package.json", "utf8")).scripts.test;
        spawn("sh", ["-c", script], { stdio: "inherit" }).on("close", (code) => process.exit(code));
    """,
}

TAPE = {
    "node_modules/tape/package.json": '{"name": "tape", "version": "5.10.2"}',
    "node_modules/tape/bin/tape": """
        const path = require("path");
        const tape = require("../");
        const importOrRequire = require("./import-or-require");
        tape.wait();
        const load = (last, file) => (last ? last.then(() => importOrRequire(file)) : importOrRequire(file));
        process.nextTick(() => {
          const loaded = process.argv.slice(2).map((file) => path.resolve(file)).reduce(load, null);
          if (loaded) loaded.then(() => tape.run());
          else tape.run();
        });
    """,
    "node_modules/tape/bin/import-or-require.js": """
        module.exports = (file) => {
          if (file.endsWith(".mjs")) return import(file);
          require(file);
        };
    """,
    "node_modules/tape/index.js": """
        const Test = require("./lib/test");
        const Results = require("./lib/results");
        const results = new Results();
        let waits = false;
        module.exports = (name, body) => {
          results.push(new Test(name, body));
          if (!waits) setImmediate(() => results.run());
          waits = true;
        };
        module.exports.wait = () => { waits = true; };
        module.exports.run = () => results.run();
        module.exports.createHarness = () => {};
        process.on("exit", (code) => {
          if (code) return;
          results.tests.filter((test) => !test.calledEnd).forEach((test) => test.fail("test exited without ending"));
          results.close();
          process.exit(results.failed ? 1 : 0);
        });
    """,
    "node_modules/tape/lib/test.js": """
        const { EventEmitter } = require("events");
        module.exports = class Test extends EventEmitter {
          constructor(name, body) { super(); this.name = name; this._cb = body; }
          run() { this.emit("prerun"); this._cb(this); }
          check(ok, name, error) { this.emit("result", { ok, name, error: error || new Error(name) }); }
          equal(actual, expected) { this.check(actual === expected, "should be equal"); }
          fail(name) { this.check(false, name); }
          ifError(error) { this.check(!error, String(error), error); }
          end(error) {
            if (error) this.ifError(error);
            this.calledEnd = true;
            this.emit("end");
          }
        };
    """,
    "node_modules/tape/lib/results.js": """
        module.exports = class Results {
          constructor() { this.tests = []; this.failed = 0; }
          push(test) { this.tests.push(test); this._watch(test); }
          _watch(test) {
            test.once("prerun", () => console.log("#", test.name));
            test.on("result", ({ ok }) => { this.failed += !ok; console.log(ok ? "ok" : "not ok"); });
          }
          run() {
            const next = this.tests.find((test) => !test.begun);
            if (!next) return;
            next.begun = true;
            next.once("end", () => setImmediate(() => this.run()));
            next.run();
          }
          close() { console.log("1..n"); }
        };
    """,
}
