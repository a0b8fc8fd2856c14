"""How much room prompts and replies have: more for a reply that was cut off, less for a prompt that was too long."""

from dataclasses import dataclass, replace

from bot.agent.budget import CHARS_PER_TOKEN, Budget, budget_for

LONGEST_REPLY_TOKENS = 32_768
TIMES_SHORTER = 2
SMALL_WINDOW_TOKENS = 40_000
FIRST_REPLY_TOKENS = 800
MARGIN_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Room:
    """What one call may have. `is_known`: the window is the model's own, not an assumed one."""

    budget: Budget
    reply_tokens: int
    is_known: bool
    times_shorter: int = 0

    def after_cut_off(self, *, prompt_tokens: int, prompt_chars: int) -> "Room":
        """The room after a reply that was cut off: a longer reply, or a shorter prompt where the window has no more."""
        longest = self.budget.window_tokens - prompt_tokens - MARGIN_TOKENS if self.is_known else LONGEST_REPLY_TOKENS
        reply = min(max(self.reply_tokens * 2, self.budget.reply_tokens), longest)
        if reply > self.reply_tokens:
            return replace(self, reply_tokens=reply)
        return replace(self, budget=replace(self.budget, prompt_chars=prompt_chars * 3 // 4))

    def after_too_long(self, *, prompt_chars: int) -> "Room | None":
        """The room after a prompt that did not fit; None once it was made shorter as often as makes sense."""
        if self.times_shorter >= TIMES_SHORTER:
            return None
        halved = self.budget.halved()
        budget = replace(halved, prompt_chars=min(halved.prompt_chars, prompt_chars // 2))
        reply = min(self.reply_tokens, budget.reply_tokens)
        return replace(self, budget=budget, reply_tokens=reply, times_shorter=self.times_shorter + 1)


def room_in(window_tokens: int | None, *, expected_chars: int | None = None) -> Room:
    """The room that a model's window gives.

    `expected_chars` is about how long an answer is to be. A model with a small window gets twice that at first: such
    models sometimes go on and on, and a short reply is soon asked for again.
    """
    budget = budget_for(window_tokens)
    is_small = window_tokens is not None and window_tokens <= SMALL_WINDOW_TOKENS
    reply = budget.reply_tokens
    if is_small and expected_chars is not None:
        reply = min(reply, FIRST_REPLY_TOKENS + 2 * expected_chars // CHARS_PER_TOKEN)
    return Room(budget, reply, is_known=window_tokens is not None)
