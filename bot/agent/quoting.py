"""What others wrote, as a prompt holds it: in a fence that it can't end, without what no request can carry. Pure."""

import re


def fenced(text: str, info: str = "") -> str:
    """The text in a fence longer than any that it holds."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{text.removesuffix(chr(10))}\n{fence}"


def printable(text: str) -> str:
    """The text without characters that JSON or a prompt can't carry: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")
