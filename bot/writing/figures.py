"""Numbers as people read them: tests, tokens, money, time."""

import re
from collections.abc import Iterator

from bot.records import Call, Caps, Iteration, Spend, TestReport


def plural(count: int, noun: str) -> str:
    """“1 test”, “2,340 tests”."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def tokens(count: int) -> str:
    """“950”, “12,400”; from a million on “1.2 million”."""
    return f"{count / 1_000_000:.1f} million" if count >= 1_000_000 else f"{count:,}"


def cost(usd: float | None) -> str:
    """“USD 0.12”; fractions of a cent are shown as such, an unknown price is said."""
    if usd is None:
        return "price unknown"
    return f"USD {usd:.2f}" if usd >= 0.01 or usd == 0 else f"USD {usd:.4f}"


def duration(seconds: float) -> str:
    """“4 s”, “3 min 20 s”, “1 h 5 min”."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def unbroken(figures: str) -> str:
    """The text with each number kept on one line with its unit, for the narrow columns of a table."""
    return re.sub(r"(?<=\d) (?=[a-z])|(?<=USD) ", "\u00a0", figures)


def spent(spend: Spend) -> str:
    """“4 model calls, 12,400 tokens (40 % of the prompts cached), USD 0.12”."""
    share = cached(spend.cached_tokens, spend.prompt_tokens)
    return f"{plural(spend.calls, 'model call')}, {tokens(spend.tokens)} tokens{share}, {cost(spend.cost_usd)}"


def cached(cached_tokens: int, prompt_tokens: int) -> str:
    """“ (40 % of the prompts cached)”, or "" where nothing was, as far as the provider says."""
    if not cached_tokens or not prompt_tokens:
        return ""
    return f" ({round(100 * min(cached_tokens, prompt_tokens) / prompt_tokens)} % of the prompts cached)"


def critics_spend(spend: Spend) -> str:
    """“3,200 tokens, USD 0.02”: what of all the critic used, or ""."""
    return f"{tokens(spend.critic_tokens)} tokens, {cost(spend.critic_cost_usd)}" if spend.critic_tokens else ""


def spent_of(spend: Spend, caps: Caps) -> str:
    """The spend beside its limits: tokens, money where its price is known, minutes."""
    parts = [f"{tokens(spend.tokens)} of {tokens(caps.tokens)} tokens"]
    if spend.cost_usd is None:
        parts.append("the model's price is not known, so that tokens are the limit")
    elif caps.cost_usd is None:
        parts.append(cost(spend.cost_usd))
    else:
        parts.append(f"{cost(spend.cost_usd)} of {cost(caps.cost_usd).removeprefix('USD ')}")
    parts.append(f"{duration(spend.seconds)} of {duration(caps.minutes * 60)}")
    return ", ".join(parts)


def iteration_tokens(iteration: Iteration) -> str:
    """The tokens of one iteration and how much of its prompts was cached; `≈` where they were estimated."""
    usages = [call.usage for call in all_calls(iteration)]
    total = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
    share = cached(sum(usage.cached_tokens or 0 for usage in usages), sum(usage.prompt_tokens for usage in usages))
    return (
        ("≈ " if any(usage.estimated for usage in usages) else "")
        + tokens(total)
        + share.replace("of the prompts ", "")
    )


def all_calls(iteration: Iteration) -> Iterator[Call]:
    """The iteration's calls, then those of the candidates that were drawn beside it."""
    yield from iteration.calls
    for candidate in iteration.others:
        yield from candidate.calls


def iteration_cost(iteration: Iteration) -> str:
    """What one iteration cost, a dash where the price is not known."""
    costs = [call.usage.cost_usd for call in all_calls(iteration)]
    known = [each for each in costs if each is not None]
    return cost(sum(known)) if len(known) == len(costs) else "–"


def counts(report: TestReport | None) -> str:
    """“12 passed, 1 failed”, the state where no test is known by name, a dash where none ran yet."""
    return "–" if report is None else report.counts


def figures(report: TestReport) -> dict[str, object]:
    """The numbers of one run of the test command, as one JSON object has them."""
    return {
        "state": str(report.state),
        "passed": len(report.passed),
        "failed": len(report.failed),
        "skipped": len(report.skipped),
        "exit_code": report.exit_code,
        "seconds": round(report.duration_s, 2),
    }
