"""The values and protocols that all rooms speak in. Pure: no clock, no I/O; frozen, and JSON by `dump` and `load`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from sandbox.contract import ExecutionResult

T = TypeVar("T")

StopCheck = Callable[[], bool]
"""True once a person has ended the run. Cheap enough to be asked every second."""


# --- Where: repositories, issues, people


@dataclass(frozen=True, slots=True)
class RepositoryRef:
    """A repository as an installation sees it. `id` stays when it is renamed; owner and name are for reading."""

    installation_id: int
    id: int
    owner: str
    name: str

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class IssueRef:
    """An issue, or a pull request where `number` is one's."""

    repository: RepositoryRef
    number: int

    def __str__(self) -> str:
        return f"{self.repository.full_name}#{self.number}"


@dataclass(frozen=True, slots=True)
class Person:
    """Who did something. Bots are never trusted unless the operator lists them."""

    login: str
    is_bot: bool = False


PERMISSIONS = ("none", "read", "triage", "write", "maintain", "admin")
"""What a person may do in a repository, each more than the one before.

Source: https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
"""


# --- Triggers: what someone asked for


class TriggerKind(StrEnum):
    """What is asked for. START and RETRY become runs, DOCTOR an examination, which is kept and queued like a run.

    STOP ends them; HELP is answered; the last two keep house.
    """

    START = "start"
    RETRY = "retry"
    DOCTOR = "doctor"
    STOP = "stop"
    HELP = "help"
    INSTALLED = "installed"
    UNINSTALLED = "uninstalled"


@dataclass(frozen=True, slots=True)
class Trigger:
    """What someone asked for, known by `key`: the same key seen twice is one trigger.

    `issue.number` is 0 for INSTALLED and UNINSTALLED. `text` is the hint of a retry, or the complaint that HELP is to
    open with. `comment_id` is set where a comment asked. `because` says for people what happened (“label removed”).
    `occurred_at` is ISO 8601 UTC, GitHub's clock.
    """

    key: str
    kind: TriggerKind
    issue: IssueRef
    sender: Person
    occurred_at: str
    because: str = ""
    text: str = ""
    comment_id: int | None = None
    delivery_id: str = ""


class Receipt(StrEnum):
    """What the inbox did with a trigger."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


class Inbox(Protocol):
    """Where accepted triggers wait, durably. One INSERT each; safe from any number of processes."""

    def accept(self, trigger: Trigger) -> Receipt: ...


# --- What the issue says


@dataclass(frozen=True, slots=True)
class Comment:
    """An issue comment as it stood when the run was triggered."""

    id: int
    author: Person
    body: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue's text, frozen as of the trigger."""

    title: str
    body: str
    author: Person
    is_open: bool
    labels: tuple[str, ...]
    is_pull_request: bool = False
    is_locked: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """What the agent is asked to do: all of it data, none of it instructions to be trusted.

    `number` is None where there is no issue on a server (`selfcode run`).
    """

    title: str
    body: str
    comments: tuple[Comment, ...] = ()
    hint: str = ""
    number: int | None = None
    left_out: tuple[str, ...] = ()


# --- Limits and spend


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits of one run. None for `cost_usd` means that only tokens bind."""

    iterations: int = 5
    calls_per_iteration: int = 20
    tokens: int = 400_000
    cost_usd: float | None = 3.0
    minutes: float = 60.0
    patch_lines: int = 1500
    patch_files: int = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model call cost. Tokens as the server reported them, or estimated where it reported none.

    `cost_usd` is None where the model's price is not known; `cached_tokens` (part of the prompt's) where the server
    does not say.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run has used so far. `cost_usd` is None as soon as one call's price was not known.

    `cached_tokens` is the part of `prompt_tokens` that the provider had cached, as far as it says so. `critic_tokens`
    and `critic_cost_usd` are the part of all that the critic used.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0
    cached_tokens: int = 0
    critic_tokens: int = 0
    critic_cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def plus(self, usage: Usage, *, critics: bool = False) -> "Spend":
        """The spend after one more call; its seconds are those of whole iterations, and counted with them."""
        return replace(
            self,
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt_tokens,
            completion_tokens=self.completion_tokens + usage.completion_tokens,
            cost_usd=_sum(self.cost_usd, usage.cost_usd),
            cached_tokens=self.cached_tokens + (usage.cached_tokens or 0),
            critic_tokens=self.critic_tokens + (usage.prompt_tokens + usage.completion_tokens if critics else 0),
            critic_cost_usd=_sum(self.critic_cost_usd, usage.cost_usd) if critics else self.critic_cost_usd,
        )


def _sum(one: float | None, other: float | None) -> float | None:
    """Two amounts of money together: not known where one of them is not."""
    return None if one is None or other is None else one + other


# --- Test reports, evidence, proof


class TestStatus(StrEnum):
    """How one test ended. ERROR: it could not be collected, imported, set up or torn down."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test's result. `id` is stable between runs; `file` is relative to the repository where the report tells."""

    __test__ = False

    id: str
    status: TestStatus
    message: str = ""
    file: str | None = None


