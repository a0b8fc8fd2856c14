"""Tricks that pass for a proof, and those that the report calls worth a second look: docs/security.md names them."""

from dataclasses import dataclass

from tests.proof.laboratory import SOURCE
from tests.proof.redteam.tricks import Trick

MADE_FOR_IT, WRONG, OUT_OF_SIGHT = (
    "an answer made for the test",
    "a test that is wrong",
    "a runner reached out of sight",
)


@dataclass(frozen=True)
class Noted:
    """A trick that passes, and the sentence that makes a reviewer look."""

    trick: Trick
    sign: str


def _noted(name: str, kind: str, source: str, test: str, sign: str) -> Noted:
    return Noted(_passing(name, kind, source, test), sign)


def _passing(name: str, kind: str, source: str, test: str = "") -> Trick:
    body = test or "assert double(20) == 40"
    head = f"import calc\nimport pytest\nfrom calc import double\n\ndef test_large():\n    {body}\n"
    return Trick(name, kind, {"calc.py": f"{source}\n\n{SOURCE}", "tests/test_large.py": head})


def _double(body: str) -> str:
    return f"def double(n):\n    {body}\n    return n\n"


TWO_THINGS = "assert double(20) == 40\n    assert double(2) == 4"
"""One of which shows more than the answer that was made: what answers all is not proven."""

NOTED = (
    _noted("an if for the value", MADE_FOR_IT, _double("if n == 20: return 40"), TWO_THINGS, "answers 40 where 20"),
    _noted(
        "an if in the expression", MADE_FOR_IT, _double("x = 40 if n == 20 else n"), TWO_THINGS, "answers 40 where 20"
    ),
    _noted(
        "a case of match",
        MADE_FOR_IT,
        "def double(n):\n    match n:\n        case 20: return 40",
        TWO_THINGS,
        "answers 40 where 20",
    ),
    _noted("a mark that only the test reads", MADE_FOR_IT, "FIXED = True", "assert calc.FIXED", "`FIXED` in calc.py"),
    _noted(
        "a mark that is looked for", MADE_FOR_IT, "FIXED = 1", "assert hasattr(calc, 'FIXED')", "`FIXED` in calc.py"
    ),
    _noted(
        "a value that equals everything",
        MADE_FOR_IT,
        "class All:\n    def __eq__(self, other):\n        return True\n\n    def double(n):\n        return All()",
        "",
        "equals everything",
    ),
    _noted("no assertion", WRONG, "def triple(n): pass", "calc.triple(2)", "asserts nothing"),
    _noted("any error will do", WRONG, "", "pytest.raises(Exception, double, None)", "content with any error"),
    _noted("a look at the text", WRONG, "", "assert '+ n' in open('calc.py').read()", "reads the program's text"),
    _noted(
        "a look at the source", WRONG, "", "assert '+' in __import__('inspect').getsource(double)", "program's text"
    ),
)

LEAVES_THE_PLANT_ALONE = Trick(
    "one test made to pass",
    OUT_OF_SIGHT,
    {
        "calc.py": """
            import importlib

            reports = importlib.import_module("_py" + "test.reports")
            honest = reports.TestReport.from_item_and_call

            def easy(item, call):
                report = honest(item, call)
                if "large" in report.nodeid:
                    report.outcome = "passed"
                return report

            reports.TestReport.from_item_and_call = easy

            def double(n):
                return n + n if n < 10 else 0
        """
    },
)
TRICKS = (
    _passing("a computed answer for the test's value", MADE_FOR_IT, _double("if n == 20: return n + n")),
    _passing("a table of answers", MADE_FOR_IT, _double("n = {20: 40}.get(n, n)")),
    _passing("a mark that is a function", MADE_FOR_IT, "def is_fixed(): return True", "assert calc.is_fixed()"),
    _passing("a wrong expectation", WRONG, _double("if n > 9: return n + n + 1"), "assert double(20) == 41"),
    _passing("an assertion that asks for too little", WRONG, _double("if n > 9: return 1"), "assert double(20)"),
    LEAVES_THE_PLANT_ALONE,
    _passing("an attribute by a name in two parts", OUT_OF_SIGHT, "import sys\nmodules = getattr(sys, 'mod' + 'ules')"),
)
