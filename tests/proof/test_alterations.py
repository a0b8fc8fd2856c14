from dataclasses import replace

import pytest

from bot.proof import altered_tests
from bot.proof.alterations import Altered
from bot.proof.evidence import broken
from bot.records import ChangedFile, TestCase, TestStatus
from tests.proof.laboratory import a_report, changed

EXAMPLES_LOST = "calc.py: double examples were removed or changed"
BEFORE = """\
import pytest
from calc import double

LIMIT = 3

@pytest.fixture
def number():
    return 2

def test_a(number):
    assert double(number) == 4

class TestB:
    size = 1

    def test_b(self):
        assert len([1]) == self.size
"""


@pytest.mark.parametrize(
    "after",
    [
        BEFORE + "\ndef test_new(number):\n    assert number\n",
        BEFORE + "\n    def test_new(self):\n        pass\n",
        BEFORE + "\nclass TestNew:\n    def test_new(self):\n        pass\n",
        BEFORE + "\n@pytest.fixture\ndef other():\n    return 3\n",
        BEFORE + "\nCASES = [(1, 2), (2, 4)]\n",
        BEFORE.replace("import double", "import double, triple"),
        BEFORE.replace("import pytest", "import math\nimport pytest"),
        BEFORE.replace("def test_a", "# a comment\ndef test_new():\n    pass\n\ndef test_a"),
        BEFORE.replace("class TestB:\n", "class TestB:\n\n"),
    ],
)
def test_adding_is_no_alteration(after: str) -> None:
    assert altered_tests([changed("tests/test_a.py", BEFORE, after)]) == ()


@pytest.mark.parametrize(
    ("after", "says"),
    [
        (BEFORE.replace("== 4", "== 5"), "test_a changed"),
        (BEFORE.replace("def test_a", "@pytest.mark.skip\ndef test_a"), "test_a changed"),
        (BEFORE.replace("def test_a", "def check_a"), "test_a removed"),
        (BEFORE.replace("return 2", "return 0"), "number changed"),
        (BEFORE.replace("    def test_b", "    @pytest.mark.xfail\n    def test_b"), "TestB.test_b changed"),
        (BEFORE.replace("class TestB:", "@pytest.mark.skip\nclass TestB:"), "TestB changed"),
        (BEFORE.replace("size = 1", "size = 2"), "TestB new or changed statement 'size = 2'"),
        (BEFORE.replace("    size = 1", "    size = 1\n    __test__ = False"), "TestB new or changed statement"),
        (BEFORE + "\n    def setup_method(self):\n        pytest.skip()\n", "TestB.setup_method added, which steers"),
        (BEFORE + "\ndef test_a():\n    pass\n", "test_a defined again"),
        (BEFORE + "\npytestmark = pytest.mark.skip\n", "new or changed statement 'pytestmark = pytest.mark.skip'"),
        (BEFORE + "\ndel test_a\n", "new or changed statement 'del test_a'"),
        (BEFORE + "\ntest_a = None\n", "new or changed statement 'test_a = None'"),
        (BEFORE + "\nx = pytest.importorskip('nowhere')\n", "new or changed statement"),
        (
            BEFORE + "\n@pytest.fixture(autouse=True)\ndef quiet():\n    pytest.skip()\n",
            "quiet added, a fixture that every",
        ),
        (
            BEFORE + "\n@pytest.fixture(name='number')\ndef other():\n    return 0\n",
            "other added, a fixture that takes over",
        ),
        (BEFORE + "\ndef len(x):\n    return 1\n", "len added, which takes over a name"),
        (BEFORE + "\nfrom easy import double\n", "imports double from elsewhere"),
        (BEFORE + "\nfrom easy import *\n", "imports *, a name that is used already"),
        (BEFORE + "\ndef pytest_generate_tests(metafunc):\n    pass\n", "pytest_generate_tests added, which steers"),
        (BEFORE.replace("from calc import", "from calc2 import"), "imports double from elsewhere"),
        (BEFORE.replace("LIMIT = 3\n", ""), "a statement outside of the tests was removed or changed"),
        (BEFORE + "\ndef broken(:\n", "can't be compared"),
        (None, "removed"),
    ],
)
def test_whatever_changes_an_existing_test_is_named(after: str | None, says: str) -> None:
    altered = altered_tests([changed("tests/test_a.py", BEFORE, after)])

    assert altered
    assert altered[0].startswith(f"tests/test_a.py: {says}")


