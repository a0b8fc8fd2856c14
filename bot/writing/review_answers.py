"""What is said to a review when its run has ended: an answer to each request, and one to the review as a whole."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.records import Answer, Outcome, Request
from bot.writing.document import Section, compose, details, marker
from bot.writing.figures import plural
from bot.writing.outcomes import commit, title
from bot.writing.prose import prose, quoted_prose
from bot.writing.safe import code, sentence

WORDS_AT_MOST = 1500
LISTED_AT_MOST = 100


def review_answer_marker(run_id: str, number: int) -> str:
    """The hidden line that makes one answer of each request of a run; 0 is the review as a whole."""
    return marker("review", f"{run_id}.{number}")


def settles(answer: Answer | None, *, head_sha: str) -> bool:
    """Whether a thread is done with: the model says so, and something was pushed."""
    return answer is not None and answer.is_done and bool(head_sha)


def review_answer(
    answer: Answer | None,
    *,
    head_sha: str,
    run_id: str,
    number: int = 0,
    path: str = "",
    changed_paths: Collection[str] = (),
    outcome: Outcome | None = None,
    reason: str = "",
) -> str:
    """The answer in a thread. `answer` is the model's, None where it said nothing to the request.

    `head_sha` is the commit that was pushed, "" where none was; then `outcome` and `reason` say why. `path` is the file
    that the thread is on, `changed_paths` what the push changed.
    """
    ended = _Ended(head_sha, outcome, reason)
    sections = [
        Section(_what_was_done(answer, ended, path=path, is_changed=path in changed_paths)),
        Section(_in_its_words(answer, is_pushed=bool(head_sha)) if answer is not None else ""),
        Section(f"<sub>run `{run_id}`</sub>"),
    ]
    end = review_answer_marker(run_id, answer.number if answer is not None else number)
    return compose([section for section in sections if section.text], end=end)


@dataclass(frozen=True, slots=True)
class _Ended:
    """How the run ended, as far as it concerns the review."""

    head_sha: str
    outcome: Outcome | None
    reason: str

    @property
    def without_a_push(self) -> str:
        first = sentence(self.reason.strip().partition("\n")[0], 300).rstrip(".")
        why = f" ({title(self.outcome)}{f': {first}' if first else ''})" if self.outcome is not None else ""
        return f"nothing was pushed{why}"


def _in_its_words(answer: Answer, *, is_pushed: bool) -> str:
    """What the model says; of work that went nowhere as a quote, for it may speak as if it had been done."""
    if not answer.text.strip():
        return ""
    return prose(answer.text, WORDS_AT_MOST) if is_pushed else quoted_prose(answer.text, WORDS_AT_MOST)


def _what_was_done(answer: Answer | None, ended: _Ended, *, path: str, is_changed: bool) -> str:
    """What is known of it, never more: that it is done is the model's word, what was pushed is a fact."""
    is_refused = answer is not None and not answer.is_done
    if not ended.head_sha:
        return f"➖ Not done, and {ended.without_a_push}." if is_refused else f"➖ Not done: {ended.without_a_push}."
    pushed = commit(ended.head_sha)
    if is_refused:
        return f"➖ Not done in {pushed}."
    if answer is not None:
        elsewhere = f" by changes elsewhere, {code(path)} is as it was" if path and not is_changed else ""
        return f"✅ Done in {pushed}{elsewhere}."
    touched = f"it changes {code(path)}, and whether that" if path and is_changed else "whether it"
    return f"➖ The model said nothing to this. {pushed} was pushed; {touched} does what you ask is for you to judge."


def review_summary(
    requests: Sequence[Request],
    answers: Sequence[Answer],
    *,
    reviewer: str,
    head_sha: str,
    run_id: str,
    outcome: Outcome | None = None,
    reason: str = "",
    asked_again: bool = False,
) -> str:
    """The one comment to a review as a whole: how much of it is done, and the answer to what its own text asks."""
    ended, by_number = _Ended(head_sha, outcome, reason), {each.number: each for each in answers}
    done = sum(settles(by_number.get(each.number), head_sha=head_sha) for each in requests)
    whole = [by_number[each.number] for each in requests if not each.path and each.number in by_number]
    sections = [
        Section(f"**Review by {code(reviewer, 60)}**: {_in_numbers(len(requests), done, ended)}"),
        *(Section(_in_its_words(each, is_pushed=bool(head_sha)), 80) for each in whole),
        Section(_listed(requests, by_number, head_sha), 50),
        Section("Your review is asked for again." if asked_again else ""),
        Section(f"<sub>run `{run_id}`</sub>"),
    ]
    return compose([section for section in sections if section.text], end=review_answer_marker(run_id, 0))


def _in_numbers(count: int, done: int, ended: _Ended) -> str:
    if not ended.head_sha:
        return f"{ended.without_a_push}, so that all is as it was."
    outcome, are = ended.outcome, "is" if done == 1 else "are"
    judged = f", which is {title(outcome).lower()}" if outcome in (Outcome.PROVEN, Outcome.UNPROVEN) else ""
    return f"{done:,} of {plural(count, 'request')} {are} done in {commit(ended.head_sha)}{judged}."


def _listed(requests: Sequence[Request], answers: dict[int, Answer], head_sha: str) -> str:
    """The requests by their places, folded; nothing where there is but one."""
    if len(requests) < 2:
        return ""
    lines = [
        f"- {'✅' if settles(answers.get(each.number), head_sha=head_sha) else '➖'} {_place(each)}: {_words(each)}"
        for each in requests[:LISTED_AT_MOST]
    ]
    more = [f"- … and {len(requests) - LISTED_AT_MOST:,} more"] if len(requests) > LISTED_AT_MOST else []
    return details("Request by request", "\n".join([*lines, *more]))


def _place(request: Request) -> str:
    if not request.path:
        return "as a whole"
    return code(f"{request.path}:{request.lines}" if request.lines else request.path)


def _words(request: Request) -> str:
    return sentence(request.said[-1][1], 160) if request.said else "–"
