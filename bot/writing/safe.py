"""Make foreign text harmless: what a model, an issue or a test wrote, put into Markdown that GitHub renders.

Nothing that passes through here can ping a person, link or close an issue, become HTML, leave its code block, forge
one of our markers or show a secret that can be known by its format.
"""

import html
import re

from bot.writing.masking import mask_secrets

ZERO_WIDTH = "\u200b"
"""Stands where GitHub would otherwise see a mention, a reference or a link; not seen by people."""

LONGEST_FENCE = 40
SPELLED_AT_MOST = 500

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    # joiners and variants, which emoji and some scripts need, where neither is near
    "|(?<=[ -~])[\u200c\u200d\ufe00-\ufe0f]+(?=[ -~])|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
)
"""What nobody sees: it turns text around, hides words from people but not from models, or splits a token in two."""

_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LIVE = re.compile(r"@(?=\w)|#(?=\d)|\bgh-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_EMOJI = re.compile(r"(?<!:):(?=[0-9_+-]{0,20}[a-z][a-z0-9_+-]{0,40}:(?!:)|(?:100|1234|[+-]1):)")
_DOLLAR = re.compile(r"\\?\$")
_ALERT = re.compile(r"(?<=\[)(?=!)")
_BETWEEN_BACKTICKS = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_MARKER = re.compile(r"<!--(?=\s{0,100}selfcode)", re.IGNORECASE)
_SPECIAL = re.compile(r"[\\`*\[\]~|$]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK_START = re.compile(r"^(\d{1,9}(?=[.)])|(?=[#=+-]))")


def clean(text: str) -> str:
    """The text as it may be shown anywhere: known secrets, terminal sequences and control characters gone."""
    return mask_secrets(_HIDDEN.sub("", _printable(text)))


def spelled(text: str) -> str:
    """The same for code, where what nobody sees is part of what it says: it is shown by its number, as `[U+202E]`.

    But not where it splits a secret, and not more of it than anybody reads.
    """
    text = _printable(text)
    if _HIDDEN.search(text) is None:
        return mask_secrets(text)
    without = _HIDDEN.sub("", text)
    masked = mask_secrets(without)
    if masked != without:
        return masked
    return mask_secrets(_HIDDEN.sub("", _HIDDEN.sub(_numbers, text, count=SPELLED_AT_MOST)))


def _printable(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _UNPRINTABLE.sub("", _TERMINAL.sub("", text) if "\x1b" in text else text)
    return text.encode("utf-8", "replace").decode("utf-8")


def _numbers(found: re.Match[str]) -> str:
    return "".join(f"[U+{ord(character):04X}]" for character in found[0])


def one_line(text: str, limit: int = 200) -> str:
    """Plain text, no Markdown: one line of at most `limit` characters, for titles.

    Mentions and references are dead here as well: a pull request's title becomes a commit message, which closes.
    """
    return cut(_MARKER.sub(f"<!{ZERO_WIDTH}--", _without_links(" ".join(clean(text).split()))), limit)


def on_screen(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters for a terminal: a mention, a reference or a link is only text there."""
    return cut(" ".join(clean(text).split()), limit)


def inline(text: str, limit: int = 300) -> str:
    """Foreign text on one line of Markdown: in a sentence, a heading, a list item, a table cell."""
    return _escaped(cut(" ".join(clean(text).split()), limit))


def paragraphs(text: str, limit: int = 4000) -> str:
    """Foreign prose with its line breaks, empty lines and inline code kept, all else shown as it was typed."""
    return "\n".join(_with_inline_code(line.strip()) for line in cut(clean(text).strip(), limit).split("\n"))


def quoted(text: str, limit: int = 4000) -> str:
    """Foreign prose as a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in paragraphs(text, limit).split("\n"))


def sentence(text: str, limit: int = 600) -> str:
    """A sentence of ours about foreign things, on one line: what stands between single backticks stays inline code."""
    return _with_inline_code(cut(" ".join(clean(text).split()), limit))


def in_html(text: str, limit: int = 200) -> str:
    """Foreign text inside an HTML element that we wrote, such as a summary."""
    return _without_links(_without_signs(html.escape(cut(" ".join(clean(text).split()), limit), quote=False)))


def code(text: str, limit: int = 300) -> str:
    """Foreign text as inline code, on one line; not for table cells, where a `|` needs `code_in_cell`."""
    shown = _MARKER.sub(f"<!{ZERO_WIDTH}--", cut(" ".join(spelled(text).split()), limit)) or "(empty)"
    fence = "`" * (_longest_run(shown, "`") + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"


def code_in_cell(text: str, limit: int = 200) -> str:
    """Foreign text as inline code in a table cell, where a pipe ends the cell even in code.

    Source: https://github.github.com/gfm/#example-200
    """
    return code(text, limit).replace("\\|", f"\\{ZERO_WIDTH}|").replace("|", "\\|")


def fenced(text: str, info: str = "", *, head: int = 0, tail: int = 6000) -> str:
    """Foreign text as a code block that it can't leave, cut to its first `head` and last `tail` characters."""
    shown = _MARKER.sub(f"<!{ZERO_WIDTH}--", head_and_tail(spelled(text).strip("\n"), head=head, tail=tail))
    shown = shown.replace("`" * LONGEST_FENCE, "`" * LONGEST_FENCE + ZERO_WIDTH)
    fence = "`" * max(3, _longest_run(shown, "`") + 1)
    return f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', info)}\n{shown}\n{fence}"


def head_and_tail(text: str, *, head: int, tail: int) -> str:
    """The text's first and last characters, at line breaks where they are near, with a note of what was left out."""
    if len(text) <= head + tail:
        return text
    first, last = text[:head], text[len(text) - tail :]
    first = first[: first.rfind("\n")] if "\n" in first[head // 2 :] else first
    last = last[last.find("\n") + 1 :] if "\n" in last[: tail // 2] else last
    note = f"[… {len(text) - len(first) - len(last):,} characters left out …]"
    return "\n".join(part for part in (first, note, last) if part)


def cut(text: str, limit: int) -> str:
    """The text within `limit` characters, an ellipsis where it was cut, never inside of one visible character."""
    return text if len(text) <= limit else text[: whole_characters(text, limit - 1)].rstrip() + "…"


def whole_characters(text: str, length: int) -> int:
    """The largest cut at or below `length` that splits no joined emoji, accent or flag variant (within reason)."""
    end = max(length, 0)
    while 0 < end < len(text) and end > length - 32 and (_joins(text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    return end


def _joins(character: str) -> bool:
    return (
        character in "\u200d\ufe0e\ufe0f\u20e3"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or ("\u0300" <= character <= "\u036f")
    )


def _with_inline_code(line: str) -> str:
    parts = _BETWEEN_BACKTICKS.split(line)
    return "".join(code(part) if place % 2 else _escaped(part) for place, part in enumerate(parts))


def _escaped(line: str) -> str:
    line = _SPECIAL.sub(r"\\\g<0>", line)
    line = _ALERT.sub(ZERO_WIDTH, _BLOCK_START.sub(r"\1\\", line))
    return _without_links(_without_signs(html.escape(line, quote=False)))


def _without_signs(text: str) -> str:
    """Without formulas and emoji. A backslash alone keeps no formula away; what stands close to its sign does."""
    return _EMOJI.sub(rf":{ZERO_WIDTH}", _DOLLAR.sub(rf"{ZERO_WIDTH}\g<0>{ZERO_WIDTH}", text))


def _without_links(text: str) -> str:
    return _LIVE.sub(rf"\g<0>{ZERO_WIDTH}", text)


def _longest_run(text: str, character: str) -> int:
    return max(map(len, re.findall(f"{re.escape(character)}+", text)), default=0)
