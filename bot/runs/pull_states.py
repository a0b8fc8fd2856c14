"""How pull requests of ours stand, as GitHub tells it: in any order, again, and late."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, FromClause, and_, exists, false, or_, update

from bot.records import PullState
from bot.runs.tables import runs
from bot.runs.transactions import transaction


@dataclass(frozen=True, slots=True)
class PullStates:
    """Kept with the runs of each pull request, for who looks at them."""

    engine: Engine

    def turn(self, repository_id: int, number: int, state: PullState, *, told_at: float | None) -> None:
        """Keep that a pull request was closed, merged or opened again at this moment of GitHub's.

        What was told of a later moment stands. What was merged stays merged: GitHub opens none again. Of the same
        second, by which GitHub counts, open stands: programs close and open in one go to have checks run again.
        """
        of_pull = and_(runs.c.repository_id == repository_id, runs.c.pull_request == number)
        told = runs.alias("told")
        is_known = and_(told.c.repository_id == repository_id, told.c.pull_request == number)
        is_late = exists().where(
            is_known, or_(told.c.pull_state == str(PullState.MERGED), _stands(told, state, told_at))
        )
        with transaction(self.engine) as connection:
            connection.execute(
                update(runs).where(of_pull, ~is_late).values(pull_state=str(state), pull_state_at=told_at)
            )


def _stands(told: FromClause, state: PullState, told_at: float | None) -> ColumnElement[bool]:
    """That what was told of a pull request before is of a later moment."""
    is_later = told.c.pull_state_at > told_at if told_at is not None else false()
    match state:
        case PullState.MERGED:
            return false()
        case PullState.OPEN:
            return is_later
        case PullState.CLOSED:
            return or_(is_later, and_(told.c.pull_state_at == told_at, told.c.pull_state == str(PullState.OPEN)))
