"""API versions: what 2022-11-28 still has, and 2026-03-10 no longer.

Source: GitHub, “Breaking changes”; the tests hold both against GitHub's descriptions.
"""

from typing import Any

OLD, NEW = "2022-11-28", "2026-03-10"
SERVED = (OLD, NEW)
"""The versions that are served; the first is meant where a request names none."""


def as_of(version: str, value: Any) -> Any:
    """An answer in the shape of the newest version, as that version has it."""
    return _with_old_fields(value) if version == OLD else _without_old_fields(value)


def _with_old_fields(value: Any) -> Any:
    match value:
        case list():
            return [_with_old_fields(each) for each in value]
        case {"assignees": _, "head": {}}:
            return {"merge_commit_sha": None} | value | {"assignee": None}
        case {"assignees": _}:
            return value | {"assignee": None}
        case {"resources": {"core": core}}:
            return value | {"rate": core}
        case _:
            return value


def _without_old_fields(value: Any) -> Any:
    match value:
        case {"assignees": _, "head": {}, "merge_commit_sha": _}:
            return {name: each for name, each in value.items() if name != "merge_commit_sha"}
        case _:
            return value
