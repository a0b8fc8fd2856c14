"""Programs and libraries from the distribution's packages. Pure."""

import re
import shlex
from collections.abc import Iterable

from bot.repository.finding.proposal import Step

PACKAGES_AT_MOST = 40
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]{1,60}")
_INSTALL = "apt-get install -y --no-install-recommends"
_NOT_FOR_TESTS = re.compile(
    r"(apt-transport-https|apt-utils|bash|bash-completion|ca-certificates|curl|docker.*|fish|git|git-lfs|gnupg2?|google-chrome.*"
    r"|chromium.*|firefox.*|less|lsb-release|nano|openssh-.*|procps|pypy.*|python[\d.]*(-(dev|pip|venv|full|distutils|setuptools"
    r"|wheel|virtualenv))?|software-properties-common|sudo|systemd|tini|tree|vim|wget|zsh|nodejs|npm|awscli|gh|jq|htop|clang.*|g(cc|\+\+)-\d+|valgrind|lcov|cppcheck|gdb|ccache|lld.*|llvm.*)"
)


def programs(wanted: Iterable[tuple[str, str]], *, reason: str) -> Step:
    """Install packages where one of the programs is missing; each pair is a program and its package."""
    pairs = list(wanted)
    there = " && ".join(f"command -v {shlex.quote(program)} >/dev/null" for program, _ in pairs)
    names = " ".join(dict.fromkeys(package for _, package in pairs))
    return Step(f"({{ {there}; }} || {{ apt-get update -q && {_INSTALL} {names}; }})", reason)


def hinted(packages: Iterable[str], *, reason: str) -> Step | None:
    """Install what a hint names, one by one: a package that this distribution does not have keeps no other away."""
    names = [name for name in dict.fromkeys(packages) if is_package(name)][:PACKAGES_AT_MOST]
    if not names:
        return None
    each = f'for package in {" ".join(names)}; do {_INSTALL} "$package" || echo "selfcode: no package $package"; done'
    return Step(f"(apt-get update -q && {each})", reason)


def is_package(name: str) -> bool:
    """Whether it is a name that packages have, and not of something that no test needs."""
    return bool(_NAME.fullmatch(name)) and not _NOT_FOR_TESTS.fullmatch(name)


def named_in(words: tuple[str, ...]) -> tuple[str, ...]:
    """The packages that an `apt-get install` command names; none for any other command."""
    if not words or words[0] not in ("apt", "apt-get") or "install" not in words:
        return ()
    return tuple(word.partition("=")[0] for word in words[words.index("install") + 1 :] if not word.startswith("-"))
