"""Make, CMake, Meson, autotools: best effort. Where the tool writes results as JUnit's XML, they are read. Pure."""

import re

from bot.repository.finding import apt
from bot.repository.finding.hints import Hints
from bot.repository.finding.proposal import Proposal, Step
from bot.repository.finding.scripts import make_target
from bot.repository.finding.tree import Tree

_SOURCES = re.compile(r"\.(c|cc|cpp|cxx|h|hpp|s|S)$")
_COMPILER = (("gcc", "gcc"), ("g++", "g++"), ("make", "make"))
_TESTS = re.compile(
    r"^\s*(enable_testing|add_test|include\s*\(\s*CTest|gtest_discover_tests|catch_discover_tests)",
    re.MULTILINE | re.IGNORECASE,
)


def native_proposal(tree: Tree, hints: Hints) -> Proposal | None:
    """A Makefile with a target for tests, else what CMake, Meson or a configure script would make."""
    return _of_make(tree, hints) or _of_cmake(tree, hints) or _of_meson(tree, hints) or _of_autotools(tree, hints)


def _of_make(tree: Tree, hints: Hints) -> Proposal | None:
    found = make_target(tree)
    if not found:
        return None
    file, target = found
    needs_compiler = any(_SOURCES.search(path) for path in tree.paths)
    setup = (
        _setup(hints, [("make", "make")] if not needs_compiler else _COMPILER, f"{file}: make and a compiler")
        if needs_compiler
        else ()
    )
    return Proposal(test=Step(f"make {target}", f"{file}: its target {target}"), source=file, setup=setup)


def _of_cmake(tree: Tree, hints: Hints) -> Proposal | None:
    lists = [path for path in tree.sorted if path.rpartition("/")[2] == "CMakeLists.txt"][:20]
    if "CMakeLists.txt" not in tree or not (
        file := next((path for path in lists if _TESTS.search(tree.text(path))), "")
    ):
        return None
    return Proposal(
        test=Step("ctest --test-dir build --output-on-failure --output-junit results.xml", f"{file}: tests of CTest"),
        source="CMakeLists.txt",
        setup=_setup(hints, (*_COMPILER, ("cmake", "cmake")), "CMakeLists.txt: CMake and a compiler"),
        build=Step("cmake -S . -B build && cmake --build build", "CMakeLists.txt: the tests are programs to be built"),
        report="build/results.xml",
    )


def _of_meson(tree: Tree, hints: Hints) -> Proposal | None:
    files = [path for path in tree.sorted if path.rpartition("/")[2] == "meson.build"][:20]
    file = next((path for path in files if re.search(r"^\s*test\s*\(", tree.text(path), re.MULTILINE)), "")
    if "meson.build" not in tree or not file:
        return None
    return Proposal(
        test=Step("meson test -C build", f"{file}: tests of Meson"),
        source="meson.build",
        setup=_setup(
            hints, (*_COMPILER, ("meson", "meson"), ("ninja", "ninja-build")), "meson.build: Meson and a compiler"
        ),
        build=Step(
            "(test -d build/meson-info || meson setup build) && meson compile -C build",
            "meson.build: built before the tests",
        ),
        report="build/meson-logs/testlog.junit.xml",
    )


def _of_autotools(tree: Tree, hints: Hints) -> Proposal | None:
    file = tree.first("configure", "configure.ac", "configure.in")
    if not file or not tree.first("Makefile.am", "Makefile.in"):
        return None
    pairs = (
        _COMPILER
        if file == "configure"
        else (*_COMPILER, ("autoreconf", "autoconf"), ("automake", "automake"), ("libtoolize", "libtool"))
    )
    configure = "sh ./configure" if file == "configure" else "autoreconf -fi && sh ./configure"
    return Proposal(
        test=Step("make check", f"{file}: the tests of a project of the autotools"),
        source=file,
        setup=_setup(hints, pairs, f"{file}: a compiler and the autotools"),
        build=Step(f"(test -f Makefile || ({configure})) && make", f"{file}: configured once, then made"),
    )


def _setup(hints: Hints, pairs: tuple[tuple[str, str], ...] | list[tuple[str, str]], reason: str) -> tuple[Step, ...]:
    hinted = (apt.hinted(names, reason=f"{source}: its system packages") for source, names in hints.packages.items())
    return (apt.programs(pairs, reason=reason), *(step for step in hinted if step))