@pytest.mark.parametrize(
    ("path", "before", "after", "says"),
    [
        ("src/a.test.ts", "it('a', () => {})\n", "it('a', () => {})\nit('b', () => {})\n", ""),
        ("src/a.test.ts", "it('a')\n", "it('b')\n", "1 line removed or changed"),
        ("src/a.test.ts", "it('a')\n", "it('a')\nit.only('b')\n", "a marker that skips tests was added"),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n}\n",
            "func TestA(t *testing.T) {\n\tt.Skip()\n}\n",
            "a marker that skips",
        ),
        ("tests/data/a.json", "1", "2", "changed"),
        ("tests/data/b.json", None, "2", ""),
        ("src/a.py", "1", "2", ""),
    ],
)
def test_tests_in_other_languages_are_compared_by_line(path: str, before: str | None, after: str, says: str) -> None:
    altered = altered_tests([changed(path, before, after)])

    assert (len(altered), "".join(altered).removeprefix(f"{path}: ")[: len(says)]) == (bool(says), says)


SCRIPT = """\
'use strict'
// What is tested.
import { add } from './calc'
import type { Sum } from "./types"
import * as fs from 'node:fs'
const { join } = require('path')
const lib = require('../lib')

it('adds', () => { expect(add(1, 2)).toBe(3) })
"""
TOP = "import {\n  add,\n} from './calc'\nit('adds', () => { expect(add(1, 2)).toBe(3) })\n"
OWN_NAMES = """\
it('a', () => { const first = 1, second = 2; expect(first).toBe(second - 1) })
it('b', function (third, { other }) { for (const [fourth] of third) expect(fourth).toBe(other) })
it('c', (fifth) => { list.map(sixth => expect(sixth.seventh).toBe(fifth, { eighth: 1, ninth: 2 })) })
"""
GO = """\
package calc

import (
\t"testing"

\tm "example.com/money"
)

func TestAdd(t *testing.T) {
\tif Add(1, m.One) != 2 {
\t\tt.Fatal("no")
\t}
}
"""


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "{ add, subtract as minus }")),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "{\n  add, // sums\n  subtract,\n}")),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "calc, { add }")),
        ("a.test.ts", SCRIPT, SCRIPT.replace("{ Sum }", "{ Sum, Money }")),
        ("a.test.ts", SCRIPT, SCRIPT.replace("import type", "import type { Other } from './other';\nimport type")),
        ("a.test.ts", SCRIPT, SCRIPT.replace("const lib", "import old = require('./old');\nconst lib")),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ join }", "{ join, sep: slash }")),
        ("a.test.js", SCRIPT, SCRIPT.replace("const lib", "const util = require('util').inspect\n\nconst lib")),
        (
            "a.test.js",
            SCRIPT,
            "import * as fs from 'node:fs'\n\n" + SCRIPT.replace("import * as fs from 'node:fs'\n", ""),
        ),
        ("a.test.js", SCRIPT, SCRIPT.replace("const lib", "const SIZE = [\n  3,\n]\nconst lib")),
        ("a_test.go", GO, GO.replace('"testing"', '"errors"\n\t"testing"')),
        ("a_test.go", GO, GO.replace('"testing"', "").replace('money"', 'money"\n\t"testing"')),
        ("a_test.go", GO.replace('(\n\t"testing"\n', '"testing"\nimport (\n'), GO),
        (
            "test_a.py",
            BEFORE,
            BEFORE.replace("from calc import double", "from calc import (\n    double,\n    triple,\n)"),
        ),
        (
            "test_a.py",
            BEFORE,
            BEFORE.replace("import pytest\nfrom calc import double", "from calc import double\nimport pytest"),
        ),
        ("test_a.py", BEFORE, BEFORE.replace("import pytest", "import pytest, os.path as path")),
    ],
)
def test_new_names_in_imports_are_no_alteration_wherever_they_stand(path: str, before: str, after: str) -> None:
    assert before != after
    assert altered_tests([changed(f"tests/{path}", before, after)]) == ()


@pytest.mark.parametrize("name", ["first", "second", "third", "other", "fourth", "fifth", "sixth", "seventh", "eighth"])
def test_a_new_name_is_not_taken_for_what_the_tests_call_something_themselves(name: str) -> None:
    after = f"import {{ {name} }} from './calc'\n" + OWN_NAMES

    assert altered_tests([changed("a.test.js", OWN_NAMES, after)]) == ()


