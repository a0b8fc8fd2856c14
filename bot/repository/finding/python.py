"""A Python project: its tests, its set-up, its build. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.repository.finding import apt
from bot.repository.finding.ci import Job
from bot.repository.finding.hints import Hints
from bot.repository.finding.manifest import FILES, Manifest
from bot.repository.finding.nox import nox_recipe
from bot.repository.finding.proposal import COMMAND_AT_MOST, Proposal, Step
from bot.repository.finding.python_build import Compiled, compiled
from bot.repository.finding.python_needs import is_name, test_needs
from bot.repository.finding.python_tests import Tests, python_tests
from bot.repository.finding.python_version import Version
from bot.repository.finding.recipe import Recipe, test_commands
from bot.repository.finding.requirements import Need, NeedKind, RequirementsFile, name_of, read_file
from bot.repository.finding.scripts import script_recipes
from bot.repository.finding.shell import quoted, with_variables
from bot.repository.finding.tox import tox_recipe
from bot.repository.finding.tree import Tree

_PIP = ("python3", "-m", "pip", "install")
_OLD_SETUPTOOLS = "setuptools<81"
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")


def python_proposal(tree: Tree, hints: Hints) -> Proposal | None:
    """How the project's tests are run by the image's own Python; None where nothing tells that there are any."""
    manifest = Manifest(tree)
    recipes = [recipe for recipe in (tox_recipe(tree), nox_recipe(tree), *script_recipes(tree)) if recipe]
    testing = [recipe for recipe in recipes if any(test_commands(recipe, tree))]
    of_ci = [Recipe(job.source, job.commands) for job in hints.jobs]
    needs = test_needs(manifest, [*(recipe for recipe in recipes if recipe.needs)][:1], _python_jobs(hints.jobs))
    tests = python_tests(manifest, [*testing, *of_ci, *recipes], needs)
    if tests is None:
        return None
    setup = _Setup(manifest, needs, tests, hints)
    return Proposal(
        test=Step(setup.test_command(), tests.reason),
        source=tests.source,
        setup=tuple(setup.steps()),
        build=setup.compiled.build if setup.compiled and setup.is_installed else None,
    )


def is_python(tree: Tree) -> bool:
    """Whether a manifest says that it is a Python project."""
    return any(name in tree for name in (*FILES, "requirements.txt", "tox.ini", "noxfile.py"))


def _python_jobs(jobs: Sequence[Job]) -> list[Job]:
    return [job for job in jobs if "python" in job.versions] or list(jobs)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Requirements files as they are to be installed: by pip, in the one command or alone, or line by line."""

    need: Need
    file: RequirementsFile


