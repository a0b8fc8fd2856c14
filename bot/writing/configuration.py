"""The `.github/selfcode.yml` that an examination recommends: what is known, with the reasons as comments. Pure."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from bot.records import Examination, Finding, joined
from bot.writing.mending import mending
from bot.writing.safe import clean, cut

KEYS = ("image", "directory", "setup", "build", "test", "report")
WIDTH = 110

_HEAD = "# How selfcode runs the tests of this repository. Tests run without the network; `setup` alone has it.\n"


def recommended(known: Examination) -> str:
    """The whole file: what the repository says already stays as it is, unless it is what has to be mended.

    "" where it is not known how the tests are run: nothing is known of the repository, or its own file is refused.
    """
    if known.plan is None or known.is_interrupted:
        return ""
    wanted = _wanted(known)
    said = _said(known.configured)
    if said is None:
        return known.configured if not wanted else _written(wanted, known.found)
    new = {key: each for key, each in wanted.items() if not _says(said.get(key), each.value)}
    if not new and known.configured.strip():
        return known.configured.rstrip() + "\n"
    kept = _without(known.configured, frozenset(new))
    text = kept + ("\n" if kept else "") + _written(new, known.found, head=not kept)
    rest = {key: value for key, value in said.items() if key not in new}
    read = _said(text) or {}
    is_as_wanted = all(_says(read.get(key), each.value) for key, each in new.items())
    if is_as_wanted and {key: value for key, value in read.items() if key not in new} == rest:
        return text
    others = yaml.safe_dump(rest, sort_keys=False, allow_unicode=True, width=10_000) if rest else ""
    return _written(new, known.found) + others


def is_complete(known: Examination) -> bool:
    """Whether the repository's own file says all that is recommended already."""
    return bool(known.configured.strip()) and recommended(known) == known.configured.rstrip() + "\n"


def _wanted(known: Examination) -> Mapping[str, Finding]:
    """What the file is to say, key by key; several findings of one key are one command after the other."""
    wanted = dict[str, Finding]()
    values = {key: getattr(known.plan, key) for key in KEYS}
    for key, value in values.items():
        if value and not (key == "directory" and value == "."):
            reasons = dict.fromkeys(each.reason for each in known.found if each.key == key)
            wanted[key] = Finding(key, value, "; ".join(reasons))
    return _mended(known, wanted)


def _mended(known: Examination, wanted: Mapping[str, Finding]) -> Mapping[str, Finding]:
    """With what would mend a command that can't run, or an installed copy that is tested in the workspace's place."""
    report = known.runs[-1] if known.runs else None
    if report is not None and not report.could_run:
        mend = mending(known.plan, report)
        values: Mapping[str, Any] = yaml.safe_load(mend.configuration)
        changed = {key: value for key, value in values.items() if key not in wanted or wanted[key].value != value}
        return {
            **wanted,
            **{key: Finding(key, str(value), f"a suggestion: {mend.cause}") for key, value in changed.items()},
        }
    setup = wanted.get("setup")
    if known.fault is not None and known.fault.asked and not known.fault.is_noticed and setup is not None:
        value = editable(setup.value)
        if value != setup.value:
            why = "a suggestion: editable, so that the tests run the workspace's own code and no copy of it"
            return {**wanted, "setup": Finding("setup", value, why)}
    return wanted


def editable(setup: str) -> str:
    """The set-up with `pip install .` made editable."""
    words = setup.split(" ")
    made: list[str] = []
    for place, word in enumerate(words):
        is_project = word.strip("'\"").partition("[")[0] in (".", "./") and "install" in words[:place]
        made += ["-e", word] if is_project and words[place - 1] not in ("-e", "--editable") else [word]
    return " ".join(made)


def _said(configured: str) -> Mapping[str, Any] | None:
    """What the repository's file says; None where it can't be read."""
    try:
        value = yaml.safe_load(configured)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if value is None:
        return {}
    if not isinstance(value, dict):
        return None
    return value


def _says(said: Any, value: str) -> bool:
    """Whether the repository's file says this value: as it is, or as a list of the commands that it is made of."""
    if isinstance(said, list) and all(isinstance(each, str) for each in said):
        return joined(said) == value
    return bool(said == value)


def _without(configured: str, keys: frozenset[str]) -> str:
    """The file's text without these keys; all else, comments too, as it stands."""
    lines = configured.splitlines(keepends=True)
    node = yaml.compose(configured, Loader=yaml.SafeLoader) if configured.strip() else None
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if key.value in keys:
                end = value.end_mark.line + (value.end_mark.column > 0)
                del lines[key.start_mark.line : end]
    text = "".join(lines).strip("\n")
    return text + "\n" if text else ""


def _written(wanted: Mapping[str, Finding], found: Sequence[Finding], *, head: bool = True) -> str:
    text = _HEAD if head and wanted else ""
    return text + "".join(_entry(wanted[key], _commands(wanted[key], found)) for key in KEYS if key in wanted)


def _commands(whole: Finding, found: Sequence[Finding]) -> Sequence[Finding]:
    """The commands that a value was put together of, each with its reason; none where it is but one, or was changed."""
    parts = [each for each in found if each.key == whole.key]
    is_whole = len(parts) > 1 and joined([each.value for each in parts]) == whole.value
    return parts if is_whole else ()


def _entry(whole: Finding, commands: Sequence[Finding]) -> str:
    """A key with its value: of several commands a list, a line for each."""
    if not commands:
        return _comment(whole.reason) + _yaml({whole.key: whole.value})
    lines = "".join(_comment(each.reason) + _yaml([each.value]) for each in commands)
    return f"{whole.key}:\n" + textwrap.indent(lines, "  ")


def _comment(reason: str) -> str:
    words = cut(" ".join(clean(reason).split()), WIDTH)
    return f"# {words}\n" if words else ""


def _yaml(value: Mapping[str, str] | Sequence[str]) -> str:
    """The value in one line. A line break that is no newline is written as an escape, for YAML reads a space there."""
    text = str(yaml.safe_dump(value, allow_unicode=True, width=10_000))
    has_breaks = any(character in text for character in "\x85\u2028\u2029")
    return str(yaml.safe_dump(value, allow_unicode=False, width=10_000)) if has_breaks else text
