"""Tricks in existing tests, and in what they read."""

from tests.proof.laboratory import FIXED, TESTS
from tests.proof.redteam.tricks import Trick

ALTERED = "Existing tests were altered: "
GONE, SKIPPED, LOOSER, STEERED = "tests removed", "tests skipped", "tests loosened", "what tests stand on"
ELSEWHERE, NOTHING = "tests in other languages", "changes without a program"
CALC = "tests/test_calc.py"
RICH = """
    import unittest

    import pytest
    from calc import double

    CASES = [(1, 2), (2, 4)]

    @pytest.fixture
    def number():
        return 2

    @pytest.mark.parametrize(("n", "twice"), CASES)
    def test_cases(n, twice):
        assert double(n) == twice

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_each(n):
        assert double(n) == 2 * n

    def test_close(number):
        assert abs(double(number) - 4) < 1e-9

    def test_about():
        assert double(0.1) == pytest.approx(0.2, rel=1e-6)

    class TestErrors(unittest.TestCase):
        def test_text(self):
            with self.assertRaises(TypeError):
                double(None)

        def test_equal(self):
            self.assertEqual(double(3), 6)
"""
GO = "package calc\n\nfunc TestSmall(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n"
JS = "test('small', () => {\n  expect(double(2)).toBe(4);\n});\n"
RUST = "#[test]\nfn small() {\n    assert_eq!(double(2), 4);\n}\n"
INSIDE = (
    "fn double(n: i32) -> i32 { n }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn small() { assert!(true); }\n}\n"
)


def _in_rich(name: str, kind: str, old: str, new: str, says: str = f"{ALTERED}{CALC}: ") -> Trick:
    assert old in RICH, name
    return Trick(name, kind, {CALC: RICH.replace(old, new)}, says, base={CALC: RICH})


def _more(name: str, kind: str, more: str) -> Trick:
    return _in_rich(name, kind, "class TestErrors", f"{more}\n\n    class TestErrors")


def _in(path: str, name: str, before: str, after: str | None, says: str, *, kind: str = ELSEWHERE) -> Trick:
    assert before != after, name
    return Trick(name, kind, {path: after}, f"{ALTERED}{path}: {says}", base={path: before})