class _Setup:
    """Everything that has to be there before the tests run offline."""

    def __init__(self, manifest: Manifest, needs: Sequence[Need], tests: Tests, hints: Hints) -> None:
        self._manifest = manifest
        self._needs = needs
        self._tests = tests
        self._hints = hints
        self._version = Version(manifest)
        self.compiled: Compiled | None = (
            compiled(manifest, self._version.variables) if manifest.can_be_installed else None
        )
        self._why = manifest.why_install() or ("its compiled code" if self.compiled else "") or self._extras_reason()

    @property
    def is_installed(self) -> bool:
        return bool(self._why)

    def test_command(self) -> str:
        """The test command, with the project's source on the path where nothing installs it."""
        folders = [f"$PWD/{self.compiled.path}"] if self.compiled and self.compiled.path else []
        has_src = any(path.startswith("src/") and path.endswith(".py") for path in self._manifest.tree.paths)
        own = dict(self._tests.variables)
        if folders:
            own["PYTHONPATH"] = folders[0]
        elif has_src and not self.is_installed:
            own["PYTHONPATH"] = "../" * len(self._tests.folder.split("/")) + "src" if self._tests.folder else "src"
        command = with_variables(self._tests.command, list(own.items()))
        return f"{quoted(['cd', self._tests.folder])} && {command}" if self._tests.folder else command

    def steps(self) -> Iterator[Step]:
        """The commands in their order; none where nothing is needed: that works without the network."""
        installs = list(self._installs())
        for source, packages in self._hints.packages.items():
            if installs and (step := apt.hinted(packages, reason=f"{source}: its system packages")):
                yield step
        if self.compiled and self.is_installed:
            yield from self.compiled.before
        if self.is_installed and self._version.preparation:
            yield Step(self._version.preparation, "the version comes from a git tag, and there is no history here")
        yield from installs

    def _installs(self) -> Iterator[Step]:
        readings = [_Reading(need, read_file(self._manifest.tree, need.value)) for need in self._of(NeedKind.FILE)]
        for each in readings:
            if each.file.has_hashes:
                yield Step(quoted([*_PIP, "-r", each.need.value]), f"{each.need.value}: alone, for it has hashes")
            elif each.file.is_of_the_top:
                yield self._from_the_top(each.need.value)
        folders = [value if value.startswith("../") else f"./{value}" for value in self._values(NeedKind.FOLDER)]
        words = [*self._project(), *(word for folder in folders for word in ("-e", folder))]
        for each in readings:
            if not each.file.has_hashes and not each.file.is_of_the_top:
                words += self._of_file(each)
        words += dict.fromkeys(need.value for need in self._of(NeedKind.REQUIREMENT))
        if not words:
            return
        if self._tests.is_pytest and not any(name_of(word) == "pytest" for word in words):
            words.append("pytest")
        if self._wants_old_setuptools():
            words.append(_OLD_SETUPTOOLS)
        while len(quoted(words)) > COMMAND_AT_MOST - 1500 and words[-1] not in (".", "-e"):
            words.pop()
        yield Step(self._with_version(quoted([*_PIP, *words])), self._reason(readings))

    def _from_the_top(self, name: str) -> Step:
        folder = self._manifest.tree.folder
        up = "../" * len(folder.split("/"))
        command = quoted([*_PIP, "-r", f"{folder}/{name}"])
        return Step(f"(cd {up} && {command})", f"{name}: at the top, where the folders are that it names")

    def _project(self) -> list[str]:
        """The project itself: editable, so that the workspace's own code is tested."""
        if not self.is_installed:
            return []
        extras = [need.value for need in self._of(NeedKind.EXTRA) if is_name(need.value)]
        how = self.compiled.install if self.compiled else ("-e",)
        return [*filter(None, how), f".[{','.join(dict.fromkeys(extras))}]" if extras else "."]

    def _of_file(self, reading: _Reading) -> list[str]:
        """The file, unless lines in it lead away from the package index: then the others are written out."""
        if not reading.file.outside:
            return ["-r", reading.need.value]
        return [need.value for need in reading.file.needs if need.kind is NeedKind.REQUIREMENT]

    def _with_version(self, command: str) -> str:
        variables = [*self._version.variables, *(self.compiled.variables if self.compiled else ())]
        return with_variables(command, variables) if self.is_installed else command

    def _wants_old_setuptools(self) -> bool:
        return "pkg_resources" in self._manifest.setup_py.imports

    def _reason(self, readings: Sequence[_Reading]) -> str:
        """Each source once, and what of it could not be had."""
        parts = [self._why] if self.is_installed else []
        parts += [need.source for need in self._needs if not (need.kind is NeedKind.FILE and need.source in parts)]
        parts += [
            f"without {each.file.outside} lines of {each.need.value} from elsewhere"
            for each in readings
            if each.file.outside
        ]
        if self.is_installed and self._version.variables:
            version, source = self._version.guessed
            parts.append(f"version {version}: git's history is not there ({source})")
        if lock := self._manifest.tree.first(*_LOCKS):
            parts.append(f"{lock} is not used, for pip can't read it")
        return "; ".join(dict.fromkeys(parts))

    def _extras_reason(self) -> str:
        extra = next(iter(self._of(NeedKind.EXTRA)), None)
        return extra.source if extra and self._manifest.can_be_installed else ""

    def _values(self, kind: NeedKind) -> list[str]:
        return [need.value for need in self._of(kind)]

    def _of(self, kind: NeedKind) -> list[Need]:
        return [need for need in self._needs if need.kind is kind]
