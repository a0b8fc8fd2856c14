import pytest

from bot.proof.reaching import reached
from tests.proof.laboratory import changed


@pytest.mark.parametrize(
    ("after", "what"),
    [
        ("import sys\nx = sys.modules", "sys.modules"),
        ("import sys as s\nx = s.modules['a']", "sys.modules"),
        ("from sys import modules as m", "sys.modules"),
        ("def f():\n    import inspect\n    return inspect.stack()[1]", "inspect.stack"),
        ("import atexit\natexit.register(print)", "atexit"),
        ("x = eval('1')", "eval"),
        ("import time\ntime.time = print", "puts something in the place of time.time"),
        ("from decimal import Decimal\ndel Decimal.sqrt", "puts something in the place of Decimal.sqrt"),
        ("import os\nsetattr(os.path, 'exists', print)", "puts something in the place of what os.path holds"),
        ("import os\nx = os.getenv('CI')", "the variable CI of the environment"),
        ("x = open('tests/test_a.py')", "names a test, 'tests/test_a.py'"),
    ],
)
def test_what_source_newly_reaches_for_is_named(after: str, what: str) -> None:
    assert what in [place.removeprefix("calc.py: ") for place in reached([changed("calc.py", "x = 1\n", after)])]


@pytest.mark.parametrize(
    "after",
    [
        "import sys\nprint(sys.argv, sys.version_info, sys.stdout)",
        "import os\nx = os.environ.get('HOME')\nos.path.join('a')",
        "import re\nx = re.compile('test')",
        "class A:\n    def f(self):\n        self.modules = 1\n        self.inner.path = 2",
        "from shop import app\napp.config = 1",
        "from sys import exit\n",
        "import random\nx = random.Random(7).random()",
        "def compile(x):\n    return x\n",
        "x = 'latest results'",
        "not python at all (",
    ],
)
def test_what_programs_do_every_day_is_not(after: str) -> None:
    assert reached([changed("calc.py", "x = 1\n", after)]) == ()


def test_what_was_there_before_is_no_news() -> None:
    assert reached([changed("calc.py", "import sys\nx = sys.modules\n", "import sys\ny = sys.modules\n")]) == ()


def test_tests_may_reach_for_what_they_like() -> None:
    assert reached([changed("tests/test_a.py", None, "import sys\nx = sys.modules\n")]) == ()


def test_a_comment_in_another_language_reaches_for_nothing() -> None:
    assert reached([changed("a.js", "", "// process.exit()\n * process.exit()\nlet x = process.argv;\n")]) == ()
