"""The progress comment at a run's end: how it ended, and what a person can do now."""

from bot.records import (
    Caps,
    Outcome,
    PullRequestText,
    RunResult,
    TestReport,
)
from bot.writing.branch import attempts, base_moved, built_on, conflicts, failed_checks, solved_conflicts
from bot.writing.chart import FIRST_TO_GO, chart
from bot.writing.document import Section, compose, details
from bot.writing.dry_run import would_have_opened
from bot.writing.evidence import at_a_glance, bullets
from bot.writing.figures import counts, duration, plural, spent
from bot.writing.iterations import iteration_table
from bot.writing.mending import PLACE, mending
from bot.writing.nearness import how_near, patch_of
from bot.writing.outcomes import commit, further_reason, headline, speaks_in_full
from bot.writing.progress import last_line, plan_in_words, progress_marker
from bot.writing.prose import prose, quoted_prose
from bot.writing.reproducing import asked_test, how_to_answer, tests_tried
from bot.writing.safe import code, fenced, inline, sentence

UNHEARD_AT_MOST = 10
_RETRY = "comment `/selfcode retry` with a hint"
_HOW_TO_GO_ON = (
    "**To answer, just comment here**, whoever has write access: no command is needed, and the work goes on from where "
    "it stands. Or start over with `/selfcode retry` and a hint."
)
_HOW_TO_GO_ON_WITHOUT_LABEL = (
    "**To answer, comment `/selfcode retry` with the answer behind it**, whoever has write access: the work goes on "
    "from where it stands. Without the label on this issue, a comment alone is not heard."
)


def result_comment(
    result: RunResult, *, run_id: str, caps: Caps, would_open: PullRequestText | None = None, pages: str = ""
) -> str:
    """The comment for any outcome. `run_id` is also the trace id in the operator's log.

    `would_open` is the pull request that a dry run did not open. `pages` is as in `ProgressView`.
    """
    sections = [
        Section(headline(result)),
        Section(_further_reason(result), 85),
        conflicts(result),
        failed_checks(result),
        *(_in_full(result) if speaks_in_full(result) else _by_outcome(result)),
        would_have_opened(would_open) if would_open is not None else Section(""),
        base_moved(result),
        solved_conflicts(result),
        built_on(result),
        Section(_unheard(result), 86),
        Section(_reviewed(result)),
        *_iterations(result),
        attempts(result),
        Section(blocked_hosts(result), 40),
        Section(_what_it_took(result, caps), 90),
        Section(last_line(run_id, pages)),
    ]
    return compose([section for section in sections if section.text], end=progress_marker(run_id))


def _further_reason(result: RunResult) -> str:
    """The reason below its first line, where nothing else shows it."""
    is_shown = result.outcome is Outcome.UNPROVEN or speaks_in_full(result)
    return "" if is_shown else further_reason(result)


def _unheard(result: RunResult) -> str:
    """The notes that came too late, and what is to be done about them; "" where there are none."""
    notes = result.unheard[-UNHEARD_AT_MOST:]
    if not notes:
        return ""
    one, it = ("this note", "it") if len(notes) == 1 else ("these notes", "them")
    lines = [f"- {code(note.author, 60)}: {inline(note.text, 300)}" for note in notes]
    said = f"**Not heard.** The model was not called any more after {one} came, so that nothing was made of {it}:"
    return "\n".join([said, "", *lines, "", "`/selfcode retry <text>` starts a run that has these words."])


def _reviewed(result: RunResult) -> str:
    """“Of the review: 2 requests are done, 1 is not.”"""
    answers = result.progress.answers
    if not answers or not result.head_sha:
        return ""
    done = sum(each.is_done for each in answers)
    open_ = len(answers) - done
    rest = f", {open_:,} {'is' if open_ == 1 else 'are'} not" if open_ else ""
    return f"Of the review: {plural(done, 'request')} {'is' if done == 1 else 'are'} done{rest}. Each has its answer."


def _in_full(result: RunResult) -> list[Section]:
    """The model's question with how to answer it, or its answer to the issue."""
    if result.outcome is Outcome.NEEDS_INFORMATION:
        how = _HOW_TO_GO_ON if result.is_labelled else _HOW_TO_GO_ON_WITHOUT_LABEL
        return [Section(quoted_prose(result.progress.why, 4000)), Section(how), *patch_of(result)]
    told = f"Written by a model; nothing was changed. If the code has to change, {_RETRY}."
    return [Section(prose(result.progress.why, 12_000)), Section(told)]


