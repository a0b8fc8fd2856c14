"""The recorder in real Node processes: those of node:test, and of small stand-ins for programs that are installed."""

import re

import pytest

from bot.proof import plant_that_shows
from bot.proof.readers import Site
from bot.proof.readers.node import recorder
from bot.records import ReportState, TestReport, TestStatus
from tests.proof.laboratory import Texts, proof_of, report_on, token
from tests.proof.readers.stand_ins import JEST, MOCHA, NPM, TAPE, VITEST

NODE_TEST: Texts = {
    "test/cart.test.js": """
        const { describe, it, test } = require("node:test");
        const assert = require("node:assert");
        test("adds", () => {});
        test("fails", () => assert.equal(1, 2, "not two"));
        describe("cart", () => {
          it("is empty", () => {});
          it("is left out", { skip: "not here" }, () => {});
        });
    """
}
TESTS: Texts = {
    "a.test.js": """
        describe("cart", () => {
          test("adds", () => {});
          test("fails", () => { throw new Error("not two"); });
        });
    """,
    "b.test.js": 'test("passes", () => {});',
}
JEST_RESULTS = (["a.test.js::cart > adds", "b.test.js::passes"], ["a.test.js::cart > fails"])

pytestmark = pytest.mark.usefixtures("node")


def results(report: TestReport) -> tuple[list[str], list[str]]:
    return sorted(report.passed), sorted(report.failed)


@pytest.mark.parametrize(
    "command",
    [
        "node --test",
        "node --test --test-reporter=spec",
        "node --test --test-reporter spec --test-reporter-destination stdout",
        "node --test --test-reporter=tap --test-reporter-destination=out.tap",
        'NODE_OPTIONS="--test-reporter=dot $NODE_OPTIONS" node --test',
        "node test/cart.test.js",
        "sh -c 'node --no-warnings --test test/*.js'",
    ],
)
def test_nodes_own_tests_are_read_however_they_are_started(command: str) -> None:
    report = report_on(NODE_TEST, command)

    assert (report.reader, report.state, report.tampered) == ("node", ReportState.FAILED, "")
    assert report.passed == {"test/cart.test.js::adds", "test/cart.test.js::cart > is empty"}
    assert report.failed == {"test/cart.test.js::fails"}
    assert report.skipped == {"test/cart.test.js::cart > is left out"}


def test_a_failure_of_nodes_tests_says_why_and_where() -> None:
    report = report_on(NODE_TEST, "node --test")

    (failed,) = (case for case in report.cases if case.status is TestStatus.FAILED)
    assert (failed.file, failed.line) == ("test/cart.test.js", 4)
    assert "not two" in failed.message


def test_people_see_what_they_would_see_without_the_recorder() -> None:
    recorded = report_on(NODE_TEST, "node --test")
    alone = report_on(NODE_TEST, "unset NODE_OPTIONS; node --test")

    assert recorded.exit_code == alone.exit_code
    assert without_times(recorded.output) == without_times(alone.output)


def test_a_file_that_can_not_be_loaded_is_an_error_and_hides_no_other() -> None:
    report = report_on({**NODE_TEST, "test/broken.test.js": 'require("./nowhere");'}, "node --test")

    (broken,) = (case for case in report.cases if case.status is TestStatus.ERROR)
    assert (broken.id, broken.file) == ("test/broken.test.js", "test/broken.test.js")
    assert "Cannot find module './nowhere'" in broken.message
    assert "test/cart.test.js::adds" in report.passed


def test_what_a_test_starts_is_no_test_of_its_own() -> None:
    files = {
        "test/runner.test.js": """
            const { test } = require("node:test");
            const { spawnSync } = require("node:child_process");
            test("starts another", () => {
              const { NODE_TEST_CONTEXT, ...env } = process.env;
              spawnSync(process.execPath, ["--test", "fixtures/inner.js"], { env });
            });
        """,
        "fixtures/inner.js": 'require("node:test")("inner", () => { throw new Error(); });',
    }

    report = report_on(files, "node --test test/runner.test.js")

    assert results(report) == (["test/runner.test.js::starts another"], [])


