"""Fixes are found in real repositories, of which nothing is run."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.backtest import finding
from bot.backtest.finding import fixes_in, history_of, pulls_in
from bot.backtest.wanted import Wanted
from bot.errors import Refused
from bot.records import Caps, CheckedFix, FixSource, PastFix
from bot.repository import Mirror
from bot.repository.past import commits_before, holds_word
from tests.history import ADD_TEST, BASE, BROKEN, DOUBLE_TEST, FIX, FIXED, History

PROSE = "Sums come out as differences"
SEED: Mapping[str, str] = {"calc.py": BROKEN, "tests/test_double.py": DOUBLE_TEST}
LARGE = "".join(f"x{number} = 1\n" for number in range(400))


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.begun(tmp_path / "calc")


def found_in(folder: Path, *, span: str = "", caps: Caps | None = None) -> list[CheckedFix]:
    wanted = Wanted(name="calc", folder=folder, repository=folder, span=span)
    mirror = Mirror(folder.parent / "results" / "history.git")
    return list(fixes_in(history_of(wanted, mirror, stop=lambda: False), caps or Caps()))


def told_of(found: list[CheckedFix]) -> list[tuple[str, str]]:
    return [(each.fix.title, each.reason) for each in found]


def on_branch(history: History, name: str, *commits: tuple[Mapping[str, str], str]) -> None:
    history.git("checkout", "--quiet", "-b", name)
    for files, message in commits:
        history.commit(files, message)
    history.git("checkout", "--quiet", "main")


def merged(history: History, name: str, message: str) -> str:
    history.git("merge", "--quiet", "--no-ff", "-m", message, name)
    return history.git("rev-parse", "HEAD")


# --- Which commits


def test_commits_that_change_source_and_tests_are_found_newest_first(history: History) -> None:
    first = history.commit(FIX, f"{PROSE}\n\nOne and two make minus one.")
    history.commit({"calc.py": FIXED + "\n"}, "Source alone is no fix")
    history.commit({"tests/test_more.py": "\n"}, "Nor are tests alone")
    history.commit({"README.md": "x\n", "tests/test_more.py": "\n\n"}, "Nor are tests and documentation")
    second = history.commit({"calc.py": FIXED, "tests/test_more.py": "x = 1\n"}, "There is a line too much at the end")

    found = found_in(history.folder)

    assert [(each.fix.head, each.reason) for each in found] == [(second, ""), (first, "")]
    fix = found[1].fix
    assert (fix.id, fix.title, fix.body) == (first[:12], PROSE, "One and two make minus one.")
    assert (fix.base, fix.source) == (history.git("rev-parse", f"{first}^"), FixSource.COMMIT)
    assert fix.at == float(history.git("log", "-1", "--format=%ct", first))


def test_the_first_commit_is_no_fix(history: History) -> None:
    assert found_in(history.folder) == []


def test_a_merged_pull_request_is_one_fix_and_what_is_in_it_none(history: History) -> None:
    on_branch(
        history, "mend", ({"tests/test_add.py": ADD_TEST}, "A test"), ({**FIX, "a.py": "1\n"}, "Mend all sums now")
    )
    history.commit({"NEWS.md": "x\n"}, "News")
    history.git("checkout", "--quiet", "mend")
    history.git("merge", "--quiet", "-m", "Merge branch 'main' into mend", "main")
    history.commit({"b.py": "1\n", "tests/test_b.py": "1\n"}, "Mend the rest of it")
    history.git("checkout", "--quiet", "main")
    base = history.git("rev-parse", "HEAD")
    head = merged(history, "mend", f"Merge pull request #7 from ada/mend\n\n{PROSE}")

    (found,) = found_in(history.folder)

    assert (found.fix.base, found.fix.head, found.fix.title, found.reason) == (base, head, PROSE, "")
    assert found.fix.left_out == ("who merged what",)


def test_another_merge_is_passed_over_and_what_it_brings_is_looked_at(history: History) -> None:
    on_branch(history, "mend", (FIX, PROSE))
    history.commit({"NEWS.md": "x\n"}, "News")
    merged(history, "mend", "Merge branch 'mend'")

    assert told_of(found_in(history.folder)) == [(PROSE, "")]


def test_of_a_pull_request_that_is_too_large_each_commit_is_looked_at(history: History) -> None:
    many = {f"m{number}.py": "1\n" for number in range(5)}
    on_branch(history, "next", (FIX, PROSE), (many, "Many others"))
    merged(history, "next", "Merge pull request #9 from octo/next\n\nAll that is new since spring")

    found = found_in(history.folder, caps=Caps(patch_files=4))

    assert told_of(found) == [("All that is new since spring", "too large: 7 files"), (PROSE, "")]


def test_a_range_holds_what_its_head_has_and_its_base_has_not(history: History) -> None:
    history.commit(FIX, PROSE)
    history.git("tag", "v1")
    history.commit({"a.py": "1\n", "tests/test_a.py": "1\n"}, "Something else is wrong")
    history.git("tag", "-a", "-m", "x", "v2")
    history.commit({"b.py": "1\n", "tests/test_b.py": "1\n"}, "A third thing is wrong")

    assert [title for title, _ in told_of(found_in(history.folder, span="v1..v2"))] == ["Something else is wrong"]
    assert [title for title, _ in told_of(found_in(history.folder, span="v2.."))] == ["A third thing is wrong"]


def test_a_shallow_clone_ends_where_it_ends(history: History, tmp_path: Path) -> None:
    history.commit(FIX, PROSE)
    history.commit({"a.py": "1\n", "tests/test_a.py": "1\n"}, "Something else is wrong")
    clone = tmp_path / "shallow"
    history.git("clone", "--quiet", "--depth=2", f"file://{history.folder}", str(clone))

    assert told_of(found_in(clone)) == [("Something else is wrong", "")]


# --- What nobody is asked for


@pytest.mark.parametrize(
    ("files", "message", "reason"),
    [
        (FIX, "Fix bug", "its message says too little, without what gives the answer away"),
        (FIX, f'Revert "{PROSE}"\n\nThis reverts commit 1f0c.', "it takes an earlier commit back"),
        ({**FIX, **{f"m{n}.txt": "1\n" for n in range(40)}}, PROSE, "too large: 42 files"),
        ({**FIX, "m.py": LARGE}, PROSE, "too large: 402 changed lines of source"),
        ({**FIX, "m.png": "\0\n"}, PROSE, "it changes a file that is no text: m.png"),
    ],
)  # fmt: skip
def test_what_nobody_is_asked_for_is_listed_with_the_reason(
    history: History, files: Mapping[str, str], message: str, reason: str
) -> None:
    history.commit(files, message)

    (found,) = found_in(history.folder)

    assert found.reason == reason
    assert found.fix.base


def test_files_that_are_too_large_are_not_read(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "BYTES_AT_MOST", 1_000_000)
    monkeypatch.setattr(finding, "files_between", pytest.fail)
    history.commit({**FIX, "data.csv": "1\n" * 1_000_000}, PROSE)

    assert told_of(found_in(history.folder)) == [(PROSE, "too large: 2 MB of files")]


def test_a_submodule_is_no_fix_of_ours(history: History) -> None:
    history.git("update-index", "--add", "--cacheinfo", f"160000,{'1f0c9a7b' * 5},lib")
    (history.folder / "lib").mkdir()
    history.commit(FIX, PROSE)

    assert told_of(found_in(history.folder)) == [(PROSE, "it changes a submodule")]


def test_odd_names_are_read_as_they_are(history: History) -> None:
    names = ["a\nb.py", 'q"uote.py', "-rf.py", "ünïcode.py", ":(glob)x.py", " space .py"]
    history.commit({**FIX, **dict.fromkeys(names, "1\n")}, f"{PROSE}\n\nAlso in ünïcode.py there.")

    (found,) = found_in(history.folder)

    assert (found.fix.title, found.fix.body, found.reason) == (PROSE, "Also in […] there.", "")


def test_a_name_that_is_no_text_is_a_reason(history: History) -> None:
    (history.folder / os.fsdecode(b"caf\xe9.py")).write_text("1\n")
    history.commit(FIX, PROSE)

    assert told_of(found_in(history.folder)) == [(PROSE, r"it changes a file whose name is no text: caf\xe9.py")]


# --- Commits as nobody writes them


def raw_commit(
    history: History, message: bytes, *, committer: bytes = b"A <a@b.c> 1700000000 +0000", more: bytes = b""
) -> str:
    """A commit of what the index holds, byte by byte, checked out as main's newest."""
    tree, parent = history.git("write-tree"), history.git("rev-parse", "HEAD")
    raw = b"tree %s\nparent %s\nauthor A <a@b.c> 1700000000 +0000\ncommitter %s\n%s\n%s" % (
        tree.encode(), parent.encode(), committer, more, message,
    )  # fmt: skip
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=history.folder, input=raw, capture_output=True, check=True,
    )  # fmt: skip
    sha = done.stdout.decode().strip()
    history.git("update-ref", "refs/heads/main", sha)
    return sha


