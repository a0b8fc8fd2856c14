"""What is told after a test that showed nothing, and the issue once more behind it. Pure."""

from bot.agent.blocks import blocks_of
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced
from bot.agent.reports import report_text
from bot.agent.reproduction import Wanted, in_vain, is_without_fault
from bot.agent.starting import own_part
from bot.records import Aim, Change, Iteration, Progress, Task
from sandbox.contract import clipped

SHARE = 2
"""The test and the issue have half of the room each; what was run says its own limits."""


def refused_tests(progress: Progress, task: Task, wants: Wanted, *, chars: int) -> str:
    """What is told of the last test that showed nothing; "" where there is none.

    Where another test is asked for it is shown as tried, never as the model's own words, which a small model gives
    again. Where the change is asked for it is not shown at all: a small model would mend the test, and not the code.
    """
    vain = in_vain(progress)
    if wants not in (Wanted.TEST, Wanted.TOO) or not vain or progress.iterations[-1].aim is not Aim.TEST:
        return ""
    again = fenced(_wording(task, chars=chars // SHARE), "text")
    if wants is Wanted.TOO:
        return f"{prompt('no_test_showed')}\n\n{again}"
    return f"{_tried(vain[-1], progress.start, chars=chars // SHARE)}\n\n{prompt('issue_again')}\n\n{again}"


def _tried(iteration: Iteration, start: Change, *, chars: int) -> str:
    patch = fenced(clipped(own_part(iteration.change, start), chars), "diff")
    if is_without_fault(iteration):
        return f"{prompt('tried_passes')}\n\n{patch}"
    report = f"{report_text(iteration.report, None)}\n\n" if iteration.report else ""
    return f"{prompt('tried_test')}\n\n{patch}\n\n{report}{iteration.why_next[:1].upper()}{iteration.why_next[1:]}"


def _wording(task: Task, *, chars: int) -> str:
    """The issue in its own words; of a long one the title and the examples, where it has any in blocks."""
    words = f"{task.title}\n\n{task.body}".strip()
    if len(words) <= chars:
        return words
    examples = [block.content.rstrip() for block in blocks_of(task.body) if block.content.strip()]
    return clipped("\n\n".join([task.title, *examples]) if examples else words, chars)
