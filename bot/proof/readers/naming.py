"""Ids and places that are the same in each run: no absolute paths, no test hidden behind another of its name. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from bot.records import TestCase

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def numbered(cases: Iterable[TestCase]) -> Iterator[TestCase]:
    """The same cases; the second of one id is `id #2`, and so on: their order is all that tells them apart."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.id] += 1
        yield case if seen[case.id] == 1 else replace(case, id=f"{case.id} #{seen[case.id]}")


@lru_cache(maxsize=4096)
def placed(path: str, root: str, directory: str = ".") -> str:
    """A path as it is in the repository, from an absolute one or one relative to the command's folder; "" for none.

    Of a file outside of the workspace only the name is kept.
    """
    path = path.removeprefix("file://").replace("\\", "/")
    if not path:
        return ""
    if not path.startswith("/"):
        return str(PurePosixPath(directory) / path)
    inside = path.removeprefix(f"{root}/")
    return inside if inside != path else PurePosixPath(path).name


def plain(message: str, root: str) -> str:
    """A message without colours, and with paths as they are in the repository."""
    return message and _COLOURS.sub("", message).replace(f"file://{root}/", "").replace(f"{root}/", "").strip()


def line_in(message: str, file: str | None) -> int | None:
    """The first line of this file that a failure's message names."""
    if not file or not message:
        return None
    name = PurePosixPath(file).name
    found = re.search(rf"(?:^|[\s(/]){re.escape(name)}:(\d{{1,7}})\b", message)
    return int(found[1]) if found else None
