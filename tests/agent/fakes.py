"""Fakes that the agent's tests share: a workbench in memory that records, and a model that says what it is told to."""

import difflib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bot.agent.diff_reading import parse_diff
from bot.agent.diffs import created, patched
from bot.agent.llm import LENGTH, STOP, Message, Reply, Role, ToolCall, ToolSpec
from bot.agent.texts import Unplaced
from bot.records import (
    Change,
    ReportState,
    StopCheck,
    Task,
    TestCase,
    TestReport,
    TestStatus,
    Unreproduced,
    Usage,
)
from sandbox.contract import MEBIBYTE, Ending, ExecutionResult


def never() -> bool:
    return False


def a_task(title: str = "add() subtracts", body: str = "`add(1, 2)` returns -1", **rest: object) -> Task:
    return Task(title, body, **rest)  # type: ignore[arg-type]


def green(*names: str) -> TestReport:
    cases = tuple(TestCase(name, TestStatus.PASSED) for name in names or ("tests/test_calc.py::test_add",))
    return TestReport("pytest", ReportState.PASSED, cases, 0, "all passed")


def red(*names: str, message: str = "assert -1 == 3", output: str = "1 failed") -> TestReport:
    failing = names or ("tests/test_calc.py::test_add",)
    cases = tuple(TestCase(name, TestStatus.FAILED, message) for name in failing)
    return TestReport("pytest", ReportState.FAILED, cases, 1, output)


@dataclass
class FakeWorkbench:
    """Files in memory. `reports` are what the test command says, one by one, the last for ever; or a judge of files."""

    files: dict[str, bytes]
    reports: list[TestReport] = field(default_factory=lambda: [green()])
    judge: Callable[[Mapping[str, bytes]], TestReport] | None = None
    objections: list[str] = field(default_factory=list)
    outputs: Mapping[str, ExecutionResult] = field(default_factory=dict)
    did: list[tuple[str, ...]] = field(default_factory=list)
    on_test: Callable[[], None] = lambda: None

    unreproducing: list[Unreproduced | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base = dict(self.files)
        self.opened = dict(self.files)

    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def read_many(self, paths: Collection[str]) -> Mapping[str, bytes]:
        self.did.append(("read_many", *paths))
        return {path: data for path in paths if (data := self.files.get(path)) is not None and len(data) <= MEBIBYTE}

    def write(self, path: str, data: bytes) -> None:
        self.did.append(("write", path))
        self.files[path] = data

    def delete(self, path: str) -> None:
        self.did.append(("delete", path))
        del self.files[path]

    def search(self, pattern: str, path: str = ".") -> Sequence[str]:
        self.did.append(("search", pattern, path))
        wanted = re.compile(pattern.replace("[[:space:]]", r"\s").replace("[^[:alnum:]_]", r"\W"))
        return [
            f"{name}:{number}: {line}"
            for name, data in sorted(self.files.items())
            if path == "." or name.startswith(path)
            for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1)
            if wanted.search(line)
        ]

    def run(self, command: str) -> ExecutionResult:
        self.did.append(("run", command))
        return self.outputs.get(command, ExecutionResult(0, "", "", Ending.EXITED, truncated=False, duration_s=0.1))

    def test(self) -> TestReport:
        self.did.append(("test",))
        self.on_test()
        if self.judge is not None:
            return self.judge(self.files)
        return self.reports.pop(0) if len(self.reports) > 1 else self.reports[0]

    def change(self) -> Change:
        paths = sorted(path for path in {*self.base, *self.files} if self.base.get(path) != self.files.get(path))
        patch = "".join(self._diff(path) for path in paths)
        lines = patch.splitlines()
        added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
        removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
        return Change(patch, tuple(paths), added, removed)

    def objection(self, change: Change, report: TestReport) -> str:
        self.did.append(("objection",))
        return self.objections.pop(0) if self.objections else ""

    def unreproduced(self, change: Change, report: TestReport) -> Unreproduced | None:
        self.did.append(("unreproduced",))
        return self.unreproducing.pop(0) if self.unreproducing else None

    @contextmanager
    def fork(self) -> Iterator["FakeWorkbench"]:
        """A bench with the files as they were at the opening; what it does is recorded here, what it writes is not."""
        self.did.append(("fork",))
        other = replace(self, files=dict(self.opened))
        other.base = dict(self.base)
        yield other

    def reopened(self, change: Change) -> "FakeWorkbench":
        """A bench with the base and the change, as each iteration of a run gets one; it records in the same place."""
        other = replace(self, files=with_change(self.base, change))
        other.base = dict(self.base)
        return other

    @property
    def tests_run(self) -> int:
        return self.did.count(("test",))

    def _diff(self, path: str) -> str:
        old, new = self.base.get(path), self.files.get(path)
        lines = difflib.unified_diff(
            (old or b"").decode("latin-1").splitlines(keepends=True),
            (new or b"").decode("latin-1").splitlines(keepends=True),
            "/dev/null" if old is None else f"a/{path}",
            "/dev/null" if new is None else f"b/{path}",
        )
        return f"diff --git a/{path} b/{path}\n" + "".join(lines)


