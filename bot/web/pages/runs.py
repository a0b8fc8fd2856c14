"""Runs: the list of all, one as a story, and what may be asked for of it."""

import time
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from bot.errors import Refused
from bot.records import Outcome, Progress, RunChoice, RunLine, RunResult, RunState, RunStory, WaitingLine
from bot.triggers.commands import TEXT_LIMIT
from bot.web.pages.forgery import require_own_form
from bot.web.pages.means import given, let_in, may_act, means, visitor
from bot.web.pages.words import day, day_of
from bot.writing.doctor import report_text
from bot.writing.document import table
from bot.writing.drawing import chart_of_spend, chart_of_tests
from bot.writing.evidence import lists, rows, table_of_runs
from bot.writing.outcomes import headline
from bot.writing.progress import plan_in_words
from bot.writing.prose import prose
from bot.writing.story import stages_in, steps_in

E = TypeVar("E", bound=StrEnum)

RUNS_AT_ONCE = 50
WAITING_AT_MOST = 20
LINES_AT_MOST = 60
"""How much of what was told of a run is on its page at first, the newest."""

blueprint = Blueprint("runs", __name__)
blueprint.before_request(let_in)


@blueprint.get("/")
def index() -> str:
    """All runs, newest first, and what waits to be one."""
    looks, shown = visitor(), means().viewing
    choice = _choice()
    listed, queue = shown.runs(choice), shown.queue(looks.among)
    return render_template(
        "_runs.html" if wants_part() else "runs.html",
        listed=listed,
        queue=queue,
        waiting=queue.waiting[:WAITING_AT_MOST],
        choice=choice,
        since=day(choice.since) if choice.since is not None else "",
        choices=shown.choices(looks.among),
        mark=shown.mark(looks.among),
        states=tuple(RunState),
        outcomes=tuple(Outcome),
        older=_address_of_older(listed.older),
        now=time.time(),
        visitor=looks,
    )


@blueprint.get("/runs/<run_id>")
def story(run_id: str) -> str:
    """One run, as far as it has come; or that it waits to begin."""
    return _page_of(run_id)


def _page_of(run_id: str, refused: str = "") -> str:
    """The same, with what was asked for and can't be done."""
    looks, shown = visitor(), means().viewing
    told = shown.story(run_id)
    if told is None:
        waits = _waiting(run_id)
        may_write = looks.may_write(waits.repository_id)
        return render_template("waiting.html", waits=waits, may_write=may_write, refused=refused, visitor=looks)
    if not looks.may_read(told.run.repository_id):
        abort(404)
    return render_template(
        "_story.html" if wants_part() else "run.html",
        told=told,
        run=told.run,
        headline=_headline(told),
        report=report_text(told.examination) if told.examination and told.run.state is RunState.ENDED else "",
        plan=plan_in_words(told.plan) if told.plan else "",
        stages=stages_in(told.happenings),
        steps=steps_in(told.happenings),
        lines=[each for each in told.happenings if each.kind == "told"][-LINES_AT_MOST:],
        last_seq=told.happenings[-1].seq if told.happenings else 0,
        tests_chart=chart_of_tests(told.iterations, told.baseline),
        spend_chart=chart_of_spend(told.iterations) if len(told.iterations) > 1 else "",
        glance=table(("holds", "check", "result"), rows(told.proof)) if told.proof else "",
        lists=lists(told.proof) if told.proof else (),
        table_of_runs=table_of_runs(told.proof) if told.proof else "",
        closing=prose(told.why, 8_000) if told.why and told.run.state is RunState.ENDED else "",
        may_write=looks.may_write(told.run.repository_id),
        refused=refused,
        now=time.time(),
        visitor=looks,
    )


@blueprint.post("/runs/<run_id>/stop")
def stop(run_id: str) -> Response | tuple[str, int]:
    """Have it stopped."""
    _require_write(run_id)
    try:
        means().steering.stop(run_id, visitor().person)
    except Refused as refusal:
        return _page_of(run_id, str(refusal)), 409
    return redirect(url_for("runs.story", run_id=run_id), 303)


@blueprint.post("/runs/<run_id>/retry")
def retry(run_id: str) -> Response | tuple[str, int]:
    """Have it done again, with a hint."""
    _require_write(run_id)
    hint = request.form.get("hint", "").strip()[:TEXT_LIMIT]
    try:
        new = means().steering.retry(run_id, visitor().person, hint, is_operator=visitor().is_operator)
    except Refused as refusal:
        return _page_of(run_id, str(refusal)), 409
    return redirect(url_for("runs.story", run_id=new), 303)


def wants_part() -> bool:
    """Whether a page of ours wants what changes in it, alone."""
    return request.headers.get("X-Part") == "1"


def line_that_may_be_read(run_id: str) -> RunLine:
    """The run, for who may read it; to everyone else there is none."""
    found = means().viewing.line(run_id)
    if found is None or not visitor().may_read(found.repository_id):
        abort(404)
    return found


def _waiting(run_id: str) -> WaitingLine:
    found = means().viewing.waiting(run_id)
    if found is None or not visitor().may_read(found.repository_id):
        abort(404)
    return found


def _require_write(run_id: str) -> None:
    """Answer 404 to who may not read it, 403 to who may not write; and to a form that is not ours."""
    known = means().viewing.line(run_id) or _waiting(run_id)
    if not visitor().may_read(known.repository_id):
        abort(404)
    require_own_form(request)
    if not may_act(known.repository_id):
        abort(403)


def _choice() -> RunChoice:
    """What the address chooses; what it says that means nothing is no limit."""
    return RunChoice(
        state=_one_of(RunState, given("state")),
        outcome=_one_of(Outcome, given("outcome")),
        repository=given("repository"),
        who=given("who"),
        since=day_of(given("since")),
        facts=given("facts") not in ("", "0"),
        among=visitor().among,
        before=given("before"),
        limit=RUNS_AT_ONCE,
    )


def _one_of(kind: type[E], text: str) -> E | None:
    return next((each for each in kind if each == text), None)


def _address_of_older(cursor: str) -> str:
    """The next page with the same choice; "" where this is the last."""
    kept = {name: value for name, value in request.args.items() if name != "before" and value}
    return f"{url_for('runs.index')}?{urlencode(kept | {'before': cursor})}" if cursor else ""


def _headline(told: RunStory) -> str:
    """How it ended, in one line of Markdown; "" as long as it goes on, and for an examination, whose report says it."""
    if not isinstance(told.run.outcome, Outcome):
        return ""
    progress = replace(Progress(), verdict=told.verdict, why=told.why)
    return headline(RunResult(told.run.outcome, told.run.reason, proof=told.proof, progress=progress))
