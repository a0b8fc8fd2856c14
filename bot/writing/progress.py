"""The one progress comment of a run, edited in place while it goes on."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from bot.records import Aim, Caps, Note, Progress, TestPlan, TestReport
from bot.writing.chart import FIRST_TO_GO, chart
from bot.writing.document import Section, compose, details, marker
from bot.writing.figures import counts, plural, spent_of
from bot.writing.iterations import iteration_table
from bot.writing.safe import code, inline, sentence

NOTES_SHOWN = 20

_HOW_TO_STOP = "To stop: comment `/selfcode stop`, remove the label or close the issue."
_HOW_TO_STEER = f"To tell the model something meanwhile: comment `/selfcode note` with your words. {_HOW_TO_STOP}"


class Phase(StrEnum):
    """Where a run is, in order."""

    PREPARING = "preparing"
    BASELINE = "tests on the base"
    WORKING = "iterations"
    PROVING = "proof"
    PUBLISHING = "pull request"


_OF_STEPS = {
    "admit": Phase.PREPARING,
    "fetch": Phase.PREPARING,
    "environment": Phase.PREPARING,
    "baseline": Phase.BASELINE,
    "iteration": Phase.WORKING,
    "proof": Phase.PROVING,
}
"""By the first word of a step's name; all else publishes."""


def phase_of_step(name: str) -> Phase:
    """The phase of a run that a step belongs to, by its name: “iteration 2”."""
    return _OF_STEPS.get(name.partition(" ")[0], Phase.PUBLISHING)


@dataclass(frozen=True, slots=True)
class ProgressView:
    """What the progress comment shows. `run_id` names the run in the marker, and for people in the last line.

    `iteration` is the one under way (from 1), where the phase is WORKING; those for a test alone come on top of the
    limit. `sandbox_isolated` is False where the code runs with the bot's own rights. `left_out` says which text of the
    issue the model is not shown. `attempt` counts the issue's runs, from 1 on, and `because` says what this one is for
    (“review by ada”). `notes` are people's words to the run, as many as it has heard. `waits_for` says what is wrong
    with a service that keeps the run waiting, `waits_since` when that was first seen, in seconds since the epoch.
    `pages` is the address that pages about runs are below, "" where nobody is to be led there.
    """

    run_id: str
    phase: Phase
    caps: Caps = field(default_factory=Caps)
    progress: Progress = field(default_factory=Progress)
    iteration: int = 1
    plan: TestPlan | None = None
    baseline: TestReport | None = None
    model: str = ""
    sandbox: str = ""
    sandbox_isolated: bool = True
    left_out: tuple[str, ...] = ()
    attempt: int = 1
    because: str = ""
    notes: tuple[Note, ...] = ()
    waits_for: str = ""
    waits_since: float | None = None
    pages: str = ""


def progress_marker(run_id: str) -> str:
    """The hidden line by which the progress comment of a run, later its result, is found again."""
    return marker("progress", run_id)


def progress_comment(view: ProgressView) -> str:
    """The comment as it should stand now."""
    made = iteration_table(view.progress, view.baseline) if view.progress.iterations else ""
    sections = [
        Section(f"🔧 **selfcode is on it**{_attempt(view.attempt, view.because)}: {_now(view)}"),
        Section(_held_up(view)),
        Section(_road(view)),
        Section(chart(view.progress, view.baseline), FIRST_TO_GO),
        Section(made, 60),
        Section("\n".join(f"- {fact}" for fact in _facts(view))),
        _notes(view.notes),
        Section(_left_out(view.left_out), 20),
        Section(f"**Next:** {_next(view)}\n\n{_HOW_TO_STEER}"),
        Section(last_line(view.run_id, view.pages)),
    ]
    return compose([section for section in sections if section.text], end=progress_marker(view.run_id))


NAMED_PLACES = 4
"""The places in the queue that are told by number."""


def queue_comment(
    run_id: str,
    place: int,
    *,
    attempt: int = 1,
    because: str = "",
    examines: bool = False,
    is_paused: bool = False,
    pages: str = "",
) -> str:
    """The progress comment of a run that waits for a free place, the `place`-th from 1 on; the run takes it over.

    How many wait behind it is not said, nor, far behind, how many before it: the comment would have to change with each
    of them.

    `examines`: it is an examination, which a command alone ends. `is_paused`: nothing begins, whatever the place.
    `pages` is as in `ProgressView`.
    """
    near = "the next one" if place <= 1 else f"number {place:,}"
    turn = near if place <= NAMED_PLACES else "further back"
    turn = "which the operator has paused" if is_paused else turn
    how_to_stop = "To stop: comment `/selfcode stop`." if examines else _HOW_TO_STOP
    sections = [
        Section(f"⏳ **selfcode has it**{_attempt(attempt, because)}: in the queue, {turn}."),
        Section("" if examines else f"**in the queue** → {' → '.join(Phase)}"),
        Section(f"{_NOBODY_BEGINS if is_paused else _ALL_TAKEN} Nothing was spent on it yet."),
        Section(f"**Next:** its turn comes by itself, and this comment goes on from here.\n\n{how_to_stop}"),
        Section(last_line(run_id, pages)),
    ]
    return compose([section for section in sections if section.text], end=progress_marker(run_id))


_ALL_TAKEN = "All places for runs are taken, or all that this repository or its account may have."
_NOBODY_BEGINS = "No new run begins for now; what is asked for is kept."


def _attempt(number: int, because: str) -> str:
    """“ (attempt 2, review by ada)” from the second on."""
    if number < 2:
        return ""
    return f" (attempt {number:,}{f', {inline(because, 120)}' if because.strip() else ''})"