def with_change(base: Mapping[str, bytes], change: Change) -> dict[str, bytes]:
    """The base's files with a change in them."""
    files = dict(base)
    diffs = parse_diff(change.patch) if change.patch else ()
    assert not isinstance(diffs, Unplaced)
    for diff in diffs:
        if diff.new_path is None:
            del files[diff.old_path or ""]
            continue
        text = patched(files[diff.old_path].decode(), diff) if diff.old_path else created(diff)
        assert isinstance(text, str)
        files[diff.new_path] = text.encode()
    return files


def says(
    text: str | None,
    *,
    finish_reason: str = STOP,
    usage: Usage | None = None,
    tool_calls: tuple[ToolCall, ...] = (),
) -> Reply:
    """A reply in words, with the JSON that a server would have sent."""
    shape = {
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {
                    "role": "assistant",
                    "content": text,
                    "tool_calls": [
                        {
                            "id": call.id,
                            "type": "function",
                            "function": {"name": call.name, "arguments": call.arguments},
                        }
                        for call in tool_calls
                    ]
                    or None,
                },
            }
        ]
    }
    return Reply(text, tool_calls, finish_reason, usage or Usage(100, 20, cost_usd=0.001), json.dumps(shape))


def calls(*asked: tuple[str, object]) -> Reply:
    """A reply with native tool calls: (name, arguments), where text arguments are sent as they are."""
    tool_calls = tuple(
        ToolCall(f"c{at}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for at, (name, arguments) in enumerate(asked)
    )
    return says(None, finish_reason="tool_calls", tool_calls=tool_calls)


def cut_off(text: str | None) -> Reply:
    return says(text, finish_reason=LENGTH)


@dataclass(frozen=True)
class Asked:
    """One call as the model saw it."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] | None
    temperature: float | None
    max_tokens: int | None
    schema: Mapping[str, Any] | None = None

    @property
    def last(self) -> str:
        return self.messages[-1].content or ""

    @property
    def opening(self) -> str:
        openings = [
            m.content for m in self.messages if m.role is Role.USER and (m.content or "").startswith("Iteration ")
        ]
        return openings[-1] or ""


@dataclass
class ScriptedModel:
    """Says its lines in order, the last one for ever, and records what it was asked."""

    lines: Sequence[Reply]
    name: str = "scripted"
    asked: list[Asked] = field(default_factory=list)
    before: Callable[[], None] = lambda: None
    window_tokens: int | None = None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Any] | None = None,
        temperature: float | None,
        max_tokens: int | None,
        stop: StopCheck,
    ) -> Reply:
        self.before()
        self.asked.append(Asked(tuple(messages), tuple(tools) if tools else None, temperature, max_tokens, schema))
        return self.lines[min(len(self.asked), len(self.lines)) - 1]
