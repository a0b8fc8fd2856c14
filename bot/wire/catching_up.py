"""What finds out later what could not be heard when it happened."""

from collections.abc import Callable
from functools import partial

from sqlalchemy import Engine

from bot.github.app import GitHubApp
from bot.runs.catching_up import EVERY_S, CatchingUp
from bot.runs.caught_up import CaughtUp
from bot.runs.forgetting import Forgetting
from bot.runs.hearing import Hearing
from bot.runs.inbox import SqlInbox
from bot.runs.missed_deliveries import MissedDeliveries
from bot.runs.missed_labels import LONGEST_LOOK_S, MissedLabels
from bot.runs.old_steps import forget_steps
from bot.runs.orders import Orders
from bot.runs.sessions import SqlSessions
from bot.settings import Settings

DAY_S = 86_400.0


def catching_up_of(
    settings: Settings,
    github: GitHubApp,
    engine: Engine,
    allowed_owners: frozenset[str],
    is_ours: Callable[[], bool] = lambda: True,
) -> CatchingUp:
    """For one worker; `is_ours` says whether it is the one to do it now, where there are several."""
    app_id, hindsight, caught_up = settings.app_id or 0, github.hindsight, CaughtUp(engine)
    forgetting = Forgetting(engine, partial(forget_steps, settings.workflow_database))
    hearing = Hearing(
        hindsight,
        SqlInbox(engine),
        settings.label,
        github.bot_login(),
        frozenset(settings.trusted_bots),
        forgotten_until=Orders(engine, forgetting).forgotten_until,
        end_sessions=lambda user_id, until: SqlSessions(engine).end_all_of(user_id, begun_until=until),
    )
    polls = settings.poll_seconds is not None
    return CatchingUp(
        deliveries=MissedDeliveries(hindsight, hearing, caught_up, app_id, everything=polls),
        labels=MissedLabels(
            hindsight,
            hearing,
            caught_up,
            app_id,
            allowed_owners,
            longest_look_s=_longest_look_s(settings),
        ),
        every_s=settings.poll_seconds or EVERY_S,
        is_ours=is_ours,
    )


def _longest_look_s(settings: Settings) -> float:
    """How far labels are looked back for: not so far that what came of them is forgotten."""
    return min(LONGEST_LOOK_S, settings.retention_days * DAY_S) if settings.retention_days else LONGEST_LOOK_S
