"""What CI does to run the tests, as hints: GitHub, GitLab and Travis. Nothing of it is run as it stands. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.repository.finding.formats import table, text_of, texts
from bot.repository.finding.recipe import Words
from bot.repository.finding.shell import simple_commands
from bot.repository.finding.tree import Tree

FILES_AT_MOST = 8
JOBS_AT_MOST = 30
STEPS_AT_MOST = 60
_WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")
_LIKELY = re.compile(r"test|ci|build|python|node|unit|main|check", re.IGNORECASE)
_SETUPS = {"setup-python": "python", "setup-node": "node", "setup-go": "go", "setup-ruby": "ruby", "setup-java": "java"}
_TESTING = re.compile(
    r"^(pytest|py\.test|tox|nox|ctest|trial|nose2|stestr)\b|\b-m (pytest|unittest|tox|nox)\b"
    r"|\b(npm|pnpm|yarn|bun) (run )?(-\S+ ){0,3}(test|t)\b"
    r"|\b(go|cargo|meson|deno|hatch|mvn|gradlew?) (\S+ ){0,6}(test|nextest|verify|check)\b"
    r"|\bmake (\S+ ){0,6}(test|check)|manage\.py test|\brun (\S+ ){0,6}(pytest|test|tox)"
    r"|runtests|\brspec\b|\brake\b|\bphpunit\b"
)
_MATRIX = re.compile(r"\$\{\{\s*matrix\.([\w.-]+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Job:
    """A job that runs tests: its plain commands, and the versions of languages that it asks for."""

    source: str
    commands: tuple[Words, ...]
    versions: Mapping[str, tuple[str, ...]]
    image: str = ""
    packages: tuple[str, ...] = ()


def test_jobs(tree: Tree) -> tuple[Job, ...]:
    """The jobs that run tests, those of likely files first."""
    jobs = [*_github(tree), *_gitlab(tree), *_travis(tree)]
    return tuple(job for job in jobs if any(_TESTING.search(" ".join(words)) for words in job.commands))


def _github(tree: Tree) -> Iterator[Job]:
    files = sorted(tree.matching(_WORKFLOW), key=lambda path: (not _LIKELY.search(path.rpartition("/")[2]), path))
    for file in files[:FILES_AT_MOST]:
        jobs = table(tree.yaml(file), "jobs")
        for name, job in list(jobs.items())[:JOBS_AT_MOST]:
            yield _github_job(f"{file}: job {name}", table(job))


def _github_job(source: str, job: Mapping[str, Any]) -> Job:
    steps = job.get("steps")
    scripts: list[str] = []
    versions: dict[str, tuple[str, ...]] = {}
    for step in steps[:STEPS_AT_MOST] if isinstance(steps, list) else ():
        if not isinstance(step, dict):
            continue
        scripts.append(text_of(step.get("run")))
        action = text_of(step.get("uses")).partition("@")[0].rpartition("/")[2]
        if language := _SETUPS.get(action):
            asked = table(step, "with").get(f"{language}-version")
            versions[language] = _resolved(asked, table(job, "strategy", "matrix"))
    container = job.get("container")
    image = text_of(table(container).get("image")) or text_of(container)
    return Job(source, tuple(simple_commands("\n".join(scripts))), versions, image)


def _resolved(asked: Any, matrix: Mapping[str, Any]) -> tuple[str, ...]:
    """A version, or those that the matrix has for it."""
    if found := _MATRIX.search(text_of(asked)):
        key = found[1].partition(".")[0]
        included = matrix.get("include")
        more = [row.get(key) for row in included if isinstance(row, dict)] if isinstance(included, list) else []
        own = matrix.get(key)
        return texts([*(own if isinstance(own, list) else []), *more])
    return texts(asked)


def _gitlab(tree: Tree) -> Iterator[Job]:
    file = tree.first(".gitlab-ci.yml", ".gitlab-ci.yaml")
    settings = tree.yaml(file) if file else {}
    before = settings.get("before_script") or table(settings, "default").get("before_script")
    image = settings.get("image") or table(settings, "default").get("image")
    for name, job in list(settings.items())[: 2 * JOBS_AT_MOST]:
        if isinstance(job, dict) and "script" in job:
            scripts = [*_lines(job.get("before_script", before)), *_lines(job.get("script"))]
            own = job.get("image", image)
            commands = tuple(simple_commands("\n".join(scripts)))
            yield Job(f"{file}: job {name}", commands, {}, text_of(table(own).get("name")) or text_of(own))


def _travis(tree: Tree) -> Iterator[Job]:
    settings = tree.yaml(".travis.yml")
    scripts = [
        line for key in ("before_install", "install", "before_script", "script") for line in _lines(settings.get(key))
    ]
    if scripts:
        packages = texts(table(settings, "addons", "apt").get("packages"))
        languages = {"python": "python", "node_js": "node", "go": "go", "rvm": "ruby", "jdk": "java"}
        versions = {language: texts(settings.get(key)) for key, language in languages.items() if settings.get(key)}
        yield Job(".travis.yml", tuple(simple_commands("\n".join(scripts))), versions, packages=packages)


def _lines(value: Any) -> Sequence[str]:
    return texts(value)
