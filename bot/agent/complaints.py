"""What is wrong with a reply that can't be used, in words for the model and for the trace. Pure."""

from dataclasses import replace

from bot.agent.llm import BAD_CALL, FILTERED, NO_CHOICE, UNREADABLE, Message, Reply, assistant, user
from bot.agent.prompts import prompt

NOTE = "\n\n(Your last reply could not be used"

_CAUSES = {
    UNREADABLE: "the server's answer is not a chat completion",
    NO_CHOICE: "the server's answer holds no reply",
    BAD_CALL: "the server can't read the tool call in the reply",
    FILTERED: "the provider's content filter held the reply back",
}


def named_problem(reply: Reply, words: str, problem: str) -> str:
    """What was wrong with a reply that asks for nothing, cause by cause."""
    if reply.finish_reason in _CAUSES:
        return f"{_CAUSES[reply.finish_reason]}{_detail(reply)}"
    if reply.is_truncated and not words:
        return f"the reply was cut off at its length limit before it said anything{_detail(reply)}"
    if not words and (reply.text or "").strip():
        return "the reply held reasoning alone, and no answer behind it"
    if not words:
        return f"the reply was empty{_detail(reply)}"
    return problem


def complained(messages: list[Message], words: str, problem: str, *, form: str) -> list[Message]:
    """The conversation with the complaint at its end. A reply without words leaves a note in the last message."""
    if not words:
        return [*messages[:-1], _with_note(messages[-1], problem)]
    text = prompt("no_action").format(problem=f": {problem}" if problem else "", form=form)
    return [*messages, assistant(words), user(text)]


def first_line(words: str) -> str:
    """The first line of a reply's words, where it begins with words."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return lines[0][:200] if lines and not lines[0].startswith(("```", "~~~")) else ""


def _with_note(message: Message, problem: str) -> Message:
    """The message with a note, one at most, so that the next request is another one than the last."""
    content = (message.content or "").split(NOTE, maxsplit=1)[0]
    return replace(message, content=f"{content}{NOTE}: {problem}. Be brief.)")


def _detail(reply: Reply) -> str:
    return f" ({reply.detail})" if reply.detail else ""
