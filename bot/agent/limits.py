"""The limits of a run, held against what it has used. Pure."""

from bot.records import Caps, Change, Spend

TOKENS_BIND = "the model's price is not known, so only tokens bind"


def spent(spend: Spend, caps: Caps, *, seconds: float) -> str:
    """Which limit of tokens, money or time is reached, with its number; "" where none is."""
    if spend.tokens >= caps.tokens:
        unknown = f"; {TOKENS_BIND}" if caps.cost_usd is not None and spend.cost_usd is None else ""
        return f"the limit of {caps.tokens:,} tokens is reached ({spend.tokens:,} used{unknown})"
    if caps.cost_usd is not None and spend.cost_usd is not None and spend.cost_usd >= caps.cost_usd:
        return f"the limit of USD {caps.cost_usd:.2f} is reached (USD {spend.cost_usd:.2f} spent)"
    if seconds >= caps.minutes * 60:
        return f"the limit of {caps.minutes:g} minutes is reached"
    return ""


def oversize(change: Change, caps: Caps) -> str:
    """Which limit on the change's size it exceeds, with its number; "" where none."""
    lines = change.added_lines + change.removed_lines
    if lines > caps.patch_lines:
        return f"the change has {lines:,} lines, the limit is {caps.patch_lines:,}"
    if len(change.paths) > caps.patch_files:
        return f"the change touches {len(change.paths)} files, the limit is {caps.patch_files}"
    return ""
