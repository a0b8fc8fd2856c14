"""Code that has to be compiled: what that takes, and how it is built again without the network. Pure."""

import re
from dataclasses import dataclass

from bot.repository.finding.apt import programs
from bot.repository.finding.formats import table
from bot.repository.finding.manifest import Manifest
from bot.repository.finding.proposal import Step
from bot.repository.finding.requirements import name_of, plain
from bot.repository.finding.shell import quoted, with_variables

RUST = (("CARGO_HOME", "/opt/selfcode/cargo"),)
SITE = "build/selfcode"
"""Where code is installed that can't be built in place: left out of a change as every `build` folder is."""

_EXTENSION = re.compile(r"\b(ext_modules|cffi_modules|rust_extensions|cythonize|Extension|mypycify)\b")
_NO_HEADERS = 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
_HEADERS = (
    f"({{ python3 -c '{_NO_HEADERS}'; }} "
    "|| { apt-get update -q && apt-get install -y --no-install-recommends python3-dev; })"
)
_WITHOUT_THE_LAST = "find . '(' -name '*.cpython-*.so' -o -name '*.abi3.so' ')' -not -path '*/site-packages/*' -delete"
"""Some projects can do without their extension, and pass over one that does not compile: the last one would be tested.

By force, for setuptools looks at the times of sources, and a header is none.
"""

_HOOK = "python3 -c 'import {module} as backend; backend.build_editable(\"/tmp\")'"
_PACKAGING = "packaging>=24.2"
_C = (("gcc", "gcc"), ("g++", "g++"), ("ld", "libc6-dev"))


@dataclass(frozen=True, slots=True)
class Compiled:
    """How a project's compiled part is made. `install`: pip's way to install the project; `path`: for PYTHONPATH."""

    before: tuple[Step, ...]
    install: tuple[str, ...] = ("-e",)
    build: Step | None = None
    path: str = ""
    variables: tuple[tuple[str, str], ...] = ()


def compiled(manifest: Manifest, variables: tuple[tuple[str, str], ...]) -> Compiled | None:
    """What compiling it takes; None where it is pure Python. `variables` are those that every build needs."""
    reason = _evidence(manifest)
    if not reason:
        return None
    requires = tuple(filter(None, map(plain, manifest.build_requires)))
    match manifest.backend:
        case "mesonpy":
            before = (*_toolchain(reason), _pip((*requires, "meson", "ninja"), "it is built again at each import"))
            return Compiled(before, install=("--no-build-isolation", "-e"))
        case "maturin":
            build = with_variables(_HOOK.format(module="maturin"), (*RUST, ("CARGO_NET_OFFLINE", "true"), *variables))
            before = (*_toolchain(reason, rust=True), _pip(requires or ("maturin",), "for building again offline"))
            return Compiled(before, build=Step(build, f"{reason}; built in place"), variables=RUST)
        case "scikit_build_core" | "py_build_cmake":
            words = (
                "python3",
                "-m",
                "pip",
                "install",
                "--no-index",
                "--no-deps",
                "--no-build-isolation",
                "--upgrade",
                "--target",
                SITE,
                ".",
            )
            before = (*_toolchain(reason), _pip((*requires, "cmake", "ninja"), "for building again offline"))
            step = Step(
                with_variables(quoted(words), variables), f"{reason}; a fresh build, for this backend has none in place"
            )
            return Compiled(before, install=("",), build=step, path=SITE)
        case _:
            return _in_place(manifest, reason, requires, variables)


def _in_place(
    manifest: Manifest, reason: str, requires: tuple[str, ...], variables: tuple[tuple[str, str], ...]
) -> Compiled:
    is_rust = "rust_extensions" in manifest.tree.text("setup.py") or "setuptools-rust" in " ".join(requires)
    own = (*RUST, ("CARGO_NET_OFFLINE", "true")) if is_rust else ()
    if manifest.backend == "setuptools" and "setup.py" in manifest.tree:
        command, names = "python3 setup.py build_ext --inplace --force", ("setuptools",)
    elif manifest.backend == "setuptools":
        command, names = _HOOK.format(module="setuptools.build_meta"), ("setuptools",)
    else:
        command, names = _HOOK.format(module="poetry.core.masonry.api"), ("poetry-core",)
    missing = tuple(name for name in names if name not in map(name_of, requires))
    build = f"{_WITHOUT_THE_LAST} && {with_variables(command, (*own, *variables))}"
    step = Step(build, f"{reason}; built in place")
    before = (*_toolchain(reason, rust=is_rust), _pip((*requires, *missing), "for building again offline"))
    return Compiled(before, build=step, variables=RUST if is_rust else ())


def _evidence(manifest: Manifest) -> str:
    if manifest.backend in ("mesonpy", "maturin", "scikit_build_core", "py_build_cmake"):
        return f"pyproject.toml: build-backend {manifest.backend}"
    if found := _EXTENSION.search(manifest.tree.text("setup.py")):
        return f"setup.py: {found[0]}"
    if table(manifest.pyproject, "tool", "setuptools").get("ext-modules"):
        return "pyproject.toml: tool.setuptools.ext-modules"
    if table(manifest.poetry, "build") and manifest.backend == "poetry":
        return "pyproject.toml: Poetry's build script"
    return ""


def _toolchain(reason: str, *, rust: bool = False) -> tuple[Step, ...]:
    tools = [programs(_C, reason=f"{reason}: a compiler"), Step(_HEADERS, f"{reason}: Python's headers")]
    return (*tools, programs([("cargo", "cargo")], reason=f"{reason}: Rust")) if rust else tuple(tools)


def _pip(requires: tuple[str, ...], why: str) -> Step:
    """Install what a build needs. Setuptools brings a copy of `packaging`, but an older one that is there goes before.

    Source: setuptools 77 and later, `_normalization.py`: a licence by its SPDX name needs `packaging` 24.2.
    """
    named = {name_of(each) for each in requires}
    names = dict.fromkeys(requires)
    if "setuptools" in named and "packaging" not in named:
        names[_PACKAGING] = None
    return Step(quoted(["python3", "-m", "pip", "install", *names]), f"pyproject.toml: build-system.requires, {why}")
