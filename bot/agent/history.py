"""What the model is told of earlier iterations: rebuilt from the records: a crashed run goes on in the same words.

The last two iterations stay whole, with the model's own replies; earlier ones are one bullet each.
"""

import json
from collections.abc import Sequence

from bot.agent.asides import is_work
from bot.agent.llm import Message, Role
from bot.agent.openai_replies import read_kept
from bot.agent.reports import last_error
from bot.agent.thinking import without_thinking
from bot.records import Call, Iteration
from sandbox.contract import clipped

KEPT_WHOLE = 2
ANSWER_CHARS = 2_500
OPENING = "Iteration "


def is_opening(message: Message) -> bool:
    """Whether a message opens an iteration: “Iteration N of M.”."""
    return message.role is Role.USER and (message.content or "").startswith(OPENING)


def first_context(iterations: Sequence[Iteration]) -> str | None:
    """The context as the first call of the run had it: kept to the letter, so that providers' caches hold."""
    for iteration in iterations:
        for call in iteration.calls:
            messages = _messages(call) if is_work(call) else []
            if len(messages) > 1 and not is_opening(messages[1]):
                return messages[1].content
    return None


def whole(iterations: Sequence[Iteration]) -> tuple[Message, ...]:
    """The conversations of the last iterations: each opening, every reply, and what it was answered."""
    kept = [iteration for iteration in iterations[-KEPT_WHOLE:] if _own(iteration)]
    return tuple(message for iteration in kept for message in _conversation(iteration))


def bullets(iterations: Sequence[Iteration]) -> str:
    """One line for each iteration: what changed, which tests failed, the error's last line."""
    return "\n".join(_bullet(iteration) for iteration in iterations)


def was_told(iterations: Sequence[Iteration], words: str) -> bool:
    """Whether the model at work was told something in these words already."""
    return any(words in call.messages for each in iterations for call in each.calls if is_work(call))


def _bullet(iteration: Iteration) -> str:
    report = iteration.report
    if report is None:
        return f"- {iteration.number}: {iteration.summary}; not tested: {iteration.why_next}"
    failed = ", ".join(sorted(report.failed)[:3])
    wrong = "" if report.is_green else f"; failed: {failed or report.state}; {last_error(report)}"
    return f"- {iteration.number}: {iteration.summary}; {report.counts}{wrong}"


def _conversation(iteration: Iteration) -> list[Message]:
    call = _own(iteration)[-1]
    messages = _messages(call)
    start = max((at for at, message in enumerate(messages) if is_opening(message)), default=0)
    reply = read_kept(call.reply)
    words = without_thinking(reply.text or "")
    closing = [reply.as_message(words)] if words or reply.tool_calls else []
    results = [
        Message(Role.TOOL, clipped(action.result, ANSWER_CHARS), tool_call_id=asked.id)
        for asked, action in zip(reply.tool_calls, call.actions, strict=False)
    ]
    return [*(_shortened(message) for message in messages[start:]), *closing, *results]


def _own(iteration: Iteration) -> list[Call]:
    """The calls of the model at work, without the questions beside it."""
    return [call for call in iteration.calls if is_work(call)]


def _shortened(message: Message) -> Message:
    """Answers grow old faster than the model's own words, which stay whole."""
    if message.role is Role.ASSISTANT or message.content is None:
        return message
    return Message(message.role, clipped(message.content, ANSWER_CHARS), message.tool_calls, message.tool_call_id)


def _messages(call: Call) -> list[Message]:
    return [Message.from_json(shape) for shape in json.loads(call.messages)]
