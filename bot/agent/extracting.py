"""Finding the program in a reply. Pure."""

import ast

from bot.agent.blocks import Block, blocks_of
from bot.agent.elision import UNPARSEABLE
from bot.agent.naming import SHELLS

PYTHON = frozenset({"python", "python3", "py", "text/x-python"})
NOT_CODE = SHELLS | {"text", "json", "output", "plaintext", "diff"}


def code_of(text: str, *, is_truncated: bool = False) -> str | None:
    """The program of a reply: the longest Python block that parses, else the longest at all; None where none is whole.

    A reply without any fence counts as code where all of it parses and does something.
    """
    blocks = blocks_of(text)
    if not blocks:
        return text if not is_truncated and is_program(text) else None
    if any(not block.is_closed for block in blocks):
        return None
    named = [block for block in blocks if block.language in PYTHON]
    candidates = named or [block for block in blocks if block.language not in NOT_CODE]
    return max(candidates, key=_worth).content if candidates else None


def is_program(text: str) -> bool:
    """Whether a text is Python that does something: “Sure” parses too."""
    try:
        tree = ast.parse(text)
    except UNPARSEABLE:
        return False
    return any(not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call) for node in tree.body)


def _worth(block: Block) -> tuple[bool, int]:
    return is_program(block.content), len(block.content)
