"""What lists of runs show and choose by stands in columns; what happens in a run is kept, for who looks on."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_AT_ONCE = 200

_LISTED = [
    "started_at", "id", "kind", "state", "outcome", "resumes_at", "repository_id", "repository", "asked_by", "cost_usd",
    "number", "model", "iteration_count", "asked_at", "published_at", "pull_request", "pull_state",
]  # fmt: skip

_runs = sa.table(
    "runs",
    *(
        sa.column(name)
        for name in (
            "id", "trigger", "facts", "started_at", "finished_at", "kind", "repository", "asked_by", "asked_at",
            "title", "model", "iteration_count", "tokens", "pull_request", "published_at",
        )
    ),
)  # fmt: skip
_iterations = sa.table("iterations", sa.column("run_id"), sa.column("number"), sa.column("iteration"))


def upgrade() -> None:
    """Add it, and fill in what is known of the runs so far: of their pull requests, not what became of them.

    A program of the version before goes on with these tables: of its runs less is shown.
    """
    for column in (
        sa.Column("kind", sa.String(20)),
        sa.Column("repository", sa.String(300)),
        sa.Column("asked_by", sa.String(100)),
        sa.Column("asked_at", sa.Float),
        sa.Column("title", sa.Text),
        sa.Column("step", sa.String(60)),
        sa.Column("model", sa.Text),
        sa.Column("iteration_count", sa.Integer),
        sa.Column("tokens", sa.BigInteger),
        sa.Column("pull_request", sa.Integer),
        sa.Column("pull_state", sa.String(10)),
        sa.Column("published_at", sa.Float),
    ):
        op.add_column("runs", column)
    op.add_column("iterations", sa.Column("summary", sa.Text))
    op.create_table(
        "happenings",
        sa.Column("run_id", sa.String(40), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    for name, columns in (
        ("repository", ["repository"]),
        ("asked_by", ["asked_by"]),
        ("listed", _LISTED),
        ("finished_at", ["finished_at"]),
        ("pull_request", ["repository_id", "pull_request"]),
    ):
        op.create_index(f"ix_runs_{name}", "runs", columns)
    _fill(op.get_bind())


def _fill(connection: sa.Connection) -> None:
    after = ""
    while rows := connection.execute(
        sa.select(_runs.c.id, _runs.c.trigger, _runs.c.facts, _runs.c.started_at, _runs.c.finished_at)
        .where(_runs.c.id > after)
        .order_by(_runs.c.id)
        .limit(_AT_ONCE)
    ).all():
        after = rows[-1].id
        for row in rows:
            known = dict(_known(row)) | dict(_worked(connection, row.id))
            connection.execute(sa.update(_runs).where(_runs.c.id == row.id).values(**known))


def _known(row: Any) -> Iterator[tuple[str, Any]]:
    trigger, facts = json.loads(row.trigger), json.loads(row.facts)
    repository = trigger["issue"]["repository"]
    yield "kind", trigger["kind"]
    yield "repository", f"{repository['owner']}/{repository['name']}"
    yield "asked_by", trigger["sender"]["login"][:100]
    yield "asked_at", _moment(trigger["occurred_at"])
    if facts.get("task"):
        yield "title", json.loads(facts["task"])["title"].replace("\x00", "")
    if facts.get("pull_request"):
        yield "pull_request", facts["pull_request"]
        yield "published_at", row.finished_at


def _worked(connection: sa.Connection, run_id: str) -> Mapping[str, Any]:
    newest = connection.execute(
        sa.select(_iterations.c.number, _iterations.c.iteration)
        .where(_iterations.c.run_id == run_id)
        .order_by(_iterations.c.number.desc())
        .limit(1)
    ).first()
    if newest is None:
        return {}
    iteration = json.loads(newest.iteration)
    spend, calls = iteration["spend"], iteration["calls"]
    return {
        "iteration_count": newest.number,
        "tokens": spend["prompt_tokens"] + spend["completion_tokens"],
        "model": calls[0]["model"] if calls else None,
    }


def _moment(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
