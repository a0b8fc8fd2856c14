"""The limits of a run, held against what it has used. Pure."""

from bot.agent.starting import NOTHING, differing
from bot.records import Caps, Change, Spend

TOKENS_BIND = "the model's price is not known, so only tokens bind"
NEAR = 0.85
"""The part of a limit from which on the model is told to finish with what it has."""
LAST_CALLS = 2


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


def near(spend: Spend, caps: Caps, *, seconds: float, calls_left: int | None = None) -> str:
    """What is nearly used up, in words for the model; "" where nothing is.

    `calls_left` is given in the last iteration, and counts only where an iteration may have more calls than these few.
    """
    if calls_left is not None and calls_left <= LAST_CALLS < caps.calls_per_iteration:
        return f"{calls_left} more {'reply' if calls_left == 1 else 'replies'}"
    if spend.tokens >= caps.tokens * NEAR:
        return f"{max(caps.tokens - spend.tokens, 0):,} more tokens"
    if caps.cost_usd is not None and spend.cost_usd is not None and spend.cost_usd >= caps.cost_usd * NEAR:
        return f"USD {max(caps.cost_usd - spend.cost_usd, 0):.2f} more"
    if seconds >= caps.minutes * 60 * NEAR:
        return f"{max(caps.minutes - seconds / 60, 0):.0f} more minutes"
    return ""


def oversize(change: Change, caps: Caps, start: Change = NOTHING) -> str:
    """Which limit on the change's size it exceeds, with its number; "" where none.

    Where `start`, which was there already, exceeds a limit itself, what the run adds to it is held against that limit.
    """
    lines, before = (one.added_lines + one.removed_lines for one in (change, start))
    added = lines - before if before > caps.patch_lines else lines
    if added > caps.patch_lines:
        return f"the change {'adds' if added < lines else 'has'} {added:,} lines, the limit is {caps.patch_lines:,}"
    files = len(differing(change, start)) if len(start.paths) > caps.patch_files else len(change.paths)
    if files > caps.patch_files:
        return f"the change touches {files} files, the limit is {caps.patch_files}"
    return ""