@pytest.mark.parametrize(
    "files",
    [
        NODE_TEST,
        {
            "package.json": '{"type": "module"}',
            "test/a.test.js": 'import { test } from "node:test"; test("adds", () => {});',
        },
        {"test/a.mjs": 'import { test } from "node:test"; test("adds", () => {});'},
    ],
)
def test_a_plant_is_reported_by_node(files: Texts) -> None:
    plant = plant_that_shows(
        report_on(files, "node --test"), token(), lambda plant: report_on(files, "node --test", plant=plant)
    )

    assert plant is not None
    assert plant.path.startswith("test/zz-selfcode-")


def test_a_change_in_javascript_is_proven() -> None:
    test = """
        const assert = require("node:assert");
        const {{ double }} = require("../calc.js");
        require("node:test").test("doubles {0}", () => assert.strictEqual(double({0}), {0} * 2));
    """
    base = {"calc.js": "exports.double = (n) => (n < 10 ? n + n : 0);", "test/small.test.js": test.format(2)}
    head = {"calc.js": "exports.double = (n) => n + n;", "test/large.test.js": test.format(20)}

    proof = proof_of(base, head, "node --test")

    assert (proof.missing, proof.evidence.red) == ((), ("test/large.test.js::doubles 20",))


@pytest.mark.parametrize("command", ["node node_modules/jest/bin/jest.js", "node start.js"])
def test_jest_is_read_from_its_own_results(command: str) -> None:
    report = report_on({**TESTS, **JEST, "start.js": 'require("jest/bin/jest.js");'}, command)

    assert (report.reader, report.tampered, report.exit_code) == ("jest", "", 1)
    assert results(report) == JEST_RESULTS
    assert report.output == "some failed"


def test_jest_goes_on_after_a_failure_unless_the_command_says_otherwise() -> None:
    stops = report_on({**TESTS, **JEST}, "node node_modules/jest/bin/jest.js --bail")

    assert stops.passed == {"a.test.js::cart > adds"}


def test_a_script_that_sets_nodes_options_keeps_the_recorder() -> None:
    script = "NODE_OPTIONS=--no-warnings node node_modules/jest/bin/jest.js"
    files = {**TESTS, **JEST, **NPM, "package.json": f'{{"scripts": {{"test": "{script}"}}}}'}

    assert results(report_on(files, "node node_modules/npm/bin/npm-cli.js test")) == JEST_RESULTS


def test_mocha_is_read_by_its_own_events() -> None:
    report = report_on({**TESTS, **MOCHA}, "node node_modules/mocha/bin/mocha.js a.test.js b.test.js")

    assert (report.reader, report.tampered, report.exit_code) == ("mocha", "", 1)
    assert results(report) == JEST_RESULTS
    assert report.output.split("\n") == ["done: adds", "done: fails", "done: passes"]


def test_mocha_that_is_ended_by_a_test_has_not_told_all() -> None:
    files = {**MOCHA, "a.test.js": 'it("one", () => {}); it("two", () => process.exit(0)); it("three", () => {});'}

    report = report_on(files, "node node_modules/mocha/bin/mocha.js a.test.js")

    assert report.tampered == "mocha's results end before its tests did"


def test_a_file_that_mocha_can_not_load_is_an_error() -> None:
    report = report_on(
        {**TESTS, **MOCHA, "c.js": 'require("./nowhere");'}, "node node_modules/mocha/bin/mocha.js a.test.js c.js"
    )

    assert [(case.id, case.status) for case in report.cases] == [("c.js", TestStatus.ERROR)]


