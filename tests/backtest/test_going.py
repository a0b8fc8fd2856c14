"""A backtest from its beginning to its end: what is refused, and how many fixes are looked at."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot import backtest
from bot.agent import Agent
from bot.backtest.bots import bot_named
from bot.backtest.going import BASES_IN_A_ROW, alone_in
from bot.backtest.wanted import Means, Wanted
from bot.errors import Refused, Unavailable
from bot.records import Backtest
from bot.repository.locking import locked
from bot.runs.doctor import Given
from bot.runs.house import Crew, Prepared, SetupBroken
from sandbox.docker import DockerSandbox
from tests.backtest.seams import means_of
from tests.history import BASE, FIX, History

NAMES = ("one", "two", "three", "four")
FAILS = "tests that the fix changes fail with it too: tests/test_4.py::T::test_it"
CONFIG = ".github/selfcode.yml"
MANY = len(NAMES)
"""Fixes in the history, each with a test that fails before it; the newest one's test fails for ever."""


def source(upto: int) -> str:
    return "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(upto))


A_TEST = """\
import unittest, calc


class T(unittest.TestCase):
    def test_it(self):
        assert calc.f{number}() == {right}
"""


def a_test(number: int, right: int) -> str:
    return A_TEST.format(number=number, right=right)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    config = 'test: python3 -m unittest discover tests\nsetup: ""\n'
    base = {".github/selfcode.yml": config, "calc.py": source(1), "tests/test_0.py": a_test(0, 0)}
    history = History.begun(tmp_path_factory.mktemp("h") / "calc", base)
    for number in range(1, MANY + 1):
        right = number if number < MANY else -1
        files = {"calc.py": source(number + 1), f"tests/test_{number}.py": a_test(number, right)}
        history.commit(files, f"Number {NAMES[number - 1]} can't be had yet")
    return history


def wanted_of(history: History, folder: Path, **changed: object) -> Wanted:
    return replace(Wanted(name="calc", folder=folder, repository=history.folder), **changed)  # type: ignore[arg-type]


def look(wanted: Wanted, means: Means | None = None) -> tuple[Backtest, list[str]]:
    said: list[str] = []
    return backtest.look(wanted, means or means_of(), tell=said.append), said


def test_the_newest_ones_are_counted_in_fixes_that_are_fit_and_checked_once(history: History, tmp_path: Path) -> None:
    first, said = look(wanted_of(history, tmp_path, last=1))

    assert [(each.fix.title, each.reason) for each in first.fixes] == [
        ("Number four can't be had yet", FAILS),
        ("Number three can't be had yet", ""),
    ]
    assert any("with the fix and its tests" in line for line in said)
    again, said = look(wanted_of(history, tmp_path, last=2))
    assert [each.is_fit for each in again.fixes] == [False, True, True]
    assert again.fixes[:2] == first.fixes
    assert sum("with the fix and its tests" in line for line in said) == 1
    ranged, said = look(wanted_of(history, tmp_path, last=1, span="HEAD~3..HEAD"))
    assert [each.fix for each in ranged.fixes] == [each.fix for each in again.fixes]
    assert not any("with the fix and its tests" in line for line in said)


def test_a_fix_whose_set_up_failed_is_looked_at_again(history: History, tmp_path: Path) -> None:
    """It may have failed for want of a network."""

    def broken(_setup: object, _stop: object) -> Prepared:
        raise SetupBroken("no network")

    sound = means_of()
    first, _ = look(
        wanted_of(history, tmp_path, last=1), replace(sound, sight=replace(sound.sight, prepare_image=broken))
    )
    again, _ = look(wanted_of(history, tmp_path, last=1), sound)

    assert {each.reason for each in first.fixes} == {"the set-up fails on the base: no network"}
    assert [each.is_fit for each in again.fixes] == [False, True]


def test_bases_that_can_not_be_tested_end_the_search(history: History, tmp_path: Path) -> None:
    given = Given(test="no-such-program tests")
    found, _ = look(wanted_of(history, tmp_path, last=9, given=given))

    assert len(found.fixes) == BASES_IN_A_ROW < MANY
    assert "command not found" in found.stopped
    assert "--test" in found.stopped


def test_one_base_that_can_be_tested_is_enough_to_go_on(history: History, tmp_path: Path) -> None:
    sound = means_of()
    images = iter([Prepared(None)])

    def only_once(_setup: object, _stop: object) -> Prepared:
        try:
            return next(images)
        except StopIteration:
            raise SetupBroken("no network") from None

    means = replace(sound, sight=replace(sound.sight, prepare_image=only_once))
    found, _ = look(wanted_of(history, tmp_path, last=9), means)

    assert (len(found.fixes), found.stopped) == (MANY, "")