@pytest.mark.parametrize(
    ("message", "more", "title"),
    [
        (b"Sums come\0 out as differences", b"", "Sums come"),
        (b"Sums come out \xe4 differences", b"", "Sums come out � differences"),
        (b"Sums come out \xe4 differences", b"encoding ISO-8859-1\n", "Sums come out ä differences"),
        (b"Sums come out\r\n\r\nas differences\r\n", b"", "Sums come out"),
        (b"\n\n  Sums come out  \n", b"", "Sums come out"),
        (b"", b"", ""),
        (b"\x1b[31mSums come out \xe2\x80\xae red", b"", "\x1b[31mSums come out \u202e red"),
    ],
)
def test_a_message_of_any_bytes_is_read(history: History, message: bytes, more: bytes, title: str) -> None:
    for path, text in FIX.items():
        (history.folder / path).write_text(text)
    history.git("add", "-A")
    raw_commit(history, message, more=more)
    history.commit({"a.py": "1\n", "tests/test_a.py": "1\n"}, "Something else is wrong")

    assert [title for title, _ in told_of(found_in(history.folder))] == ["Something else is wrong", title]


@pytest.mark.parametrize(
    "committer",
    [b"A <a@b.c> x +0000", b"A <a@b.c>", b"A <a@b.c> 99999999999999999999 +0000", b"", b"A <a@b.c> -1 +0000"],
)
def test_a_date_that_is_none_does_not_end_the_search(history: History, committer: bytes) -> None:
    for path, text in FIX.items():
        (history.folder / path).write_text(text)
    history.git("add", "-A")
    raw_commit(history, PROSE.encode(), committer=committer)

    (found,) = found_in(history.folder)

    assert found.fix.title == PROSE
    assert found.fix.at >= 0