TAPE_TESTS: Texts = {
    "lib/calc.js": "exports.double = (n) => n + n;",
    "test/a.js": """
        const test = require("tape");
        const { double } = require("../lib/calc");
        test("adds", (t) => { t.equal(double(2), 4); t.end(); });
        test("fails", (t) => { t.equal(double(2), 5); t.end(); });
    """,
    "test/b.js": """
        const { triple } = require("../lib/calc");
        require("tape")("throws", (t) => { t.equal(triple(2), 6); t.end(); });
    """,
    "test/c.js": 'require("../lib/triple"); require("tape")("never", (t) => t.end());',
    "test/d.mjs": 'import test from "tape"; test("imported", (t) => t.end());',
    "test/e.mjs": 'import test from "tape"; import "../lib/nowhere.mjs"; test("never", (t) => t.end());',
}
RUN_TAPE = "node node_modules/tape/bin/tape"


def test_tape_is_read_by_its_own_events_and_what_throws_hides_nothing_else() -> None:
    report = report_on({**TAPE_TESTS, **TAPE}, f"{RUN_TAPE} test/*")

    assert (report.reader, report.tampered, report.exit_code) == ("tape", "", 1)
    assert report.passed == {"test/a.js::adds", "test/d.mjs::imported"}
    assert report.failed == {"test/a.js::fails", "test/b.js::throws", "test/c.js", "test/e.mjs"}
    messages = {case.id: case.message for case in report.cases}
    assert "triple is not a function" in messages["test/b.js::throws"]
    assert "Cannot find module '../lib/triple'" in messages["test/c.js"]
    assert "nowhere.mjs" in messages["test/e.mjs"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("setTimeout(() => { throw new Error('late'); })", "late"),
        ("process.exit(3)", "the process ended with exit code 3"),
        ("process.exit(0)", "test exited without ending"),
    ],
)
def test_a_test_that_ends_tape_itself_fails_for_it_and_is_no_tampering(body: str, says: str) -> None:
    tests = f"""
        const test = require("tape");
        test("first", (t) => t.end());
        test("falls", (t) => {{ {body}; }});
    """

    report = report_on({"test/a.js": tests, **TAPE}, f"{RUN_TAPE} test/a.js")

    assert (report.state, report.tampered) == (ReportState.FAILED, "")
    assert results(report) == (["test/a.js::first"], ["test/a.js::falls"])
    assert says in report.cases[-1].message


@pytest.mark.parametrize(
    ("program", "named"), [("mocha", "node_modules/mocha/bin/mocha.js"), ("tape", "node_modules/tape/bin/tape")]
)
def test_a_program_that_older_versions_of_nyc_start_is_known(program: str, named: str) -> None:
    wrap = "process.argv.splice(1, 1); require(require('path').resolve(process.argv[1]));"
    test = "(globalThis.it || require('tape'))('works', (t) => t && t.end());"

    report = report_on(
        {**MOCHA, **TAPE, "a.test.js": test, "w/.node-spawn-wrap-1/node": wrap},
        f"node w/.node-spawn-wrap-1/node {named} a.test.js",
    )

    assert (report.reader, list(report.passed)) == (program, ["a.test.js::works"])


def test_of_files_that_load_each_other_the_one_with_the_tests_is_to_blame() -> None:
    files = {**TAPE_TESTS, **TAPE, "test/all.js": 'require("./a"); require("./late");'}
    files["test/late.js"] = 'require("tape"); require("../lib/triple");'

    report = report_on(files, "node test/all.js")

    assert (report.reader, report.tampered) == ("tape", "")
    assert report.failed == {"test/late.js"}


@pytest.mark.parametrize("files", [{"test/a.js": TAPE_TESTS["test/a.js"]}, {"test/d.mjs": TAPE_TESTS["test/d.mjs"]}])
def test_a_plant_is_reported_by_tape(files: Texts) -> None:
    files = {"lib/calc.js": TAPE_TESTS["lib/calc.js"], **files, **TAPE}
    command = f"{RUN_TAPE} test/*"

    plant = plant_that_shows(report_on(files, command), token(), lambda plant: report_on(files, command, plant=plant))

    assert plant is not None
    assert plant.path.startswith("test/zz-selfcode-")


