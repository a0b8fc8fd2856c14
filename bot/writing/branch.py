"""What a pull request's branch has seen: attempts, people's commits, conflicts with the base, checks that failed."""

import re
from collections.abc import Sequence

from bot.records import Attempt, FailedCheck, Kept, Outcome, RunResult, SolvedConflict
from bot.writing.document import Section, details, table
from bot.writing.figures import plural
from bot.writing.outcomes import commit, title
from bot.writing.safe import code, inline

ATTEMPTS_OPEN = 4
ATTEMPTS_AT_MOST = 50
LISTED_AT_MOST = 20

_COMMENT = re.compile(r"https?://[A-Za-z0-9.:-]+/[A-Za-z0-9._/-]+#issuecomment-\d+")


def attempts(result: RunResult) -> Section:
    """All attempts, from the second on: what each was for, how it ended, its commit and its log; folded if many."""
    made = result.attempts
    if len(made) < 2:
        return Section("")
    shown = made[-ATTEMPTS_AT_MOST:]
    rows = [(str(each.number), inline(each.because, 120), _ended(each), _commit(each), _log(each)) for each in shown]
    listed = table(("attempt", "for", "outcome", "commit", "log"), rows)
    if len(made) > ATTEMPTS_OPEN:
        return Section(details(f"Attempts: {len(made):,}", listed), 45)
    return Section(f"**Attempts**\n\n{listed}", 45)


def _ended(attempt: Attempt) -> str:
    """The outcome in people's words; a word that is none of ours is shown as it is."""
    if attempt.outcome is None:
        return "at work"
    known = {str(each): each for each in Outcome}.get(attempt.outcome)
    return title(known) if known is not None else inline(attempt.outcome, 40)


def _commit(attempt: Attempt) -> str:
    return commit(attempt.head_sha) if attempt.head_sha else "–"


def _log(attempt: Attempt) -> str:
    """The link to the log's comment. Only an address of that very form becomes one."""
    return f"[log]({attempt.log_url})" if _COMMENT.fullmatch(attempt.log_url) else code(attempt.run_id, 60)


def built_on(result: RunResult) -> Section:
    """That people's commits on the branch were built on and kept; "" where there are none."""
    people = result.by_people
    if not people:
        return Section("")
    named = ", ".join(commit(sha) for sha in people[:LISTED_AT_MOST])
    more = f" and {len(people) - LISTED_AT_MOST:,} more" if len(people) > LISTED_AT_MOST else ""
    count = plural(len(people), "commit")
    return Section(f"**Built on {count} by people** on this branch, all kept as they are: {named}{more}.", 88)


def conflicts(result: RunResult) -> Section:
    """That the base has moved into the change's way, in which files, and what solves it; "" where it has not."""
    files = result.conflicts
    if not files:
        return Section("")
    more = [f"- … and {plural(len(files) - LISTED_AT_MOST, 'more file')}"] if len(files) > LISTED_AT_MOST else []
    lines = "\n".join([*(f"- {code(path)}" for path in files[:LISTED_AT_MOST]), *more])
    now = f"as it is now ({commit(result.base_moved_to)})" if result.base_moved_to else "as it is now"
    said = f"⚠️ **Conflicts with the base** {now}, in {plural(len(files), 'file')}"
    return Section(
        f"{said}:\n\n{lines}\n\nThe proof stands for the base that it names. Comment `/selfcode retry` to have the "
        "conflicts solved, and the proof taken again.",
        89,
        (f"{said}. Comment `/selfcode retry` to have them solved.",),
    )


def solved_conflicts(result: RunResult) -> Section:
    """Of each conflict that was solved, which side was taken; "" where there was none, or nothing was pushed."""
    solved = result.solved if result.head_sha else ()
    if not solved:
        return Section("")
    more = [f"- … and {plural(len(solved) - LISTED_AT_MOST, 'more file')}"] if len(solved) > LISTED_AT_MOST else []
    lines = [f"- {code(each.path)}: {_side_of(each)}" for each in solved[:LISTED_AT_MOST]]
    said = f"**Conflicts with the base, solved in {plural(len(solved), 'file')}**"
    return Section("\n".join([said, "", *lines, *more]), 88, (f"{said}.",))


def _side_of(solved: SolvedConflict) -> str:
    match solved.kept:
        case Kept.BRANCH:
            side = "on this branch, and not as on the base"
        case Kept.BASE:
            side = "on the base, and not as on this branch"
        case Kept.BOTH:
            return "put together, as neither side had it" if solved.is_there else "deleted, though both sides had it"
    return f"as {side}" if solved.is_there else f"deleted, as {side}"


def base_moved(result: RunResult) -> Section:
    """That the base has moved on meanwhile, where the change has nothing against it; "" where it has not."""
    if not result.base_moved_to or result.conflicts:
        return Section("")
    return Section(
        f"The base has moved on to {commit(result.base_moved_to)} since: the proof is of {commit(result.base_sha)}.", 60
    )


def failed_checks(result: RunResult) -> Section:
    """That checks of the repository's own fail on the commit, beside what the proof came to; "" where none does."""
    checks = result.checks
    if not checks:
        return Section("")
    proof = "The proof is green" if result.outcome is Outcome.PROVEN else "The tests pass in the proof"
    found = f"⚠️ **{proof}; {_named(checks)} on this commit.**"
    told = [each for each in checks[:LISTED_AT_MOST] if each.summary.strip()]
    lines = "\n".join(f"- {code(each.name, 100)}: {inline(each.summary, 300)}" for each in told)
    return Section(f"{found}\n\n{lines}" if lines else found, 89, (found,))


def _named(checks: Sequence[FailedCheck]) -> str:
    """“`ci / test` fails”, “`ci / test` and `lint` fail”, “`a`, `b`, `c` and 4 more fail”."""
    names = [code(each.name, 100) for each in checks[:3]]
    more = len(checks) - len(names)
    if more:
        return f"{', '.join(names)} and {more:,} more fail"
    if len(names) == 1:
        return f"{names[0]} fails"
    return f"{', '.join(names[:-1])} and {names[-1]} fail"
