"""Repositories as the search for tests sees them, and what it finds there."""

from collections.abc import Mapping

from bot.repository import Findings, find


def found(files: Mapping[str, str | bytes], *, directory: str = ".") -> Findings:
    """What is found in a repository that holds these files."""
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return find(contents.get, contents, directory=directory)


def commands(findings: Findings, key: str) -> list[str]:
    """The values that were found for a key."""
    return [finding.value for finding in findings.findings if finding.key == key]


def reasons(findings: Findings, key: str) -> str:
    """The reasons that were given for a key."""
    return " | ".join(finding.reason for finding in findings.findings if finding.key == key)


def command_of(files: Mapping[str, str | bytes]) -> str | None:
    """The test command that is found."""
    plan = found(files).plan
    return plan.test if plan else None


def setup_of(files: Mapping[str, str | bytes]) -> str:
    """The last command of the set-up, which installs the project."""
    return next(reversed(commands(found(files), "setup")), "")
