"""Fixes in the history of a repository on this machine, newest first. Nothing of the repository is run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.backtest import words
from bot.backtest.sides import is_candidate, why_too_many, why_unfit
from bot.backtest.wanted import Wanted
from bot.errors import Gone, Refused
from bot.records import Caps, CheckedFix, FixSource, PastFix, StopCheck
from bot.repository import GitFailed, Mirror
from bot.repository.past import (
    PastCommit,
    brought_by,
    bytes_between,
    commits_before,
    files_between,
    holds_word,
    paths_between,
)
from bot.repository.revisions import range_of, span_of

SOURCE_LINES_AT_MOST = 400
"""Of a larger change nobody would say that it is one fix."""

BYTES_AT_MOST = 50_000_000
"""Of a larger change nobody reads the files, be it only to say what it is."""

_SHORT = 12


@dataclass(frozen=True, slots=True)
class History:
    """The repository's commits in a mirror of ours, from `head` back to what `since` holds."""

    mirror: Mirror
    head: str
    since: str = ""


def history_of(wanted: Wanted, mirror: Mirror, *, stop: StopCheck) -> History:
    """Bring what is asked for into the mirror. Raises: `Refused` where there is no such repository or range."""
    if wanted.repository is None:
        raise AssertionError("a history is of a repository")
    url = str(wanted.repository.resolve())
    try:
        head = mirror.fetch_branch(url, "HEAD", stop=stop)
        if wanted.span:
            span = span_of(wanted.repository, range_of(wanted.span))
            for commit in (span.base, span.head):
                mirror.fetch_commit(str(span.folder), commit, stop=stop)
            return History(mirror, span.head, span.base)
    except Gone as gone:
        raise Refused(f"{wanted.repository} is not the top folder of a git repository: name that one.") from gone
    except GitFailed as failed:
        raise Refused(f"git can't bring the commits out of {wanted.repository}: {failed}") from failed
    if head is None:
        raise Refused(f"{wanted.repository} has no commit yet.")
    return History(mirror, head)


def fixes_in(history: History, caps: Caps) -> Iterator[CheckedFix]:
    """The commits that change source and tests, newest first; a merged pull request that is fit as one.

    Each comes with the reason where it can be told without running anything that nobody can be asked for it.
    """
    inside: set[str] = set()
    for commit in commits_before(history.mirror.path, history.head, since=history.since):
        if commit.sha in inside or not commit.parents:
            continue
        if commit.is_merge and not words.is_of_a_pull(commit.message):
            continue
        found = _fix(history.mirror, commit, caps)
        if found is None:
            continue
        if commit.is_merge and found.is_fit:  # what is in one that is too large is looked at by itself
            inside |= brought_by(history.mirror.path, commit)
        yield found


def _fix(mirror: Mirror, commit: PastCommit, caps: Caps) -> CheckedFix | None:
    base = commit.parents[0]
    try:
        paths = paths_between(mirror.path, base, commit.sha)
    except GitFailed:  # the parent is not here: a shallow clone ends there
        return None
    if not is_candidate(paths):
        return None
    try:
        if too_much := _why_too_much(mirror, base, commit.sha, paths, caps):
            return CheckedFix(_unasked(commit, base), reason=too_much)
        return _looked_at(mirror, commit, base, caps)
    except (GitFailed, KeyError) as failed:
        return CheckedFix(_unasked(commit, base), reason=f"git can't read it: {failed}")


def _why_too_much(mirror: Mirror, base: str, head: str, paths: Sequence[str], caps: Caps) -> str:
    """Why nobody reads the files of a change, or "". Raises: `GitFailed`."""
    if too_many := why_too_many(len(paths), files_at_most=caps.patch_files):
        return too_many
    size = bytes_between(mirror.path, base, head)
    return f"too large: {size / 1e6:,.0f} MB of files" if size > BYTES_AT_MOST else ""


def _looked_at(mirror: Mirror, commit: PastCommit, base: str, caps: Caps) -> CheckedFix:
    files = files_between(mirror.path, base, commit.sha)
    unfit = why_unfit(files, lines_at_most=SOURCE_LINES_AT_MOST, files_at_most=caps.patch_files)
    if not unfit and words.is_taking_back(commit.message):
        unfit = "it takes an earlier commit back"
    if unfit:
        return CheckedFix(_unasked(commit, base), reason=unfit)
    told = words.told_by_message(commit.message, words.Given(files, lambda name: holds_word(mirror.path, base, name)))
    reason = "" if told.is_enough else "its message says too little, without what gives the answer away"
    return CheckedFix(_as_fix(commit, base, told), reason=reason)


def _unasked(commit: PastCommit, base: str) -> PastFix:
    """A fix that nobody is asked for: its words are for people."""
    return _as_fix(commit, base, words.told_by_message(commit.message, words.Given((), lambda _: True)))


def _as_fix(commit: PastCommit, base: str, told: words.Told) -> PastFix:
    return PastFix(
        id=commit.sha[:_SHORT],
        name=commit.sha[:_SHORT],
        base=base,
        head=commit.sha,
        title=told.title,
        body=told.body,
        source=FixSource.COMMIT,
        at=commit.at,
        left_out=told.left_out,
    )


def pulls_in(history: History, pulls: Iterator[PastFix], caps: Caps) -> Iterator[CheckedFix]:
    """Merged pull requests (of a range those in it), each with its base, and its issue's words without the fix."""
    commits = commits_before(history.mirror.path, history.head, since=history.since) if history.since else ()
    inside = frozenset(commit.sha for commit in commits)
    for pull in pulls:
        if not history.since or pull.head in inside:
            yield _pull(history.mirror, pull, caps)


def _pull(mirror: Mirror, pull: PastFix, caps: Caps) -> CheckedFix:
    try:
        if not mirror.has(pull.head):
            return CheckedFix(pull, reason="the commit that brought it is not in the repository any more")
        commit = commits_before(mirror.path, pull.head, at_most=1)[0]
        if not pull.base and not commit.parents:
            return CheckedFix(pull, reason="there was nothing before it")
        fix = replace(pull, base=pull.base or commit.parents[0])
        paths = paths_between(mirror.path, fix.base, fix.head)
        if not is_candidate(paths):
            return CheckedFix(fix, reason="it does not change both source and tests")
        if too_much := _why_too_much(mirror, fix.base, fix.head, paths, caps):
            return CheckedFix(fix, reason=too_much)
        files = files_between(mirror.path, fix.base, fix.head)
        brought = brought_by(mirror.path, commit) if commit.is_merge else ()
    except (GitFailed, ValueError, KeyError) as failed:
        return CheckedFix(pull, reason=f"git can't read it: {failed}")
    given = words.Given(files, lambda _: True)
    told = words.told_by_issue(pull.title, pull.body, given, hints=(pull.url, pull.head, *brought))
    left_out = tuple(dict.fromkeys((*pull.left_out, *told.left_out)))
    fix = replace(fix, title=told.title, body=told.body, left_out=left_out)
    unfit = why_unfit(files, lines_at_most=SOURCE_LINES_AT_MOST, files_at_most=caps.patch_files)
    return CheckedFix(fix, reason=unfit or ("" if told.title else "its issue says nothing but the fix"))
