"""What happens, as it happens, for pages that are open: server-sent events.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import json
import time
from collections.abc import Callable, Iterator

from flask import Blueprint, Response, abort, request

from bot.records import Happening
from bot.web.pages.live import Live
from bot.web.pages.means import let_in, means, still, visitor
from bot.web.pages.words import Words

blueprint = Blueprint("events", __name__)
blueprint.before_request(let_in)

LASTS_S = 55.0
"""How long one answer goes on: then the browser asks again, and another may have the thread."""

BREATH_S = 5.0
"""How often something is sent at least: that nobody listens any more is known by that alone."""

AGAIN_MS = 4_000
"""When who could not listen asks again."""


@blueprint.get("/events")
def of_all() -> Response:
    """That the list of runs, of those that who looks may see, says something else by now."""
    heard = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return _stream(_of_all(means().live, heard[:100], visitor().among))


@blueprint.get("/runs/<run_id>/events")
def of_run(run_id: str) -> Response:
    """What happens in a run, from where the browser says that it heard last."""
    known = means().viewing.line(run_id) or means().viewing.waiting(run_id)
    if known is None or not visitor().may_read(known.repository_id):
        abort(404)
    heard = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    seq = int(heard) if heard.isdecimal() and len(heard) < 10 else 0
    return _stream(_of_run(means().live, run_id, seq, Words(means().secrets)))


def _of_all(live: Live, heard: str, among: frozenset[int] | None) -> Iterator[str]:
    until = time.monotonic() + LASTS_S
    with live.listening(mark=heard, among=among) as listener:
        if listener is None:
            mark = live.viewing.mark(among)
            yield f"retry: {AGAIN_MS}\n\n"
            yield "" if mark == heard else _changed(mark)
            return
        yield "retry: 1000\n\n"
        while time.monotonic() < until and not live.is_over:
            _, changed = live.wait(listener, BREATH_S)
            yield _changed(listener.mark) if changed else ": \n\n"


def _changed(mark: str) -> str:
    return f"id: {mark}\nevent: changed\ndata: \n\n"


def _of_run(live: Live, run_id: str, heard: int, words: Words) -> Iterator[str]:
    until = time.monotonic() + LASTS_S
    with live.listening(run_id, seq=heard) as listener:
        if listener is None:
            yield f"retry: {AGAIN_MS}\n\n"
            yield from (_event(each, words) for each in live.viewing.news({run_id: heard}).get(run_id, ()))
            return
        yield "retry: 1000\n\n"
        while time.monotonic() < until and not live.is_over:
            new, _ = live.wait(listener, BREATH_S)
            yield "".join(_event(each, words) for each in new) or ": \n\n"


def _event(each: Happening, words: Words) -> str:
    data = json.dumps({"kind": str(each.kind), "text": words.line(each.text, 400), "at": each.at})
    return f"id: {each.seq}\ndata: {data}\n\n"


def _stream(pieces: Iterator[str]) -> Response:
    headers = {"X-Accel-Buffering": "no"}
    return Response(_while(still(), pieces), content_type="text/event-stream; charset=utf-8", headers=headers)


def _while(is_in: Callable[[], bool], pieces: Iterator[str]) -> Iterator[str]:
    """What happens, as long as who listens is signed in: nothing more is said to who has signed out."""
    for piece in pieces:
        if not is_in():
            return
        yield piece