@pytest.mark.parametrize("name", ["it", "expect", "list"])
def test_a_new_name_that_the_tests_have_from_elsewhere_is_an_alteration(name: str) -> None:
    after = f"import {{ {name} }} from './calc'\n" + OWN_NAMES

    said = f"a.test.js: imports {name}, a name that is used already"
    assert altered_tests([changed("a.test.js", OWN_NAMES, after)]) == (said,)


@pytest.mark.parametrize(
    ("path", "before", "after", "says"),
    [
        ("a.test.js", SCRIPT, SCRIPT.replace("'./calc'", "'./fake'"), "imports add from elsewhere"),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "{ sum as add }"), "imports add from elsewhere"),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "add"), "imports add from elsewhere"),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ add }", "{ sum }"), "no longer imports add"),
        ("a.test.js", SCRIPT, SCRIPT.replace("'../lib'", "'../lib'.fake"), "no longer imports lib"),
        ("a.test.js", SCRIPT, SCRIPT.replace("'../lib')", "'../lib').fake"), "imports lib from elsewhere"),
        ("a.test.js", SCRIPT, SCRIPT.replace("{ join }", "{ sep: join }"), "imports join from elsewhere"),
        (
            "a.test.js",
            SCRIPT,
            SCRIPT.replace("{ add }", "{ add, expect }"),
            "imports expect, a name that is used already",
        ),
        ("a.test.js", SCRIPT, SCRIPT.replace("const lib", "import './patch'\nconst lib"), "imports './patch' for what"),
        ("a.test.js", "import './setup'\n" + SCRIPT, SCRIPT, "no longer imports './setup'"),
        ("a.test.js", SCRIPT, SCRIPT + "const expect = () => ({ toBe() {} })\n", "expect was added, which takes over"),
        (
            "a.test.js",
            TOP,
            TOP.replace("  add,\n", "  add,\n  expect,\n"),
            "imports expect, a name that is used already",
        ),
        ("a.test.js", SCRIPT, SCRIPT + "import { expect } from './fake'\n", "expect was added, which takes over"),
        (
            "a.test.js",
            SCRIPT + "const s = `\nimport a from 'a'\n`\n",
            SCRIPT + "const s = `\nimport b from 'a'\n`\n",
            "1 line",
        ),
        ("a.test.ts", SCRIPT, SCRIPT.replace("{ Sum }", "{ Sum: any }"), "no longer imports Sum"),
        ("a_test.go", GO, GO.replace("example.com/money", "example.com/fake"), "imports m from elsewhere"),
        (
            "a_test.go",
            GO,
            GO.replace('"testing"', '"testing"\n\t_ "example.com/patch"'),
            "imports 'example.com/patch' for what",
        ),
        (
            "a_test.go",
            GO,
            GO.replace('"testing"', '"testing"\n\tAdd "example.com/add"'),
            "imports Add, a name that is used",
        ),
        (
            "test_a.py",
            BEFORE,
            BEFORE.replace("import double", "import (triple as double)"),
            "imports double from elsewhere",
        ),
    ],
)
def test_an_import_that_is_taken_away_or_points_elsewhere_is_an_alteration(
    path: str, before: str, after: str, says: str
) -> None:
    altered = altered_tests([changed(f"tests/{path}", before, after)])

    assert altered
    assert altered[0].startswith(f"tests/{path}: {says}")


CASES = """\
import pytest

TABLE = [(1, 2), (2, 4)]
ALLOWED = [4]

@pytest.mark.parametrize("n", [1, 2], ids=["one", "two"])
def test_each(n):
    assert n + n in ALLOWED or n

@pytest.mark.parametrize(("n", "twice"), TABLE)
def test_table(n, twice):
    assert n + n == twice

@pytest.fixture
def tested():
    yield 1
"""


@pytest.mark.parametrize(
    ("old", "new", "altered"),
    [
        ("[1, 2], ids=['one', 'two']".replace("'", '"'), '[1, 2, 3], ids=["one", "two", "three"]', ""),
        ("[1, 2]", "[0, 1, 2]", ""),
        ("[(1, 2), (2, 4)]", "[(0, 0), (1, 2), (2, 4), (3, 6)]", ""),
        ("== twice\n", "== twice\n    assert n\n", ""),
        ("[1, 2]", "[1]", "test_each changed"),
        ("[1, 2]", "[2, 1]", "test_each changed"),
        ("[(1, 2), (2, 4)]", "[(1, 2)]", "new or changed statement 'TABLE = [(1, 2)]'"),
        ("[4]", "[4, 5]", "new or changed statement 'ALLOWED = [4, 5]'"),
        ("    assert n + n == twice\n", "    n = 0\n    assert n + n == twice\n", "test_table changed"),
        ("yield 1", "yield 1\n    yield 2", "tested changed"),
    ],
)
def test_cases_and_what_comes_at_the_end_of_a_test_are_added_to_it(old: str, new: str, altered: str) -> None:
    assert old in CASES
    said = altered_tests([changed("tests/test_a.py", CASES, CASES.replace(old, new))])

    assert [one.removeprefix("tests/test_a.py: ") for one in said][:1] == ([altered] if altered else [])


