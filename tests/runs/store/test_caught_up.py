from sqlalchemy import Engine

from bot.records import TriggerKind
from bot.runs.caught_up import CaughtUp, Mark
from bot.runs.store import SqlInbox
from tests.runs.builders import a_trigger, an_issue_ref, at

NOON = 1_777_896_000.0
"""`at(0)`."""


def test_how_far_it_was_looked_is_kept_for_each_app(engine: Engine) -> None:
    caught_up = CaughtUp(engine)

    caught_up.keep(7, Mark(3_844_358_593_348_378_624, 1.5))
    caught_up.keep(8, Mark(4, 2.5))
    caught_up.keep(8, Mark(5, 2.5))

    assert caught_up.mark(7) == Mark(3_844_358_593_348_378_624, 1.5)
    assert caught_up.mark(8) == Mark(5, 2.5)
    assert caught_up.mark(9) == Mark(0, 0.0)


def test_the_newest_of_a_kind_is_told_by_when_it_happened_not_by_when_it_came_in(engine: Engine) -> None:
    inbox, issue = SqlInbox(engine), an_issue_ref(7)
    inbox.accept(a_trigger(TriggerKind.START, issue=issue, occurred_at=at(60)))
    inbox.accept(a_trigger(TriggerKind.START, issue=issue, occurred_at=at(0)))
    inbox.accept(a_trigger(TriggerKind.STOP, issue=issue, occurred_at=at(90)))
    inbox.accept(a_trigger(TriggerKind.START, issue=an_issue_ref(8), occurred_at=at(90)))

    assert CaughtUp(engine).newest(TriggerKind.START, issue.repository, 7) == NOON + 60


def test_of_what_never_came_in_no_moment_is_known(engine: Engine) -> None:
    assert CaughtUp(engine).newest(TriggerKind.INSTALLED, an_issue_ref().repository) is None
