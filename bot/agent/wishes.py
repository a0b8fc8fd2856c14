"""What the repository asks of contributors: wishes, which are data, and rank below the issue. Pure."""

from collections.abc import Sequence

from bot.agent.prompts import prompt
from bot.agent.quoting import fenced
from sandbox.contract import clipped

FEWEST_CHARS = 400
MOST_CHARS = 6_000


def wishes_text(wishes: Sequence[tuple[str, str]], *, chars: int) -> str:
    """The wishes by the file that has them, within so many characters; "" where there are none, or too little room."""
    room = min(chars, MOST_CHARS)
    head = f"# What the repository asks of contributors\n\n{prompt('wishes')}"
    told = [(path, words.strip()) for path, words in wishes if words.strip()]
    if not told or room < FEWEST_CHARS:
        return ""
    parts, left = [head], room - len(head)
    for at, (path, words) in enumerate(told):
        share = left // (len(told) - at) - len(path) - 60
        if share < FEWEST_CHARS // 4:
            break
        parts.append(f"{path} says:\n\n{fenced(clipped(words, share), 'text')}")
        left -= len(parts[-1]) + 2
    return "\n\n".join(parts) if len(parts) > 1 else ""
