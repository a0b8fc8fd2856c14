"""Documents that fit: built from sections, of which the least important give way first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.writing.safe import in_html, whole_characters

LIMIT = 65_000
"""Characters (code points) that hold everywhere on GitHub, in pull requests, comments and checks alike.

At four bytes each they are also below the 262,144 bytes that a comment may have. GitHub's own text says 65,536.
"""

ALWAYS = 100
"""The rank of a section that is never left out."""

SHORTENED = "_Shortened to fit: GitHub takes no more here._"

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document, whole blocks of Markdown. `shorter` are smaller forms, the largest first.

    Where a document is too long, the sections with the lowest `rank` take their next shorter form, then go.
    """

    text: str
    rank: float = ALWAYS
    shorter: tuple[str, ...] = ()


def compose(sections: Sequence[Section], *, limit: int = LIMIT, end: str = "", note: str = SHORTENED) -> str:
    """One document from the sections, within `limit`; says so where something gave way. `end` (a marker) stays."""
    whole = _joined([*(section.text for section in sections), end])
    if len(whole) <= limit:
        return whole
    body_limit = limit - len(end) - 2
    left = list(sections)
    while len(_joined([*(section.text for section in left), note])) > body_limit:
        weakest = min(left, key=lambda section: section.rank, default=None)
        if weakest is None or (weakest.rank >= ALWAYS and not any(section.shorter for section in left)):
            break
        place = left.index(weakest) if weakest.rank < ALWAYS else next(i for i, s in enumerate(left) if s.shorter)
        left[place : place + 1] = _next_form(left[place])
    return _joined([fit(_joined([*(section.text for section in left), note]), body_limit, note=note), end])


def _next_form(section: Section) -> list[Section]:
    return [replace(section, text=section.shorter[0], shorter=section.shorter[1:])] if section.shorter else []


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def fit(text: str, limit: int = LIMIT, *, note: str = SHORTENED) -> str:
    """The document within `limit` characters: cut at a line where it can be, code blocks and `<details>` closed."""
    if len(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - len(note) - 4
    state = _Open()
    for line in text.split("\n"):
        after = state.after(line)
        if len(line) + 1 + len(after.closing) > room:
            rest = _part_of(line, room - 1 - len(state.closing), state)
            kept += [rest] if rest else []
            break
        kept.append(line)
        room -= len(line) + 1
        state = after
    return _joined(["\n".join(kept).rstrip("\n") + state.closing, note]) if kept else note[:limit]


@dataclass(frozen=True, slots=True)
class _Open:
    """What is open at some line: a code block (its fence), and how many `<details>`."""

    fence: str = ""
    details: int = 0

    @property
    def closing(self) -> str:
        return (f"\n{self.fence}" if self.fence else "") + "\n\n</details>" * self.details

    def after(self, line: str) -> "_Open":
        found = _FENCE.match(line)
        if self.fence:
            closes = found and found["fence"].startswith(self.fence) and not found["info"].strip()
            return replace(self, fence="") if closes else self
        if found and not (found["fence"][0] == "`" and "`" in found["info"]):
            return replace(self, fence=found["fence"])
        opened = line.startswith("<details") - line.startswith("</details>")
        return replace(self, details=max(0, self.details + opened))


def _part_of(line: str, room: int, state: _Open) -> str:
    """The start of a line that is too long, where a cut inside of it can do no harm."""
    if room < 20 or (not state.fence and re.search(r"[`<>\[\]|\\&]", line)):
        return ""
    return line[: whole_characters(line, room)]


def details(summary: str, body: str) -> str:
    """The body folded under a line that people click on."""
    return f"<details>\n<summary>{in_html(summary)}</summary>\n\n{body}\n\n</details>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; every cell is Markdown already, on one line, with `|` escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def marker(kind: str, key: str) -> str:
    """The hidden line by which we find our own comment again: kind `progress`, `log`, `reply`; then whose it is.

    Foreign text can't hold one: everything that `safe` writes breaks them.
    """
    if not re.fullmatch(r"[a-z-]+", kind) or not re.fullmatch(r"[!-;=?-~]+", key) or "--" in key:
        raise ValueError(f"not a marker: {kind} {key}")
    return f"<!-- selfcode:{kind} {key} -->"