def test_a_stop_ends_the_search_with_what_is_known(history: History, tmp_path: Path) -> None:
    stops = iter([False] * 3)

    found, _ = look(wanted_of(history, tmp_path), means_of(stop=lambda: next(stops, True)))

    assert found.stopped == "interrupted"
    assert len(found.fixes) < MANY


def test_a_stop_while_commits_are_brought_is_no_error(history: History, tmp_path: Path) -> None:
    with locked(tmp_path / "history.git.lock"):
        found, _ = look(wanted_of(history, tmp_path), means_of(stop=lambda: True))

    assert (found.stopped, found.fixes) == ("interrupted", ())


def test_fixes_are_checked_in_containers_as_well(
    history: History, tmp_path: Path, docker_sandbox: DockerSandbox
) -> None:
    found, _ = look(wanted_of(history, tmp_path, last=1), means_of(sandbox=docker_sandbox))

    assert [(each.reason, each.judges) for each in found.fixes] == [(FAILS, ()), ("", ("tests/test_3.py::T::test_it",))]


# --- What is refused


def test_a_folder_that_another_backtest_uses_is_refused(history: History, tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(Refused, match="Another backtest is at work"):
        look(wanted_of(history, tmp_path))


def test_a_folder_that_can_not_be_made_is_refused(history: History, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(Refused, match="can't be used as the folder of results"):
        look(wanted_of(history, tmp_path / "file" / "below"))


@pytest.mark.parametrize("failed", [OSError(28, "No space left on device"), Unavailable("history.git.lock was held")])
def test_what_fails_inside_is_not_taken_for_the_folder(tmp_path: Path, failed: Exception) -> None:
    with pytest.raises(type(failed)) as raised, alone_in(Wanted(name="calc", folder=tmp_path)):
        raise failed

    assert raised.value is failed


@pytest.mark.parametrize(
    ("bot", "unknown"),
    [("mine", "mine"), ("known;critic=mine", "mine"), ("mine;critic=theirs", "mine, theirs"), ("known", "housecritic")],
)
def test_a_budget_needs_the_price_of_everybody_who_is_asked(tmp_path: Path, bot: str, unknown: str) -> None:
    means = replace(means_of(has_price=lambda name: name == "known"), crew=Crew("x", critic="housecritic"))
    wanted = Wanted(name="calc", folder=tmp_path / "never", bots=(bot_named(bot),), budget_usd=1.0)

    with pytest.raises(Refused) as refused:
        backtest.run(wanted, means, tell=lambda _: None)

    names = unknown.split(", ") if "critic" in bot else [*([] if bot == "known" else [bot]), "housecritic"]
    assert f"The price of {', '.join(names)} is not known" in str(refused.value)
    assert f'SELFCODE_PRICES="{", ".join(f"{name}=0/0" for name in names)}"' in str(refused.value)
    assert not (tmp_path / "never").exists()


def test_a_player_needs_no_price_and_without_a_budget_it_is_only_said(history: History, tmp_path: Path) -> None:
    means = means_of(has_price=lambda _: False, stop=lambda: True)
    said: list[str] = []
    player = wanted_of(history, tmp_path, bots=(bot_named("oracle"),), budget_usd=1.0)
    model = replace(player, bots=(bot_named("mine"),), budget_usd=None)

    assert backtest.run(player, means, tell=said.append).stopped == "interrupted"
    assert not [line for line in said if "price" in line]
    assert backtest.run(model, means, tell=said.append).stopped == "interrupted"
    assert "note: The price of mine is not known: only tokens and time bind" in said


def test_a_model_that_the_repository_chooses_is_not_tried_in_the_place_of_the_one_asked_for(tmp_path: Path) -> None:
    """Its configuration at the base says which one it has; here two are compared."""
    history = History.begun(tmp_path / "calc", {**BASE, ".github/selfcode.yml": f"{BASE[CONFIG]}model: theirs\n"})
    history.commit(FIX, "Sums come out as differences")
    asked: list[str] = []

    def agent_for(crew: Crew, instead_of: object) -> Agent:
        asked.append(crew.model)
        raise Unavailable("that is all")

    means = replace(means_of(), agent_for=agent_for)
    wanted = wanted_of(history, tmp_path / "results", bots=(bot_named("mine"), bot_named("oracle")))

    mine, oracle = backtest.run(wanted, means, tell=lambda _: None).replays

    assert (asked, mine.is_void, oracle.is_solved) == (["mine"], True, True)
