"""Which names may stand for something in a workspace."""

from sandbox.contract import SandboxError


def relative(path: str) -> str:
    """The path as `a/b`, `.` for the folder itself.

    Raises `SandboxError` for a path that is absolute or climbs: no caller means one.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]  # PurePosixPath is slow for whole archives
    if path.startswith("/") or ".." in parts or "\0" in path or not path:
        raise SandboxError(f"not a path below the workspace: {path!r}")
    return "/".join(parts) or "."
