"""What a call used, in the figures of any OpenAI-compatible server. Pure."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from bot.agent.prices import estimated_tokens
from bot.records import Usage

T = TypeVar("T", bound=BaseModel)

MOST_TOKENS = 10**9


def _token_count(value: Any) -> int | None:
    """A number of tokens in whatever form it is told; None where it can't be one."""
    match value:
        case bool():
            return None
        case str() if value.isdecimal() and len(value) < len(str(MOST_TOKENS)):
            return int(value)
        case int() | float() if 0 <= value < MOST_TOKENS:
            return int(value)
    return None


Count = Annotated[int | None, BeforeValidator(_token_count)]


class _CachedTokens(BaseModel):
    cached_tokens: Count = None


class _Usage(BaseModel):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    prompt_tokens_details: Any = None
    prompt_cache_hit_tokens: Count = None
    cached_tokens: Count = None
    cache_read_input_tokens: Count = None


class _Timings(BaseModel):
    cache_n: Count = None


def usage_of(usage: Any, timings: Any, *, prompt: str, reply: str) -> Usage:
    """What was used. Some servers count the model's reasoning in the total alone: it is the reply's, and is paid.

    A prompt of no tokens is not told: limits would not bind.
    """
    reported = valid(_Usage, usage)
    if reported is None or not reported.prompt_tokens or reported.completion_tokens is None:
        return estimated(prompt, reply)
    completed = max(reported.completion_tokens, (reported.total_tokens or 0) - reported.prompt_tokens)
    return Usage(reported.prompt_tokens, completed, _cached(reported, valid(_Timings, timings)))


def estimated(prompt: str, reply: str) -> Usage:
    """What a call used whose server does not say."""
    return Usage(estimated_tokens(prompt), estimated_tokens(reply), estimated=True)


def valid(shape: type[T], found: Any) -> T | None:
    """A part of an answer in the form that we know; None where it has another, which costs the reply nothing."""
    try:
        return shape.model_validate(found)
    except ValidationError:
        return None


def _cached(reported: _Usage, timings: _Timings | None) -> int | None:
    """The cached part of the prompt, wherever it stands; None where the server does not say.

    Source: OpenAI and most (`prompt_tokens_details.cached_tokens`), DeepSeek (`prompt_cache_hit_tokens`), Moonshot
    (`cached_tokens`), gateways to Anthropic (`cache_read_input_tokens`), llama.cpp (`timings.cache_n`).
    """
    told = (
        details.cached_tokens if (details := valid(_CachedTokens, reported.prompt_tokens_details)) else None,
        reported.prompt_cache_hit_tokens,
        reported.cached_tokens,
        reported.cache_read_input_tokens,
        timings.cache_n if timings else None,
    )
    cached = max((tokens for tokens in told if tokens is not None), default=None)
    return None if cached is None else max(0, min(cached, reported.prompt_tokens or 0))
