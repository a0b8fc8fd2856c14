"""`selfcode backtest`, whole, in a process of its own."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.demo.hub import Hub
from tests import command
from tests.demo.keys import Keys
from tests.history import BASE, FIX, FIXED, History

HALF_TEST = """\
from unittest import TestCase

from calc import half


class TestHalf(TestCase):
    def test_half(self):
        assert half(4) == 2
"""
HALF = f"{FIXED}\n\ndef half(a):\n    return a / 2\n"
MESSAGE = "Sums come out as differences\n\nOne and two should make three, they make minus one."


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "tmp").mkdir(exist_ok=True)
    home = str(folder / "home")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "SELFCODE_HOME": home,
    } | more


def backtest(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    given = ("backtest", "--sandbox", "process", *arguments)
    return command.selfcode(folder, *given, environment=environment(folder, **more))


def said_by(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A project with a fix, a commit that brings a test alone, and a further function with its test."""
    history = History.begun(tmp_path / "calc")
    history.commit(FIX, MESSAGE)
    history.commit({"README.md": "Sums.\n"}, "Say what it is")
    history.commit(
        {"calc.py": HALF, "tests/test_half.py": HALF_TEST},
        "Nobody can halve a number\n\nThere should be a function `half`, so that half of four is two.",
    )
    return history


# --- Only looked at


def test_fixes_are_found_and_checked_without_a_model(history: History, tmp_path: Path) -> None:
    done = backtest(tmp_path, "calc", "--check", "--json")

    said = said_by(done)
    assert (done.returncode, said["outcome"], said["bots"]) == (0, "checked", [])
    titles = {each["title"]: each["judges"] for each in said["fixes"] if each["is_fit"]}
    assert list(titles) == ["Nobody can halve a number", "Sums come out as differences"]
    assert all(len(judges) == 1 for judges in titles.values())
    assert "2 can be asked for again" in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_the_newest_ones_are_is_counted_in_fixes_that_are_fit(history: History, tmp_path: Path) -> None:
    said = said_by(backtest(tmp_path, "calc", "--check", "--last", "1", "--json"))

    assert [each["title"] for each in said["fixes"] if each["is_fit"]] == ["Nobody can halve a number"]


def test_a_range_bounds_the_search(history: History, tmp_path: Path) -> None:
    said = said_by(backtest(tmp_path, "calc", "--check", "--range", "main~3..main~1", "--json"))

    assert [each["title"] for each in said["fixes"]] == ["Sums come out as differences"]


def test_a_repository_without_a_fix_says_so(tmp_path: Path) -> None:
    History.begun(tmp_path / "calc")

    done = backtest(tmp_path, "calc", "--check", "--json")

    assert (done.returncode, said_by(done)["outcome"]) == (1, "nothing_fit")


# --- Done again


