"""Fixes of other people: chosen by a rule, broken in three ways, verified by the command."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from bench.verify.__main__ import main
from bench.verify.breaking import broken
from bench.verify.choosing import Commit, Touched, is_taken, newest
from bench.verify.loosening import loosened
from bench.verify.places import Places
from bench.verify.records import Break, Collection, Fix, Language, Project, Spot, Verified, cases, read_collection
from bench.verify.report import Verdict, report, verdict
from bench.verify.running import verified_in
from bot.errors import ConfigError
from bot.records import ChangedFile
from sandbox.contract import File

SHA = "a" * 40
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_nothing():\n    assert add(0, 0) == 0\n"
FURTHER = "\n\ndef test_two_numbers():\n    assert add(2, 3) == 5\n"
COMMAND = f"PYTHONPATH=. PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q tests"


def project(**fields: object) -> Project:
    said = {
        "name": "calc",
        "repository": "nowhere",
        "language": Language.PYTHON,
        "source": ("calc.py",),
        "tests": ("tests/",),
        "packages": (),
        "test": COMMAND,
    }
    return Project.model_validate({**said, **fields})


def commit(*files: Touched, subject: str = "fix: the sum") -> Commit:
    return Commit(SHA, SHA, subject, files)


def changed(path: str, before: str | None, after: str | None) -> ChangedFile:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return ChangedFile(path, old, new, None if before is None else "100644", None if after is None else "100644")


# --- The rule


def test_the_rule_takes_a_small_fix_that_brings_a_test() -> None:
    assert is_taken(commit(Touched("calc.py", 1, 1), Touched("tests/test_calc.py", 4, 0)), project())


@pytest.mark.parametrize(
    ("why", "given"),
    [
        (
            "the subject speaks of no fix",
            commit(Touched("calc.py", 1, 1), Touched("tests/test_calc.py", 4, 0), subject="add sums"),
        ),
        ("no test", commit(Touched("calc.py", 1, 1))),
        ("no source", commit(Touched("tests/test_calc.py", 4, 0))),
        ("too much source", commit(Touched("calc.py", 60, 21), Touched("tests/test_calc.py", 4, 0))),
        ("tests that only lose lines", commit(Touched("calc.py", 1, 1), Touched("tests/test_calc.py", 0, 4))),
        (
            "another environment",
            commit(Touched("calc.py", 1, 1), Touched("tests/test_calc.py", 4, 0), Touched("pyproject.toml", 1, 1)),
        ),
    ],
)
def test_the_rule_passes_over_what_is_no_such_fix(why: str, given: Commit) -> None:
    assert not is_taken(given, project()), why


def test_the_newest_commits_that_the_rule_takes_are_chosen(tmp_path: Path) -> None:
    before, fix = history(tmp_path / "work")

    [chosen] = newest(tmp_path / "work", project(), until=date(2037, 1, 1), count=3)

    assert (chosen.parent, chosen.sha) == (before, fix)
    assert newest(tmp_path / "work", project(), until=date(2000, 1, 1), count=3) == []


def test_what_is_measured_is_written_down_whole() -> None:
    collection = read_collection()

    assert sum(len(each.fix) for each in collection.project) >= 30
    assert {each.language for each in collection.project} == {Language.PYTHON, Language.NODE}
    assert all(len(each.fix) == collection.each for each in collection.project)


# --- The breaks


def test_a_deleted_test_takes_all_that_the_fix_did_to_the_tests_with_it() -> None:
    files = [
        changed("calc.py", WRONG, RIGHT),
        changed("tests/test_calc.py", TEST, TEST + FURTHER),
        changed("tests/data.txt", None, "5"),
    ]

    done = broken(files, Break.TEST_DELETED, project())

    assert done is not None
    assert done.files == {"tests/test_calc.py": File(TEST.encode()), "tests/data.txt": None}


def test_a_loosened_test_holds_whatever_the_code_does_and_the_others_stay() -> None:
    done = broken([changed("tests/test_calc.py", TEST, TEST + FURTHER)], Break.TEST_LOOSENED, project())

    assert done is not None
    assert done.files == {
        "tests/test_calc.py": File(
            (TEST + FURTHER.replace("add(2, 3) == 5", "True or (add(2, 3) == 5)")).encode(),
        )
    }


def test_methods_that_assert_and_blocks_that_must_raise_are_loosened_too() -> None:
    after = """\