class ReportState(StrEnum):
    """What one run of the test command came to. Only PASSED is green."""

    PASSED = "passed"
    FAILED = "failed"
    NOTHING_RAN = "nothing ran"
    ALL_SKIPPED = "everything skipped"
    COMMAND_NOT_FOUND = "command not found"
    USAGE_ERROR = "the test command is broken"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    OUTPUT_LIMIT = "too much output"
    CRASHED = "crashed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class TestReport:
    """One run of the test command. `cases` is empty where `reader` is "exit code": then nothing more is known.

    `output` is stdout and stderr, bounded. `planted_failed` says whether the test that the host added was reported as
    failing, as it must be; None where none was added. `tampered` says why the results can't be trusted, or "".
    """

    __test__ = False

    command: str
    state: ReportState
    cases: tuple[TestCase, ...] = ()
    exit_code: int | None = None
    output: str = ""
    duration_s: float = 0.0
    reader: str = "exit code"
    planted_failed: bool | None = None
    tampered: str = ""

    def ids(self, *statuses: TestStatus) -> frozenset[str]:
        """The ids of the tests that ended so."""
        return frozenset(case.id for case in self.cases if case.status in statuses)

    @property
    def passed(self) -> frozenset[str]:
        return self.ids(TestStatus.PASSED)

    @property
    def failed(self) -> frozenset[str]:
        return self.ids(TestStatus.FAILED, TestStatus.ERROR)

    @property
    def skipped(self) -> frozenset[str]:
        return self.ids(TestStatus.SKIPPED)

    @property
    def is_green(self) -> bool:
        return self.state is ReportState.PASSED

    def is_good_beside(self, baseline: "TestReport | None") -> bool:
        """Whether it is green, or nothing fails in it but what failed in the baseline already."""
        if self.is_green:
            return True
        known = baseline.failed if baseline is not None else frozenset[str]()
        return self.state is ReportState.FAILED and bool(self.passed) and bool(self.failed) and self.failed <= known

    @property
    def could_run(self) -> bool:
        """Whether the command ran tests at all, whatever came of them."""
        return self.state in (ReportState.PASSED, ReportState.FAILED)

    @property
    def counts(self) -> str:
        """“12 passed, 1 failed”, or the state where no test is known by name."""
        if not self.cases:
            return f"exit code {self.exit_code}" if self.could_run else str(self.state)
        parts = [(len(self.passed), "passed"), (len(self.failed), "failed"), (len(self.skipped), "skipped")]
        return ", ".join(f"{count} {word}" for count, word in parts if count or word == "passed")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Base report and head report side by side, as sorted test ids.

    `red`: failed on the base with the head's tests (run A), twice, and pass on the head (run B). `broke`: passed in the
    baseline and do not pass with the base's own tests on the head (run C). `still_failing`: failed in the baseline and
    fail in run B. `new`: in B, not in the baseline. `gone`: in the baseline, not in B. `new_interface`: those of `red`
    that could not even be imported on the base, because the change defines what they name.
    """

    red: tuple[str, ...] = ()
    broke: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    new_interface: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """The judgement over a change. `holds` exactly where `missing` is empty; `missing` says for people what lacks."""

    missing: tuple[str, ...]
    evidence: Evidence
    baseline: TestReport
    head_tests_on_base: TestReport | None = None
    head: TestReport | None = None
    base_tests_on_head: TestReport | None = None
    tests_changed: tuple[str, ...] = ()
    tests_altered: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.missing


# --- The change


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that differs between base and head. None on one side: not there.

    Modes are git's: 100644, 100755, 120000.
    """

    path: str
    before: bytes | None
    after: bytes | None
    before_mode: str | None
    after_mode: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed since the base: a binary git patch, and what it touches.

    `left_out` names what the workspace held and the change does not (ignored, a cache, too large, a protected path).
    """

    patch: str = ""
    paths: tuple[str, ...] = ()
    added_lines: int = 0
    removed_lines: int = 0
    left_out: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.paths


# --- The agent's work


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """One action that the model asked for and what it was answered. `arguments` is JSON text, bounded like `result`."""

    name: str
    arguments: str
    result: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One model call, whole: the exact prompt, the whole reply, what was extracted from it, what it cost.

    `messages` and `reply` are JSON text in the shape of OpenAI's chat completions. `problem` is what was wrong with
    the reply, or "".
    """

    model: str
    prompt_version: str
    messages: str
    reply: str
    actions: tuple[ActionTaken, ...]
    usage: Usage
    duration_s: float
    temperature: float | None = None
    problem: str = ""


