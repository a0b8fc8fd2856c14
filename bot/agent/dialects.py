"""Which dialect a model is spoken to in, as long as its replies live up to it. Pure."""

from dataclasses import dataclass, replace

from bot.agent.asides import is_of, is_work
from bot.agent.llm import FILTERED, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE, Reply
from bot.agent.openai_replies import read_kept
from bot.agent.prompts import Dialect
from bot.records import Call, Progress

TOOLLESS_REPLIES = 2
REFUSED = (NO_TOOLS, NO_SCHEMA)
_NO_REPLY = (UNREADABLE, NO_CHOICE, TOO_LONG, FILTERED)


@dataclass(frozen=True, slots=True)
class Speech:
    """How a model is spoken to.

    `is_open`: the operator left the dialect open. `toolless`: how many replies in a row, up to now, made no call of the
    tools that they were offered.
    """

    dialect: Dialect
    is_open: bool
    toolless: int = 0

    def after(self, reply: Reply) -> "Speech":
        """How to go on after a reply: in fences where the server refused the form, or the model made no use of it."""
        if reply.finish_reason in REFUSED:
            return replace(self, dialect=Dialect.FENCED)
        if reply.finish_reason in _NO_REPLY or self.dialect is not Dialect.NATIVE:
            return self
        toolless = 0 if reply.tool_calls else self.toolless + 1
        is_given_up = self.is_open and toolless >= TOOLLESS_REPLIES
        return replace(self, dialect=Dialect.FENCED if is_given_up else self.dialect, toolless=toolless)


def is_toolless(progress: Progress) -> bool:
    """Whether a run found out that its model, taken for one that keeps to a form, does not: no reply ever did."""
    speech = spoken(progress)
    if speech is None or speech.dialect is not Dialect.FENCED:
        return False
    offered = [call for each in progress.iterations for call in each.calls if is_work(call) and not _is_fenced(call)]
    return bool(offered) and not any(read_kept(call.reply).tool_calls for call in offered)


def spoken(progress: Progress) -> Speech | None:
    """How a run whose operator left the dialect open has come to speak; None where it has not spoken yet."""
    speech: Speech | None = None
    for call in (call for each in progress.iterations for call in each.calls if is_work(call)):
        asked_in = Dialect(call.prompt_version.rpartition("-")[0])
        heard = read_kept(call.reply)
        speech = Speech(asked_in, is_open=True, toolless=speech.toolless if speech else 0).after(heard)
    return speech


def _is_fenced(call: Call) -> bool:
    return is_of(call, str(Dialect.FENCED))
