"""What is kept in a backtest's folder, whatever cuts it off."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.backtest.bots import bot_named
from bot.backtest.checking import Look
from bot.backtest.kept import (
    ATTEMPTS,
    KeptLook,
    KeptReplay,
    Lines,
    charged_by,
    key_of_attempt,
    key_of_look,
    looks_in,
)
from bot.records import Caps, PastFix, dump
from bot.runs.house import Crew
from sandbox import Limits
from tests.backtest.seams import Known, means_of
from tests.writing.backtests import a_fix, a_replay
from tests.writing.foreign import foreign_text, patiently


def a_line(number: int = 1, **changed: Any) -> KeptReplay:
    return KeptReplay(f"key {number}", a_replay(a_fix(number), True, **changed))


def lines_in(folder: Path) -> Lines[KeptReplay]:
    return Lines(folder / ATTEMPTS, KeptReplay)


def test_what_is_added_is_read_back_in_order(tmp_path: Path) -> None:
    for number in range(3):
        lines_in(tmp_path).add(a_line(number))

    assert list(lines_in(tmp_path)) == [a_line(number) for number in range(3)]


def test_nothing_is_kept_where_there_is_no_file(tmp_path: Path) -> None:
    assert list(lines_in(tmp_path / "nowhere")) == []


@settings(patiently, max_examples=30)
@given(st.integers(0, 2_000))
def test_wherever_a_kill_cuts_whole_lines_stay_and_the_next_one_is_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("k")
    for number in range(3):
        lines_in(folder).add(a_line(number))
    whole = (folder / ATTEMPTS).read_bytes()
    (folder / ATTEMPTS).write_bytes(whole[:cut])
    left = whole[:cut].count(b"\n")

    lines_in(folder).add(a_line(9))

    assert list(lines_in(folder)) == [*(a_line(number) for number in range(left)), a_line(9)]


@pytest.mark.parametrize(
    "foreign",
    [b"", b"{}", b"nonsense", b"\xff\xfe", b"null", b"[" * 5_000, b'{"key": "k", "replay": {"fix": 1}}', b"\0\0\0"],
)
def test_a_line_that_can_not_be_read_is_passed_over(tmp_path: Path, foreign: bytes) -> None:
    lines_in(tmp_path).add(a_line(1))
    with (tmp_path / ATTEMPTS).open("ab") as opened:
        opened.write(foreign + b"\n")

    lines_in(tmp_path).add(a_line(2))

    assert list(lines_in(tmp_path)) == [a_line(1), a_line(2)]


def test_a_line_of_an_older_version_is_read(tmp_path: Path) -> None:
    older = dump(a_line()).replace(',"counted_usd":null,"begun":""', "")
    (tmp_path / ATTEMPTS).write_text(older + "\n")

    assert "begun" not in older
    assert list(lines_in(tmp_path)) == [a_line()]


@settings(patiently, max_examples=30)
@given(foreign_text)
def test_foreign_words_stay_in_their_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("k")
    lines_in(folder).add(a_line(1, reason=text))
    lines_in(folder).add(a_line(2))

    assert [each.key for each in lines_in(folder)] == ["key 1", "key 2"]


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """They do not, as the folder is held by one; what they would write is whole all the same."""
    program = (
        "import sys; from pathlib import Path; from tests.backtest.test_kept import a_line, lines_in\n"
        "for number in range(20): lines_in(Path(sys.argv[1])).add(a_line(number))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) for _ in range(2)]

    assert [each.wait(120) for each in running] == [0, 0]
    assert len(list(lines_in(tmp_path))) == 40


def test_what_was_charged_is_the_last_word_on_each() -> None:
    costs = [a_line(), replace(a_line(), counted_usd=2.0, begun="a"), replace(a_line(), counted_usd=3.0, begun="b")]

    assert charged_by([*costs, replace(a_line(), counted_usd=0.5, begun="a")]) == pytest.approx(0.02 + 0.5 + 3.0)


def test_looks_are_read_back(tmp_path: Path) -> None:
    look = Look(a_fix(1), kept=("a::b",))

    looks_in(tmp_path).add(KeptLook("k", look))

    assert list(looks_in(tmp_path)) == [KeptLook("k", look)]


# --- What is done again


MEANS = means_of()
FIX = a_fix(1).fix


def attempt_key(folder: Path, fix: PastFix = FIX, bot: str = "m", means: object = MEANS) -> str:
    return key_of_attempt(Known(folder, []), fix, bot_named(bot), means)  # type: ignore[arg-type]


@pytest.mark.parametrize("changed", [{"base": "cc" * 20}, {"head": "cc" * 20}, {"title": "x"}, {"body": "x"}])
def test_another_fix_or_other_words_are_another_attempt(tmp_path: Path, changed: dict[str, str]) -> None:
    assert attempt_key(tmp_path, replace(FIX, **changed)) != attempt_key(tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bot", ["n", "m;reproduce=off", "m;iterations=2", "m;critic=c", "m;candidates=2", "oracle", "saboteur:tests"]
)
def test_another_bot_is_another_attempt(tmp_path: Path, bot: str) -> None:
    assert attempt_key(tmp_path, bot=bot) != attempt_key(tmp_path)


@pytest.mark.parametrize(
    "means",
    [
        replace(MEANS, caps=Caps(iterations=9)),
        replace(MEANS, version="another"),
        replace(MEANS, crew=Crew("none", critic="c")),
        replace(MEANS, crew=Crew("none", candidates=3)),
        replace(MEANS, sight=replace(MEANS.sight, image="other")),
        replace(MEANS, sight=replace(MEANS.sight, limits=Limits(wall_s=1))),
    ],
)
def test_other_settings_and_another_version_of_ours_are_another_attempt(tmp_path: Path, means: object) -> None:
    assert attempt_key(tmp_path, means=means) != attempt_key(tmp_path)


def test_what_does_not_count_for_a_bot_is_no_other_attempt(tmp_path: Path) -> None:
    crew = replace(MEANS, crew=Crew("other", critic="c", candidates=3))
    iterations = replace(MEANS, caps=replace(MEANS.caps, iterations=9))

    assert attempt_key(tmp_path, bot="oracle", means=crew) == attempt_key(tmp_path, bot="oracle")
    own = "m;critic=;candidates=1;iterations=2"
    assert attempt_key(tmp_path, bot=own, means=crew) == attempt_key(tmp_path, bot=own)
    assert attempt_key(tmp_path, bot=own, means=iterations) == attempt_key(tmp_path, bot=own)
    assert attempt_key(tmp_path, replace(FIX, name="other", at=1.0, left_out=("x",))) == attempt_key(tmp_path)


def test_checking_does_not_depend_on_words_and_bots(tmp_path: Path) -> None:
    source = Known(tmp_path, [])

    known = key_of_look(source, FIX, MEANS)

    assert known == key_of_look(source, replace(FIX, title="x", body="y"), replace(MEANS, crew=Crew("x"), caps=Caps()))
    assert known != key_of_look(source, FIX, replace(MEANS, sight=replace(MEANS.sight, image="other")))