class Reproduce(StrEnum):
    """How a run deals with a test that shows the issue.

    FIRST: a test of its own that fails on the base, before anything is changed. TOGETHER: test and change at once. ASK:
    as FIRST, then a person is asked whether the test says what the issue says. OFF: no test is asked for.
    """

    FIRST = "first"
    TOGETHER = "together"
    ASK = "ask"
    OFF = "off"


class Aim(StrEnum):
    """What an iteration was for: the test that shows the issue, on the base's own source, or the change."""

    TEST = "test"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that was drawn for an iteration and not gone on with, and `why` in a few words.

    `change` is everything since the base. `report` is None where it was not tested.
    """

    change: Change
    report: TestReport | None
    calls: tuple[Call, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Iteration:
    """The model calls between two runs of the test command, and that run.

    `summary` says in one line what changed; `why_next` why the loop went on, or why it ended. `change` is everything
    since the base, not since the last iteration. `others` are the candidates that were drawn beside this one.
    """

    number: int
    summary: str
    calls: tuple[Call, ...]
    change: Change
    report: TestReport | None
    spend: Spend
    duration_s: float
    why_next: str
    aim: Aim = Aim.CHANGE
    others: tuple[Candidate, ...] = ()

    def is_good_beside(self, baseline: TestReport | None) -> bool:
        """Whether there is a change, and nothing fails with it but what failed in the baseline already."""
        return self.report is not None and not self.change.is_empty and self.report.is_good_beside(baseline)


class Verdict(StrEnum):
    """How the agent's loop ended."""

    SOLVED = "solved"
    NOTHING_TO_DO = "nothing to do"
    LIMIT = "a limit was reached"
    STUCK = "no progress"
    GAVE_UP = "no usable reply"
    NOT_REPRODUCED = "not reproduced"
    ASKING = "a person is asked about the test"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Progress:
    """The agent's whole state between two iterations: what a crashed run goes on from.

    `verdict` is None while there is more to do; `why` explains it (which limit, what was wrong, the model's closing
    words). `doubts` are the critic's words on the final change, "" where it has none, or there is none.
    """

    iterations: tuple[Iteration, ...] = ()
    spend: Spend = field(default_factory=Spend)
    verdict: Verdict | None = None
    why: str = ""
    doubts: str = ""

    @property
    def change(self) -> Change:
        return self.iterations[-1].change if self.iterations else Change()


class Workbench(Protocol):
    """What the agent works at: the base plus the change so far, checked out in a sandbox.

    Paths are relative, with `/`. Every method raises `Unavailable` when the sandbox fails, `Stopped` when a person
    ended the run.
    """

    def paths(self) -> Sequence[str]:
        """Every file, sorted, caches and ignored files left out."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        ...

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """Several files' bytes at once. Missing are those that are not there, and those of more than a mebibyte."""
        ...

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole; the mode of an existing one stays."""
        ...

    def delete(self, path: str) -> None: ...

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:
        """`path:line: text` for each line that the POSIX extended regular expression matches, at most 200."""
        ...

    def run(self, command: str) -> ExecutionResult:
        """Run a shell command in the checkout's folder."""
        ...

    def test(self) -> TestReport:
        """Run the repository's test command."""
        ...

    def change(self) -> Change:
        """What differs from the base by now."""
        ...

    def objection(self, change: Change, report: TestReport) -> str:
        """What keeps a green change from being proven, in words for the model; "" where nothing does.

        Asked only after the test command was green: “no test was added”, “the new test passes without the change too”.
        """
        ...

    def unreproduced(self, change: Change, report: TestReport) -> "Unreproduced | None":
        """Why a change that is to hold nothing but a test does not show the issue; None where it does.

        `report` is of the base's own source with this test in it.
        """
        ...

    def fork(self) -> AbstractContextManager["Workbench"]:
        """A second workbench in a fresh copy of the tree, as this one was when it was opened. Gone after the block."""
        ...


