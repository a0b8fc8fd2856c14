"""The progress comment at a run's end: how it ended, and what a person can do now."""

from bot.records import Caps, Iteration, Outcome, Progress, RunResult, TestReport, TestStatus
from bot.writing.document import Section, compose, details
from bot.writing.evidence import at_a_glance, bullets
from bot.writing.figures import counts, duration, plural, spent
from bot.writing.iterations import iteration_table
from bot.writing.mending import PLACE, mending
from bot.writing.outcomes import further_reason, headline
from bot.writing.progress import last_line, plan_in_words, progress_marker
from bot.writing.reproducing import HOW_TO_ANSWER, asked_test, tests_tried
from bot.writing.safe import code, fenced, inline, quoted, sentence

SMALL_PATCH = 20_000
"""Characters of a patch that is shown in a comment; a longer one is kept with the run alone."""

_RETRY = "comment `/selfcode retry` with a hint"


def result_comment(result: RunResult, *, run_id: str, caps: Caps) -> str:
    """The comment for any outcome. `run_id` is also the trace id in the operator's log."""
    sections = [
        Section(headline(result)),
        Section(further_reason(result) if result.outcome is not Outcome.UNPROVEN else "", 85),
        *_by_outcome(result),
        *_iterations(result),
        Section(blocked_hosts(result), 40),
        Section(_what_it_took(result, caps), 90),
        Section(last_line(run_id)),
    ]
    return compose([section for section in sections if section.text], end=progress_marker(run_id))


def _by_outcome(result: RunResult) -> list[Section]:
    match result.outcome:
        case Outcome.PROVEN | Outcome.UNPROVEN:
            patch = _patch(result) if result.pull_request is None else []
            missing = [Section(what_is_missing(result)), Section(how_to_accept(result))]
            return [Section(where_it_is(result)), *missing, *patch]
        case Outcome.UNSOLVED:
            return [*_how_near(result), *_patch(result), Section(_try_again(result))]
        case Outcome.NOT_REPRODUCED | Outcome.NEEDS_INFORMATION as waits:
            question = asked_test(result)
            shown = question or [*_what_was_run(result), *tests_tried(result)]
            return [*shown, Section(HOW_TO_ANSWER if question else _AFTERWARDS[waits])]
        case Outcome.BASELINE_BROKEN:
            return _baseline_broken(result)
        case Outcome.NOTHING_TO_DO:
            return [*_what_was_run(result), *_closing_words(result), Section(f"If that is wrong, {_RETRY}.")]
        case Outcome.REFUSED | Outcome.STOPPED | Outcome.ERROR as ended:
            pushed = "" if ended is not Outcome.STOPPED or result.head_sha else "Nothing was pushed. "
            return [*_patch(result), Section(pushed + _AFTERWARDS[ended])]


_AFTERWARDS = {
    Outcome.NOT_REPRODUCED: f"If it happens to you still, {_RETRY}: what a test has to do so that it shows.",
    Outcome.NEEDS_INFORMATION: "Answer here, as the hint of `/selfcode retry`.",
    Outcome.REFUSED: f"Where that was mended, {_RETRY}.",
    Outcome.STOPPED: f"To start again, put the label on once more, or {_RETRY}.",
    Outcome.ERROR: f"You need not do anything: the operator finds the cause under the run's id. Later, {_RETRY}.",
}


def where_it_is(result: RunResult) -> str:
    """The pull request and whether it is ready, or why there is none."""
    if result.pull_request is None:
        unproven = result.outcome is Outcome.UNPROVEN
        rule = "this repository asks for a proof (`require_proof`), or " if unproven else ""
        return f"No pull request was opened: {rule}the operator has set a dry run (`SELFCODE_DRY_RUN`)."
    if result.not_ready:
        return f"Proven, and a draft still: #{result.pull_request}. {sentence(result.not_ready, 400)}"
    kind = "Ready for your review" if result.outcome is Outcome.PROVEN else "A draft"
    return f"{kind}: #{result.pull_request}"


def what_is_missing(result: RunResult) -> str:
    """What lacks for a proof, as a list; "" where it is one thing, which the headline says, or nothing."""
    missing = result.proof.missing if result.proof and len(result.proof.missing) > 1 else ()
    return (
        "\n".join(["**Missing for a proof**\n", *(f"- {sentence(each, 400)}" for each in missing)]) if missing else ""
    )


def how_to_accept(result: RunResult) -> str:
    """What a person can do about altered tests; "" where none were, or where somebody did so."""
    proof = result.proof
    if proof is None or not proof.tests_altered or proof.accepted_by or result.pull_request is None:
        return ""
    return (
        "Whoever has write access and finds what happens to the existing tests right, comments "
        "`/selfcode accept-tests`: the proof is taken again with that word."
    )


def second_look(result: RunResult) -> Section:
    """Signs in the change of something made for show: they keep no proof from holding, and a person is to look."""
    signs = result.proof.second_looks if result.proof else ()
    more = [f"- … and {len(signs) - 20:,} more"] if len(signs) > 20 else []
    lines = [*(f"- {sentence(each, 400)}" for each in signs[:20]), *more]
    return Section("\n".join(["**Worth a second look**\n", *lines]) if signs else "", 90)


