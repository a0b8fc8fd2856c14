"""Reasoning that some models write at the start of their reply. Pure."""

import re

_WHOLE = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_END = re.compile(r"\A(?:(?!```|~~~).)*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_CUT_OFF = re.compile(r"\A\s*<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The reply without its reasoning, which may lack its opening tag (the server put it there) or its end (cut off).

    Only at the start: a file that a reply writes may well hold such tags.
    """
    for pattern in (_WHOLE, _END, _CUT_OFF):
        text = pattern.sub("", text, count=1)
    return text.strip()
