"""What the demo says: lines while it goes on, the pull request at its end. Rich on a terminal, plain elsewhere."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_FOLD = re.compile(r"<details\b[^>]*>|</details>|<summary>(.*?)</summary>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?(?:sub|sup|kbd|b|br|code)\b[^>]*>", re.IGNORECASE)
_BAR = 24
_BESIDE = 16
"""What stands beside the words of what goes on: a sign of life, and the time."""


class Teller:
    """Writes to one stream. Foreign text never moves the cursor or changes the colours."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = Console(file=stream, highlight=False, soft_wrap=not stream.isatty())
        self._shown: Progress | None = None

    @property
    def is_rich(self) -> bool:
        return self._console.is_terminal

    @contextmanager
    def showing(self, first: str) -> Iterator[None]:
        """Show at a terminal what goes on just now, and for how long, on a line that vanishes in the end."""
        if not self.is_rich:
            yield
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Progress(*columns, console=self._console, transient=True) as shown:
            self._shown = shown
            self.now(first)
            try:
                yield
            finally:
                self._shown = None

    def now(self, what: str) -> None:
        """What goes on from now on: shown at a terminal, and nowhere else."""
        if self._shown is not None:
            for task in self._shown.task_ids:
                self._shown.remove_task(task)
            self._shown.add_task(clean(what)[: max(self._console.width - _BESIDE, _BESIDE)], total=None)

    def say(self, text: str, *, style: str = "") -> None:
        self._console.print(Text(clean(text), style=style))

    def verbatim(self, text: str) -> None:
        """A line to paste from: no line end gets into it, however narrow the terminal is."""
        self._console.print(Text(clean(text)), soft_wrap=True)

    def happened(self, seconds: float, what: str, *, style: str = "") -> None:
        """One line of progress, with the seconds since the demo began. It goes on until the next one."""
        self.now(what)
        self._console.print(Text.assemble((f"{seconds:6.1f} s  ", "dim"), (clean(what), style)))

    def heading(self, text: str) -> None:
        if self.is_rich:
            self._console.print(Rule(clean(text), align="left"))
        else:
            self._console.print(Text(f"\n=== {clean(text)}\n"))

    def markdown(self, text: str) -> None:
        """Markdown as GitHub shows it with everything folded: drawn on a terminal, as it is elsewhere."""
        shown = clean(folded(text))
        self._console.print(Markdown(shown) if self.is_rich else Text(shown))

    def diffstat(self, files: Sequence[Any]) -> None:
        """Added and removed lines, file by file. Each has `path`, `additions` and `deletions`."""
        width = max((len(file.path) for file in files), default=0)
        most = max((file.additions + file.deletions for file in files), default=1)
        for file in files:
            scale = min(1.0, _BAR / max(1, most))
            plus, minus = (max(bool(count), round(count * scale)) for count in (file.additions, file.deletions))
            count = file.additions + file.deletions
            line = Text(f" {clean(file.path):<{width}} | {count:>4} ")
            self._console.print(line.append("+" * plus, "green").append("-" * minus, "red"))


def clean(text: str) -> str:
    """The text without control characters but line ends and tabs."""
    return _CONTROL.sub("", text)


def folded(text: str) -> str:
    """Markdown with hidden comments gone, and what is folded away shown by its summary alone."""
    text = _HIDDEN.sub("", text)
    shown, depth, last = [], 0, 0
    for tag in _FOLD.finditer(text):
        if depth == 0:
            shown.append(text[last : tag.start()])
        if tag[1] is not None:
            shown.append(f"▸ {_TAG.sub('', tag[1]).strip()}\n" if depth == 1 else "")
        else:
            depth = max(0, depth - 1) if tag[0].startswith("</") else depth + 1
        last = tag.end()
    shown.append(text[last:] if depth == 0 else "")
    return re.sub(r"\n{3,}", "\n\n", _TAG.sub("", "".join(shown))).strip()