# --- Repositories as they should not be


def test_an_empty_repository_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)

    with pytest.raises(Refused, match="has no commit yet"):
        found_in(folder)


def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    with pytest.raises(Refused, match="is not the top folder of a git repository"):
        found_in(tmp_path / "plain")


def test_a_repository_with_other_ids_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(folder)], check=True)
    History(folder).commit(BASE)

    with pytest.raises(Refused, match="SHA-256"):
        found_in(folder)


@pytest.mark.parametrize(
    ("span", "words"),
    [("v9..main", "no commit `v9`"), ("main..main", "There is nothing"), ("--all..main", "no commit")],
)
def test_a_range_that_there_is_not_is_refused(history: History, span: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        found_in(history.folder, span=span)


def test_nothing_of_a_repository_is_run(history: History, tmp_path: Path) -> None:
    """Neither hooks, nor filters, nor what its configuration names."""
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch "{ran}"\ncat\n')
    program.chmod(0o755)
    history.commit(FIX, PROSE)
    history.commit({".gitattributes": "*.py filter=mine diff=mine text eol=crlf\n"}, "Attributes")
    for hook in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (history.folder / ".git/hooks").mkdir(exist_ok=True)
        (history.folder / ".git/hooks" / hook).symlink_to(program)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
        "diff.external", "diff.mine.textconv", "diff.mine.command", "filter.mine.clean", "filter.mine.smudge",
        "filter.mine.process", "uploadpack.packObjectsHook", "credential.helper", "gpg.program", "pager.log",
        "log.showSignature",
    ):  # fmt: skip
        history.git("config", key, "true" if key == "log.showSignature" else str(program))
    ran.unlink(missing_ok=True)

    assert told_of(found_in(history.folder, span="HEAD~2..HEAD")) == [(PROSE, "")]
    assert told_of(found_in(history.folder)) == [(PROSE, "")]
    assert not ran.exists()


