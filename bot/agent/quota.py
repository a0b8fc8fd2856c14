"""When a refusal is about money, and how long a rate limit asks to wait in words. Pure.

Source: the error texts of OpenAI (`insufficient_quota`), Anthropic (“credit balance is too low”, “API usage limits”),
DeepSeek (402), OpenRouter (402; 403 “Key limit exceeded”), xAI (“used all available credits”), Gemini (“exceeded your
current quota … retry in 23s”), Moonshot (`exceeded_current_quota_error`), Alibaba (`Arrearage`) and Zhipu.
"""

import re

_ALWAYS = re.compile(
    r"insufficient_quota|insufficient[ _](?:balance|credits?|funds)|credit balance|billing_(?:hard_limit|not_active)|"
    r"exceeded_current_quota|requires more credits|(?:out of|no|all available) credits|not enough credits|"
    r"spend(?:ing)?[ _-]?(?:limit|cap)|key limit exceeded|usage limits?\W|payment required|arrearage|余额不足|欠费|"
    r"exceeded your monthly|"
    r"(?:account|free (?:tier|quota)).{0,40}(?:suspended|exhausted|overdue)|allocationquota"
)
_UNLESS_TIMED = re.compile(r"exceeded your current quota|quota exceeded|quota_exceeded")
_WAIT = re.compile(
    r"(?:try again|retry)(?: again)? (?:in|after) (?:about )?"
    r"(?:(\d{1,6})\s?h(?:ours?)?\b,?\s?|(\d{1,6})h)?(?:(\d{1,6})\s?m(?:in(?:ute)?s?)?(?:\b,?\s?|(?=\d)))?"
    r"(?:(\d{1,9}(?:\.\d+)?)\s?(ms|milliseconds?|s\b|secs?|seconds?))?"
)


def is_spent(status: int, words: str, *, is_to_pass: bool) -> bool:
    """Whether a refusal means that there is no money left. `is_to_pass`: the server said when to come again.

    `words` is the whole message in lower case. Gemini has one text for a spent account and for a busy minute: only the
    second names a time.
    """
    if status >= 500:
        return "insufficient_quota" in words
    if status == 402 or _ALWAYS.search(words):
        return True
    return not is_to_pass and bool(_UNLESS_TIMED.search(words))


def seconds_asked(words: str) -> float | None:
    """How long the message asks to wait, in seconds; None where it does not say."""
    for found in _WAIT.finditer(words):
        spaced_hours, hours, minutes, amount, unit = found.groups()
        hours = spaced_hours or hours
        if hours or minutes or amount:
            seconds = float(amount or 0) / (1000 if unit and unit.startswith("m") else 1)
            return int(hours or 0) * 3600 + int(minutes or 0) * 60 + seconds
    return None
