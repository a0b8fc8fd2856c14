"""Which names may stand for something in a workspace."""

from pathlib import PurePosixPath

from sandbox.contract import SandboxError


def relative(path: str) -> str:
    """The path as `a/b`, `.` for the folder itself.

    Raises `SandboxError` for a path that is absolute or climbs: no caller means one.
    """
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path or not path:
        raise SandboxError(f"not a path below the workspace: {path!r}")
    return str(PurePosixPath(*parts))
