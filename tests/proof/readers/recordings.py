"""What test programs really wrote, trimmed, of a workspace at /workspace."""

from collections.abc import Mapping
from pathlib import Path

from bot.proof.readers import Left
from bot.proof.results import Results
from bot.records import TestStatus

_RECORDED = Path(__file__).parent / "recorded"


def recording(name: str) -> bytes:
    return (_RECORDED / name).read_bytes()


def left(
    files: Mapping[str, bytes] | None = None,
    *,
    stdout: str | bytes = "",
    stderr: str | bytes = "",
    directory: str = ".",
    truncated: bool = False,
    exit_code: int | None = None,
) -> Left:
    """What a run left behind, in a workspace at /workspace."""
    return Left(
        files or {}, None, _text(stdout), _text(stderr), truncated, "/workspace", directory, exit_code=exit_code
    )


def ids(results: Results | None, *statuses: TestStatus) -> list[str]:
    """The ids that ended so, in their order."""
    return [case.id for case in results.cases if case.status in statuses] if results else []


def _text(output: str | bytes) -> str:
    return output.decode() if isinstance(output, bytes) else output
