"""Asking the model, before it tries again, to say in words what is wrong. Nothing of its answer is carried out."""

from collections.abc import Sequence

from bot.agent.asides import ask_aside, without_blocks, words_of
from bot.agent.llm import Message, Model, user
from bot.agent.prompts import prompt
from bot.agent.quoting import printable
from bot.records import Call, StopCheck

KIND = "diagnosis"
REPLY_TOKENS = 400
REASONING_TOKENS = 4_096
"""More for a model whose words are fewer than its reasoning; a small one is kept short."""


def diagnose(
    model: Model, before: Sequence[Message], failed: str, *, temperature: float, is_small: bool, stop: StopCheck
) -> Call:
    """Ask which value comes out, which was expected, and which line is to blame.

    `before` are the messages that every conversation of the run begins with: they are cached by now.
    """
    messages = [*before, user(printable(f"{failed}\n\n{prompt(KIND)}"))]
    tokens = REPLY_TOKENS if is_small else REASONING_TOKENS
    return ask_aside(model, KIND, messages, temperature=temperature, max_tokens=tokens, stop=stop)


def diagnosis_of(call: Call) -> str:
    """The model's words, without code."""
    return without_blocks(words_of(call))
