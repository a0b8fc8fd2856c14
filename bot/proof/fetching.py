"""What a run of the tests left in its workspace, as bytes."""

import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import PurePosixPath

from bot.records import StopCheck, TestPlan
from sandbox.contract import SandboxError, Workspace, files_of

MAX_BYTES = 32 * 1024 * 1024
"""Of all that one run writes for us; what is more is no results."""

HIDDEN = ".selfcode-results-"
"""How the names of the hidden folders begin, in which a run writes for us."""

_LISTING_S = 60.0
_WILD = re.compile(r"[*?\[]")


def named_reports(workspace: Workspace, plan: TestPlan, stop: StopCheck | None) -> Sequence[str]:
    """The path that the plan names, if any; where it is a pattern, the files that it fits, looked up in the sandbox."""
    if not plan.report:
        return ()
    named = PurePosixPath(plan.directory) / plan.report
    plain = list(takewhile(lambda part: not _WILD.search(part), named.parts))
    if len(plain) == len(named.parts):
        return (str(named),)
    start, pattern = shlex.quote("/".join((".", *plain))), shlex.quote(f"./{named}")
    listed = workspace.run(f"find {start} -type f -path {pattern}", timeout_s=_LISTING_S, stop=stop)
    paths = (line.removeprefix("./") for line in listed.stdout.splitlines())
    return sorted(path for path in paths if fnmatchcase(path, str(named)) and not path.startswith(HIDDEN))


def fetched(workspace: Workspace, paths: Sequence[str]) -> Mapping[str, bytes]:
    """The bytes of files, or of all in folders, by path; nothing where they are too large to be results.

    Links are no results. A dead sandbox looks like a file too large here; it shows itself when the results folder is
    removed.
    """
    if not paths:
        return {}
    try:
        archive = workspace.get(paths, exclude=["cache", "__pycache__"], limit_bytes=MAX_BYTES)
    except SandboxError:
        return {}
    return {name: file.data for name, file in files_of(archive) if not file.symlink}
