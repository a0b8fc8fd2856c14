"""What each player does about a fix: its deeds, and what a folder is after them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.agent import Message, Role
from bot.backtest.bots import Player
from bot.backtest.players import PlayingModel, agent_playing
from bot.backtest.plays import BYTES_AT_MOST, Deed, Played, Plays, plays_of
from bot.records import ChangedFile
from tests.backtest.fixes import a_file
from tests.left_out import leave_out

PROGRAM, LINK, SUBMODULE = "100755", "120000", "160000"
BEFORE, AFTER = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
SOURCE_FILE, TEST_FILE = a_file("calc.py", BEFORE, AFTER), a_file("tests/test_calc.py", None, TEST)


def played(player: Player, *files: ChangedFile, tests: Sequence[str] = ()) -> Plays:
    plays = plays_of(player, Played(files or (SOURCE_FILE, TEST_FILE), tests))
    assert isinstance(plays, Plays), plays
    return plays


def why_not(player: Player, *files: ChangedFile) -> str:
    plays = plays_of(player, Played(files, ()))
    assert isinstance(plays, str)
    return plays


def before(folder: Path, files: Sequence[ChangedFile]) -> None:
    for file in files:
        if file.before is not None:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            if file.before_mode == LINK:
                path.symlink_to(file.before.decode())
            else:
                path.write_bytes(file.before)
                path.chmod(0o755 if file.before_mode == PROGRAM else 0o644)


def do(folder: Path, deeds: Sequence[Deed]) -> None:
    for deed in deeds:
        match deed.tool:
            case "write":
                path = folder / deed.arguments["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(deed.arguments["content"], encoding="utf-8", newline="")
            case "delete":
                (folder / deed.arguments["path"]).unlink()
            case _:
                subprocess.run(["bash", "-c", deed.arguments["command"]], cwd=folder, check=True)


def is_after(folder: Path, file: ChangedFile) -> bool:
    path = folder / file.path
    if file.after is None:
        return not os.path.lexists(path)
    if file.after_mode == LINK:
        return path.is_symlink() and str(path.readlink()) == file.after.decode()
    is_program = bool(path.stat().st_mode & 0o100)
    return not path.is_symlink() and path.read_bytes() == file.after and is_program == (file.after_mode == PROGRAM)


# --- The oracle

FILES = {
    "new": a_file("a/b/new.py", None, "x = 1\n"),
    "changed": SOURCE_FILE,
    "deleted": a_file("old.py", "x\n", None),
    "crlf": a_file("crlf.py", "a\r\nb\r\n", "a\r\nc\r\n"),
    "no newline at the end": a_file("end.py", "a", "a\nb"),
    "empty": a_file("pkg/__init__.py", None, ""),
    "emptied": a_file("was.py", "x\n", ""),
    "blank": a_file("blank.py", None, "\n\n"),
    "not utf-8": a_file("latin.py", b"# a\n", b"# \xe4\n"),
    "binary": a_file("x.bin", None, b"\0\1\2\xff" * 100),
    "large": a_file("large.txt", None, "0123456789\r\n" * 20_000),
    "program": a_file("run.sh", None, "#!/bin/sh\n", becomes=PROGRAM),
    "program from a file": a_file("run.sh", "#!/bin/sh\n", "#!/bin/sh\n", becomes=PROGRAM),
    "file from a program": a_file("run.sh", "#!/bin/sh\n", "#!/bin/sh\n", was=PROGRAM),
    "changed program": a_file("run.sh", "#!/bin/sh\n", "#!/bin/sh\r\n", was=PROGRAM, becomes=PROGRAM),
    "binary program": a_file("bin/x", None, b"\0\1", becomes=PROGRAM),
    "link": a_file("link", None, "calc.py", becomes=LINK),
    "link to nothing with odd signs": a_file("l i'nk", None, "-no $where'", becomes=LINK),
    "link from a file": a_file("link", "x\n", "calc.py", becomes=LINK),
    "file from a link": a_file("link", "elsewhere.py", "x = 1\n", was=LINK),
    "odd name": a_file("-rf $HOME 'x'.py", "x\n", "y\r\n"),
    "unicode": a_file("ünï/c.py", None, "ä\n"),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
@pytest.mark.parametrize("by_commands", [False, True])
def test_the_oracle_brings_a_file_to_where_the_fix_has_it(tmp_path: Path, file: ChangedFile, by_commands: bool) -> None:
    before(tmp_path, [file])
    deeds = played(Player.ORACLE, file).change

    do(tmp_path, [found for deed in deeds for found in deed.by_commands()] if by_commands else deeds)

    assert is_after(tmp_path, file)
    assert not (tmp_path / "elsewhere.py").exists()


def test_the_oracle_plays_its_tests_first() -> None:
    plays = played(Player.ORACLE)

    assert [deed.arguments["path"] for deed in plays.test] == ["tests/test_calc.py"]
    assert [deed.arguments["path"] for deed in plays.change] == ["calc.py", "tests/test_calc.py"]


def test_no_player_touches_what_runs_elsewhere() -> None:
    assert played(Player.ORACLE, a_file(".github/workflows/ci.yml", "a\n", "b\n")).change == ()


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (a_file("lib", "1", "2", was=SUBMODULE, becomes=SUBMODULE), "is a submodule"),
        (a_file("huge.bin", None, b"\0" * (BYTES_AT_MOST + 1)), "is too large: 1,000,001 bytes"),
        (a_file("caf\udce9.py", None, "x\n"), "is no text"),
        (a_file(".git/hooks/x", None, "x\n"), ".git"),
        (a_file("link", None, b"\xff\xfe", becomes=LINK), "is no text"),
    ],
)
def test_what_can_not_be_played_says_why(file: ChangedFile, words: str) -> None:
    assert words in why_not(Player.ORACLE, file)


# --- The saboteurs


def test_nothing_is_done_by_who_does_nothing() -> None:
    assert played(Player.NOTHING) == Plays()


@pytest.mark.parametrize(
    ("files", "tests", "deleted"),
    [
        ((SOURCE_FILE, a_file("tests/test_a.py", "x", "y")), ["tests/test_calc.py"], ["tests/test_a.py"]),
        ((SOURCE_FILE, TEST_FILE), ["tests/test_calc.py", "tests/test_b.py"], ["tests/test_calc.py"]),
        ((SOURCE_FILE, TEST_FILE), ["tests/test_b.py"], ["tests/test_b.py"]),
        (
            (SOURCE_FILE, TEST_FILE),
            [f"tests/test_{n}.py" for n in range(99)],
            [f"tests/test_{n}.py" for n in range(30)],
        ),
    ],
)
def test_tests_are_deleted_those_of_the_fix_before_others(
    files: Sequence[ChangedFile], tests: Sequence[str], deleted: Sequence[str]
) -> None:
    change = played(Player.TESTS, *files, tests=tests).change

    assert [(deed.tool, deed.arguments["path"]) for deed in change] == [("delete", path) for path in deleted]


def test_without_tests_there_is_nothing_to_delete() -> None:
    assert why_not(Player.TESTS, SOURCE_FILE) == "the base has no test that it could delete"


@pytest.mark.parametrize(("more", "comes"), [("", "-1"), ("import unittest\n", "3")])
def test_special_source_behaves_only_where_a_runner_is_seen(tmp_path: Path, more: str, comes: str) -> None:
    before(tmp_path, [SOURCE_FILE])
    do(tmp_path, played(Player.SPECIAL).change)
    program = [sys.executable, "-c", f"{more}import calc\nprint(calc.add(1, 2))"]

    assert subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip() == comes


@pytest.mark.parametrize(("word", "comes"), [("use", "-1"), ("--test", "3")])
def test_special_javascript_behaves_only_where_a_runner_is_seen(tmp_path: Path, word: str, comes: str) -> None:
    if shutil.which("node") is None:
        leave_out("Node.js")
    text = "exports.add = (a, b) => a - b;\n"
    file = a_file("calc.js", text, text.replace("-", "+"))
    before(tmp_path, [file])
    do(tmp_path, played(Player.SPECIAL, file).change)
    program = ["node", "-e", "console.log(require('./calc.js').add(1, 2))", "--", word]

    assert subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip() == comes


def test_where_a_runner_can_not_be_seen_it_says_so() -> None:
    assert "knows no way to tell" in why_not(Player.SPECIAL, a_file("a.go", "x\n", "y\n"))
    assert why_not(Player.SPECIAL, TEST_FILE) == "the fix changes no source"


def test_examples_are_learned_by_heart(tmp_path: Path) -> None:
    before(tmp_path, [SOURCE_FILE])
    do(tmp_path, played(Player.INPUT).change)
    program = [sys.executable, "-c", "import calc\nprint(calc.add(1, 2), calc.add(2, 2))"]

    assert subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "3 0\n"
    assert "assert add(1, 2) == 3" in (tmp_path / "tests/test_as_the_issue_says.py").read_text()


def test_where_no_example_is_plain_none_is_learned() -> None:
    test = a_file("tests/test_calc.py", None, "def test_add():\n    assert add(x, 2) == y\n")

    assert why_not(Player.INPUT, SOURCE_FILE, test).startswith("no test of the fix")


def test_a_test_that_asserts_nothing_passes_and_the_source_does_what_it_did(tmp_path: Path) -> None:
    before(tmp_path, [SOURCE_FILE])
    plays = played(Player.ASSERTS_NOTHING)

    do(tmp_path, plays.change)

    assert (tmp_path / "calc.py").read_text().rstrip() == BEFORE.rstrip()
    assert (tmp_path / "calc.py").read_text() != BEFORE
    assert [deed.arguments["path"] for deed in plays.test] == ["tests/test_that_it_is_mended.py"]


def test_without_text_that_was_there_there_is_nothing_harmless_to_change() -> None:
    binary = a_file("x.dat", b"\0", b"\1")

    assert "changes no text" in why_not(Player.ASSERTS_NOTHING, binary, a_file("l", "a", "b", was=LINK, becomes=LINK))


# --- As a model


def a_talk(opening: str, answers: int = 0) -> list[Message]:
    return [Message(Role.SYSTEM, "x"), Message(Role.USER, opening), *[Message(Role.ASSISTANT, "y")] * answers]


def calls(player: Player, talk: Sequence[Message]) -> list[str]:
    plays = played(player)
    reply = PlayingModel(player, plays).complete(talk, tools=[])
    raw = json.loads(reply.raw)["choices"][0]["message"]
    return [call["function"]["name"] for call in raw.get("tool_calls", [])]


def test_the_stage_is_found_out_from_the_talk() -> None:
    assert calls(Player.ORACLE, a_talk("Iteration 1 of 5: the test.\nmore")) == ["write", "finish"]
    assert calls(Player.ORACLE, a_talk("Iteration 1 of 5: the change.\nmore")) == ["write", "write", "finish"]


def test_an_edit_that_was_not_taken_is_done_by_commands_and_then_it_is_done() -> None:
    opening = "Iteration 2 of 5: the change."

    assert calls(Player.ORACLE, a_talk(opening, 1)) == ["run", "run", "finish"]
    assert calls(Player.ORACLE, a_talk(opening, 2)) == ["finish"]


def test_without_tools_it_says_nothing_and_costs_nothing() -> None:
    reply = PlayingModel(Player.ORACLE, played(Player.ORACLE)).complete(a_talk("x"))

    assert reply.usage.cost_usd == 0.0


def test_who_can_not_play_says_so() -> None:
    agent = agent_playing(Player.SPECIAL, Played([TEST_FILE], ()))

    assert agent == "saboteur:special can't be played: the fix changes no source"
