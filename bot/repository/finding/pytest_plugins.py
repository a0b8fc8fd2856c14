"""pytest's plugins, known by the options and settings that fail a whole run where they are missing. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.repository.finding.formats import texts
from bot.repository.finding.requirements import Need, required
from bot.repository.finding.shell import split

_OPTIONS = {
    "--allow-hosts": "pytest-socket",
    "--allow-unix-socket": "pytest-socket",
    "--asyncio-mode": "pytest-asyncio",
    "--benchmark": "pytest-benchmark",
    "--black": "pytest-black",
    "--bdd": "pytest-bdd",
    "--codspeed": "pytest-codspeed",
    "--cov": "pytest-cov",
    "--create-db": "pytest-django",
    "--disable-socket": "pytest-socket",
    "--dist": "pytest-xdist",
    "--doctest-plus": "pytest-doctestplus",
    "--doctest-rst": "pytest-doctestplus",
    "--ds": "pytest-django",
    "--flake8": "pytest-flake8",
    "--forked": "pytest-forked",
    "--html": "pytest-html",
    "--hypothesis": "hypothesis",
    "--instafail": "pytest-instafail",
    "--isort": "pytest-isort",
    "--maxprocesses": "pytest-xdist",
    "--memray": "pytest-memray",
    "--mpl": "pytest-mpl",
    "--mypy": "pytest-mypy",
    "--nbval": "nbval",
    "--no-cov": "pytest-cov",
    "--no-migrations": "pytest-django",
    "--nomigrations": "pytest-django",
    "--numprocesses": "pytest-xdist",
    "--only-rerun": "pytest-rerunfailures",
    "--pylint": "pytest-pylint",
    "--random-order": "pytest-random-order",
    "--randomly": "pytest-randomly",
    "--remote-data": "pytest-remotedata",
    "--reruns": "pytest-rerunfailures",
    "--reuse-db": "pytest-django",
    "--ruff": "pytest-ruff",
    "--snapshot": "syrupy",
    "--spec": "pytest-spec",
    "--timeout": "pytest-timeout",
    "--typeguard-packages": "typeguard",
    "-n": "pytest-xdist",
}
"""By the beginning of an option."""

_SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "pytest-django",
    "asyncio_default_fixture_loop_scope": "pytest-asyncio",
    "asyncio_default_test_loop_scope": "pytest-asyncio",
    "asyncio_mode": "pytest-asyncio",
    "bdd_features_base_dir": "pytest-bdd",
    "benchmark_storage": "pytest-benchmark",
    "django_find_project": "pytest-django",
    "doctest_plus": "pytest-doctestplus",
    "doctest_rst": "pytest-doctestplus",
    "env": "pytest-env",
    "flaky_test_reruns": "pytest-rerunfailures",
    "qt_api": "pytest-qt",
    "remote_data_strict": "pytest-remotedata",
    "reruns": "pytest-rerunfailures",
    "timeout": "pytest-timeout",
    "timeout_method": "pytest-timeout",
    "trio_mode": "pytest-trio",
}
"""By a setting's name."""

_MODULES = {
    "django": "pytest-django",
    "pytest_asyncio": "pytest-asyncio",
    "pytest_cov": "pytest-cov",
    "pytest_mock": "pytest-mock",
    "pytest_socket": "pytest-socket",
    "xdist": "pytest-xdist",
}
"""By the plugin that `-p` names."""

_WARNINGS = {
    "astropy": "astropy",
    "django": "django",
    "hypothesis": "hypothesis",
    "matplotlib": "matplotlib",
    "numpy": "numpy",
    "pandas": "pandas",
    "pytest_asyncio": "pytest-asyncio",
    "setuptools": "setuptools",
    "sqlalchemy": "sqlalchemy",
    "trio": "trio",
    "urllib3": "urllib3",
}
"""By the module of a warning that a filter names: pytest imports it, and ends where it is missing."""


def named(options: Mapping[str, Any]) -> tuple[Need, ...]:
    """The plugins that pytest's settings can't do without."""
    file = options.get("", "")
    lower = {key.lower() for key in options}
    plugins = [plugin for setting, plugin in _SETTINGS.items() if setting.lower() in lower]
    plugins += in_words(_words(options.get("addopts")))
    filters = (line.split(":")[2] for line in texts(options.get("filterwarnings")) if line.count(":") >= 2)
    plugins += [_WARNINGS[root] for category in filters if (root := category.strip().partition(".")[0]) in _WARNINGS]
    asked = options.get("required_plugins")
    plugins += [word for line in texts(asked) for word in line.split() if len(line) < 2000]
    return required(dict.fromkeys(plugins), f"{file}: pytest's settings need it")


def measures_coverage(options: Mapping[str, Any]) -> bool:
    """Whether pytest's settings have it measure coverage, which takes time and may fail a run that passes."""
    return any(word == "--cov" or word.startswith("--cov=") for word in _words(options.get("addopts")))


def in_words(words: tuple[str, ...]) -> Iterator[str]:
    """The plugins that the options of a pytest command belong to."""
    for place, word in enumerate(words):
        option = word.partition("=")[0]
        if option == "-p" and place + 1 < len(words):
            name = words[place + 1]
        else:
            name = option[2:] if re.fullmatch(r"-p[a-z_.]+", option) else ""
        if module := _MODULES.get(name):
            yield module
        elif re.fullmatch(r"-n(\d+|auto|logical)", option):
            yield "pytest-xdist"
        elif plugin := _by_option(option):
            yield plugin


def _by_option(option: str) -> str:
    if not option.startswith("-"):
        return ""
    known = (beginning for beginning in _OPTIONS if option == beginning or option.startswith(f"{beginning}-"))
    return next((_OPTIONS[beginning] for beginning in known), "")


def _words(addopts: Any) -> tuple[str, ...]:
    if isinstance(addopts, list):
        return texts(addopts)
    return split(addopts.replace("\n", " ")) if isinstance(addopts, str) else ()
