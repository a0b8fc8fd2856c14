"""Preparing an iteration: where it begins in the files, what is asked beside the work, and with which messages."""

from dataclasses import replace

from bot.agent.account import Account
from bot.agent.approach import Approach, Step, approach
from bot.agent.asking import LITTLE_LEFT
from bot.agent.assignment import Assignment, Turn
from bot.agent.budget import budget_for
from bot.agent.closing import count_of
from bot.agent.conflicts import unsolved
from bot.agent.context import context, more_context, paths_shown
from bot.agent.critic import criticise, fix_in
from bot.agent.diagnosis import diagnose, diagnosis_of
from bot.agent.dialects import Speech
from bot.agent.follow_ups import ANSWERS_MISSING, is_follow_up
from bot.agent.history import first_context, was_told, whole
from bot.agent.leaving import has_looked
from bot.agent.llm import Message, Model, assistant, system, user
from bot.agent.meanwhile import HAVE_READ, all_heard
from bot.agent.openings import Ask, failed_text, opening
from bot.agent.prompts import Dialect, instructions
from bot.agent.refusals import refused_tests
from bot.agent.reproduction import Wanted, accepted_paths, in_vain, is_only_tests, named_in, shown_already, wanted
from bot.agent.room import SMALL_WINDOW_TOKENS
from bot.agent.starting import is_idle
from bot.agent.targets import target
from bot.agent.undoing import go_back
from bot.records import Aim, Iteration, Progress, Task, Workbench

TESTS_NAMED = 3


def prepare(
    work: Assignment, progress: Progress, account: Account, speech: Speech, *, model: Model, critic: Model | None
) -> Turn:
    """Bring the files to where the next iteration begins, and make its messages. Raises `Stopped`."""
    plan = approach(progress, work.baseline)
    wants = wanted(progress, work.task, work.baseline, work.reproduce)
    follows = is_follow_up(work.task, progress.start)
    notes = tuple(work.said())
    given = frozenset(accepted_paths(progress))

    def arrange(bench: Workbench) -> tuple[str, ...]:
        return _arrange(bench, progress, plan, given)

    told = first_context(progress.iterations) or context(
        work.task,
        work.bench,
        baseline=work.baseline,
        notes=work.notes,
        start=progress.start,
        window_tokens=model.window_tokens,
    )
    undone = arrange(work.bench)
    before = (system(instructions(speech.dialect, model.window_tokens)), user(told), assistant(HAVE_READ))
    failed = failed_text(plan, work.baseline, progress.start) if plan.step is not Step.ON else ""
    diagnosis = _diagnosis(work, account, plan, before, failed, model=model) if failed else ""
    if plan.step is Step.ELSEWHERE and critic is not None:
        _hear_critic(work, account, progress, plan, critic)
    found = target(told, work.bench)
    small = found if found is not None and found.is_small else None
    tests = _tests(progress, work, wants, given)
    first = opening(
        progress,
        work.bench,
        plan,
        Ask(wants, speech.dialect, found, tests, _still_asked(work) if follows else None),
        caps=work.caps,
        baseline=work.baseline,
        undone=undone,
        diagnosis=diagnosis,
        words=_critics_words(progress, account),
        further=_further(work, told, model) if plan.step is Step.ELSEWHERE else "",
        said=all_heard(notes, chars=budget_for(model.window_tokens).answer_chars // 2),
        refused=refused_tests(progress, work.task, wants, chars=budget_for(model.window_tokens).answer_chars),
    )
    history = whole(_line(progress, plan)) if plan.step is Step.ON else ()
    return Turn(
        plan=plan,
        wanted=wants,
        speech=speech,
        messages=(*before, *history, user(first)),
        given=given,
        target=small.path if small and wants is not Wanted.TEST else None,
        likely=found.path if found and wants is not Wanted.TEST else None,
        expected_chars=small.chars if small and speech.dialect is Dialect.FENCED else None,
        is_last=wants is not Wanted.TEST and count_of(progress, Aim.CHANGE) + 1 >= work.caps.iterations,
        is_warned=was_told(progress.iterations, LITTLE_LEFT),
        arrange=arrange,
        start=progress.start,
        is_follow_up=follows,
        notes=notes,
        answers=progress.answers,
        asks_for_answers=wants is not Wanted.TEST and not was_told(progress.iterations, ANSWERS_MISSING),
        has_looked=has_looked(progress.iterations),
    )


def _arrange(bench: Workbench, progress: Progress, plan: Approach, given: frozenset[str]) -> tuple[str, ...]:
    """Take back what did not work: new files (a test) stay at first, and the accepted test always."""
    if plan.step is Step.ON:
        return ()
    is_afresh = plan.step is Step.AFRESH
    return go_back(bench, progress.change, progress.start, keeps=given.__contains__, keeps_new=not is_afresh)


def _line(progress: Progress, plan: Approach) -> tuple[Iteration, ...]:
    """The iterations that stand whole in the conversation: those of this line, behind the test that was accepted.

    Neither a test that showed nothing nor one in place of a change: a small model gives its own words again.
    """
    vain = in_vain(progress)
    written = (each for each in progress.iterations if each.aim is Aim.TEST and each not in vain)
    tests = tuple(each for each in written if not is_idle(each.change, progress.start))
    line = tuple(each for each in plan.line if not is_only_tests(each, progress.start))
    return (*tests, *line) if len(plan.line) == count_of(progress, Aim.CHANGE) else line


def _diagnosis(
    work: Assignment, account: Account, plan: Approach, before: tuple[Message, ...], failed: str, *, model: Model
) -> str:
    """The model's words on what failed."""
    is_small = model.window_tokens is not None and model.window_tokens <= SMALL_WINDOW_TOKENS
    call = diagnose(model, before, failed, temperature=plan.temperature, is_small=is_small, stop=work.stop)
    account.enter(call)
    work.tell(f"  a diagnosis first ({account.spend.tokens:,} tokens so far)")
    return diagnosis_of(call)


def _hear_critic(work: Assignment, account: Account, progress: Progress, plan: Approach, critic: Model) -> None:
    """Let the critic read what failed, where it has not since."""
    failed = plan.failed
    if failed is None or failed.report is None or fix_in(progress.iterations[-1].calls):
        return
    account.enter(criticise(critic, work.task, failed.change, failed.report, baseline=work.baseline, stop=work.stop))


def _critics_words(progress: Progress, account: Account) -> str:
    """The fix that the critic named last, be it just now."""
    return fix_in(account.calls) or (fix_in(progress.iterations[-1].calls) if progress.iterations else "")


def _tests(progress: Progress, work: Assignment, wants: Wanted, given: frozenset[str]) -> tuple[str, ...]:
    """The tests that an ask names: the accepted one's files, or those that fail already and show the issue."""
    if wants is Wanted.THERE:
        return tuple(sorted(given))
    known = shown_already(work.task, work.baseline)
    if not known:
        words = [each.why_next for each in progress.iterations if each.aim is Aim.TEST]
        known = named_in(words[-1], work.baseline) if words else ()
    return known[:TESTS_NAMED]


def _still_asked(work: Assignment) -> Task:
    """The task with those conflicts that are left."""
    left = unsolved(work.bench, work.task.conflicts)
    return replace(work.task, conflicts=tuple(left))


def _further(work: Assignment, told: str, model: Model) -> str:
    """Files that were not in view yet."""
    seen = paths_shown(told)
    return more_context(work.task, work.bench, seen, baseline=work.baseline, window_tokens=model.window_tokens)