@dataclass(frozen=True, slots=True)
class Unreproduced:
    """Why a test does not show the issue, in words for the model.

    `passes`: new tests ran, and all of them pass on the base: what they say of the issue is so already.
    """

    why: str
    passes: bool = False


# --- How a run ends


class Outcome(StrEnum):
    """How a run ended."""

    PROVEN = "proven"
    UNPROVEN = "unproven"
    UNSOLVED = "unsolved"
    NOT_REPRODUCED = "not_reproduced"
    NEEDS_INFORMATION = "needs_information"
    BASELINE_BROKEN = "baseline_broken"
    REFUSED = "refused"
    NOTHING_TO_DO = "nothing_to_do"
    STOPPED = "stopped"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TestPlan:
    """How a repository's tests are run, and where that was learned.

    `directory` is relative to the repository. `report` is a results file (JUnit XML) that the command writes by
    itself, or "". `guessed_from` names the file that the command was guessed from, or "" where it was configured.
    """

    __test__ = False

    test: str
    setup: str = ""
    build: str = ""
    image: str = ""
    directory: str = "."
    report: str = ""
    guessed_from: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that there is to say about a run at its end. `reason` is one or two sentences for people.

    `blocked` are the hosts that setup was refused, a line each. `critic` is the second model, "" for none.
    """

    outcome: Outcome
    reason: str
    plan: TestPlan | None = None
    baseline: TestReport | None = None
    progress: Progress = field(default_factory=Progress)
    proof: Proof | None = None
    base_sha: str = ""
    head_sha: str = ""
    model: str = ""
    sandbox: str = ""
    pull_request: int | None = None
    blocked: tuple[str, ...] = ()
    critic: str = ""


# --- What an examination finds (`doctor`)


class Health(StrEnum):
    """What an examination comes to. HEALTHY: tests run here, and a change to the source shows in them.

    INTERRUPTED is no verdict: a person ended it before there was one.
    """

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Found:
    """One thing of how tests are run: its key in the repository's configuration, its value, why it is so."""

    key: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Offline:
    """A test that failed for want of the network; `test` is "" where no test is known by name.

    `hosts` are those that the failure names, `words` the line of it that says so.
    """

    test: str
    hosts: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What the tests made of source that can't work: `files` files of it, each with a fault of ours.

    `asked` tests passed without the fault, `noticed` of them don't with it; both 0 where no test is known by name.
    """

    files: int
    report: TestReport
    noticed: int = 0
    asked: int = 0

    @property
    def is_noticed(self) -> bool:
        return self.noticed > 0 if self.asked else not self.report.is_green


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """The sandbox of an examination: `about` in its own words, `unheld` what it does not hold, each with why.

    `unheld` is None where it is not known, for the sandbox does not answer.
    """

    name: str
    about: str = ""
    unheld: tuple[tuple[str, str], ...] | None = ()
    has_network: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """What is known of a repository's health by now.

    `repository` is what was examined, as people name it; `commit` is "" for a folder that is no git repository.
    `configured` is the text of the configuration that it has. `image` is the base image, "" where the sandbox has
    none, `prepared` the one that was made of it. `elsewhere` and `wishes` are lines on what else was seen, `left_out`
    what of a folder was not looked at. `blocked` are hosts that setup was refused, a line each. `runs` are runs of the
    tests on the untouched source. `trouble` says for people what it ended at, or "". `seconds` are those of each
    phase. `obstacles` keep changes from being proven, `remarks` don't; both are there at the end. `notes` are remarks
    that were made on the way.
    """

    repository: str
    sandbox: SandboxFacts
    commit: str = ""
    configured: str = ""
    plan: TestPlan | None = None
    found: tuple[Found, ...] = ()
    elsewhere: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    image: str = ""
    prepared: str | None = None
    blocked: tuple[str, ...] = ()
    runs: tuple[TestReport, ...] = ()
    offline: tuple[Offline, ...] = ()
    fault: Fault | None = None
    trouble: str = ""
    seconds: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    is_interrupted: bool = False

    @property
    def health(self) -> Health:
        if self.is_interrupted:
            return Health.INTERRUPTED
        return Health.UNHEALTHY if self.obstacles or self.trouble else Health.HEALTHY

    @property
    def could_run(self) -> bool:
        """Whether the tests ran each time."""
        return bool(self.runs) and all(report.could_run for report in self.runs)

    @property
    def steady(self) -> frozenset[str]:
        """The tests that passed each time."""
        return frozenset.intersection(*(report.passed for report in self.runs)) if self.runs else frozenset()

    @property
    def failing(self) -> tuple[TestCase, ...]:
        """The tests that failed each time, as they did the first time."""
        ids = frozenset.intersection(*(report.failed for report in self.runs)) if self.runs else frozenset[str]()
        return tuple(case for case in self.runs[0].cases if case.id in ids) if self.runs else ()

    @property
    def flaky(self) -> tuple[str, ...]:
        """The tests that passed at one time and failed, or were not there, at another."""
        ever = frozenset[str]().union(*(report.passed for report in self.runs))
        return tuple(sorted(ever - self.steady))


# --- GitHub, in our own words


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    """A repository as it is now. `clone_url` carries no credentials."""

    ref: RepositoryRef
    default_branch: str
    clone_url: str
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now. `state` is open, closed or merged."""

    number: int
    url: str
    state: str
    is_draft: bool
    head_sha: str