def _by_outcome(result: RunResult) -> list[Section]:
    match result.outcome:
        case Outcome.PROVEN | Outcome.UNPROVEN:
            patch = patch_of(result) if result.pull_request is None else []
            missing = [Section(what_is_missing(result)), Section(how_to_accept(result))]
            return [Section(where_it_is(result)), *missing, *patch]
        case Outcome.UNSOLVED:
            return [*how_near(result), *patch_of(result), Section(_try_again(result))]
        case Outcome.NOT_REPRODUCED | Outcome.NEEDS_INFORMATION as waits:
            question = asked_test(result)
            shown = question or [*_what_was_run(result), *tests_tried(result)]
            return [*shown, Section(how_to_answer(result) if question else _AFTERWARDS[waits])]
        case Outcome.BASELINE_BROKEN:
            return _baseline_broken(result)
        case Outcome.NOTHING_TO_DO:
            return [*_what_was_run(result), *_closing_words(result), Section(f"If that is wrong, {_RETRY}.")]
        case Outcome.REFUSED | Outcome.STOPPED | Outcome.ERROR as ended:
            return [*patch_of(result), Section(_what_was_pushed(result)), Section(_AFTERWARDS[ended])]


_AFTERWARDS = {
    Outcome.NOT_REPRODUCED: f"If it happens to you still, {_RETRY}: what a test has to do so that it shows.",
    Outcome.NEEDS_INFORMATION: "Answer here, as the hint of `/selfcode retry`.",
    Outcome.REFUSED: f"Where that was mended, {_RETRY}.",
    Outcome.STOPPED: f"To start again, put the label on once more, or {_RETRY}.",
    Outcome.ERROR: f"You need not do anything: the operator finds the cause under the run's id. Later, {_RETRY}.",
}


def _what_was_pushed(result: RunResult) -> str:
    """What a run that was cut off leaves in the repository; "" where that is plain."""
    if result.branch_left:
        at = f" ({commit(result.head_sha)})" if result.head_sha else ""
        return f"Pushed before that, and told by no pull request: {code(result.branch_left)}{at}."
    if result.head_sha:
        return f"What was pushed before that is in #{result.pull_request}." if result.pull_request else ""
    return "Nothing was pushed." if result.outcome is Outcome.STOPPED else ""


def where_it_is(result: RunResult) -> str:
    """The pull request and whether it is ready, or why there is none."""
    if result.pull_request is None:
        unproven = result.outcome is Outcome.UNPROVEN
        rule = "this repository asks for a proof (`require_proof`), or " if unproven else ""
        return f"No pull request was opened: {rule}the operator has set a dry run (`SELFCODE_DRY_RUN`)."
    if result.not_ready:
        return f"Proven, and a draft still: #{result.pull_request}. {sentence(result.not_ready, 400)}"
    if result.outcome is Outcome.PROVEN:
        return f"Ready for your review: #{result.pull_request}"
    if result.not_draft:
        return f"Open for review, though unproven: #{result.pull_request}. {sentence(result.not_draft, 400)}"
    return f"{'A draft again' if result.is_draft_again else 'A draft'}: #{result.pull_request}"


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
    words = quoted_prose(result.progress.why, 2000)
    return [Section(f"The model's words:\n\n{words}", 70)] if result.progress.why else []


def _baseline_broken(result: RunResult) -> list[Section]:
    mend = mending(result.plan, result.baseline)
    sections = [Section("No token was spent: without tests that run, nothing can be shown.")]
    if result.progress.iterations:
        late = "That is the base that was brought into the branch while the run worked: nothing was pushed over it."
        sections = [Section(late), *patch_of(result)]
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
    drawn = Section(chart(result.progress, result.baseline) if result.pull_request is None else "", FIRST_TO_GO)
    glance = [Section(at_a_glance(result.proof), 70)] if result.proof and result.pull_request is None else []
    return [*glance, drawn, Section(shown, 60)]


def _what_it_took(result: RunResult, caps: Caps) -> str:
    if not result.progress.spend.calls:
        return ""
    model = f", model {code(result.model)}" if result.model else ""
    limit = f" (limit {caps.tokens:,} tokens)"
    return f"Spent: {spent(result.progress.spend)}{limit}, {duration(result.progress.spend.seconds)}{model}."
