"""How a repository's tests are run, guessed from its files where its owner has not said. Pure."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from bot.records import TestPlan
from bot.repository.python_project import python_plan

Read = Callable[[str], bytes | None]

_LOCKED_INSTALLS = {
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --frozen-lockfile",
}
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


def guess(read: Read, paths: Iterable[str]) -> TestPlan | None:
    """The plan for a Python project, else a Node one, else a Makefile with a `test` target; None for all others.

    `guessed_from` names the file that decided. A set-up is guessed only where a manifest asks for packages: what needs
    nothing installed works without the network.
    """
    present = frozenset(paths)
    return python_plan(read, present) or _node_plan(read, present) or _make_plan(read, present)


def _node_plan(read: Read, paths: frozenset[str]) -> TestPlan | None:
    manifest = _json_object(read("package.json"))
    script = _section(manifest, "scripts").get("test")
    if not isinstance(script, str) or not script.strip() or "no test specified" in script:
        return None
    locked = next((command for lock, command in _LOCKED_INSTALLS.items() if lock in paths), None)
    needs = _section(manifest, "dependencies") or _section(manifest, "devDependencies")
    return TestPlan(test="npm test", setup=locked or ("npm install" if needs else ""), guessed_from="package.json")


def _make_plan(read: Read, paths: frozenset[str]) -> TestPlan | None:
    for name in _MAKEFILES:
        text = (read(name) or b"").decode("utf-8", "replace") if name in paths else ""
        if re.search(r"^test\s*:(?!=)", text, re.MULTILINE):
            return TestPlan(test="make test", guessed_from=name)
    return None


def _json_object(data: bytes | None) -> dict[str, Any]:
    try:
        value = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _section(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    value = manifest.get(name)
    return value if isinstance(value, dict) else {}
