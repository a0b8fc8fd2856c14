"""A version for projects that take theirs from git's history, which a workspace does not have. Pure."""

import re
from collections.abc import Iterator

from bot.repository.finding.formats import table, text_of
from bot.repository.finding.manifest import Manifest

UNKNOWN = "999.0.0"
"""Above whatever another package may ask for: a version that is too low makes pip take a published one instead."""

_BY_VARIABLE = {
    r"setuptools[-_]scm|hatch[-_]vcs|flit[-_]scm|use_scm_version|vcs[-_]versioning": "SETUPTOOLS_SCM_PRETEND_VERSION",
    r"\bpbr\b": "PBR_VERSION",
    r"poetry-dynamic-versioning": "POETRY_DYNAMIC_VERSIONING_BYPASS",
    r"uv-dynamic-versioning": "UV_DYNAMIC_VERSIONING_BYPASS",
}
_BY_TAG = re.compile(
    r"versioningit|setuptools[-_]git[-_]versioning|\bdunamai\b|setuptools[-_]git[-_]ver\b|\bversion-pioneer\b"
)
_FORM = re.compile(r"\d{1,5}(\.\d{1,6}){1,3}")
_CHANGES = re.compile(r"^(docs?/)?(changelog|changes|history|news|release[-_]?notes)(\.(md|rst|txt))?$", re.IGNORECASE)
_GIT = "/tmp/selfcode-version.git"  # noqa: S108 - the container's
_AUTHOR = "-c user.name=selfcode -c user.email=selfcode@localhost"
_MAKE_GIT = f"git init -q && git add -A && git {_AUTHOR} commit -q -m base && git tag"


class Version:
    """Which variables give it a version, and what has to be done before. Both empty where it knows its own."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        tree = manifest.tree
        self._said = "\n".join([*manifest.build_requires, tree.text("setup.py"), tree.text("setup.cfg")])

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, self.guessed[0]) for name in self._names()) + (
            (("GIT_DIR", _GIT), ("GIT_WORK_TREE", "$PWD/")) if self.needs_a_tag else ()
        )

    @property
    def needs_a_tag(self) -> bool:
        """Whether only a repository with a tag will do."""
        return bool(_BY_TAG.search(self._said)) and not any(True for _ in self._names())

    @property
    def preparation(self) -> str:
        """A command that makes such a repository, outside the workspace; "" where none is needed."""
        if not self.needs_a_tag:
            return ""
        return f'(export GIT_DIR={_GIT} GIT_WORK_TREE="$PWD" && {_MAKE_GIT} v{self.guessed[0]})'

    @property
    def guessed(self) -> tuple[str, str]:
        """The version, and where it is from."""
        return next(self._found(), (UNKNOWN, "no version is written anywhere"))

    def _names(self) -> Iterator[str]:
        yield from (name for pattern, name in _BY_VARIABLE.items() if re.search(pattern, self._said))
        pdm = table(self._manifest.pyproject, "tool", "pdm", "version")
        if self._manifest.backend == "pdm" and text_of(pdm.get("source")) == "scm":
            yield "PDM_BUILD_SCM_VERSION"

    def _found(self) -> Iterator[tuple[str, str]]:
        tree = self._manifest.tree
        if found := re.search(rf"^Version: ({_FORM.pattern})", tree.text("PKG-INFO"), re.MULTILINE):
            yield found[1], "PKG-INFO"
        for name in tree.matching(_CHANGES):
            for line in tree.text(name).splitlines()[:80]:
                if len(line) < 120 and (
                    found := re.match(
                        rf"[#=\s\[(*]*(?:[\w.]+\s+)?(?:version\s+|v)?({_FORM.pattern})\b", line, re.IGNORECASE
                    )
                ):
                    yield found[1], name