TRICKS = (
    Trick("a deleted file of tests", GONE, {CALC: None}, f"{ALTERED}{CALC}: removed"),
    Trick("a moved file of tests", GONE, {CALC: None, "tests/unit/test_calc.py": TESTS}, f"{ALTERED}{CALC}: removed"),
    Trick("a file of tests in other capitals", GONE, {CALC: None, "tests/Test_calc.py": TESTS}, f"{ALTERED}{CALC}"),
    Trick("tests where nothing is collected", GONE, {CALC: None, "checks/calc.py": TESTS}, f"{ALTERED}{CALC}: removed"),
    _in_rich("a deleted test", GONE, "def test_close(number):\n        assert abs(double(number) - 4) < 1e-9", ""),
    _in_rich("a renamed test", GONE, "def test_close", "def check_close"),
    _in_rich("a deleted case", GONE, "[1, 2, 3]", "[1, 2]"),
    _in_rich("a deleted row of a table", GONE, "[(1, 2), (2, 4)]", "[(1, 2)]"),
    Trick(
        "a file of tests that is a link",
        GONE,
        {CALC: "../easy.py"},
        f"{ALTERED}{CALC}: changed into or from a link",
        modes={CALC: "120000"},
    ),
    _in_rich("a skip marker", SKIPPED, "def test_close", "@pytest.mark.skip\n    def test_close"),
    _in_rich("skipif(True)", SKIPPED, "def test_close", "@pytest.mark.skipif(True, reason='')\n    def test_close"),
    _in_rich("an xfail marker", SKIPPED, "def test_close", "@pytest.mark.xfail\n    def test_close"),
    _in_rich("unittest.skip", SKIPPED, "    def test_text", "    @unittest.skip('later')\n        def test_text"),
    _in_rich(
        "unittest.expectedFailure", SKIPPED, "    def test_text", "    @unittest.expectedFailure\n        def test_text"
    ),
    _in_rich("pytest.skip inside", SKIPPED, "assert abs", "pytest.skip()\n        assert abs"),
    _in_rich("SkipTest raised", SKIPPED, "self.assertEqual", "raise unittest.SkipTest\n            self.assertEqual"),
    _in_rich("a return before the assertion", SKIPPED, "assert abs", "return\n        assert abs"),
    _in_rich("a marker on a case", SKIPPED, "[1, 2, 3]", "[1, 2, pytest.param(3, marks=pytest.mark.skip)]"),
    _more("pytestmark", SKIPPED, "pytestmark = pytest.mark.skip"),
    _more("importorskip", SKIPPED, "nothing = pytest.importorskip('nothing')"),
    _more("a skip of the module", SKIPPED, "pytest.skip(allow_module_level=True)"),
    _more("__test__ = False", SKIPPED, "test_close.__test__ = False"),
    _more("load_tests", SKIPPED, "def load_tests(*_): return unittest.TestSuite()"),
    _in_rich("a tolerance that takes anything", LOOSER, "1e-9", "1e9"),
    _in_rich("a looser approx", LOOSER, "rel=1e-6", "rel=10"),
    _in_rich("a changed expectation", LOOSER, "double(3), 6", "double(3), 7"),
    _in_rich("an expectation changed in a table", LOOSER, "(2, 4)", "(2, 5)"),
    _in_rich("an assertion without its comparison", LOOSER, "double(n) == 2 * n", "double(n)"),
    _in_rich("any error is fine", LOOSER, "assertRaises(TypeError)", "assertRaises(Exception)"),
    _in_rich("an assertion in a try", LOOSER, "assert double(n) == twice", "print(double(n) == twice)"),
    _in_rich("a fixture that gives something else", STEERED, "return 2", "return 4"),
    _more("a fixture for every test", STEERED, "@pytest.fixture(autouse=True)\n    def easy(): pass"),
    _more("a test under the same name", STEERED, "def test_close(number):\n        pass"),
    _more("a name that is taken over", STEERED, "def double(n):\n        return 2 * n"),
    _more("a built-in that is taken over", STEERED, "def abs(n):\n        return 0"),
    _in_rich("an import from elsewhere", STEERED, "from calc import", "from tests.easy import"),
    _in("tests/__snapshots__/calc.ambr", "a snapshot of syrupy", "2: 4", "2: 5", "changed", kind=STEERED),
    _in("src/__snapshots__/calc.test.js.snap", "a snapshot of Jest", "4", "5", "changed", kind=STEERED),
    _in("tests/data/expected.json", "expected data", "4", "5", "changed", kind=STEERED),
    _in("tests/data/expected.json", "deleted data", "4", None, "removed", kind=STEERED),
    _in("tests/__init__.py", "what the package of tests does", "x = 1", "x = 2", "changed", kind=STEERED),
    _in("src/a.test.ts", "test.skip", JS, JS.replace("test(", "test.skip("), "1 line removed"),
    _in("src/a.test.ts", "test.only", JS, JS + "test.only('new', () => {});\n", "a marker that skips"),
    _in("src/a.test.ts", "a return before it", JS, JS.replace("{\n", "{\n  return;\n"), "lines were added inside"),
    _in(
        "src/a.test.ts",
        "a block that throws it away",
        JS,
        JS.replace("{\n", "{\n  if (1) {\n    return;\n  }\n"),
        "lines",
    ),
    _in(
        "src/a.test.ts",
        "a mock of the program",
        JS,
        "jest.mock('./calc');\n" + JS,
        "something was added that has a say",
    ),
    _in(
        "src/a.test.ts",
        "a hook over the tests",
        JS,
        "beforeEach(() => {\n  double = f;\n});\n" + JS,
        "lines were added",
    ),
    _in("a.test.js", "an end before it", JS, JS.replace("{\n", "{\n  t.end();\n"), "lines were added inside"),
    _in("calc_test.go", "t.Skip", GO, GO.replace("{\n\tif", "{\n\tt.Skip()\n\tif"), "a marker that skips"),
    _in("calc_test.go", "go:build ignore", GO, "//go:build ignore\n\n" + GO, "a marker that skips"),
    _in("calc_test.go", "a return in Go", GO, GO.replace("{\n\tif", "{\n\treturn\n\tif"), "lines were added inside"),
    _in("calc_test.go", "a TestMain", GO, GO + "\nfunc TestMain(m *testing.M) {\n}\n", "something was added"),
    _in("tests/small.rs", "#[ignore]", RUST, RUST.replace("fn small", "#[ignore]\nfn small"), "a marker that skips"),
    _in("tests/small.rs", "#[should_panic]", RUST, RUST.replace("fn small", "#[should_panic]\nfn small"), "a marker"),
    _in("src/lib.rs", "a test inside of the source", INSIDE, INSIDE.replace("assert!(true);", ""), "1 line removed"),
    Trick("tests alone", NOTHING, {"calc.py": None}, "Only tests were changed", base={"calc.py": None}),
    Trick(
        "documentation alone",
        NOTHING,
        {"calc.py": FIXED, "tests/test_large.py": None, "README.md": "Calc"},
        "Only documentation was changed",
        base={"calc.py": FIXED},
    ),
)
