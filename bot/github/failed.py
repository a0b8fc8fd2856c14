"""Checks of others that failed on a commit, with what they say: a job's log, else a check run's own words."""

import logging
import re
from collections.abc import Iterable, Iterator

from bot.errors import Gone, Refused, Unavailable
from bot.github import answers
from bot.github.answers import CheckRun, read
from bot.github.place import PAGE, Place
from bot.records import FailedCheck

log = logging.getLogger(__name__)

LOGS_AT_MOST = 3
"""Logs that are read for one commit: what failed first is told, and a matrix fails everywhere alike."""
LOG_LIMIT = 20_000
"""Characters that are kept of a log, its end."""
SUMMARY_LIMIT = 4_000
_READ_BYTES = 256 * 1024
_FAILED = ("failure", "timed_out")
_ACTIONS = "github-actions"
_JOB = re.compile(r"/job/(\d+)")
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f\ufeff]"
)
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ", re.MULTILINE)
_ERROR = "##[error]"
_CUT = "…\n"
_LINE = 1_000
"""Characters of a line whose beginning was cut off that can be spared."""


def failed_checks(place: Place, head_sha: str, *, app_id: int, logs: int) -> tuple[FailedCheck, ...]:
    """The newest check run of each name that others' Apps have on the commit, and that failed; so many with a log."""
    failed = [run for run in _runs(place, head_sha) if run.conclusion in _FAILED and not run.is_by(app_id)]
    jobs = [run.id for run in failed if _is_job(run)][:logs]
    return tuple(_as_record(place, run, with_log=run.id in jobs) for run in failed)


def end_of_log(text: str) -> str:
    """The end of a job's log as people read it: without colours and times, and without the cleaning up afterwards."""
    plain = _STAMP.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n").removeprefix("\ufeff")))
    error = plain.rfind(_ERROR)
    if error >= 0:
        plain = plain[: _end_of_line(plain, error)]
    plain = plain.strip("\n")
    if len(plain) <= LOG_LIMIT:
        return plain
    end = plain[-LOG_LIMIT:]
    rest_of_line = end.find("\n") + 1
    return _CUT + (end[rest_of_line:] if rest_of_line <= _LINE else end)


def _end_of_line(text: str, position: int) -> int:
    found = text.find("\n", position)
    return found if found >= 0 else len(text)


def _runs(place: Place, head_sha: str) -> Iterator[CheckRun]:
    page, is_full = 1, True
    while is_full:
        answer = place.get(f"commits/{head_sha}/check-runs", status="completed", per_page=PAGE, page=page)
        found = read(answers.CheckRuns, answer).check_runs
        yield from found
        page, is_full = page + 1, len(found) == PAGE


def _is_job(run: CheckRun) -> bool:
    return run.app is not None and run.app.slug == _ACTIONS


def _as_record(place: Place, run: CheckRun, *, with_log: bool) -> FailedCheck:
    found = _log(place, run) if with_log else ""
    summary = "\n\n".join(filter(None, (run.output.title, run.output.summary, run.output.text)))
    if not found and run.output.annotations_count:
        summary = "\n\n".join(filter(None, (summary, _annotations(place, run))))
    return FailedCheck(run.name, run.details_url or run.html_url, summary[:SUMMARY_LIMIT], found)


def _log(place: Place, run: CheckRun) -> str:
    """The end of a job's log; "" where it is not to be had: it expires, and the App may lack the permission."""
    job = _JOB.search(run.details_url)
    try:
        data = place.end_of_file(f"actions/jobs/{job[1] if job else run.id}/logs", _READ_BYTES)
    except (Refused, Gone, Unavailable) as failure:
        log.warning("%s: the log of %s left out: %s", place.full_name, run.name, failure)
        return ""
    return end_of_log(data.decode("utf-8", "replace"))


def _annotations(place: Place, run: CheckRun) -> str:
    try:
        found = read(tuple[answers.Annotation, ...], place.get(f"check-runs/{run.id}/annotations", per_page=PAGE))
    except (Refused, Gone, Unavailable) as failure:
        log.warning("%s: the annotations of %s left out: %s", place.full_name, run.name, failure)
        return ""
    return "\n".join(_lines(found))


def _lines(found: Iterable[answers.Annotation]) -> Iterator[str]:
    for each in found:
        where = each.path if each.start_line is None else f"{each.path}:{each.start_line}"
        yield f"{where}: {each.message}"
