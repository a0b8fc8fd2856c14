"""What people say to a run while it is at work, as the model hears it: in the talk at once, later in every opening."""

from collections.abc import Sequence

from bot.agent.llm import Message, Role, assistant, user
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced, printable
from bot.records import Note
from sandbox.contract import clipped

NOTE_CHARS = 3_000
HAVE_READ = "I have read it."
_SAYS = "A maintainer, "


def heard(note: Note, *, chars: int = NOTE_CHARS) -> str:
    """One note, as data."""
    who = clipped(" ".join(note.author.split()), 60)
    return printable(f"{_SAYS}{who}, says meanwhile:\n\n{fenced(clipped(note.text, chars), 'text')}")


def all_heard(notes: Sequence[Note], *, chars: int) -> str:
    """All notes so far within so many characters, the newest first to stay; "" where there are none."""
    told: list[str] = []
    for note in reversed(notes):
        one = heard(note, chars=min(NOTE_CHARS, chars // min(len(notes), 3)))
        if told and sum(map(len, told)) + len(one) > chars:
            left = len(notes) - len(told)
            return "\n\n".join([f"({left} earlier {'note' if left == 1 else 'notes'} left out.)", *told])
        told.insert(0, one)
    return "\n\n".join(told)


def new_since(before: tuple[Note, ...], now: tuple[Note, ...]) -> tuple[Note, ...]:
    """Those that came since. Of many, both have the newest alone, so that the beginning of `before` may be gone."""
    most = min(len(before), len(now))
    kept = next(kept for kept in range(most, -1, -1) if before[len(before) - kept :] == now[:kept])
    return now[kept:]


def into_talk(notes: Sequence[Note]) -> tuple[Message, ...]:
    """New notes as messages of their own, each behind a word of the model: many servers want the roles to alternate."""
    return tuple(
        message for note in notes for message in (assistant(HAVE_READ), user(f"{heard(note)}\n\n{prompt('meanwhile')}"))
    )


def is_note(message: Message) -> bool:
    """Whether a message is a note that came while the model was at work."""
    return message.role is Role.USER and (message.content or "").startswith(_SAYS)
