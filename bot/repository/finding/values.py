"""What was found out about how a repository's tests are run, each part with its reason. Pure."""

from dataclasses import dataclass

from bot.records import Finding, TestPlan


@dataclass(frozen=True, slots=True)
class Findings:
    """How the tests are run, or None where nothing tells, and why.

    A key may come several times: the `setup` findings, in their order, are the commands that each must succeed.
    `elsewhere` are other folders that hold a project with tests of its own. `wishes` are languages with the versions
    that the repository seems to want: “python 3.12”, “node 20”.
    """

    plan: TestPlan | None
    findings: tuple[Finding, ...] = ()
    elsewhere: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
