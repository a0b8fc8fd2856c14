"""The message that opens an iteration, and what stands before it. Every opening begins with “Iteration N of M.”."""

from collections.abc import Sequence

from bot.agent.context import files_text
from bot.agent.critic import critics_words
from bot.agent.edits import fenced
from bot.agent.hands import printable
from bot.agent.history import KEPT_WHOLE, bullets, repeated, whole
from bot.agent.llm import Message
from bot.agent.prompts import prompt
from bot.agent.reports import report_text
from bot.records import Caps, Iteration, Progress, TestReport, Workbench

CHANGED_FILES = 6


def conversation_before(progress: Progress) -> list[Message]:
    """The last iterations as they were talked through."""
    return list(whole(progress.iterations))


def opening(
    progress: Progress,
    bench: Workbench,
    *,
    caps: Caps,
    baseline: TestReport | None,
    undone: Sequence[str] = (),
) -> str:
    """What the model is asked at the start of the next iteration."""
    number = len(progress.iterations) + 1
    parts = [f"Iteration {number} of {caps.iterations}."]
    if not progress.iterations:
        return f"{parts[0]}\n\n{prompt('begin')}"
    *before, last = progress.iterations
    earlier = repeated(before, last.change.patch)
    is_good = earlier is not None and earlier.is_good_beside(baseline)
    told = progress.iterations[:-KEPT_WHOLE] if earlier is None or is_good else progress.iterations
    if told:
        parts.append("What was tried before:\n" + bullets(told))
    if earlier is not None and is_good:
        parts.append(f"The change is the same as in iteration {earlier.number}.\n\n{_outcome(earlier, baseline)}")
    else:
        parts.append(_again(earlier, undone, baseline) if earlier else _outcome(last, baseline))
    words = critics_words(last)
    parts += [f"{prompt('criticised')}\n\n{fenced(words, 'text')}"] if words else []
    paths = [path for path in progress.change.paths if path not in undone]
    current = files_text(bench, paths[:CHANGED_FILES], title="The changed files as they are now")
    parts += [current] if current else []
    return printable("\n\n".join(parts))


def _outcome(last: Iteration, baseline: TestReport | None) -> str:
    """How the last iteration ended, in full."""
    if last.report is None:
        return prompt("untested").format(why=last.why_next)
    text = report_text(last.report, baseline)
    if last.report.is_good_beside(baseline):
        return f"{text}\n\n{last.why_next[:1].upper()}{last.why_next[1:]}\n\n{prompt('objection')}"
    return f"The tests were run after your change:\n\n{text}\n\n{prompt('failed')}"


def _again(earlier: Iteration, undone: Sequence[str], baseline: TestReport | None) -> str:
    state = f"These files are as they were before any change again: {', '.join(undone)}." if undone else ""
    text = prompt("again").format(earlier=earlier.number, state=state).replace(" \n", "\n")
    return f"{text}\n\n{report_text(earlier.report, baseline)}" if earlier.report else text