@dataclass(frozen=True, slots=True)
class PullRequestText:
    """What a pull request is to say."""

    title: str
    body: str
    draft: bool
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()


class GitHub(Protocol):
    """One GitHub server, through the App. Every call takes a fresh enough token by itself.

    Raises `Unavailable` (service, rate limit), `Gone` (404, 410, moved), `Refused` (403, 422: GitHub's own words for
    the user). Writes that look for what an earlier try left say so.
    """

    def repository(self, ref: RepositoryRef) -> RepositoryInfo:
        """By numeric id, so that a rename does not matter."""
        ...

    def issue(self, at: IssueRef) -> Issue: ...

    def comments(self, at: IssueRef) -> Sequence[Comment]:
        """All comments, oldest first."""
        ...

    def permission(self, ref: RepositoryRef, login: str) -> str:
        """What the person may do now, one of `PERMISSIONS`: a custom role counts as the role that it was made from."""
        ...

    def react(self, at: IssueRef, reaction: str, *, comment_id: int | None = None) -> None:
        """React (`eyes`, `-1`, `confused`) to the issue or to one of its comments; twice is once."""
        ...

    def post_comment(self, at: IssueRef, body: str, *, marker: str) -> int:
        """Comment, once for each marker: finds an own comment that holds the marker before it posts. Returns its id."""
        ...

    def edit_comment(self, at: IssueRef, comment_id: int, body: str) -> None: ...

    def ensure_label(self, ref: RepositoryRef, name: str) -> None:
        """Create the label that starts runs, if it is not there."""
        ...

    def git_token(self, ref: RepositoryRef) -> str:
        """A fresh token for git, narrowed to this repository and to contents."""
        ...

    def pull_request(self, ref: RepositoryRef, branch: str) -> PullRequest | None:
        """The open pull request from our branch, else the newest closed one, else None."""
        ...

    def publish_pull_request(self, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> PullRequest:
        """Open the pull request from `branch`, or bring the open one up to date. Optional parts may fail unheard."""
        ...

    def set_check(self, ref: RepositoryRef, head_sha: str, *, conclusion: str, title: str, summary: str) -> None:
        """The check run `selfcode` on a commit, once: an existing one is brought up to date."""
        ...


# --- JSON

_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(kind: type) -> TypeAdapter[Any]:
    return _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))


def dump(value: Any) -> str:
    """Turn a record into JSON text, which `load` reads back."""
    return _adapter(type(value)).dump_json(value).decode()


def load(kind: type[T], text: str) -> T:
    """Read a record back from the JSON text that `dump` made."""
    result: T = _adapter(kind).validate_json(text)
    return result
