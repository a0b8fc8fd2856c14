"""A day on which nobody could be reached: what people asked for on it is done afterwards, once each."""

from pathlib import Path

from bot.demo.handles import IssueHandle
from bot.demo.hub import Hub
from bot.records import TriggerKind
from bot.runs.store import Store
from tests.runs.builders import a_database
from tests.runs.lookout import DAY, NOWHERE, Lookout

RUNS, DELIVERIES = 40, 1_000
"""A seventh of what a busy day has: tests/runs/test_listing.py has all of it, without the hub."""
LIMITED = {"message": "API rate limit exceeded"}


def a_day_of_deliveries(lookout: Lookout, issues: list[IssueHandle], other: IssueHandle) -> None:
    """Every issue gets the label, among all that an App is told of in a day and that asks for nothing."""
    other.label("bug", by="ada")
    other.comment("Me too.", by="eve")
    for number, issue in enumerate(issues):
        lookout.hub.advance(minutes=DAY / RUNS)
        issue.label("selfcode", by="ada")
        for edit in range((DELIVERIES - 2) * number // RUNS, (DELIVERIES - 2) * (number + 1) // RUNS - 1):
            other.edit(by="eve", title=f"It breaks {edit} times")


def test_after_an_outage_of_a_day_the_runs_that_were_asked_for_exist_once_each(tmp_path: Path) -> None:
    with Hub() as hub, a_database(tmp_path) as engine:
        lookout = Lookout(hub, engine)
        lookout.turn()
        lookout.listens("")
        issues, other = [lookout.an_issue() for _ in range(RUNS)], lookout.an_issue()
        lookout.listens(NOWHERE)
        before = len(lookout.sent())
        a_day_of_deliveries(lookout, issues, other)
        hub.wait_for_deliveries()
        assert len(lookout.sent()) - before == DELIVERIES

        killed_at = [each.id for each in lookout.sent() if each.action == "labeled"][RUNS // 2]
        hub.fail_next("GET", f"/app/hook/deliveries/{killed_at}$", 403, LIMITED, headers={"Retry-After": "900"})
        lookout.turn()
        lookout.restart()
        lookout.turn()

        store = Store(engine)
        for waiting in store.waiting():
            if waiting.trigger.kind is TriggerKind.START:
                store.begin_run(waiting)
        assert sorted(run.trigger.issue.number for run in store.unfinished()) == [issue.number for issue in issues]
