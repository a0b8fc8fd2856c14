"""How a repository's tests are run, found out from its files, with the reason for each part. Pure.

Nothing that a repository holds is run or taken over as a command line, but scripts of its own that are called by name:
what goes into a command is of a plain form, and quoted.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from bot.records import Finding, TestPlan
from bot.repository.finding.hints import hints_of
from bot.repository.finding.native import native_proposal
from bot.repository.finding.node import node_proposal
from bot.repository.finding.places import own_files, places
from bot.repository.finding.proposal import Proposal, all_of, one_line
from bot.repository.finding.python import is_python, python_proposal
from bot.repository.finding.toolchains import go_proposal, rust_proposal
from bot.repository.finding.tree import Tree
from bot.repository.finding.values import Findings
from bot.repository.finding.wishes import wishes_of
from bot.repository.finding.workspaces import is_virtual

__all__ = ["Findings", "find", "guess"]

_OTHERS = ("package.json", "go.mod", "go.work", "Cargo.toml", "CMakeLists.txt", "meson.build")


def find(read: Callable[[str], bytes | None], paths: Iterable[str], *, directory: str = ".") -> Findings:
    """What a repository's files say of its tests. `read` gives a file's bytes, `paths` are all there are.

    Looked at is the folder that is named; where it is the top and holds no project, those one or two levels down: the
    one with most tests is taken. All commands are to be run in the plan's `directory`.
    """
    top = Tree(read, paths)
    if directory != ".":
        tree = top.below(directory)
        return _findings_of(tree, _proposal(tree), reason="it was asked for")
    own = _proposal(top)
    is_for_others = is_virtual(top)
    others = {folder: made for folder in places(top) if (made := _proposal(top.below(folder)))}
    taken, proposal = next(iter(others.items())) if others and (own is None or is_for_others) else (".", own)
    elsewhere = tuple(folder for folder in others if folder != taken)
    tree = top if taken == "." else top.below(taken)
    found = _findings_of(tree, proposal, reason="the top holds no project, and this folder's has most tests")
    return replace(found, elsewhere=elsewhere)


def guess(read: Callable[[str], bytes | None], paths: Iterable[str], *, directory: str = ".") -> TestPlan | None:
    """The plan alone."""
    return find(read, paths, directory=directory).plan


def _proposal(tree: Tree) -> Proposal | None:
    """The first kind of project that the folder is: Python's files count last where only other manifests are there."""
    hints = hints_of(tree)
    python = python_proposal(tree if is_python(tree) else own_files(tree), hints)
    if python and (is_python(tree) or not tree.first(*_OTHERS)):
        return python
    return (
        node_proposal(tree, hints) or go_proposal(tree) or rust_proposal(tree) or python or native_proposal(tree, hints)
    )


def _findings_of(tree: Tree, proposal: Proposal | None, *, reason: str) -> Findings:
    wishes = wishes_of(tree, hints_of(tree))
    if proposal is None:
        return Findings(None, wishes=wishes)
    place = () if tree.folder == "." else (Finding("directory", tree.folder, reason),)
    return Findings(_plan(proposal, tree.folder), (*place, *_findings(proposal)), wishes=wishes)


def _plan(proposal: Proposal, folder: str) -> TestPlan:
    source = proposal.source if folder == "." else f"{folder}/{proposal.source}"
    return TestPlan(
        test=proposal.test.command,
        setup=all_of(proposal.setup),
        build=proposal.build.command if proposal.build else "",
        directory=folder,
        report=proposal.report,
        guessed_from=source,
    )


def _findings(proposal: Proposal) -> Iterator[Finding]:
    yield Finding("test", proposal.test.command, one_line(proposal.test.reason))
    for step in proposal.setup:
        yield Finding("setup", step.command, one_line(step.reason))
    if proposal.report:
        yield Finding("report", proposal.report, "the test command writes it, in JUnit's XML")
    if proposal.build:
        yield Finding("build", proposal.build.command, one_line(proposal.build.reason))
