"""The answer to who accepted what a change does to existing tests: one line, and what it came to."""

from bot.records import Outcome, RunResult
from bot.writing.document import Section, compose
from bot.writing.outcomes import headline, title
from bot.writing.replies import reply_marker
from bot.writing.result import where_it_is
from bot.writing.safe import code, sentence


def answer(result: RunResult, *, who: str, key: str) -> str:
    """What becomes of the word of `who` on the altered tests. `key` is the trigger's."""
    match result.outcome:
        case Outcome.PROVEN | Outcome.UNPROVEN:
            accepted = f"What the change does to existing tests is accepted by {code(who)}."
            sections = [Section(accepted), Section(headline(result)), Section(where_it_is(result))]
        case Outcome.REFUSED:
            sections = [Section(sentence(result.reason) or "That can't be done.")]
        case outcome:
            first = sentence(result.reason.strip().partition("\n")[0]).rstrip(".")
            said = f"{title(outcome)}{f': {first}' if first else ''}."
            sections = [Section(f"The proof could not be taken again. {said}")]
    return compose([section for section in sections if section.text], end=reply_marker(key))