def _now(view: ProgressView) -> str:
    match view.phase:
        case Phase.WORKING:
            tests = sum(each.aim is Aim.TEST for each in view.progress.iterations)
            most = f"iteration {view.iteration} of at most {view.caps.iterations + tests}"
            return f"{most} ({tests} only for the test)." if tests else f"{most}."
        case Phase.PREPARING | Phase.BASELINE | Phase.PROVING | Phase.PUBLISHING as phase:
            return _DOING[phase]


_DOING = {
    Phase.PREPARING: "fetching the repository and preparing its environment.",
    Phase.BASELINE: "running the tests on the untouched base.",
    Phase.PROVING: "proving the change in clean workspaces.",
    Phase.PUBLISHING: "opening the pull request.",
}


def _held_up(view: ProgressView) -> str:
    """What keeps the run waiting. It stands there until the step is done that met it."""
    if not view.waits_for:
        return ""
    began = "" if view.waits_since is None else f", since {datetime.fromtimestamp(view.waits_since, UTC):%H:%M} UTC"
    return (
        f"⏸️ **Held up{began}:** {sentence(view.waits_for, 300)}\n\n"
        "It is tried again by itself, every few minutes and for a day at most. Nothing is lost, "
        "and the waiting counts for none of the limits."
    )


def _road(view: ProgressView) -> str:
    phases = list(Phase)
    at = phases.index(view.phase)
    return " → ".join(_stop(phase, place - at) for place, phase in enumerate(phases))


def _stop(phase: Phase, ahead: int) -> str:
    if ahead < 0:
        return f"{phase} ✓"
    return f"**{phase}**" if ahead == 0 else str(phase)


def _facts(view: ProgressView) -> list[str]:
    facts = []
    if view.plan is not None:
        facts.append(f"Tests: {plan_in_words(view.plan)}")
    if view.baseline is not None:
        facts.append(f"On the base: {counts(view.baseline)}")
    facts.append(f"Spent: {spent_of(view.progress.spend, view.caps)}")
    if view.model or view.sandbox:
        facts.append(_with_what(view))
    return facts


def plan_in_words(plan: TestPlan) -> str:
    """The test command, and where it was learned: a guess is said to be one."""
    where = f" in {code(plan.directory)}" if plan.directory != "." else ""
    if not plan.guessed_from:
        return f"{code(plan.test)}{where}"
    setup = f", after {code(plan.setup)}" if plan.setup else ""
    return (
        f"{code(plan.test)}{where}{setup}; guessed from {code(plan.guessed_from)}."
        " To say it yourself, put `test` and `setup` into `.github/selfcode.yml` on the default branch"
    )


def _with_what(view: ProgressView) -> str:
    sandbox = f"sandbox: {inline(view.sandbox, 100)}" if view.sandbox else ""
    if sandbox and not view.sandbox_isolated:
        sandbox += " ⚠️ the code runs with the bot's own rights: for repositories that you trust"
    elif sandbox:
        sandbox += ", in which tests have no network"
    return ", ".join(part for part in (f"Model: {code(view.model)}" if view.model else "", sandbox) if part)


def _left_out(left_out: tuple[str, ...]) -> str:
    if not left_out:
        return ""
    listed = "\n".join(f"- {inline(each, 200)}" for each in left_out[:50])
    return details(f"Not shown to the model: {len(left_out)}", listed)


def _notes(notes: tuple[Note, ...]) -> Section:
    """What people said to the run, the newest where they are many; folded from the fourth on."""
    if not notes:
        return Section("")
    lines = [f"- {code(note.author, 60)}: {sentence(note.text, 200)}" for note in notes[-NOTES_SHOWN:]]
    more = [f"- … and {len(notes) - NOTES_SHOWN:,} earlier"] if len(notes) > NOTES_SHOWN else []
    listed = "\n".join([*more, *lines])
    if len(notes) > 3:
        return Section(details(f"Notes that the model has: {len(notes):,}", listed), 50)
    return Section(f"**{plural(len(notes), 'note')}** for the model's next call:\n\n{listed}", 50)


def _next(view: ProgressView) -> str:
    match view.phase:
        case Phase.PREPARING:
            return "the tests run on the untouched base, before any token is spent."
        case Phase.BASELINE:
            if not view.progress.start.is_empty:
                return "the model goes on from what the branch holds."
            return "the model writes a test that shows the problem, then the change."
        case Phase.WORKING:
            return (
                "in each iteration the model edits files, then the tests run. Once they pass, the change is proven in "
                "clean workspaces; at the limit, this comment says how near it came."
            )
        case Phase.PROVING:
            return "a pull request with the evidence; as a draft, where something of the proof is missing."
        case Phase.PUBLISHING:
            return "this comment becomes the result."


def last_line(run_id: str, pages: str) -> str:
    """The small line at a comment's end that names the run, and leads to its page where `pages` are."""
    return f"<sub>run `{run_id}`{run_page(run_id, pages)}</sub>"


def run_page(run_id: str, pages: str) -> str:
    """Where the run can be looked at, behind its id; "" where nobody is to be led there.

    Whoever may read this may follow the link: the page shows nothing to those who may not read the repository.
    """
    address = page_of(run_id, pages)
    return f" · [run page]({address}) (sign in with GitHub)" if address else ""


def page_of(run_id: str, pages: str) -> str:
    """The address of the run's page, "" where nobody is to be led there."""
    return f"{pages}/runs/{run_id}" if pages else ""
