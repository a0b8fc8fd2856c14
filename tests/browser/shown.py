"""Runs of every kind, for pages to show."""

import json
from collections.abc import Mapping
from dataclasses import replace

from playwright.sync_api import ViewportSize

from bot.records import (
    ActionTaken,
    Aim,
    HappeningKind,
    Health,
    Outcome,
    Progress,
    TriggerKind,
    Verdict,
    dump,
)
from bot.runs.inbox import Waiting
from bot.runs.rows import run_id_for
from tests.browser.site import Site
from tests.runs.builders import a_comment_trigger, a_trigger
from tests.writing.builders import RED, a_call, a_plan, a_progress, a_proof, a_report, a_task, an_iteration, hunks
from tests.writing.test_doctor import an_examination

PROMPT = "Make the smallest change that makes the tests pass.\n\nIssue 7: Totals are too small"
REPLY = "The slice drops the first price; sum all of them."
PHONE: ViewportSize = {"width": 375, "height": 800}
PAGES = (
    "runs", "no runs", "at work", "proven", "unsolved", "held up", "examined", "waiting", "iteration", "call",
    "numbers", "no numbers", "nothing",
)  # fmt: skip
"""What `everything` shows."""

STEPS = ("admit", "fetch", "baseline")
OUTPUT = """\
\x1b[1m============================= test session starts ==============================\x1b[0m
tests/test_total.py \x1b[32m.\x1b[0m\x1b[31mF\x1b[0m                                        [100%]
\x1b[31m\x1b[1mFAILED\x1b[0m tests/test_total.py::\x1b[1mtest_the_first_price_counts\x1b[0m - assert 3 == 6
\x1b[31m=============== \x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m13 passed\x1b[0m\x1b[31m in 0.12s ===============\x1b[0m
"""
"""As pytest colours it."""


def first_iteration() -> Progress:
    """It failed, and said a word about it."""
    messages = [{"role": "system", "content": "You mend code."}, {"role": "user", "content": PROMPT}]
    failed = ActionTaken("run", '{"command": "python -m pytest -q"}', "1 failed, 13 passed", ok=False)
    call = a_call(messages=json.dumps(messages), temperature=0.2)
    one = an_iteration(
        calls=(replace(call, actions=(*call.actions, failed)),),
        report=a_report(passed=13, failing=RED[:1], output=OUTPUT),
        why_next="1 test fails",
    )
    return a_progress(one, verdict=None, why="")


def both_iterations() -> Progress:
    """The second one did it."""
    first = first_iteration().iterations[0]
    return a_progress(first, an_iteration(2, calls=(a_call(problem="The reply was cut off."), a_call())))


def at_work(site: Site, number: int = 1) -> str:
    """A run in its first iteration."""
    run_id = site.begun(number)
    site.store.learn(run_id, task=dump(a_task(number=number)), base="4f0c2b7d1e" * 4, plan=dump(a_plan()))
    _tell(site, run_id, *STEPS)
    keep(site, run_id, HappeningKind.BEGAN, "iteration 1")
    keep(site, run_id, HappeningKind.TOLD, "call 1: edit prices.py")
    return run_id


def proven(site: Site, number: int = 2) -> str:
    """A run of two iterations that came to a proven pull request, with a hint and a note of somebody's."""
    run_id = site.begun(number, text="Look at the slice.", because="/selfcode retry")
    site.store.add_note(a_comment_trigger(TriggerKind.NOTE, issue=site.issue(number), text="Mind the empty list."))
    proof = a_proof(hunks=hunks(noticed=1, unnoticed=2))
    task = a_task(number=number, left_out=("a comment by mallory",))
    site.store.learn(
        run_id,
        task=dump(task),
        base="4f0c2b7d1e" * 4,
        plan=dump(a_plan()),
        baseline=dump(a_report()),
        proof=dump(proof),
    )
    _tell(site, run_id, *STEPS, "iteration 1", "iteration 2", "proof", "pull request")
    site.store.keep_progress(run_id, first_iteration())
    site.store.keep_progress(run_id, both_iterations())
    site.store.learn(run_id, pull_request=12, head_sha="9a" * 20, doubts="Does an empty list give 0 still?")
    site.store.finish(run_id, Outcome.PROVEN, "")
    return run_id


def unsolved(site: Site, number: int = 3, *, other: bool = False) -> str:
    """A run that wrote a test and came no further."""
    run_id = site.begun(number, other=other)
    site.store.learn(run_id, task=dump(a_task(number=number)))
    tested = an_iteration(aim=Aim.TEST, report=None, why_next="the test fails, as it should")
    site.store.keep_progress(run_id, a_progress(tested, verdict=Verdict.GAVE_UP, why="I do not see why."))
    site.store.finish(run_id, Outcome.UNSOLVED, "The limit of 5 iterations is reached.")
    return run_id


def held_up(site: Site, number: int = 4) -> str:
    """A run that waits for the model, and is to stop."""
    run_id = site.begun(number)
    site.store.request_stop_of_run(run_id, "stopped by grace")
    site.store.give_back(run_id, wait_s=3600, waits_for="the model: 429, asked again in an hour")
    return run_id


def examined(site: Site, number: int = 5) -> str:
    """An examination that found the repository ill."""
    run_id = site.begun(number, kind=TriggerKind.DOCTOR, because="/selfcode doctor")
    found = an_examination(repository="octo/seen", obstacles=("More fail than pass.",), remarks=("No lock file.",))
    site.store.learn(run_id, examination=dump(found))
    _tell(site, run_id, "environment", "tests, run 1")
    site.store.finish(run_id, Health.UNHEALTHY, "")
    return run_id


def waiting(site: Site, number: int = 6) -> str:
    """A run that has not begun."""
    known = {id_of(each) for each in site.store.waiting()}
    site.inbox.accept(a_trigger(issue=site.issue(number)))
    [run_id] = {id_of(each) for each in site.store.waiting()} - known
    return run_id


def everything(site: Site) -> Mapping[str, str]:
    """The addresses of all pages that somebody sees who has signed in, by what they show."""
    done, work = proven(site), at_work(site)
    found = {
        "runs": "/",
        "no runs": "/?since=2999-01-01",
        "at work": f"/runs/{work}",
        "proven": f"/runs/{done}",
        "unsolved": f"/runs/{unsolved(site, other=True)}",
        "held up": f"/runs/{held_up(site)}",
        "examined": f"/runs/{examined(site)}",
        "waiting": f"/runs/{waiting(site)}",
        "iteration": f"/runs/{done}/iterations/1",
        "call": f"/runs/{done}/calls/1",
        "numbers": "/numbers",
        "no numbers": "/numbers?model=none",
        "nothing": "/nothing",
    }
    assert tuple(found) == PAGES
    return found


def keep(site: Site, run_id: str, kind: HappeningKind, text: str) -> None:
    """Something happens in the run, now."""
    site.store.happenings.keep(run_id, kind, text)


def _tell(site: Site, run_id: str, *steps: str) -> None:
    happenings = site.store.happenings
    for step in steps:
        happenings.keep(run_id, HappeningKind.BEGAN, step)
        happenings.keep(run_id, HappeningKind.DONE, step)
    happenings.write()


def id_of(waits: Waiting) -> str:
    """The id that its run will have."""
    return run_id_for(waits.trigger)
