"""The prompts: text files beside this module, and their version."""

from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.resources import files

from bot.agent.room import SMALL_WINDOW_TOKENS


class Dialect(StrEnum):
    """How the model asks for actions: tool calls, JSON by a schema, fenced blocks. AUTO: what the model can do best."""

    AUTO = "auto"
    NATIVE = "native"
    JSON = "json"
    FENCED = "fenced"


@cache
def prompt(name: str) -> str:
    """The text of a prompt file."""
    return files("bot.agent").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def version(kind: str) -> str:
    """What a call was asked with: the kind of prompt (`native`, `fenced`, …) and a hash over all prompt files."""
    folder = files("bot.agent").joinpath("prompts")
    digest = sha256()
    for file in sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".md")), key=lambda entry: entry.name
    ):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return f"{kind}-{digest.hexdigest()[:12]}"


def system_prompt(dialect: Dialect) -> str:
    """The instructions for a dialect, which is settled by then: AUTO has none."""
    return prompt(str(dialect))


def instructions(dialect: Dialect, window_tokens: int | None) -> str:
    """The instructions of a run: with the rarer ways to end, where the tools don't say them and the window is large.

    A small model is told of them only when it finishes without a change.
    """
    text = system_prompt(dialect)
    is_large = window_tokens is not None and window_tokens > SMALL_WINDOW_TOKENS
    return f"{text}\n\n{prompt(f'ways_{dialect}')}" if is_large and dialect is not Dialect.NATIVE else text
