"""Whether two changes are the same but for comments and blank lines. Pure."""

import io
import re
import tokenize
from pathlib import PurePosixPath

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_FILE = re.compile(r'^diff --git (?:"?a/.+"?) "?b/(.+?)"?$')
_PYTHON = frozenset({".py", ".pyi"})
_HASH = frozenset({".sh", ".rb", ".toml", ".yml", ".yaml", ".cfg", ".pl", ".r"})
_SLASHES = frozenset({".js", ".jsx", ".ts", ".tsx", ".go", ".rs", ".java", ".c", ".h", ".cc", ".cpp", ".cs", ".kt"})
_CODE = _PYTHON | _HASH | _SLASHES

Essence = frozenset[tuple[str, ...]]
"""What a change does: each line that it takes out or puts in, with its file and its place in the base's file."""


def essence(patch: str) -> Essence:
    """What a git patch comes to. Two patches with the same one are the same change.

    Comments and blank lines count only where the file is no code; what is no text (a binary file, a mode) as it stands.
    """
    found: set[tuple[str, ...]] = set()
    path, at, in_hunk = "", 0, False
    order = 0
    for line in patch.split("\n"):
        opener = _FILE.match(line)
        hunk = _HUNK.match(line)
        if opener:
            path, in_hunk = opener[1], False
        elif hunk:
            at, in_hunk = int(hunk[1]), True
        elif not in_hunk:
            found |= {(path, line)} if _says_more(line) else set()
        elif line.startswith(("-", "+")):
            told = _told(path, line[1:])
            if told:
                order += line[0] == "+"
                found.add((path, line[0], str(at), told, str(order) if line[0] == "+" else ""))
            at += line[0] == "-"
        else:
            at, order = at + 1, 0
    return frozenset(found)


def _says_more(line: str) -> bool:
    """Whether a line outside of hunks is part of what changes."""
    return bool(line) and not line.startswith(("index ", "--- ", "+++ ", "similarity index "))


def _told(path: str, line: str) -> str:
    """What is left of a line without its comment; "" where nothing is. White space before it counts, after it not."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in _CODE:
        return line or "\n"
    bare = line.rstrip()
    if suffix in _PYTHON:
        return _without_comment(bare)
    mark = "//" if suffix in _SLASHES else "#"
    return "" if bare.lstrip().startswith(mark) else bare


def _without_comment(line: str) -> str:
    """A line of Python without the comment at its end; whole where it can't be read by itself (part of a text)."""
    if "#" not in line:
        return line
    try:
        for token in tokenize.generate_tokens(io.StringIO(line.lstrip()).readline):
            if token.type == tokenize.COMMENT:
                indent = len(line) - len(line.lstrip())
                return line[: indent + token.start[1]].rstrip()
    except (tokenize.TokenError, SyntaxError):
        bare = line.lstrip()
        return "" if bare.startswith("#") else line
    return line
