"""The answer to `/selfcode status`: how it stands on an issue, in one comment that does not change any more."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.records import Caps, Health, Outcome, Progress, TestReport, TriggerKind
from bot.writing.document import Section, compose
from bot.writing.figures import counts, spent_of
from bot.writing.outcomes import title
from bot.writing.progress import Phase, run_page
from bot.writing.replies import reply_marker
from bot.writing.safe import code, sentence


@dataclass(frozen=True, slots=True)
class AtWork:
    """A run that goes on, or an examination (`kind`). `iteration` is the one under way, where its phase is WORKING.

    `waits_for` says what is wrong with a service that it has left its place for; "" where it works.
    """

    run_id: str
    kind: TriggerKind
    phase: Phase
    iteration: int = 1
    caps: Caps = field(default_factory=Caps)
    progress: Progress = field(default_factory=Progress)
    baseline: TestReport | None = None
    is_stopping: bool = False
    waits_for: str = ""


@dataclass(frozen=True, slots=True)
class InLine:
    """What waits to begin: the `place`-th of `of` from 1 on; where `place` is None, not for a free place."""

    kind: TriggerKind
    place: int | None = None
    of: int = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How the newest run ended. `reason` is for people; `pull_request` is what it published, if it did."""

    run_id: str
    outcome: Outcome | Health
    reason: str = ""
    pull_request: int | None = None
    progress: Progress = field(default_factory=Progress)
    caps: Caps = field(default_factory=Caps)


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands on an issue. `last` is the newest run of work that has ended. `is_paused`: no run begins now."""

    at_work: Sequence[AtWork] = ()
    in_line: Sequence[InLine] = ()
    last: Ended | None = None
    is_paused: bool = False


def status_comment(standing: Standing, *, key: str, label: str, pages: str = "") -> str:
    """The comment; `key` is the trigger's, `label` starts runs, `pages` is as in `ProgressView`."""
    sections = [
        *(Section(_at_work(each, pages)) for each in standing.at_work),
        *(Section(_in_line(each, is_held_up=bool(standing.at_work))) for each in standing.in_line),
        Section(_PAUSED if standing.is_paused else ""),
        Section(_ended(standing.last, pages) if standing.last else ""),
        Section(_how_to_go_on(standing, label)),
    ]
    return compose([section for section in sections if section.text], end=reply_marker(key))


def _at_work(run: AtWork, pages: str) -> str:
    what = _WHAT.get(run.kind, "a run")
    lines = [f"🔧 **At work**: {what}, {_now(run)}."]
    if run.waits_for:
        lines = [f"⏸️ **Held up**: {what}, {_now(run)}. It waits, and goes on by itself: {sentence(run.waits_for, 300)}"]
    if run.is_stopping:
        lines = [f"🛑 **Stopping**: {what}."]
    if run.phase is Phase.WORKING and run.kind not in _WITHOUT_MODEL and not run.is_stopping:
        lines.append("- In each iteration the model edits files, then the tests run")
    reports = [each.report for each in run.progress.iterations if each.report is not None]
    if reports:
        lines.append(f"- Tests so far: {counts(reports[-1])}")
    elif run.baseline is not None:
        lines.append(f"- On the base: {counts(run.baseline)}")
    if run.kind not in _WITHOUT_MODEL:
        lines.append(f"- Spent: {spent_of(run.progress.spend, run.caps)}")
    page = run_page(run.run_id, pages)
    lines.append(f"- Run {code(run.run_id)}{page}; its own comment on the issue is kept up to date")
    return "\n".join([lines[0], "", *lines[1:]])


_WHAT = {
    TriggerKind.DOCTOR: "an examination of the repository",
    TriggerKind.ACCEPT: "the proof, with altered tests accepted",
    TriggerKind.RENEW: "the proof once more",
    TriggerKind.MOVED: "what a push did to the proof",
    TriggerKind.CHECKS: "what checks say of the pull request",
    TriggerKind.REVIEW: "a run for a review",
    TriggerKind.MEND: "a run for checks that failed",
    TriggerKind.ANSWER: "a run, with the answer to its question",
}
_WITHOUT_MODEL = (TriggerKind.DOCTOR, TriggerKind.ACCEPT, TriggerKind.RENEW, TriggerKind.MOVED, TriggerKind.CHECKS)


def _now(run: AtWork) -> str:
    if run.kind in _WITHOUT_MODEL:
        return "which asks no model"
    if run.phase is Phase.WORKING:
        return f"iteration {run.iteration} of at most {max(run.caps.iterations, run.iteration)}"
    return _DOING[run.phase]


def _hears_notes(run: AtWork) -> bool:
    """Whether a model may be asked for it still."""
    is_past = run.is_stopping or run.phase in (Phase.PROVING, Phase.PUBLISHING)
    return run.kind not in _WITHOUT_MODEL and not is_past


_DOING = {
    Phase.PREPARING: "which gets the repository and its environment ready",
    Phase.BASELINE: "which runs the tests on the untouched base",
    Phase.PROVING: "whose change is being proven",
    Phase.PUBLISHING: "whose pull request is being written",
}


_PAUSED = "⏸️ **Paused**: the operator lets no new run begin for now. What is asked for is kept, and begins later."


def _in_line(each: InLine, *, is_held_up: bool) -> str:
    what = _WHAT.get(each.kind, "a run")
    if each.place is None:
        return f"⏳ **Waits**: {what}, {'for what is at work on this issue' if is_held_up else 'to begin'}."
    turn = "the next one" if each.place == 1 else f"number {each.place:,} of {max(each.of, each.place):,}"
    return f"⏳ **In the queue**: {what}, {turn} to get a free place."


def _ended(run: Ended, pages: str) -> str:
    name = title(run.outcome) if isinstance(run.outcome, Outcome) else str(run.outcome)
    first = sentence(run.reason.strip().partition("\n")[0], 400)
    lines = [f"**Last run: {name}**{f': {first}' if first else '.'}", ""]
    if run.pull_request is not None:
        lines.append(f"- Pull request: #{run.pull_request}")
    if run.progress.iterations:
        lines.append(f"- Spent: {spent_of(run.progress.spend, run.caps)}")
    lines.append(f"- Run {code(run.run_id)}{run_page(run.run_id, pages)}")
    return "\n".join(lines)


def _how_to_go_on(standing: Standing, label: str) -> str:  # noqa: PLR0911 - one word a standing
    if standing.at_work:
        note = "To tell the model something: `/selfcode note` with your words. "
        return f"{note if any(map(_hears_notes, standing.at_work)) else ''}To stop: `/selfcode stop`."
    if standing.in_line:
        return "Its turn comes by itself. To take it back: `/selfcode stop`."
    if standing.last is None:
        return f"Nothing has run on this issue yet. To start, put the label {code(label)} on it."
    match standing.last.outcome:
        case Outcome.PROVEN | Outcome.UNPROVEN if standing.last.pull_request is not None:
            return "To have it changed: review the pull request, or comment `/selfcode retry` with a hint."
        case Outcome.NEEDS_INFORMATION:
            return (
                "To go on: answer the question as the hint of `/selfcode retry`; where the issue has the label "
                f"{code(label)}, a comment alone does."
            )
        case Outcome.BASELINE_BROKEN:
            return "To go on: mend the configuration, then comment `/selfcode retry`; `/selfcode doctor` looks into it."
        case _:
            return "To go on: comment `/selfcode retry` with a hint."
