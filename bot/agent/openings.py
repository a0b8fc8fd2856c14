"""The message that opens an iteration. Every one begins with “Iteration N”, and ends with what to answer, and how."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.agent.approach import Approach, Step
from bot.agent.context import files_text
from bot.agent.diff_reading import touched_lines
from bot.agent.follow_ups import answer_form, asked_now
from bot.agent.history import KEPT_WHOLE, bullets
from bot.agent.prompts import Dialect, prompt
from bot.agent.quoting import fenced, printable
from bot.agent.reports import report_text
from bot.agent.reproduction import Wanted, in_vain, is_only_tests
from bot.agent.starting import differing, is_idle, own_part
from bot.agent.targets import Target, has_definitions, info_of
from bot.records import Aim, Caps, Change, Iteration, Progress, Task, TestReport, Workbench
from sandbox.contract import clipped

CHANGED_FILES = 6
FAILED_PATCH_CHARS = 6_000


@dataclass(frozen=True, slots=True)
class Ask:
    """What the model is asked for: what is wanted, in which dialect, in which file, with which tests.

    `follows` is the task where it is about a change that is there already.
    """

    wanted: Wanted
    dialect: Dialect
    target: Target | None = None
    tests: Sequence[str] = ()
    follows: Task | None = None


def opening(
    progress: Progress,
    bench: Workbench,
    plan: Approach,
    ask: Ask,
    *,
    caps: Caps,
    baseline: TestReport | None,
    undone: Sequence[str] = (),
    diagnosis: str = "",
    words: str = "",
    further: str = "",
    said: str = "",
    refused: str = "",
) -> str:
    """What the model is asked at the start of the next iteration.

    `undone` are files that are as before again, `diagnosis` its own words on what failed, `words` the critic's,
    `further` another file, `said` what people have said to the run, `refused` the test that showed nothing.
    """
    parts = [_head(progress, caps, ask.wanted), said]
    if progress.iterations:
        parts += _before(progress, plan, ask, baseline, refused)
        back = prompt("undone" if progress.start.is_empty else "undone_to_start")
        parts += [back.format(files=", ".join(undone))] if undone else []
        parts += [f"{prompt('diagnosed')}\n\n{fenced(diagnosis, 'text')}"] if diagnosis else []
        parts += [f"{prompt('criticised')}\n\n{fenced(words, 'text')}"] if words else []
        parts += [further] if further else []
        lines = touched_lines(progress.change.patch)
        told = [] if refused else _shown(progress, undone)
        current = files_text(bench, told, lines=lines, title="The changed files as they are now")
        parts += [current, refused]
    parts += asked_for(ask, has_report=bool(progress.iterations))
    return printable("\n\n".join(part for part in parts if part))


def asked_for(ask: Ask, *, has_report: bool = False) -> list[str]:
    """What to answer, and in what form: the last and strongest words of the prompt."""
    if ask.follows is None:
        parts = [prompt(f"want_{ask.wanted}").format(tests=", ".join(ask.tests))]
    else:
        parts = [asked_now(ask.follows, ask.wanted, tests=ask.tests)]
    if ask.dialect is Dialect.FENCED:
        parts.append(_form(ask, has_report=has_report))
    if ask.follows and ask.follows.requests and ask.wanted is not Wanted.TEST:
        parts.append(answer_form([one.number for one in ask.follows.requests], ask.dialect))
    return parts


def failed_text(plan: Approach, baseline: TestReport | None, start: Change) -> str:
    """The change that did not work, and what the tests said of it; of `start`, which was there, only what it alters."""
    failed = plan.failed
    if failed is None:
        return ""
    if is_idle(failed.change, start):
        return prompt("left_as_it_was")
    patch = fenced(clipped(own_part(failed.change, start), FAILED_PATCH_CHARS), "diff")
    because = report_text(failed.report, baseline) if failed.report else failed.why_next
    return f"{prompt('tried')}\n\n{patch}\n\nIt failed, because:\n\n{because}"


def _head(progress: Progress, caps: Caps, wanted: Wanted) -> str:
    number = len(progress.iterations) + 1
    if wanted is Wanted.TEST:
        return f"Iteration {number}: the test."
    tests = sum(each.aim is Aim.TEST for each in progress.iterations)
    return f"Iteration {number} of {caps.iterations + tests}."


def _before(progress: Progress, plan: Approach, ask: Ask, baseline: TestReport | None, refused: str) -> list[str]:
    """What happened before, as far as it does not stand above in the conversation."""
    told = progress.iterations if plan.step is not Step.ON else _not_told_whole(progress, plan)
    parts = ["What was tried before:\n" + bullets(told)] if told else []
    last = progress.iterations[-1]
    if plan.step is not Step.ON:
        return [*parts, *([failed_text(plan, baseline, progress.start)] if plan.step is not Step.AFRESH else [])]
    if plan.earlier is not None:
        same = f"The change is the same as in iteration {plan.earlier.number}."
        return [*parts, same, _outcome(plan.earlier, baseline)]
    if is_only_tests(last, progress.start):
        return [*parts, _outcome(last, baseline), prompt("only_tests")]
    if last.aim is Aim.TEST and ask.wanted is not Wanted.TEST:
        is_there = ask.wanted is Wanted.THERE and last.report is not None
        return [*parts, f"The test, on the code as it is:\n\n{_report(last, None)}"] if is_there else parts
    if refused and last in in_vain(progress):
        return parts
    return [*parts, _outcome(last, baseline)]


def _not_told_whole(progress: Progress, plan: Approach) -> tuple[Iteration, ...]:
    whole = {each.number for each in plan.line[-KEPT_WHOLE:]}
    return tuple(each for each in progress.iterations if each.number not in whole and each.aim is Aim.CHANGE)


def _outcome(last: Iteration, baseline: TestReport | None) -> str:
    """How the last iteration ended, in full."""
    if last.aim is Aim.TEST:
        report = f"{_report(last, None)}\n\n" if last.report else ""
        return f"{report}{last.why_next[:1].upper()}{last.why_next[1:].rstrip('.')}."
    if last.report is None:
        return prompt("untested").format(why=last.why_next)
    if last.report.is_good_beside(baseline):
        return f"{_report(last, baseline)}\n\n{last.why_next[:1].upper()}{last.why_next[1:]}\n\n{prompt('objection')}"
    return f"The tests were run after your change:\n\n{_report(last, baseline)}\n\n{prompt('failed')}"


def _report(iteration: Iteration, baseline: TestReport | None) -> str:
    return report_text(iteration.report, baseline) if iteration.report else ""


def _shown(progress: Progress, undone: Sequence[str]) -> list[str]:
    """The files that the run has changed, and not taken back."""
    changed = differing(progress.change, progress.start)
    return [path for path in progress.change.paths if path in changed and path not in undone][:CHANGED_FILES]


def _form(ask: Ask, *, has_report: bool) -> str:
    """How to write it in fenced blocks: by whole functions where they can be told, which small models do best."""
    found = ask.target
    if found is None:
        return ""
    words = {"path": found.path, "test": found.test_path, "language": info_of(found.path)}
    if ask.wanted is Wanted.TEST:
        return prompt("whole_test").format(**words)
    is_parsed = has_definitions(found.path) and not (ask.follows and found.path in ask.follows.conflicts)
    text = prompt("part" if is_parsed else "whole" if found.is_small else "passage").format(**words)
    is_beside = ask.wanted is Wanted.TOO and not has_report and ask.follows is None
    return f"{text}\n\n{prompt('beside').format(**words)}" if is_beside else text