def test_the_oracle_solves_and_proves_what_was_found_and_run_again_nothing_is_done_twice(
    history: History, tmp_path: Path
) -> None:
    before = (history.git("for-each-ref"), history.git("status", "--porcelain"))

    done = backtest(tmp_path, "calc", "--model", "oracle", "--json")

    said = said_by(done)
    assert (done.returncode, said["outcome"]) == (0, "done"), done.stderr
    (oracle,) = said["bots"]
    assert (oracle["solved"], oracle["solved_and_proven"], oracle["of"]) == (2, 2, 2), done.stderr
    folder = tmp_path / "calc" / ".git" / "selfcode" / "backtest"
    assert (said["report"], said["page"]) == (str(folder / "report.md"), str(folder / "report.html"))
    assert "| `oracle` | 2 of 2 (100 %) |" in (folder / "report.md").read_text("utf-8")
    assert "Backtest of calc" in (folder / "report.html").read_text("utf-8")
    assert (folder / "solved.svg").read_text("utf-8").startswith("<svg")
    assert (history.git("for-each-ref"), history.git("status", "--porcelain")) == before
    assert list((tmp_path / "tmp").iterdir()) == []

    again = said_by(backtest(tmp_path, "calc", "--model", "oracle", "--model", "saboteur:nothing", "--json"))

    assert again["bots"][0]["seconds"] == oracle["seconds"]
    assert again["bots"][1]["of"] == 2
    lines = (folder / "attempts.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 4


def test_players_are_told_beside_each_other_and_no_saboteur_that_cheats_openly_is_proven(
    history: History, tmp_path: Path
) -> None:
    players = ("saboteur:nothing", "saboteur:tests", "saboteur:asserts-nothing")

    done = backtest(
        tmp_path, "calc", "--last", "1", *(word for each in players for word in ("--model", each)), "--json"
    )

    said = said_by(done)
    found = {each["bot"]: (each["solved"], each["of"], each["proven_not_solved"]) for each in said["bots"]}
    assert found == dict.fromkeys(players, (0, 1, 0))


def test_ctrl_c_keeps_what_was_done_and_says_that_it_was_ended(history: History, tmp_path: Path) -> None:
    for number in range(2):
        body = f"{HALF}\n\ndef more_{number}(a):\n    return a + {number}\n"
        test = HALF_TEST.replace("half(4) == 2", f"more_{number}(4) == {4 + number}").replace("half", f"more_{number}")
        history.commit(
            {"calc.py": body, f"tests/test_more_{number}.py": test},
            f"Nobody can add so much at once\n\nThere should be a function `more_{number}` for it.",
        )
    log = tmp_path / "log"
    running = command.start(
        "backtest", str(tmp_path / "calc"), "--sandbox", "process", "--model", "oracle", "--jobs", "1", "--json",
        environment=environment(tmp_path), log=log,
    )  # fmt: skip
    attempts, until = tmp_path / "calc/.git/selfcode/backtest/attempts.jsonl", time.monotonic() + 120
    while not (attempts.exists() and attempts.read_text("utf-8").endswith("\n")) and time.monotonic() < until:
        time.sleep(0.1)

    running.send_signal(signal.SIGINT)

    assert running.wait(60) == 130
    said = json.loads(log.read_text("utf-8").splitlines()[-1])
    assert said["outcome"] == "stopped"
    assert said["bots"][0]["not_done_yet"]
    assert said["bots"][0]["of"] >= 1
    assert list((tmp_path / "tmp").iterdir()) == []


def test_fit_fixes_go_out_as_tasks_and_come_in_again(history: History, tmp_path: Path) -> None:
    out = backtest(tmp_path, "calc", "--last", "1", "--check", "--export", "tasks", "--json")
    assert out.returncode == 0, out.stderr

    said = said_by(backtest(tmp_path, "--tasks", "tasks", "--model", "oracle", "--json"))

    assert (said["bots"][0]["solved"], said["bots"][0]["of"]) == (1, 1)
    assert said["report"].startswith(str(tmp_path / "home" / "backtests"))


# --- Of a repository on a server


class Served:
    """The project on a GitHub of its own, with the App on it, and a merged pull request that closes an issue."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.folder = folder
        repository = hub.create_repository("octo/calc", dict(BASE))
        issue = repository.open_issue("Sums come out as differences", "One and two make minus one.", by="octo")
        repository.commit(dict(FIX), "A mending", branch="mend", parent=repository.head())
        pull = repository.open_pull("mend", by="octo", title="Mend it", body=f"Fixes #{issue.number}")
        pull.merge(by="octo", method="squash")
        issue.edit(by="octo", body="It was a sign: `return a + b`.")
        self.name = f"#{pull.number}"
        app = hub.create_app(owner="octo", webhook_secret="hush")
        hub.install(app, "octo")
        self.server = {"SELFCODE_GITHUB_API_URL": hub.api_url}
        self.keys = {
            "SELFCODE_APP_ID": str(app.id),
            "SELFCODE_PRIVATE_KEY": app.private_key,
            "SELFCODE_WEBHOOK_SECRET": "hush",
        }


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Hub(tmp_path / "hub", keys=Keys()) as hub:
        yield Served(hub, tmp_path)


def test_merged_pull_requests_are_asked_for_with_the_words_of_their_issue(served: Served) -> None:
    done = backtest(served.folder, "octo/calc", "--model", "oracle", "--json", **served.server, **served.keys)

    said = said_by(done)
    assert (done.returncode, said["outcome"]) == (0, "done"), done.stderr
    (fix,) = said["fixes"]
    assert (fix["name"], fix["title"], fix["from"]) == (served.name, "Sums come out as differences", "pull request")
    assert said["bots"][0]["solved_and_proven"] == 1
    assert said["report"] == str(served.folder / "home/backtests/octo/calc/report.md")


def test_of_a_range_the_merged_pull_requests_in_it_are_taken(served: Served) -> None:
    asked = ("octo/calc", "--range", "main~1..main", "--check", "--json")
    done = backtest(served.folder, *asked, **served.server, **served.keys)

    (fix,) = said_by(done)["fixes"]
    assert (fix["name"], fix["from"], fix["is_fit"]) == (served.name, "pull request", True), done.stderr


def test_without_the_app_commits_are_taken_and_that_is_said(served: Served) -> None:
    done = backtest(served.folder, "octo/calc", "--check", "--json", **served.server)

    said = said_by(done)
    assert [each["from"] for each in said["fixes"]] == ["commit"]
    assert "without the App's credentials no issue is read" in done.stderr


def test_a_repository_that_there_is_not_is_wrong_usage(served: Served) -> None:
    for credentials in ({}, served.keys):
        done = backtest(served.folder, "octo/none", "--check", **served.server, **credentials)

        assert (done.returncode, done.stdout) == (2, "")
        assert "octo/none can't be had" in done.stderr


# --- What is wrong is said before anything is done


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Say PATH or OWNER/REPO"),
        (("calc", "--tasks", "."), "not both"),
        (("calc", "--range", "a..b", "--last", "3"), "leave --last and --tasks out"),
        (("calc", "--check", "--model", "oracle"), "--check asks no model"),
        (("calc", "--model", "saboteur:none"), "There is no player"),
        (("calc", "--model", "m;speed=3"), "is no setting of a bot"),
        (("calc", "--model", "oracle", "--model", "oracle"), "asked for twice"),
        (("calc", "--range", "nonsense", "--check"), "is no range of commits"),
        (("calc/tests", "--check"), "is not the top folder of a git repository"),
        (("nowhere", "--check"), "is neither a folder here nor OWNER/REPO"),
    ],
)
def test_wrong_usage_is_told_with_what_to_do(
    history: History, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = backtest(tmp_path, *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_a_budget_needs_a_price(history: History, tmp_path: Path) -> None:
    server = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "x"}

    done = backtest(tmp_path, "calc", "--model", "mine", "--budget", "1", **server)

    assert done.returncode == 2
    assert "SELFCODE_PRICES" in done.stderr
