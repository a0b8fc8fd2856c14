"""How much of a model's window each kind of text may take. Pure."""

from dataclasses import dataclass

CHARS_PER_TOKEN = 3
"""Code comes to 3 to 4 characters a token; fewer here, so that what is counted to fit does fit."""
ASSUMED_WINDOW = 32_768
SMALLEST_WINDOW = 2_048
LONGEST_REPLY_TOKENS = 16_384
PROMPT_CHARS_AT_MOST = 240_000
CONTEXT_CHARS_AT_MOST = 48_000
HISTORY_CHARS_AT_MOST = 40_000
ANSWER_CHARS_AT_MOST = 24_000


@dataclass(frozen=True, slots=True)
class Budget:
    """The shares of one window.

    `prompt_chars` is the most that all messages of a call have together, `context_chars` the run's first message,
    `history_chars` earlier iterations as they are retold, `answer_chars` the answer to one action. `reply_tokens` are
    kept free for the reply, and are all it may have. Large windows are not filled: each call pays for its whole prompt.
    """

    window_tokens: int
    reply_tokens: int
    prompt_chars: int
    context_chars: int
    history_chars: int
    answer_chars: int

    def halved(self) -> "Budget":
        """The budget of a window half as large, for a server that finds a prompt too long."""
        return budget_for(self.window_tokens // 2)


def budget_for(window_tokens: int | None) -> Budget:
    """The budget of a model's window; one of 32k is assumed where that is not known."""
    window = max(ASSUMED_WINDOW if window_tokens is None else window_tokens, SMALLEST_WINDOW)
    reply = min(window // 4, LONGEST_REPLY_TOKENS)
    tools = min(window // 8, 1_024)
    prompt = min((window - reply - tools) * CHARS_PER_TOKEN, PROMPT_CHARS_AT_MOST)
    return Budget(
        window_tokens=window,
        reply_tokens=reply,
        prompt_chars=prompt,
        context_chars=min(prompt * 45 // 100, CONTEXT_CHARS_AT_MOST),
        history_chars=min(prompt // 5, HISTORY_CHARS_AT_MOST),
        answer_chars=min(prompt // 5, ANSWER_CHARS_AT_MOST),
    )