ASSERTED = """\
import unittest
from calc import double, totals

def test_sums():
    found = double(2)
    rows = totals()
    assert found == 4
    for row in rows:
        assert row

class TestSums(unittest.TestCase):
    def test_sums(self):
        found = double(2)
        self.assertEqual(found, 4)
"""


@pytest.mark.parametrize(
    "added",
    [
        "assert found",
        "assert found is not None and found.size > 3, 'too small'",
        "assert len(rows) == 3",
        "assert isinstance(found, int)",
        "assert (found, -found, rows[0]) == (4, -4, 1 + 1)",
        "assert found == 4",
    ],
)
def test_an_assertion_that_only_looks_may_come_between_the_statements_of_a_test(added: str) -> None:
    after = ASSERTED.replace("    assert found == 4\n", f"    {added}\n    assert found == 4\n")

    assert altered_tests([changed("tests/test_a.py", ASSERTED, after)]) == ()


def test_so_may_one_of_unittest() -> None:
    old = "        self.assertEqual(found, 4)\n"
    after = ASSERTED.replace(old, f"        self.assertIsNotNone(found)\n{old}")

    assert altered_tests([changed("tests/test_a.py", ASSERTED, after)]) == ()


@pytest.mark.parametrize(
    "added",
    [
        "assert (found := 4)",
        "assert not setattr(rows, 'kept', [])",
        "assert double(2) == 4",
        "assert not rows.clear()",
        "assert list(rows)",
        "assert 1 in rows",
        "assert all(row for row in rows)",
        "assert rows['x'] == 1",
        "assert found >> rows",
        "assert found, exit(0)",
        "assert (lambda: rows.clear())()",
        "found = 4",
        "return",
        "if found: return",
    ],
)
def test_what_could_do_more_than_fail_is_an_alteration(added: str) -> None:
    after = ASSERTED.replace("    assert found == 4\n", f"    {added}\n    assert found == 4\n")

    assert altered_tests([changed("tests/test_a.py", ASSERTED, after)]) == ("tests/test_a.py: test_sums changed",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    assert found == 4\n", "    assert found == found\n"),
        ("    found = double(2)\n    rows", "    assert True\n    rows"),
        ("        assert row\n", "        assert row == row\n        assert row\n"),
        ("        self.assertEqual(found, 4)\n", "        self.assertEqual(found)\n"),
        ("        self.assertEqual(found", "        self.assertIn(found, found)\n        self.assertEqual(found"),
    ],
)
def test_nothing_may_go_for_an_assertion_nor_may_one_come_in_a_block(old: str, new: str) -> None:
    assert altered_tests([changed("tests/test_a.py", ASSERTED, ASSERTED.replace(old, new))])


def test_a_test_that_becomes_a_link_is_altered() -> None:
    file = ChangedFile("tests/test_a.py", b"def test_a(): pass", b"../easy.py", "100644", "120000")

    assert altered_tests([file]) == ("tests/test_a.py: changed into or from a link",)


# --- What holds tests by what was seen to run, whatever its name

EXAMPLES = '''\
def double(n):
    """Double.

    >>> double(2)
    4
    """
    return n + n
'''
CHECKED = (TestCase("calc.py::calc.double", TestStatus.PASSED, file="calc.py"),)


@pytest.mark.parametrize(
    ("after", "altered"),
    [
        (EXAMPLES.replace("n + n", "2 * n"), ()),
        (EXAMPLES.replace("    4\n", "    4\n    >>> double(0)\n    0\n"), ()),
        (EXAMPLES.replace(">>> double(2)\n    4", ">>> double(2) > 0\n    True"), (EXAMPLES_LOST,)),
        (EXAMPLES.replace(">>>", "..."), (EXAMPLES_LOST,)),
        ("def double(n):\n    return n + n\n", (EXAMPLES_LOST,)),
    ],
)
def test_examples_that_the_command_runs_are_tests(after: str, altered: tuple[str, ...]) -> None:
    assert altered_tests([changed("calc.py", EXAMPLES, after)], CHECKED) == altered