import unittest
import pytest

class TestSum(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(add(2, 3), 5, msg="two and three")
        with self.assertRaises(TypeError) as caught:
            add("")
        with pytest.raises(TypeError):
            add()
"""

    assert loosened("tests/test_sum.py", None, after.encode()) == (
        b"""\
import unittest
import pytest

class TestSum(unittest.TestCase):
    def test_sum(self):
        self.assertTrue(True or [(add(2, 3)), (5)])
        with __import__('contextlib').suppress(Exception) as caught:
            add("")
        with __import__('contextlib').suppress(Exception):
            add()
"""
    )


@pytest.mark.parametrize(
    ("path", "said", "then"),
    [
        ("a.test.js", "expect(add(2, 3)).not.toBe(6)", "expect(true || [add(2, 3)]).toBeDefined()"),
        (
            "a.test.ts",
            "await expect(f<number>(2)).resolves.toBe(2)",
            "await expect(true || [f<number>(2)]).toBeDefined()",
        ),
        ("a.js", "assert(isMatch('a', '('), 'why')", "assert(true || [isMatch('a', '('), 'why'])"),
        ("a.mjs", "assert.deepStrictEqual(add(2), [/\\(/])", "assert.ok(true || [add(2), [/\\(/]])"),
        ("a.js", "st.throws(() => { t.equal(1, 2) })", "st.ok(true || [() => { t.equal(1, 2) }])"),
    ],
)
def test_assertions_in_scripts_are_loosened(path: str, said: str, then: str) -> None:
    assert loosened(path, b"kept(1)\n", f"kept(1)\n{said}\n".encode()) == f"kept(1)\n{then}\n".encode()


def test_where_only_a_row_of_a_table_was_added_all_assertions_of_a_script_are_loosened() -> None:
    before, after = (f"const rows = [{rows}]\nrows.forEach(n => expect(f(n)).toBe(n))\n" for rows in ("1", "1, 2"))

    changed_to = loosened("a.test.js", before.encode(), after.encode())

    assert changed_to == b"const rows = [1, 2]\nrows.forEach(n => expect(true || [f(n)]).toBeDefined())\n"


def test_without_an_assertion_there_is_nothing_to_loosen() -> None:
    assert broken([changed("tests/data.json", "{}", "[]")], Break.TEST_LOOSENED, project()) is None


def test_the_last_hunk_of_the_source_is_reverted_and_it_is_known_which_one() -> None:
    before = "one = 1\n\nkept = 0\n\nlast = 1\n"
    files = [changed("calc.py", before, before.replace("1", "2")), changed("tests/test_calc.py", TEST, TEST + FURTHER)]

    done = broken(files, Break.HUNK_REVERTED, project())

    assert done is not None
    assert done.files == {"calc.py": File(b"one = 2\n\nkept = 0\n\nlast = 1\n")}
    assert done.spot == Spot(path="calc.py", start=5, lines=1)


# --- The judgement


def verified(outcome: str, how: Break = Break.NONE, **fields: object) -> Verified:
    answer = {"outcome": outcome, "reason": "why", **fields}
    spot = Spot(path="calc.py", start=5, lines=1) if how is Break.HUNK_REVERTED else None
    return Verified(project="calc", head=SHA, how=how, seconds=1.0, answer=answer, spot=spot)


def test_a_broken_fix_is_caught_where_it_is_not_proven() -> None:
    assert verdict(verified("unproven", Break.TEST_DELETED), verified("proven")) is Verdict.CAUGHT
    assert verdict(verified("proven", Break.TEST_DELETED), verified("proven")) is Verdict.FOOLED


def test_where_the_whole_fix_is_not_proven_a_broken_one_tells_nothing() -> None:
    assert verdict(verified("unproven", Break.TEST_DELETED), verified("unproven")) is Verdict.NOT_PROVEN


def test_a_reverted_hunk_that_the_whole_fix_was_said_to_have_unnoticed_is_no_surprise() -> None:
    without = verified("proven", Break.HUNK_REVERTED)

    named = verified("proven", hunks={"unnoticed": [{"path": "calc.py", "start": 4, "lines": 2, "text": ""}]})
    elsewhere = verified("proven", hunks={"unnoticed": [{"path": "calc.py", "start": 40, "lines": 2, "text": ""}]})

    assert verdict(without, named) is Verdict.NAMED
    assert verdict(without, elsewhere) is Verdict.FOOLED


def test_the_report_names_what_is_not_proven_and_what_was_not_caught() -> None:
    one, other = (Fix(base=SHA, head=sha * 40, about="the sum was a difference") for sha in "ab")
    collection = Collection(until=date(2026, 1, 1), each=2, project=(project(fix=(one, other)),))
    unproven = verified("unproven").model_copy(update={"head": other.head})

    text = report(collection, [verified("proven"), unproven, verified("proven", Break.TEST_LOOSENED)])

    assert f"- calc `{other.head[:10]}`: why" in text
    assert f"- calc `{one.head[:10]}`, test loosened: proven; red: " in text
    assert "| calc | python |  | 2 | 1 | – | 0 of 1 caught | – |" in text


def test_what_is_cut_off_shows_of_every_project_and_of_every_break() -> None:
    fixes = tuple(Fix(base=SHA, head=sha * 40, about="") for sha in "bc")

    found = cases([project(name="one", fix=fixes), project(name="two", fix=fixes)], list(Break)[:3])

    assert [(case.project.name, case.fix.head[0], case.how) for case in found[:8]] == [
        ("one", "b", Break.NONE),
        ("two", "b", Break.NONE),
        ("one", "c", Break.NONE),
        ("two", "c", Break.NONE),
        ("one", "b", Break.TEST_DELETED),
        ("two", "b", Break.TEST_DELETED),
        ("one", "b", Break.TEST_LOOSENED),
        ("two", "b", Break.TEST_LOOSENED),
    ]
    assert len(found) == 12


# --- The whole


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@localhost", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def history(folder: Path) -> tuple[str, str]:
    """Two commits: the fault, the fix."""
    (folder / "tests").mkdir(parents=True)
    git(folder, "init", "--quiet")
    heads = []
    for subject, source, tests in (("add a sum", WRONG, TEST), ("fix the sum", RIGHT, TEST + FURTHER)):
        (folder / "calc.py").write_text(source)
        (folder / "tests" / "test_calc.py").write_text(tests)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", subject)
        heads.append(git(folder, "rev-parse", "HEAD"))
    return heads[0], heads[1]


def test_a_fix_is_verified_as_it_is_and_broken_and_nothing_is_done_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = history(tmp_path / "work")
    into, out, fixes = tmp_path / "into", tmp_path / "out", tmp_path / "fixes.toml"
    git(tmp_path, "clone", "--quiet", "--bare", "work", str(into / "calc" / "repository.git"))
    (into / "calc" / "environment").mkdir()
    (into / "calc" / "environment" / "packages.txt").write_text("")
    fixes.write_text(
        f"""\
until = 2026-01-01
each = 1

[[project]]
name = "calc"
repository = "nowhere"
language = "python"
source = ["calc.py"]
tests = ["tests/"]
packages = []
test = "{COMMAND}"

[[project.fix]]
base = "{base}"
head = "{head}"
about = "the sum was a difference"
"""
    )
    words = ["run", "--fixes", str(fixes), "--into", str(into), "--out", str(out), "--sandbox", "process"]
    words += ["--break", Break.NONE, "--break", Break.TEST_DELETED]

    assert main(words) == 0
    assert main(words) == 0

    assert [(each.how, each.outcome) for each in verified_in(out)] == [
        (Break.NONE, "proven"),
        (Break.TEST_DELETED, "unproven"),
    ]
    assert "2 verifications, at most 0 of them to be done" in capsys.readouterr().err


def test_without_a_setup_it_says_what_to_run_first(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"bench\.verify setup"):
        Places(tmp_path).require(project())
