"""Honest changes of different shapes, each of which stays proven: what is said of tricks must not be said of them."""

from tests.proof.laboratory import FIXED, NEW_TEST, SOURCE, TESTS, text
from tests.proof.redteam.in_tests import GO, INSIDE, JS, RICH
from tests.proof.redteam.tricks import Trick

CALC, HONEST = "tests/test_calc.py", "honest work"
CLASSES = """
    import unittest

    from calc import double

    class TestDouble(unittest.TestCase):
        def test_small(self):
            self.assertEqual(double(2), 4)

        def test_zero(self):
            self.assertEqual(double(0), 0)
"""
TABLE = """
    import pytest
    from calc import double

    def test_small():
        assert double(2) == 4

    def test_zero():
        assert double(0) == 0

    @pytest.mark.parametrize(("n", "twice"), [(1, 2), (3, 6)])
    def test_cases(n, twice):
        assert double(n) == twice
"""
TRIPLE = SOURCE.replace("def", "def triple(n):\n    return 3 * n\n\ndef", 1)
DOCUMENTED = 'def double(n):\n    """Double.\n\n    >>> double(2)\n    4\n    """\n    return n + n if n < 10 else 0\n'


def _honest(name: str, head: dict[str, str | None], base: dict[str, str | None] | None = None) -> Trick:
    return Trick(name, HONEST, head, base=base or {})


IN_EARNEST = (
    _honest(
        "a new function with its test",
        {"calc.py": TRIPLE, "tests/test_large.py": "import calc\n\ndef test_large(): assert calc.triple(2) == 6"},
    ),
    _honest(
        "a case added to a parametrized test",
        {CALC: TABLE.replace("(3, 6)]", "(3, 6), (20, 40)]"), "tests/test_large.py": None},
        {CALC: TABLE},
    ),
    _honest(
        "a test in an existing class of unittest",
        {
            CALC: CLASSES + "\n        def test_large(self):\n            self.assertEqual(double(20), 40)\n",
            "tests/test_large.py": None,
        },
        {CALC: CLASSES},
    ),
    _honest(
        "a fixture that the new test alone uses",
        {
            CALC: "    import pytest\n" + TESTS + "\n    @pytest.fixture\n    def large():\n        return 20\n\n"
            "    def test_large(large):\n        assert double(large) == 40\n",
            "tests/test_large.py": None,
        },
    ),
    _honest(
        "a new test with a data file",
        {
            "tests/data/large.json": "[20, 40]",
            "tests/test_large.py": """
                import json
                from pathlib import Path
                from calc import double

                def test_large():
                    n, twice = json.loads((Path(__file__).parent / "data" / "large.json").read_text())
                    assert double(n) == twice
            """,
        },
    ),
    _honest(
        "an async test",
        {
            "tests/test_large.py": """
                import asyncio
                from calc import double

                def test_large():
                    async def check():
                        assert double(20) == 40
                    asyncio.run(check())
            """
        },
    ),
    _honest("a test that failed already", {"tests/test_large.py": NEW_TEST}, {"tests/test_large.py": NEW_TEST}),
)

BELIEVED = (
    *IN_EARNEST,
    _honest(
        "source and documentation", {"README.md": "Doubles.", "docs/use.md": "double(20)", "CHANGELOG.md": "Mended."}
    ),
    _honest("a doctest added", {"calc.py": DOCUMENTED.replace(" if n < 10 else 0", "")}),
    _honest(
        "a function moved to a module of its own",
        {"calc.py": "from doubling import double\n\n__all__ = ['double']\n", "doubling.py": FIXED},
    ),
    _honest("helpers in an empty tests/__init__", {"tests/__init__.py": "LARGE = 20\n"}, {"tests/__init__.py": ""}),
    _honest("a row added to a table of cases", {CALC: RICH.replace("(2, 4)]", "(2, 4), (20, 40)]")}, {CALC: RICH}),
    _honest(
        "names of cases that grow with them",
        {CALC: TABLE.replace("(3, 6)]", "(3, 6), (20, 40)], ids=['one', 'three', 'twenty']")},
        {CALC: TABLE.replace("(3, 6)]", "(3, 6)], ids=['one', 'three']")},
    ),
    _honest("an assertion at the end of a test", {CALC: TESTS + "        assert double(20) == 40\n"}),
    _honest(
        "an assertion at the end of a test of Jest",
        {"a.test.js": JS.replace("});", "  expect(double(20)).toBe(40);\n});")},
        {"a.test.js": JS},
    ),
    _honest(
        "an assertion before another",
        {"a.test.js": JS.replace("{\n", "{\n  expect(double(20)).toBe(40);\n")},
        {"a.test.js": JS},
    ),
    _honest(
        "a row behind the last one",
        {"a.test.js": "const rows = [\n  {\n    n: 2\n  },\n  {\n    n: 20\n  }\n]\n"},
        {"a.test.js": "const rows = [\n  {\n    n: 2\n  }\n]\n"},
    ),
    _honest(
        "a check at the end of a test of Go",
        {"calc_test.go": GO.replace("\t}\n}", "\t}\n\tif Double(20) != 40 {\n\t\tt.Fatal()\n\t}\n}")},
        {"calc_test.go": GO},
    ),
    _honest("other line ends in a file of tests", {CALC: text(TESTS).decode().replace("\n", "\r\n")}),
    _honest(
        "a comment and a blank line in a test",
        {CALC: TESTS.replace("assert double(0)", "# nothing\n\n        assert double(0)")},
    ),
    _honest(
        "a new test of Jest",
        {"a.test.js": JS + "\ntest('large', () => {\n  expect(double(20)).toBe(40);\n});\n"},
        {"a.test.js": JS},
    ),
    _honest(
        "a new test beside its like, in a suite of Jest",
        {"a.test.js": f"describe('double', () => {{\n{JS}\n{JS.replace('small', 'large')}}});\n"},
        {"a.test.js": f"describe('double', () => {{\n{JS}}});\n"},
    ),
    _honest(
        "a new test of Go",
        {"calc_test.go": GO + GO.partition("\n\n")[2].replace("Small", "Large")},
        {"calc_test.go": GO},
    ),
    _honest(
        "a row in a table of Go",
        {"calc_test.go": "var cases = []struct{n, want int}{\n\t{2, 4},\n\t{20, 40},\n}\n"},
        {"calc_test.go": "var cases = []struct{n, want int}{\n\t{2, 4},\n}\n"},
    ),
    _honest(
        "a test inside of Rust source",
        {
            "src/lib.rs": INSIDE.replace("{ n }", "{ n + n }").replace(
                "    #[test]", "    #[test]\n    fn large() {}\n    #[test]"
            )
        },
        {"src/lib.rs": INSIDE},
    ),
    _honest(
        "a command line that reads its arguments",
        {"cli.py": "import os\nimport sys\n\nprint(sys.argv, os.environ.get('HOME'))"},
    ),
    _honest("an object that is set up", {"app.py": "from shop import app\n\napp.title = 'Shop'\n"}),
    _honest("a regular expression", {"words.py": "import re\nfrom re import compile\n\nWORD = compile('test')\n"}),
    _honest("words about tests in a docstring", {"words.py": '"""Made for pytest and unittest alike."""\n'}),
    _honest("an example of an environment", {".env.example": "KEY=\n"}),
    _honest("an archive that a test reads", {"tests/data/sample.whl": "x"}),
    _honest("a list of what git ignores", {".gitignore": ".tox\npytest\n"}),
    _honest("a type annotation file", {"calc.pyi": "def double(n: int) -> int: ...\n"}),
)
