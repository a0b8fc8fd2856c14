"""The folder that `setup` fills: a clone of each project and what its tests need, side by side."""

import subprocess
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.verify.records import Language, Project
from bot.errors import ConfigError

CACHE = Path(__file__).parents[2] / ".cache" / "verify"
_PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")
_NPM = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save")


@dataclass(frozen=True, slots=True)
class Places:
    """What lies in such a folder."""

    folder: Path = CACHE

    def repository(self, project: Project) -> Path:
        """A bare clone, history and all."""
        return self.folder.resolve() / project.name / "repository.git"

    def environment(self, project: Project) -> Path:
        """A virtual environment, or a folder with `node_modules`. The project itself is not in it."""
        return self.folder.resolve() / project.name / "environment"

    def require(self, project: Project) -> None:
        """Raises `ConfigError` where something is not there."""
        if not (self._mark(project).is_file() and self.repository(project).is_dir()):
            raise ConfigError(f"{project.name} is not there: run `python -m bench.verify setup` first")

    def set_up(self, projects: Sequence[Project], tell: Callable[[str], None]) -> None:
        """Fetch what is missing. A clone that is there already is taken, wherever it came from."""
        for project in projects:
            if not self.repository(project).is_dir():
                tell(f"cloning {project.name}")
                _run(["git", "clone", "--quiet", "--bare", project.repository, str(self.repository(project))])
            if not self._mark(project).is_file():
                tell(f"installing what the tests of {project.name} need")
                _install(project, self.environment(project))
                self._mark(project).write_text("\n".join(project.packages), "utf-8")

    def _mark(self, project: Project) -> Path:
        return self.environment(project) / "packages.txt"


def _install(project: Project, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    match project.language:
        case Language.PYTHON:
            venv.create(into, with_pip=True, clear=True, symlinks=True)
            _run([str(into / "bin" / "python"), *_PIP, *project.packages])
        case Language.NODE:
            (into / "package.json").write_text("{}\n", "utf-8")
            _run([*_NPM, *project.packages], folder=into)


def _run(command: Sequence[str], *, folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError("the set-up failed:\n" + "\n".join(done.stderr.strip().splitlines()[-4:]))
