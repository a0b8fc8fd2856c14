"""How many tokens a model takes, from what its server says of it. Pure.

Source: the answers of `GET /models` of llama.cpp, vLLM, SGLang, LM Studio, OpenRouter, Together, Groq, Mistral and
Anthropic; and the texts of all these, OpenAI, DeepSeek, Gemini and xAI where a prompt is too long.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SMALLEST_WINDOW = 512
"""A server that names less means something else."""
LONGEST_NUMBER = 12
"""Digits."""

_FIELDS = (
    "n_ctx",
    "max_model_len",
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_context_length",
    "max_context_window",
    "max_input_tokens",
    "n_ctx_train",
)
"""Where it may stand, what runs now before what the model was made for."""

_INSIDE = ("meta", "top_provider", "capabilities", "limits")

_WINDOW = tuple(
    re.compile(pattern)
    for pattern in (
        r"maximum (?:context|prompt) length (?:is|of):? (\d+)",
        r"maximum context length: (\d+)",
        r"(\d+) maximum context length",
        r"context size(?: of)? \(?(\d+)",
        r"context (?:length|size|window) of (?:only )?(\d+)",
        r"maximum number of tokens allowed \((\d+)",
        r"configured limit of (\d+) tokens",
        r"\d+ tokens? > (\d+) maximum",
        r"\d+ \+ \d+ > (\d+)",
        r"must be <= (\d+)",
        r"input length should be \[\d+, ?(\d+)\]",
    )
)
_PROMPT = tuple(
    re.compile(pattern)
    for pattern in (
        r"(\d+) (?:in the messages|of text input|in your prompt)",
        r"(?:has|contains)(?: at least)? (\d+) (?:input )?tokens",
        r"(\d+) (?:input|prompt) tokens",
        r"resulted in (\d+) tokens",
        r"input token count \((\d+)\)",
        r"prompt is too long: (\d+)",
        r"context limit: (\d+) \+",
        r"request \((\d+) tokens\)",
        r"given: (\d+) ",
    )
)


@dataclass(frozen=True, slots=True)
class Fit:
    """What a message about a prompt that does not fit tells: the window, and how long the prompt was."""

    window: int | None
    prompt: int | None

    @property
    def room(self) -> int | None:
        """How many tokens are left for the reply, one less than there are; None where the message does not tell."""
        return None if self.window is None or self.prompt is None else self.window - self.prompt - 1


def fit_of(words: str, told: Mapping[str, Any]) -> Fit:
    """Read a message, in lower case, about what does not fit; `told` are the figures that stand beside it."""
    window, prompt = _tokens(told.get("n_ctx")), _tokens(told.get("n_prompt_tokens"))
    return Fit(window or _tokens(_first(_WINDOW, words)), prompt or _first(_PROMPT, words))


def window_in_models(text: str, model: str) -> int | None:
    """The window of a model by the answer to `GET /models`; of the only one where the server has no other."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    listed = found.get("data", found.get("models")) if isinstance(found, dict) else found
    models = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    named = [entry for entry in models if _is_named(entry, model)] or (models if len(models) == 1 else [])
    return _window_in(named[0]) if named else None


def _is_named(entry: Mapping[str, Any], model: str) -> bool:
    aliases = entry.get("aliases")
    names: Iterable[Any] = (entry.get("id"), entry.get("name"), *(aliases if isinstance(aliases, list) else ()))
    return model in names


def _window_in(entry: Mapping[str, Any]) -> int | None:
    places = [entry, *_within(entry)]
    found = [tokens for name in _FIELDS for place in places if (tokens := _tokens(place.get(name)))]
    return found[0] if found else None


def _within(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [place for name in _INSIDE if isinstance(place := entry.get(name), dict)]
    return [*inner, *(deeper for place in inner for deeper in _within(place))]


def _tokens(value: Any) -> int | None:
    """A window in whatever form it is told; None for what can't be one."""
    match value:
        case bool():
            return None
        case str() if value.isdecimal() and len(value) <= LONGEST_NUMBER:
            value = int(value)
        case int() | float():
            pass
        case _:
            return None
    return int(value) if SMALLEST_WINDOW <= value < 10**LONGEST_NUMBER else None


def _first(patterns: Iterable[re.Pattern[str]], words: str) -> int | None:
    return next((int(found[1]) for pattern in patterns if (found := pattern.search(words))), None)