def test_examples_that_it_does_not_run_are_words() -> None:
    assert altered_tests([changed("calc.py", EXAMPLES, "def double(n):\n    return n + n\n")]) == ()


def test_examples_in_a_text_are_tests_where_they_are_run() -> None:
    case = TestCase("README.rst::README.rst", TestStatus.PASSED, file="README.rst")

    assert altered_tests([changed("README.rst", "A\n\n>>> 1 + 1\n2\n", "A\n\n>>> 1 + 1 > 0\nTrue\n")], [case]) == (
        "README.rst: examples were removed or changed",
    )


def test_a_file_with_tests_under_another_name_is_protected_as_one() -> None:
    case = TestCase("checks/check_a.py::test_a", TestStatus.PASSED, file="checks/check_a.py")
    loosened = changed("checks/check_a.py", "def test_a():\n    assert 1 == 1\n", "def test_a():\n    assert 1\n")

    assert altered_tests([loosened], [case]) == ("checks/check_a.py: test_a changed",)


# --- Which tests an alteration speaks of


@pytest.mark.parametrize(
    ("path", "test_id", "file"),
    [
        ("tests/test_a.py", "tests/test_a.py::test_a", "tests/test_a.py"),
        ("tests/foo.rs", "foo::test_x", "tests/foo.rs"),
        ("pkg/a_test.go", "pkg::TestA", "pkg/a_test.go"),
        ("src/lib.rs", "tests::adds", "src/lib.rs"),
        ("src/shop/cart.rs", "crate::shop::cart::tests::adds", "src/lib.rs"),
        ("src/shop/mod.rs", "shop::tests::adds", "src/lib.rs"),
    ],
)
def test_an_alteration_covers_the_tests_of_its_file_whatever_their_ids_begin_with(
    path: str, test_id: str, file: str
) -> None:
    assert Altered(path, "", "removed").covers(test_id, file)


@pytest.mark.parametrize(
    ("altered", "test_id", "file"),
    [
        (Altered("tests/foo.rs", "", "removed"), "bar::test_x", "tests/bar.rs"),
        (Altered("tests/foo.rs", "", "removed"), "foo::test_x", None),
        (Altered("src/cart.rs", "", "removed"), "carts::tests::adds", "src/lib.rs"),
        (Altered("src/cart.rs", "", "removed"), "cart::tests::adds", "other/src/lib.rs"),
        (Altered("tests/test_a.py", "TestA.test_a", "changed"), "suite.TestA.test_ab", "tests/test_a.py"),
    ],
)
def test_an_alteration_covers_no_other_test(altered: Altered, test_id: str, file: str | None) -> None:
    assert not altered.covers(test_id, file)


def test_a_test_is_known_by_its_name_where_its_id_does_not_begin_with_the_file() -> None:
    assert Altered("tests/test_a.py", "TestA.test_a", "changed").covers("suite.TestA.test_a[1]", "tests/test_a.py")


def test_what_an_accepted_alteration_covers_can_not_break() -> None:
    cases = (TestCase("foo::test_x", TestStatus.PASSED, file="tests/foo.rs"), TestCase("bar::y", TestStatus.PASSED))
    baseline = replace(a_report(reader="cargo"), cases=cases)
    accepted = [Altered("tests/foo.rs", "", "1 line removed or changed")]

    assert broken(baseline, a_report(reader="cargo"), None, accepted) == {"bar::y"}


# --- Without an end


def test_of_long_files_of_tests_only_the_part_between_the_first_difference_and_the_last_is_compared() -> None:
    lines = [f'it("does {number}", () => {{}});\n' for number in range(9_000)]
    few = [*lines[:100], 'it("is new", () => {});\n', *lines[100:]]
    far = [*few[:8_000], 'it("is new too", () => {});\n', *few[8_000:]]

    assert altered_tests([changed("a.test.js", "".join(lines), "".join(few))]) == ()
    assert altered_tests([changed("a.test.js", "".join(lines), "".join(far))]) == ("a.test.js: changed",)


def test_lines_that_are_all_alike_are_not_moved_about_for_ever() -> None:
    before = "it('a', () => {\n" + "  x(\n" * 5_000 + "});\n"

    altered = altered_tests([changed("a.test.js", before, before.replace("  x(\n", "  x(\n  x(\n"))])

    assert altered == ("a.test.js: lines were added inside of what was there",)
