"""The demo's sample: a small repository with a bug that its tests miss, an issue, and recorded replies of a model.

The files carry `.txt` at the end of their names, so that no tool takes them for this project's own.
"""

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
RECORDING = _FOLDER / "recording.json"
"""What `bot.demo.recorded` plays: a right test with a fix that falls short, then the fix that does."""


@dataclass(frozen=True, slots=True)
class SampleIssue:
    """The issue as somebody wrote it."""

    title: str
    body: str


def files() -> dict[str, bytes]:
    """The repository's files by path."""
    root = _FOLDER / "repository"
    found = sorted(path for path in root.rglob("*.txt") if path.is_file())
    return {path.relative_to(root).as_posix().removesuffix(".txt"): path.read_bytes() for path in found}


def issue() -> SampleIssue:
    """The issue that the demo labels."""
    title, _, body = (_FOLDER / "issue.md").read_text(encoding="utf-8").partition("\n")
    return SampleIssue(title, body.strip() + "\n")
