"""Fixes of a small repository done again, by the path of a run: what players come to, and what nobody can see."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bot import backtest
from bot.agent import Agent, Dialect, Message, Reply, ToolSpec
from bot.agent.openai_replies import read_kept
from bot.backtest import Bot, Means, Player, Wanted, bot_named
from bot.backtest.sources import source_of
from bot.records import Backtest, Caps, Replay, StopCheck
from bot.repository import Mirror
from bot.runs.doctor import Means as Sight
from bot.runs.house import Crew, Prepared
from bot.runs.lanes import places_of
from sandbox import Limits, Sandbox
from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.process import ProcessSandbox
from tests.history import FIX, History

MESSAGE = "Sums come out as differences\n\nOne and two should make three, they make minus one."
LATER = "a_word_of_later_days"
TRICKS = ("special", "input", "tests")


@pytest.fixture
def history(tmp_path: Path) -> History:
    history = History.begun(tmp_path / "calc")
    history.commit({"README.md": "Sums.\n"}, "Say what it is")
    history.commit(FIX, MESSAGE)
    history.commit({"NEWS.md": f"{LATER}\n"}, f"Say {LATER}")
    return history


def means_of(sandbox: Sandbox, model: Agent | None = None) -> Means:
    limits = Limits(wall_s=60)

    def agent_for(crew: object, instead_of: object) -> Agent:
        assert model is not None, "a player needs no model"
        return model

    sight = Sight(
        sandbox=sandbox,
        prepare_image=lambda _setup, _stop: Prepared(None),
        image="",
        images=(),
        limits=limits,
        places=places_of(sandbox, limits),
        stop=lambda: False,
        any_image=True,
        has_images=False,
    )
    return Means(sight, agent_for, Crew("none"), (), Caps(), lambda _: True, "0")


def wanted_of(history: History, *bots: Bot) -> Wanted:
    folder = history.folder.parent / "backtest"
    return Wanted(name="calc", folder=folder, repository=history.folder, bots=bots)


def run(history: History, *bots: Bot, means: Means) -> Backtest:
    return backtest.run(wanted_of(history, *bots), means, tell=lambda _: None)


def test_the_oracle_is_proven_and_no_saboteur(history: History) -> None:
    made = run(history, *(bot_named(str(each)) for each in Player), means=means_of(ProcessSandbox()))

    replays = {each.bot: each for each in made.replays}
    assert sorted(replays) == sorted(map(str, Player))
    assert {name for name, each in replays.items() if each.is_void} == set()
    assert {name for name, each in replays.items() if each.is_proven} == {"oracle"}
    assert replays["oracle"].is_solved
    assert replays["oracle"].steps == (True,)
    special, by_input, without = (_last_change(history, replays[f"saboteur:{each}"]) for each in TRICKS)
    assert "sys.modules" in special
    assert "+    if a == 1:\n+        return 3" in by_input
    assert "deleted file mode" in without


def _last_change(history: History, replay: Replay) -> str:
    kept = json.loads((history.folder.parent / "backtest" / replay.trace).read_text("utf-8"))
    return str(kept["progress"]["iterations"][-1]["change"]["patch"])


# --- What came later is nowhere


def test_a_run_is_brought_the_base_alone(history: History, tmp_path: Path) -> None:
    source = source_of(wanted_of(history), Caps(), stop=lambda: False)
    (fix,) = (each.fix for each in source.fixes())
    mirror = Mirror(tmp_path / "mirror.git")

    source.bring_base(mirror, fix, stop=lambda: False)

    everything = history.git("rev-list", "--all").splitlines()
    assert fix.base in everything
    assert [commit for commit in everything if mirror.has(commit)] == [fix.base]


class Nosy:
    """A model that looks for what came later: in git, and in every new file that it can read."""

    name = "nosy"
    window_tokens = None

    def __init__(self, commits: Sequence[str]) -> None:
        asked = " ".join(commits)
        self._command = (
            f"for c in {asked}; do git cat-file -p $c; done; git log --all; git fsck --lost-found;"
            r" find / \( -path /proc -o -path /sys \) -prune -o -type f -mmin -30"
            f" -exec grep -sl {LATER[:-1]}[s] {{}} +; echo looked everywhere"
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: StopCheck = lambda: False,
    ) -> Reply:
        function = {"name": "run", "arguments": json.dumps({"command": self._command})}
        call = {"id": "call_1", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return read_kept(json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}))


def test_no_later_commit_can_be_reached_from_the_sandbox(history: History) -> None:
    commits = history.git("rev-list", "--all").splitlines()
    nosy = Agent(Nosy(commits), dialect=Dialect.NATIVE)

    made = run(history, bot_named("nosy;iterations=1"), means=means_of(BubblewrapSandbox(), nosy))

    (replay,) = made.replays
    trace = (history.folder.parent / "backtest" / replay.trace).read_text("utf-8")
    assert "looked everywhere" in trace.replace("echo looked everywhere", "")
    assert LATER not in trace
    assert "Sums come out as differences" in trace
    assert "a + b" not in trace


def test_nothing_of_the_judge_is_in_what_a_bot_left_behind(history: History) -> None:
    """Its tests ran after the run: neither their words nor their names are in the run's trace."""
    made = run(history, bot_named("saboteur:nothing"), means=means_of(ProcessSandbox()))

    (replay,) = made.replays
    assert not replay.is_solved
    trace = (history.folder.parent / "backtest" / replay.trace).read_text("utf-8")
    assert "test_add" not in trace
    assert "TestAdd" not in trace
