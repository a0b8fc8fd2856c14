import pytest

from bot.proof.interface import import_failed, new_interface
from tests.proof.laboratory import changed

GO = "package calc\n\nfunc Double(n int) int { return n + n }\n"
RUST = "pub fn double(n: i32) -> i32 { n + n }\n"
SCRIPT = "export const double = (n) => n + n;\n"
ADDED = new_interface(
    [
        changed("calc.go", GO, GO.replace("n int", "n int, times int") + "func Triple(n int) int { return 3 * n }\n"),
        changed("src/lib.rs", RUST, RUST + "pub mod shapes;\npub fn triple(n: i32) -> i32 { 3 * n }\n"),
        changed("src/calc.ts", SCRIPT, SCRIPT + "export const triple = (n) => 3 * n;\n"),
        changed("src/shapes/index.ts", None, "export const area = 3;\n"),
        changed("src/round.js", None, "export const round = 3;\n"),
        changed("tests/calc.test.ts", None, "elsewhere"),
    ]
)


@pytest.mark.parametrize(
    "message",
    [
        "./calc_test.go:6:5: undefined: Triple",
        "./calc_test.go:6:10: undefined: calc.Triple\n./calc_test.go:9:10: undefined: calc.Triple",
        "./calc_test.go:6:10: not enough arguments in call to calc.Double\n\thave (number)\n\twant (int, int)",
        "error[E0425]: cannot find function `triple` in this scope\n --> tests/calc.rs:5:16",
        "error[E0425]: cannot find function `triple` in crate `calc`",
        "error[E0432]: unresolved import `calc::triple`\n  |  ^^^^^^^^^^^^ no `triple` in the root",
        "error[E0433]: failed to resolve: could not find `shapes` in `calc`",
        "SyntaxError: The requested module '../src/calc.js' does not provide an export named 'triple'",
        "Error: Cannot find module '../src/shapes' from 'tests/calc.test.ts'",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/work/src/round.js' imported from /work/tests/calc.test.js",
        'Error: Failed to resolve import "../src/round" from "tests/calc.test.ts". Does the file exist?',
        "Error: Failed to load url ../src/shapes/index.js (resolved id: ../src/shapes/index.js) in tests/calc.test.ts",
        "tests/calc.test.ts:1:10 - error TS2305: Module '\"../src/calc\"' has no exported member 'triple'.",
        "error TS2339: Property 'triple' does not exist on type 'Calc'.",
        "TypeError: (0 , _calc.triple) is not a function\n    at tests/calc.test.ts:3:1",
    ],
)
def test_what_a_compiler_or_loader_misses_and_the_change_brings_is_explained(message: str) -> None:
    assert ADDED.explains(message)


@pytest.mark.parametrize(
    "message",
    [
        "./calc_test.go:6:5: undefined: Quadruple",
        "./calc_test.go:6:5: undefined: Triple\n./calc_test.go:9:5: undefined: Quadruple",
        "./calc_test.go:6:5: syntax error: unexpected newline",
        "error[E0425]: cannot find function `elsewhere` in this scope",
        "error[E0599]: no method named `quarter` found for struct `Calc` in the current scope",
        "SyntaxError: The requested module '../src/calc.js' does not provide an export named 'elsewhere'",
        "Error: Cannot find module 'left-pad' from 'tests/calc.test.ts'",
        "Error: Cannot find module '../src/calc' from 'tests/calc.test.ts'",
        "SyntaxError: Unexpected token (3:1)",
        "TypeError: elsewhere is not a function",
        "",
    ],
)
def test_what_the_change_does_not_bring_is_not_explained(message: str) -> None:
    assert not ADDED.explains(message)


def test_a_module_of_javascript_that_can_not_be_loaded_is_a_failed_import_wherever_it_is_asked_for() -> None:
    assert import_failed("Error: Cannot find module '../src/shapes' from 'tests/calc.test.ts'")
    assert not import_failed("TypeError: triple is not a function")
