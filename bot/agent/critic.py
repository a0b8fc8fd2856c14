"""A second model that reads and never writes: what failed, the new test, and at the end the change against the issue.

Its answers are words of a stranger. A critic whose service fails is noted in its call, and the work goes on without it.
"""

import re
from collections.abc import Sequence

from bot.agent.asides import ask_aside, is_of, words_of
from bot.agent.context import issue_text
from bot.agent.follow_ups import requests_text
from bot.agent.llm import Message, Model, system, user
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced, printable
from bot.agent.reports import report_text
from bot.records import Call, Change, StopCheck, Task, TestReport
from sandbox.contract import clipped

FIX = "critic"
TEST = "critic_test"
PATCH = "critic_patch"
KINDS = (FIX, TEST, PATCH)
PATCH_CHARS = 12_000
ASKED_CHARS = 6_000
REPLY_TOKENS = 2_048

_FIRST = re.compile(r"\A[\s*_`#\"'>]*([A-Za-z]+)[\s*_`\"':.,;—–-]*")


def criticise(
    critic: Model, task: Task, change: Change, report: TestReport, *, baseline: TestReport | None, stop: StopCheck
) -> Call:
    """Ask for the one fix that a failing change needs most."""
    tests = f"# The tests\n\n{report_text(report, baseline)}"
    return _ask(critic, FIX, [*_asked(task), _change(change), tests], stop=stop)


def question_test(critic: Model, task: Task, change: Change, report: TestReport, *, stop: StopCheck) -> Call:
    """Ask whether a new test says what the issue says."""
    tests = f"# What it says on the code as it is\n\n{report_text(report, None)}"
    return _ask(critic, TEST, [*_asked(task), _change(change, "test"), tests], stop=stop)


def review(critic: Model, task: Task, change: Change, *, stop: StopCheck) -> Call:
    """Ask what is doubtful about the final change."""
    return _ask(critic, PATCH, [*_asked(task), _change(change)], stop=stop)


def refusal(call: Call) -> str:
    """Why the critic says that a test does not say what the issue says; "" where it does not say so."""
    words = words_of(call)
    return _rest(words) or words if _first(words) == "NO" else ""


def doubts_of(call: Call) -> str:
    """The critic's doubts about the final change; "" where it has none, or did not answer."""
    words = words_of(call)
    match _first(words):
        case "NONE":
            return ""
        case "DOUBTS" | "DOUBT":
            return _rest(words)
    return words


def is_critics(call: Call) -> bool:
    """Whether a call was the critic's."""
    return any(is_of(call, kind) for kind in KINDS)


def fix_in(calls: Sequence[Call]) -> str:
    """The fix that the critic named last among these calls, or ""."""
    said = [words_of(call) for call in calls if is_of(call, FIX)]
    return said[-1] if said else ""


def _ask(critic: Model, kind: str, parts: list[str], *, stop: StopCheck) -> Call:
    messages: list[Message] = [system(prompt(kind)), user(printable("\n\n".join(parts)))]
    return ask_aside(critic, kind, messages, temperature=None, max_tokens=REPLY_TOKENS, stop=stop)


def _asked(task: Task) -> list[str]:
    """The issue, and what a review asks of the change."""
    asked = requests_text(task.requests, chars=ASKED_CHARS)
    return [issue_text(task), *([asked] if asked else [])]


def _change(change: Change, name: str = "change") -> str:
    return f"# The {name}\n\n{fenced(clipped(change.patch, PATCH_CHARS), 'diff')}"


def _first(words: str) -> str:
    found = _FIRST.match(words)
    return found[1].upper() if found else ""


def _rest(words: str) -> str:
    return _FIRST.sub("", words, count=1).strip()
