"""Our check run on a commit: looked for before it is made."""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bot.github import answers
from bot.github.answers import read
from bot.github.failures import Invalid
from bot.github.place import Place
from bot.records import ANNOTATIONS_AT_MOST, Annotation

log = logging.getLogger(__name__)

CHECK = "selfcode"
SUMMARY_LIMIT = 65_535
"""Characters. Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run"""
TITLE_LIMIT = 256
_ANNOTATION_TITLE_LIMIT = 255
_MESSAGE_LIMIT = 64_000
"""Bytes; GitHub says 64 KB. Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run"""


@dataclass(frozen=True, slots=True)
class Said:
    """What a check run is to say. `details_url` is where its “Details” lead, "" where that is left to GitHub."""

    conclusion: str
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""

    @property
    def output(self) -> dict[str, Any]:
        output: dict[str, Any] = {"title": self.title[:TITLE_LIMIT], "summary": self.summary[:SUMMARY_LIMIT]}
        shown = [_annotation(each) for each in self.annotations[:ANNOTATIONS_AT_MOST]]
        return output | ({"annotations": shown} if shown else {})

    @property
    def key(self) -> str:
        """The same for the same words: by it a check run that says them already is known."""
        return hashlib.sha256(json.dumps([self.conclusion, self.output, self.details_url]).encode()).hexdigest()[:32]


def set_check(place: Place, head_sha: str, said: Said, *, app_id: int) -> None:
    """Set our check run on the commit: the newest of ours is the one that counts.

    GitHub adds the annotations of an update to those that are there: so where there are some, another check run of the
    same name takes the old one's place.
    """
    answer = place.get(f"commits/{head_sha}/check-runs", check_name=CHECK, app_id=app_id, per_page=100)
    ours = [run for run in read(answers.CheckRuns, answer).check_runs if run.name == CHECK and run.is_by(app_id)]
    newest = max(ours, key=lambda run: run.id, default=None)
    if newest is None or (newest.output.annotations_count and newest.external_id != said.key):
        _say(place.post, "check-runs", said, head_sha=head_sha)
    elif newest.external_id != said.key:
        _say(place.patch, f"check-runs/{newest.id}", said)


def _say(send: Callable[[str, dict[str, Any]], Any], path: str, said: Said, **more: str) -> None:
    """Send; and again without annotations where GitHub does not take them: the summary has all of it in short."""
    body = {"name": CHECK, "status": "completed", "conclusion": said.conclusion, "external_id": said.key, **more}
    body |= {"details_url": said.details_url} if said.details_url else {}
    try:
        send(path, body | {"output": said.output})
    except Invalid as invalid:
        if not said.annotations:
            raise
        log.warning("annotations left out: %s", invalid)
        send(path, body | {"output": replace(said, annotations=()).output})


def _annotation(each: Annotation) -> dict[str, Any]:
    return {
        "path": each.path,
        "start_line": each.start_line,
        "end_line": each.end_line,
        "annotation_level": str(each.level),
        "title": each.title[:_ANNOTATION_TITLE_LIMIT],
        "message": each.message.encode()[:_MESSAGE_LIMIT].decode(errors="ignore"),
    }
