"""Making a conversation fit a budget, the least useful parts first. Pure.

What stays as long as it can: our instructions, the run's context, and the opening of the current iteration. The same
conversation is always cut in the same places; where something has to go, more goes than must, so that what is said next
stands behind an unchanged prefix again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.agent.budget import Budget
from bot.agent.history import is_opening
from bot.agent.llm import Message, Role
from bot.agent.meanwhile import is_note
from sandbox.contract import clipped

OLD_ANSWER_CHARS = 600
SHORTEST_CHARS = 300
MESSAGE_CHARS = 20
"""What a message costs beside its words."""
_NOTE_CHARS = 60


def fitted(messages: Sequence[Message], budget: Budget) -> list[Message]:
    """The messages within the budget: older iterations go first, then old answers, old exchanges, long texts' middles.

    A tool call and its answers stay or go together; what people said meanwhile goes after everything else. Only
    instructions that are longer than the window come out too long.
    """
    openings = [at for at, message in enumerate(messages) if is_opening(message)]
    current = openings[-1] + 1 if openings else _preamble(messages)
    talk = _Talk(
        tuple(messages[: openings[0] if openings else current]),
        tuple(tuple(messages[at:end]) for at, end in pairwise(openings)),
        tuple(messages[current - 1 : current]) if openings else (),
    )
    talk = _within(talk, budget.prompt_chars)
    for exchange in _exchanges(messages[current:]):
        talk = _within(replace(talk, exchanges=(*talk.exchanges, exchange)), budget.prompt_chars)
    return list(talk.messages)


def size_of(messages: Sequence[Message]) -> int:
    """What messages cost, in characters."""
    return sum(_size(message) for message in messages)


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation by what its parts are for. An exchange is what the model said and what it was answered."""

    preamble: tuple[Message, ...]
    iterations: tuple[tuple[Message, ...], ...]
    opening: tuple[Message, ...]
    exchanges: tuple[tuple[Message, ...], ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        groups = (self.preamble, *self.iterations, self.opening, *self.exchanges)
        return tuple(message for group in groups for message in group)


def _within(talk: _Talk, limit: int) -> _Talk:
    """The talk as it is where it fits; else without what goes first, down to three quarters of the limit."""
    if size_of(talk.messages) <= limit:
        return talk
    for smaller in _shorter_and_shorter(talk):
        talk = smaller
        if size_of(talk.messages) <= limit * 3 // 4:
            return talk
    return _squeezed(talk, limit)


def _shorter_and_shorter(talk: _Talk) -> Iterator[_Talk]:
    while talk.iterations:
        talk = replace(talk, iterations=talk.iterations[1:])
        yield talk
    for at in (at for at, exchange in enumerate(talk.exchanges[:-1]) if not _is_of_people(exchange)):
        shortened = tuple(_cut(message, OLD_ANSWER_CHARS) for message in talk.exchanges[at])
        talk = replace(talk, exchanges=(*talk.exchanges[:at], shortened, *talk.exchanges[at + 1 :]))
        yield talk
    while len(talk.exchanges) > 1:
        oldest = next((at for at, each in enumerate(talk.exchanges[:-1]) if not _is_of_people(each)), 0)
        talk = replace(talk, exchanges=(*talk.exchanges[:oldest], *talk.exchanges[oldest + 1 :]))
        yield talk


def _squeezed(talk: _Talk, limit: int) -> _Talk:
    """The talk with its longest texts cut to head and tail until it fits, without tool calls too large for that."""
    if any(size_of(exchange) - _cuttable(exchange) > limit // 2 for exchange in talk.exchanges):
        talk = replace(talk, exchanges=tuple(each for each in talk.exchanges if _is_of_people(each)))
    while (excess := size_of(talk.messages) - limit) > 0:
        longest = max((len(_words(message)) for message in talk.messages), default=0)
        if longest <= SHORTEST_CHARS:
            return talk
        room = max(longest - excess - _NOTE_CHARS, SHORTEST_CHARS - _NOTE_CHARS)
        talk = _with_longest_cut(talk, longest, room)
    return talk


def _with_longest_cut(talk: _Talk, longest: int, room: int) -> _Talk:
    def cut(messages: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(
            replace(one, content=clipped(one.content or "", room)) if len(_words(one)) == longest else one
            for one in messages
        )

    return _Talk(
        cut(talk.preamble),
        tuple(cut(iteration) for iteration in talk.iterations),
        cut(talk.opening),
        tuple(cut(exchange) for exchange in talk.exchanges),
    )


def _cut(message: Message, limit: int) -> Message:
    """Answers grow old faster than the model's own words."""
    if message.role in (Role.SYSTEM, Role.ASSISTANT) or message.content is None:
        return message
    return replace(message, content=clipped(message.content, limit))


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    said: list[Message] = []
    for message in messages:
        if message.role is Role.ASSISTANT and said:
            yield tuple(said)
            said = []
        said.append(message)
    if said:
        yield tuple(said)


def _is_of_people(exchange: Sequence[Message]) -> bool:
    """Whether somebody says something in it to the model at work."""
    return any(is_note(message) for message in exchange)


def _preamble(messages: Sequence[Message]) -> int:
    """How many messages come before the model's first, where no iteration is opened."""
    return next((at for at, message in enumerate(messages) if message.role is Role.ASSISTANT), len(messages))


def _words(message: Message) -> str:
    """What of a message may be cut: our instructions stay whole."""
    return "" if message.role is Role.SYSTEM else message.content or ""


def _cuttable(messages: Sequence[Message]) -> int:
    return sum(len(_words(message)) for message in messages)


def _size(message: Message) -> int:
    calls = sum(len(call.name) + len(call.arguments) + MESSAGE_CHARS for call in message.tool_calls)
    return len(message.content or "") + calls + MESSAGE_CHARS
