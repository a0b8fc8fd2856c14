"""What a server has told about itself so far, and a request as it takes it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.agent.remedies import BadCall, Drop, Filtered, GiveUp, Lower, NoSchema, NoTools, Remedy, Rename, TooLong, Wait


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a server does not take, or takes otherwise. `window_tokens` is what an error message said."""

    dropped: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    longest_reply: int | None = None
    window_tokens: int | None = None
    takes_tools: bool = True
    takes_schema: bool = True

    def after(self, found: Remedy) -> "Learnt":  # noqa: PLR0911 - one for each
        """What is known after one more error."""
        match found:
            case Drop(parameter, always):
                return replace(self, dropped=self.dropped | {parameter}) if always else self
            case Rename(parameter, to):
                return self._after_renaming(parameter, to)
            case Lower(limit, always, window):
                longest = limit if always else self.longest_reply
                return replace(self, longest_reply=longest, window_tokens=window or self.window_tokens)
            case TooLong(_, window):
                return replace(self, window_tokens=window or self.window_tokens)
            case NoTools():
                return replace(self, takes_tools=False)
            case NoSchema():
                return replace(self, takes_schema=False)
            case BadCall() | Filtered() | Wait() | GiveUp():
                return self

    def adapted(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request as this server takes it."""
        limit = request.get("max_tokens")
        if limit is not None and self.longest_reply is not None:
            request = {**request, "max_tokens": min(limit, self.longest_reply)}
        named = {self.renamed.get(name, name): value for name, value in request.items()}
        return {name: value for name, value in named.items() if name not in self.dropped}

    def _after_renaming(self, parameter: str, to: str) -> "Learnt":
        """A server that takes neither name gets no limit at all."""
        takes_neither = self.renamed.get(to) == parameter
        dropped = self.dropped | {parameter, to} if takes_neither else self.dropped
        return replace(self, dropped=dropped, renamed={**self.renamed, parameter: to})
