"""What a run that goes on from a change is told: that change, and what people and checks say of it. Pure.

All of it is data, in fences; each part keeps to its share of the characters, whatever the window.
"""

from collections.abc import Mapping, Sequence

from bot.agent.prompts import Dialect, prompt
from bot.agent.quoting import fenced
from bot.agent.reproduction import Wanted
from bot.records import Change, FailedCheck, Request, Task
from sandbox.contract import clipped

SMALLEST_SHARE = 160
HUNK_SHARE = 3
"""A hunk has at most one in so many characters of its request's share, what was said before the request another one."""
LISTED = 60
LINES_SHOWN = 8
ANSWERS_MISSING = "There is no answer yet to these requests"


def is_follow_up(task: Task, start: Change) -> bool:
    """Whether there is a change already, or something is asked of one."""
    return bool(not start.is_empty or task.requests or task.checks or task.conflicts)


def start_text(start: Change, *, chars: int) -> str:
    """The change that is there already: as a diff where it fits, else by its files; "" where there is none."""
    if start.is_empty:
        return ""
    head = f"# The change that is there already\n\n{prompt('start')}"
    diff = fenced(start.patch, "diff")
    if len(head) + len(diff) + 2 <= chars:
        return f"{head}\n\n{diff}"
    more = len(start.paths) - LISTED
    listed = "\n".join([*start.paths[:LISTED], *([f"… and {more} more"] if more > 0 else [])])
    size = f"It has {start.added_lines} new lines and {start.removed_lines} removed ones, in these files:"
    return f"{head} {size}\n\n{fenced(clipped(listed, max(chars - len(head) - len(size), SMALLEST_SHARE)), 'text')}"


def requests_text(requests: Sequence[Request], *, chars: int) -> str:
    """What a review asks for, request by request; "" where it asks for nothing. What has no room is named at least."""
    if not requests:
        return ""
    share = max(chars // len(requests), SMALLEST_SHARE)
    told: list[str] = []
    for request in requests:
        text = _request(request, share)
        if told and sum(map(len, told)) + len(text) > chars:
            break
        told.append(text)
    left = [f"request {one.number}{_place(one)}" for one in requests[len(told) :]]
    more = [clipped(f"There is no room here for the words of {', '.join(left)}.", SMALLEST_SHARE)] if left else []
    return "\n\n".join(["# What the review asks for", *told, *more])


def checks_text(checks: Sequence[FailedCheck], *, chars: int) -> str:
    """The repository's own checks that failed, each with the end of its log; "" where there are none."""
    if not checks:
        return ""
    share = max(chars // len(checks), SMALLEST_SHARE)
    told: list[str] = []
    for check in checks:
        log = max(share - min(len(check.summary), share // 3) - len(check.name[:LISTED]) - 60, SMALLEST_SHARE // 2)
        parts = [f"`{_inline(check.name)}` failed."]
        parts += [fenced(clipped(check.summary.strip(), share // 3), "text")] if check.summary.strip() else []
        parts += [f"The end of its output:\n\n{fenced(_end(check.log, log), 'text')}"] if check.log.strip() else []
        text = "\n\n".join(parts)
        if told and sum(map(len, told)) + len(text) > chars:
            told.append(f"Failed, too: {len(checks) - len(told)} more.")
            break
        told.append(text)
    return "\n\n".join(["# Checks of the repository that fail on the change that is there", *told])


def conflicts_text(left: Mapping[str, Sequence[int]], conflicts: Sequence[str], *, chars: int) -> str:
    """The files in which two changes are to be kept, and where; "" where there are none."""
    if not conflicts:
        return ""
    lines = {path: ", ".join(map(str, left.get(path, ())[:LINES_SHOWN])) for path in conflicts[:LISTED]}
    listed = "\n".join(f"{path}: lines {at}" if at else path for path, at in lines.items())
    head = f"# Conflicts\n\n{prompt('conflicts')}"
    return f"{head}\n\n{fenced(clipped(listed, max(chars - len(head), SMALLEST_SHARE)), 'text')}"


def asked_now(task: Task, wanted: Wanted, *, tests: Sequence[str]) -> str:
    """What is to be done in a run that goes on from a change: the last and strongest words of its prompt."""
    if wanted is Wanted.TEST:
        return prompt("want_test")
    parts = []
    if task.conflicts:
        parts.append(prompt("follow_conflicts").format(files=clipped(", ".join(task.conflicts[:LISTED]), 1_000)))
    if task.requests:
        parts.append(prompt("follow_requests").format(requests=_numbers([one.number for one in task.requests])))
    if task.checks:
        parts.append(prompt("follow_checks"))
    parts += [] if parts else [prompt("follow_on")]
    return " ".join([*parts, prompt(f"follow_{wanted}").format(tests=", ".join(tests))])


def answer_form(requests: Sequence[int], dialect: Dialect) -> str:
    """How to answer requests: in the finishing action, or in plain lines, which small models manage."""
    if dialect is not Dialect.FENCED:
        return prompt("answers")
    lines = "\n".join(f"ANSWER {number}: done - (what you did)" for number in requests[:LINES_SHOWN])
    return f"{prompt('answers_fenced')}\n\n{lines}"


def answers_missing(numbers: Sequence[int], dialect: Dialect) -> str:
    """What asks for answers that are missing."""
    return f"{ANSWERS_MISSING}: {_numbers(numbers)}. {answer_form(numbers, dialect)}"


def _request(request: Request, share: int) -> str:
    """One request within about its share: the request itself first, then the lines it is about, then what was said."""
    *before, last = request.said or (("somebody", ""),)
    head = f"Request {request.number}{_place(request)}"
    asked = _said(last, max(share - len(head) - 2, SMALLEST_SHARE // 2))
    parts, left = [head], share - len(head) - len(asked)
    hunk = fenced(_end(request.hunk, min(left - 20, share // HUNK_SHARE)), "diff") if request.hunk.strip() else ""
    if hunk and left - 20 >= SMALLEST_SHARE // 2:
        parts.append(hunk)
        left -= len(hunk)
    earlier: list[str] = []
    for one in reversed(before):
        text = _said(one, share // HUNK_SHARE)
        if len(text) > left:
            break
        earlier.insert(0, text)
        left -= len(text)
    return "\n\n".join([*parts, *earlier, asked])


def _said(one: tuple[str, str], chars: int) -> str:
    who, words = one
    return f"{_inline(who)} says:\n\n{fenced(clipped(words.strip(), max(chars - 60, 40)), 'text')}"


def _place(request: Request) -> str:
    if not request.path:
        return ", of the change as a whole"
    lines = _inline(request.lines)
    noun = "line" if lines.isdecimal() else "lines"
    return f", {_inline(request.path)}" + (f", {noun} {lines}" if lines else "")


def _numbers(numbers: Sequence[int]) -> str:
    """Numbers as people write them: “1–3, 5”."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _inline(text: str) -> str:
    return clipped(" ".join(text.replace("`", "'").split()), 200)


def _end(text: str, chars: int) -> str:
    """The end of a text, by whole lines where it has some."""
    text = text.rstrip()
    if len(text) <= chars:
        return text
    end = text[len(text) - max(chars, 0) :]
    return f"[… cut …]\n{end.partition(chr(10))[2] or end}"
