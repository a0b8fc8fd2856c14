"""How values become words on a page. Whatever a stranger wrote goes through here, or is escaped as it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from markupsafe import Markup, escape

from bot.records import Health, Outcome, RunLine, RunState
from bot.writing.colours import coloured
from bot.writing.figures import cost, duration, plural, tokens
from bot.writing.html import html_of, inline_html_of
from bot.writing.masking import mask_secrets
from bot.writing.outcomes import title
from bot.writing.safe import cut, head_and_tail, spelled

OUTPUT_HEAD, OUTPUT_TAIL = 4_000, 24_000
DIFF_AT_MOST = 60_000
SHORT = 300
MARGIN = 20_000
"""How much more than is shown is looked through for secrets: one that is cut in two would not be known."""

_KINDS = {"+": "added", "-": "removed", "@": "place", "d": "file", "i": "file", "n": "file", "o": "file"}


@dataclass(frozen=True, slots=True)
class Words:
    """The filters of the templates. `secrets` are the operator's own values, which no page shows."""

    secrets: Sequence[str] = ()

    @property
    def filters(self) -> dict[str, Callable[..., object]]:
        return {
            "block": self.block,
            "cost": cost,
            "day": day,
            "diff": self.diff,
            "duration": duration,
            "inline_markdown": self.inline_markdown,
            "line": self.line,
            "markdown": self.markdown,
            "moment": moment,
            "output": self.output,
            "plural": plural,
            "tokens": tokens,
        }

    def masked(self, text: str) -> str:
        return mask_secrets(text, self.secrets)

    def block(self, text: str, limit: int = OUTPUT_TAIL) -> str:
        """Foreign text with its lines, its middle left out where it is long."""
        return _ends(text, head=limit // 2, tail=limit // 2, harmless=lambda part: self.masked(spelled(part)))

    def line(self, text: str, limit: int = 200) -> str:
        """Foreign text on one line, its end left out where it is long."""
        known = _known_line if len(text) <= SHORT else _line
        return known(text, limit, tuple(self.secrets))

    def markdown(self, text: str) -> Markup:
        """A document of ours, in which what is foreign is harmless already."""
        return Markup(html_of(self.masked(text)))  # noqa: S704 - made by a renderer that escapes

    def inline_markdown(self, text: str) -> Markup:
        """One line of it."""
        return Markup(inline_html_of(self.masked(text)))  # noqa: S704 - likewise

    def output(self, text: str) -> Markup:
        """What a program wrote, with its colours, its middle left out where it is long."""
        shown = _ends(text, head=OUTPUT_HEAD, tail=OUTPUT_TAIL, harmless=self.masked)
        return Markup("").join(
            Markup('<span class="{}">{}</span>').format(" ".join(f"ansi-{name}" for name in piece.styles), piece.text)
            if piece.styles
            else escape(piece.text)
            for piece in coloured(shown)
        )

    def diff(self, patch: str) -> Markup:
        """A patch, its lines coloured by what they are; cut at its end where it is long."""
        shown = cut(self.masked(spelled(patch[: DIFF_AT_MOST + MARGIN])), DIFF_AT_MOST)
        lines = (Markup('<span class="{}">{}</span>').format(_kind(line), line) for line in shown.split("\n"))
        return Markup("\n").join(lines)


def _line(text: str, limit: int, secrets: tuple[str, ...]) -> str:
    return cut(mask_secrets(" ".join(spelled(text[: limit + MARGIN]).split()), secrets), limit)


_known_line = lru_cache(maxsize=4_096)(_line)
"""Names stand on a page many times."""


def _ends(text: str, *, head: int, tail: int, harmless: Callable[[str], str]) -> str:
    """The text's first and last characters as they may be shown, of what is between that something is left out."""
    if len(text) <= head + tail + 2 * MARGIN:
        return head_and_tail(harmless(text), head=head, tail=tail)
    first, last = harmless(text[: head + MARGIN])[:head], harmless(text[-tail - MARGIN :])[-tail:]
    return f"{first}\n[… {len(text) - head - tail:,} characters left out …]\n{last}"


def _kind(line: str) -> str:
    return "file" if line.startswith(("+++", "---")) else _KINDS.get(line[:1], "same")


def moment(seconds: float) -> Markup:
    """A moment as people read it, and as programs do. A script writes it anew by the reader's own clock."""
    at = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time datetime="{}">{}</time>').format(f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{at:%Y-%m-%d %H:%M} UTC")


def day(seconds: float) -> str:
    """The day, as a form has it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def day_of(text: str) -> float | None:
    """When a day begins, of what a form or an address says; None where that is no day."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def standing(run: RunLine) -> tuple[str, str]:
    """How a run stands: the class of its mark, and in a word or two."""
    if run.state is RunState.ENDED:
        return _ENDED.get(str(run.outcome), "quiet"), _in_words(run.outcome)
    if run.stop_because is not None:
        return "held", "stopping"
    return ("held", "held up") if run.state is RunState.HELD else ("working", run.step or "at work")


def _in_words(outcome: Outcome | Health | None) -> str:
    match outcome:
        case Outcome():
            return title(outcome)
        case Health():
            return str(outcome)
        case None:
            return "ended"


_ENDED = {
    "proven": "good", "healthy": "good", "unproven": "doubt", "needs_information": "doubt", "not_reproduced": "doubt",
    "unsolved": "bad", "unhealthy": "bad", "baseline_broken": "bad", "error": "bad",
}  # fmt: skip
