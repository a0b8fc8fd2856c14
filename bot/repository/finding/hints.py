"""What Dockerfiles, devcontainers, lists and CI hint at: system packages and images; never built or run. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.repository.finding.apt import named_in
from bot.repository.finding.ci import Job, test_jobs
from bot.repository.finding.formats import json_object, text_of
from bot.repository.finding.shell import simple_commands
from bot.repository.finding.tree import Tree

_DOCKERFILE = re.compile(
    r"^(\.devcontainer/|docker/|\.docker/|\.ci/|ci/|)(Dockerfile([._-](test|tests|dev|ci))?|(test|dev|ci)\.Dockerfile|Containerfile)$"
)
_LISTS = ("apt.txt", "Aptfile", "binder/apt.txt", ".binder/apt.txt")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hints:
    """System packages by the file that names them, images by theirs, and CI's jobs that run tests."""

    packages: dict[str, tuple[str, ...]]
    images: dict[str, str]
    jobs: tuple[Job, ...]


def hints_of(tree: Tree) -> Hints:
    """Everything of that kind in a folder."""
    jobs = test_jobs(tree)
    packages = {**dict(_packages(tree)), **{job.source: tuple(_of_job(job)) for job in jobs[:2]}}
    images = {job.source: job.image for job in jobs if job.image}
    return Hints(
        {source: names for source, names in packages.items() if names}, {**dict(_images(tree)), **images}, jobs
    )


def _of_job(job: Job) -> Iterator[str]:
    yield from job.packages
    for words in job.commands:
        yield from named_in(words)


def _packages(tree: Tree) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in tree.matching(_DOCKERFILE):
        scripts = "\n".join(line[3:].strip() for line in _instructions(tree.text(name)) if line[:4].upper() == "RUN ")
        yield name, tuple(package for words in simple_commands(scripts) for package in named_in(words))
    for name in _LISTS:
        yield (
            name,
            tuple(
                line.strip() for line in tree.text(name).splitlines()[:200] if line.strip()[:1] not in ("#", ":", "")
            ),
        )
    commands = simple_commands(text_of(_devcontainer(tree).get("postCreateCommand")))
    yield ".devcontainer/devcontainer.json", tuple(package for words in commands for package in named_in(words))


def _images(tree: Tree) -> Iterator[tuple[str, str]]:
    for name in tree.matching(_DOCKERFILE):
        images = [line.split() for line in _instructions(tree.text(name)) if line[:5].upper() == "FROM "]
        stages = {words[3] for words in images if len(words) == 4}
        for words in reversed(images):
            image = next((word for word in words[1:] if not word.startswith("--")), "")
            if image and image not in stages and "$" not in image:
                yield name, image
                break
    if image := text_of(_devcontainer(tree).get("image")):
        yield ".devcontainer/devcontainer.json", image


def _devcontainer(tree: Tree) -> dict[str, object]:
    """Source: https://containers.dev/implementors/spec/: JSON with comments."""
    text = tree.text(tree.first(".devcontainer/devcontainer.json", ".devcontainer.json") or ".devcontainer.json")
    bare = _COMMENT.sub(lambda match: match[1] or "", text)
    return dict(json_object(re.sub(r",(\s*[}\]])", r"\1", bare)))


def _instructions(text: str) -> list[str]:
    """A Dockerfile's lines, with those that go on joined to one and comments left out."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return re.sub(r"\\\s*\n", " ", "\n".join(lines)).splitlines()[:300]
