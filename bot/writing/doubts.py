"""What a second model has to say against a change that is finished."""

from bot.records import RunResult
from bot.writing.document import Section
from bot.writing.prose import quoted_prose
from bot.writing.safe import code

DOUBTS_AT_MOST = 2000


def doubts(result: RunResult) -> list[Section]:
    """The critic's words on the final change under a heading of their own; nothing where it has none."""
    words = result.progress.doubts.strip()
    if not words:
        return []
    who = f" ({code(result.critic)})" if result.critic else ""
    shown, shorter = quoted_prose(words, DOUBTS_AT_MOST), quoted_prose(words, 500)
    heading = f"**Doubts of a second model**{who}, which read the change beside the issue; nothing was checked by it:"
    return [Section(f"{heading}\n\n{shown}", 75, (f"{heading}\n\n{shorter}",))]
