"""What is long in a run, by parts: an iteration, a call; and what was cut on a page, whole."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from flask import Blueprint, Response, abort, render_template

from bot.records import Call, Iteration
from bot.web.pages.means import let_in, means, visitor
from bot.web.pages.runs import line_that_may_be_read, wants_part
from bot.web.pages.words import DIFF_AT_MOST, OUTPUT_HEAD, OUTPUT_TAIL
from bot.writing.iteration_log import words_in
from bot.writing.masking import mask_secrets
from bot.writing.safe import spelled

blueprint = Blueprint("parts", __name__)
blueprint.before_request(let_in)


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call by its number through the run. `whose` names the candidate that it was for, "" for the best."""

    number: int
    call: Call
    said: str
    whose: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a prompt, as the model saw it: who speaks, the text, and what else stands in it as JSON."""

    role: str
    text: str
    more: str = ""


@blueprint.get("/runs/<run_id>/iterations/<int(max=99999):number>")
def iteration(run_id: str, number: int) -> str:
    """What the model said and did, the diff, the tests."""
    run, (found, before) = line_that_may_be_read(run_id), _iteration(run_id, number)
    report = found.report
    return render_template(
        "_iteration.html" if wants_part() else "iteration.html",
        run=run,
        iteration=found,
        calls=list(numbered(found, before)),
        failing=[case for case in report.cases if case.id in report.failed][:50] if report else [],
        is_diff_cut=len(found.change.patch) > DIFF_AT_MOST,
        is_output_cut=report is not None and len(report.output) > OUTPUT_HEAD + OUTPUT_TAIL,
        visitor=visitor(),
    )


@blueprint.get("/runs/<run_id>/calls/<int(max=99999):number>")
def call(run_id: str, number: int) -> str:
    """The exact prompt and reply."""
    run, found = line_that_may_be_read(run_id), _call(run_id, number)
    return render_template(
        "_call.html" if wants_part() else "call.html",
        run=run,
        each=found,
        call=found.call,
        messages=list(_messages(found.call)),
        visitor=visitor(),
    )


@blueprint.get("/runs/<run_id>/iterations/<int(max=99999):number>/output.txt")
def output(run_id: str, number: int) -> Response:
    """The output of its tests, whole."""
    line_that_may_be_read(run_id)
    report = _iteration(run_id, number)[0].report
    if report is None:
        abort(404)
    return _plain(report.output)


@blueprint.get("/runs/<run_id>/iterations/<int(max=99999):number>/change.diff")
def change(run_id: str, number: int) -> Response:
    """Its patch, whole."""
    line_that_may_be_read(run_id)
    return _plain(_iteration(run_id, number)[0].change.patch)


@blueprint.get("/runs/<run_id>/calls/<int(max=99999):number>/call.txt")
def call_whole(run_id: str, number: int) -> Response:
    """Prompt and reply as they were sent, in JSON, whole."""
    line_that_may_be_read(run_id)
    found = _call(run_id, number).call
    return _plain(f"{found.messages}\n\n{found.reply}\n")


def numbered(found: Iteration, before: int) -> Iterator[NumberedCall]:
    """The iteration's calls, then those of its other candidates, as they are numbered."""
    numbers = count(before + 1)
    for each in found.calls:
        yield NumberedCall(next(numbers), each, words_in(each.reply))
    for place, candidate in enumerate(found.others, 1):
        for each in candidate.calls:
            yield NumberedCall(next(numbers), each, words_in(each.reply), f"other candidate {place}")


def _iteration(run_id: str, number: int) -> tuple[Iteration, int]:
    found = means().viewing.iteration(run_id, number)
    if found is None:
        abort(404)
    return found


def _call(run_id: str, number: int) -> NumberedCall:
    found = means().viewing.iteration_of_call(run_id, number)
    if found is None:
        abort(404)
    return next(each for each in numbered(*found) if each.number == number)


def _messages(found: Call) -> Iterator[Message]:
    """The prompt's messages; the whole text where it is none of a chat."""
    try:
        messages = json.loads(found.messages)
    except ValueError:
        messages = None
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        yield Message("prompt", found.messages)
        return
    for each in messages:
        content = each.get("content")
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) if content else ""
        more = {name: value for name, value in each.items() if name not in ("role", "content") and value}
        yield Message(str(each.get("role", "")), text, json.dumps(more, ensure_ascii=False, indent=1) if more else "")


def _plain(text: str) -> Response:
    """Foreign text as a document that no browser takes for anything else."""
    masked = mask_secrets(spelled(text), means().secrets)
    return Response(masked, content_type="text/plain; charset=utf-8")