# --- The mirror's own words


def test_whether_a_word_is_known_is_asked_of_whole_words(history: History) -> None:
    head = history.commit({"odd.txt": "-e $dollar a.b\n", "bin.dat": "\0hidden_word"}, "x")
    git = history.folder / ".git"

    known = [
        word
        for word in ("double", "doubl", "-e", "$dollar", "a.b", "axb", "hidden_word")
        if holds_word(git, head, word)
    ]

    assert known == ["double", "-e", "$dollar", "a.b"]


def test_so_many_commits_are_read_and_no_more(history: History) -> None:
    head = [history.commit({}, f"c{number}") for number in range(4)][-1]

    assert [each.message for each in commits_before(history.folder / ".git", head, at_most=2)] == ["c3", "c2"]


# --- Merged pull requests


def pull(head: str, **changed: str) -> PastFix:
    given = {
        "id": "7",
        "name": "#7",
        "base": "",
        "title": PROSE,
        "body": "It does.",
        "url": "https://x.test/o/r/pull/7",
    }
    return PastFix(**(given | changed), head=head, source=FixSource.PULL_REQUEST, at=1.0)  # type: ignore[arg-type]


def pulls_of(history: History, *pulls: PastFix, span: str = "") -> list[CheckedFix]:
    wanted = Wanted(name="calc", folder=history.folder, repository=history.folder, span=span)
    mirror = Mirror(history.folder.parent / "results" / "history.git")
    return list(pulls_in(history_of(wanted, mirror, stop=lambda: False), iter(pulls), Caps()))


def test_a_pull_request_has_the_base_before_it_and_its_issue_without_the_fix(history: History) -> None:
    on_branch(history, "mend", (FIX, "Mend"))
    inside, base = history.git("rev-parse", "mend"), history.git("rev-parse", "main")
    head = merged(history, "mend", "Merge pull request #7 from ada/mend")

    (found,) = pulls_of(history, pull(head, body=f"See {inside[:9]} and o/r#7, it is `return a + b`."))

    assert (found.fix.base, found.reason) == (base, "")
    assert found.fix.body == "See […] and […], it is `[…]`."


def test_of_a_range_those_pull_requests_are_taken_that_were_merged_in_it(history: History) -> None:
    first = history.commit(FIX, PROSE)
    history.commit({"README.md": "Sums.\n"}, "Say what it is")
    second = history.commit({"calc.py": f"{FIXED}\n", "tests/test_more.py": DOUBLE_TEST}, PROSE)

    found = pulls_of(history, pull(second), pull(first), span="HEAD~1..HEAD")

    assert [each.fix.head for each in found] == [second]


def test_a_pull_request_that_can_not_be_read_says_why(history: History) -> None:
    root = history.git("rev-parse", "HEAD")
    alone = history.commit({"calc.py": FIXED}, "Source alone")

    found = pulls_of(history, pull("1f0c9a7b" * 5), pull(root), pull(alone), pull("nonsense"))

    assert [each.reason for each in found] == [
        "the commit that brought it is not in the repository any more",
        "there was nothing before it",
        "it does not change both source and tests",
        "git can't read it: not an object id: 'nonsense'",
    ]