def test_a_change_is_proven_with_tape_where_its_tests_throw_without_it() -> None:
    base = {**TAPE, "lib/calc.js": "exports.double = (n) => n + n;"}
    test = """
        const {{ {0} }} = require("../lib/{1}");
        require("tape")("{0}s", (t) => {{ t.equal({0}(2), {2}); t.end(); }});
    """
    base["test/a.js"] = test.format("double", "calc", 4)
    head = {
        "lib/calc.js": "exports.double = (n) => n + n;\nexports.triple = (n) => 3 * n;",
        "lib/half.js": "exports.half = (n) => n / 2;",
        "test/0-triple.js": test.format("triple", "calc", 6),
        "test/1-half.js": test.format("half", "half", 1),
    }

    proof = proof_of(base, head, f"{RUN_TAPE} test/*")

    assert (proof.missing, proof.evidence.red) == ((), ("test/0-triple.js::triples", "test/1-half.js::halfs"))


def test_the_tests_do_not_see_the_recorder_in_their_environment() -> None:
    test = 'it("sees nothing", () => { if (process.env.NODE_OPTIONS !== "--no-warnings") throw new Error(); });'

    report = report_on(
        {**MOCHA, "a.test.js": test},
        'NODE_OPTIONS="--no-warnings $NODE_OPTIONS" node node_modules/mocha/bin/mocha.js a.test.js',
    )

    assert report.passed == {"a.test.js::sees nothing"}


@pytest.mark.parametrize(
    ("words", "becomes"),
    [
        ("run", "--reporter=default --bail=0 --reporter=json --outputFile.json=FILE run"),
        ("run --reporter=dot --bail 1", "--reporter=json --outputFile.json=FILE run --reporter=dot --bail 1"),
    ],
)
def test_vitest_is_asked_for_a_file_beside_what_it_shows(words: str, becomes: str) -> None:
    report = report_on(VITEST, f"node node_modules/vitest/vitest.mjs {words}")

    assert (report.reader, list(report.passed)) == ("vitest", ["a.test.js::works"])
    assert re.sub(r"=/\S+\.results", "=FILE", report.output) == f"{becomes} | no options"


@pytest.mark.parametrize("words", ["run --outputFile=mine.json --reporter=json", "list", "bench"])
def test_vitest_is_left_alone_where_it_writes_or_does_something_else(words: str) -> None:
    report = report_on(VITEST, f"node node_modules/vitest/vitest.mjs {words}")

    assert report.reader == "exit code"
    assert report.output.startswith(f"{words} | ")


def test_other_programs_of_node_run_as_ever() -> None:
    report = report_on({"a.js": "console.log(process.execArgv.length, process.argv.length)"}, "node a.js; node -p 1+1")

    assert (report.reader, report.output, report.exit_code) == ("exit code", "0 2\n2", 0)


def test_the_options_of_the_image_stay() -> None:
    site = Site("/w", "/w/.hidden", variables={"NODE_OPTIONS": "--no-warnings"}, versions={"node": "22.1.0"})

    assert recorder(site).variables == {"NODE_OPTIONS": "--no-warnings --require=/w/.hidden/for-node"}


def test_no_linter_of_the_project_takes_the_recorder_for_code_of_its() -> None:
    site = Site("/w", "/w/.hidden", versions={"node": "22.1.0"})

    assert [name for name in recorder(site).files if "." in name] == []


def test_where_there_is_no_node_nothing_is_added() -> None:
    assert recorder(Site("/w", "/w/.hidden")).variables == {}


def without_times(output: str) -> str:
    return re.sub(r"[\d.]+", "0", re.sub(r"/\S*selfcode\S*?/workspace", "", output))