def blocked_hosts(result: RunResult) -> str:
    """The hosts that setup was refused, with what would allow each; "" where there was none."""
    if not result.blocked:
        return ""
    more = [f"- … and {len(result.blocked) - 20:,} more"] if len(result.blocked) > 20 else []
    lines = [f"- {inline(each, 300)}" for each in result.blocked[:20]]
    return "\n".join(["**Setup asked for hosts that are not open to it**\n", *lines, *more])


def nearest(progress: Progress) -> Iteration | None:
    """The iteration that came nearest: tests that ran, the fewest failing, then the most passing."""
    ran = [each for each in progress.iterations if each.report is not None and not each.change.is_empty]
    return max(ran, key=lambda each: _nearness(each.report), default=None)


def _nearness(report: TestReport | None) -> tuple[bool, bool, int, int]:
    if report is None:
        return False, False, 0, 0
    return report.is_green, report.could_run, -len(report.failed), len(report.passed)


def _how_near(result: RunResult) -> list[Section]:
    best = nearest(result.progress)
    if best is None or best.report is None:
        return [Section("No change came of it that the tests could run on.")]
    words = f"**How near it came:** iteration {best.number}, {counts(best.report)}"
    failing = [case for case in best.report.cases if case.status in (TestStatus.FAILED, TestStatus.ERROR)]
    if not failing:
        return [Section(words), Section(fenced(best.report.output, "text", tail=3000), 50, (_tail(best.report, 600),))]
    lines = [f"- {code(case.id, 200)}: {inline(last_words(case.message), 200) or 'no message'}" for case in failing[:8]]
    more = [f"- … and {len(failing) - 8:,} more"] if len(failing) > 8 else []
    return [Section(f"{words}. Still failing:\n\n" + "\n".join([*lines, *more]), 80, (words + ".",))]


def last_words(message: str) -> str:
    """The line of a failure's message that says what was wrong: the last one that is not empty."""
    lines = [line.strip() for line in message.strip().split("\n") if line.strip()]
    return lines[-1] if lines else ""


def _patch(result: RunResult) -> list[Section]:
    best = nearest(result.progress)
    change = best.change if best is not None else result.progress.change
    if change.is_empty:
        return []
    size = f"{plural(len(change.paths), 'file')}, +{change.added_lines:,} −{change.removed_lines:,}"
    if len(change.patch) > SMALL_PATCH:
        return [Section(f"The patch is too long for a comment ({size}); it is kept with the run.")]
    patch = fenced(change.patch, "diff", head=SMALL_PATCH, tail=0)
    gone = f"The patch is left out here ({size}); it is kept with the run."
    return [Section(details(f"The patch: {size}", patch), 30, (gone,))]


def _try_again(result: RunResult) -> str:
    kept = " The work so far is kept with the run." if not result.progress.change.is_empty else ""
    return f"To try again, {_RETRY}: what it should look at, or what it got wrong.{kept}"


def _what_was_run(result: RunResult) -> list[Section]:
    if result.plan is None and result.baseline is None:
        return []
    command = plan_in_words(result.plan) if result.plan else code(result.baseline.command if result.baseline else "")
    lines = [f"- What was run: {command}", f"- On the base: {counts(result.baseline)}"]
    last = result.progress.iterations[-1].report if result.progress.iterations else None
    if last is not None:
        lines.append(f"- At the end: {counts(last)}")
    return [Section("\n".join(lines))]


def _closing_words(result: RunResult) -> list[Section]:
    return [Section(f"The model's words:\n\n{quoted(result.progress.why, 2000)}", 70)] if result.progress.why else []


def _baseline_broken(result: RunResult) -> list[Section]:
    mend = mending(result.plan, result.baseline)
    sections = [Section("No token was spent: without tests that run, nothing can be shown.")]
    if result.baseline is not None:
        report = result.baseline
        state = f"{report.state}, exit code {report.exit_code}" if report.exit_code is not None else str(report.state)
        sections += [
            Section(f"The command: {code(report.command)} ({state}, {duration(report.duration_s)}). Its output:"),
            Section(fenced(report.output or "(no output)", "text", head=1000, tail=8000), 60, (_tail(report, 2000),)),
        ]
        sections += [Section("Its tests:\n\n" + bullets(sorted(report.failed), 20), 40)] if report.failed else []
    return [
        *sections,
        Section(
            f"**What would mend it.** {sentence(mend.cause)} Put this into `{PLACE}` on the default branch,"
            f" corrected where it guesses wrong:\n\n{fenced(mend.configuration, 'yaml')}"
        ),
        Section("Then comment `/selfcode retry`."),
    ]


def _tail(report: TestReport, characters: int) -> str:
    return fenced(report.output, "text", tail=characters)


def _iterations(result: RunResult) -> list[Section]:
    if not result.progress.iterations:
        return []
    table = iteration_table(result.progress, result.baseline)
    shown = details(f"What was tried: {plural(len(result.progress.iterations), 'iteration')}", table)
    glance = [Section(at_a_glance(result.proof), 70)] if result.proof and result.pull_request is None else []
    return [*glance, Section(shown, 60)]


def _what_it_took(result: RunResult, caps: Caps) -> str:
    if not result.progress.spend.calls:
        return ""
    model = f", model {code(result.model)}" if result.model else ""
    limit = f" (limit {caps.tokens:,} tokens)"
    return f"Spent: {spent(result.progress.spend)}{limit}, {duration(result.progress.spend.seconds)}{model}."
