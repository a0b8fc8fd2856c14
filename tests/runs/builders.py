"""Triggers, issues and iterations with good defaults, so that a test states only the difference that matters."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from bot.agent import Agent, Model
from bot.records import (
    ActionTaken,
    Call,
    Caps,
    Change,
    Comment,
    Issue,
    IssueRef,
    Iteration,
    Person,
    ReportState,
    RepositoryRef,
    Spend,
    Subject,
    SubjectKind,
    TestCase,
    TestPlan,
    TestReport,
    TestStatus,
    Trigger,
    TriggerKind,
    Usage,
)
from bot.repository import Mirror
from bot.repository.git import EMPTY_TREE, run_git
from bot.runs.database import connect
from bot.runs.ground import Ground
from bot.runs.house import Crew, House, Prepared
from bot.runs.lanes import Places
from bot.runs.schema import migrate
from bot.runs.solving import Author
from bot.runs.store import SqlInbox, Store
from sandbox import Limits
from sandbox.contract import File
from sandbox.process import ProcessSandbox
from tests.github.fake import FakeGitHub

AUTHOR = Person("ada")
MAINTAINER = Person("grace")
STRANGER = Person("mallory")
BOT = Person("other-ai[bot]", is_bot=True)

_numbers = itertools.count(1)


def no_agent(crew: Crew, _: Callable[[Model], Model]) -> Agent:
    raise AssertionError(f"no model is to be asked here: {crew.model}")


def a_house(store: Store, github: FakeGitHub, home: Path) -> House:
    """What a worker has, without a model, an engine or a budget of a day."""
    return House(
        store=store,
        inbox=SqlInbox(store._engine),
        github=github,
        sandbox=ProcessSandbox(),
        prepare_image=lambda _setup, _stop: Prepared(None),
        agent_for=no_agent,
        home=home,
        author=Author("selfcode[bot]", "1+selfcode[bot]@users.noreply.github.com"),
        label="selfcode",
        min_permission="write",
        crew=Crew("small"),
        models=(),
        image="",
        images=(),
        caps=Caps(),
        limits=Limits(),
        places=Places(),
        day_usd_repository=0.0,
        day_usd_installation=0.0,
    )


def at(second: int) -> str:
    """A moment of the day on which all tests play."""
    return f"2026-05-04T12:{second // 60:02}:{second % 60:02}Z"


def an_issue_ref(number: int = 7, *, repository: int = 42, installation: int = 1, owner: str = "octo") -> IssueRef:
    return IssueRef(RepositoryRef(installation, repository, owner, f"repository-{repository}"), number)


def a_trigger(kind: TriggerKind = TriggerKind.START, *, comment_id: int | None = None, **changed: Any) -> Trigger:
    """A trigger with a key of its own."""
    whole: dict[str, Any] = {
        "key": f"{kind}:{next(_numbers)}",
        "kind": kind,
        "issue": an_issue_ref(),
        "sender": MAINTAINER,
        "occurred_at": at(0),
        "because": "label added",
    }
    if comment_id is not None:
        whole["subject"] = Subject(SubjectKind.ISSUE_COMMENT, comment_id)
    return Trigger(**(whole | changed))


def a_comment_trigger(kind: TriggerKind, *, comment_id: int = 900, **changed: Any) -> Trigger:
    """What a person asked for by a comment."""
    return a_trigger(kind, comment_id=comment_id, because=f"/selfcode {kind}", **changed)


def an_issue(**changed: Any) -> Issue:
    whole: dict[str, Any] = {
        "title": "Totals are too small",
        "body": "`total([1, 2, 3])` gives 5.",
        "author": AUTHOR,
        "is_open": True,
        "labels": ("selfcode",),
    }
    return Issue(**(whole | changed))


def a_comment(body: str = "It needs the first price.", **changed: Any) -> Comment:
    whole: dict[str, Any] = {"id": next(_numbers), "author": AUTHOR, "body": body, "created_at": at(0)}
    return Comment(**(whole | changed))


def an_iteration(number: int = 1, **changed: Any) -> Iteration:
    """An iteration that has something in every corner."""
    call = Call(
        model="small",
        prompt_version="3",
        messages='[{"role": "user", "content": "caf\u00e9 \U0001f60a \\u0000"}]',
        reply='{"choices": []}',
        actions=(ActionTaken("edit", '{"path": "a.py"}', "ok", ok=True),),
        usage=Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=None, cost_usd=0.25),
        duration_s=1.5,
        temperature=0.2,
    )
    report = TestReport(
        command="pytest",
        state=ReportState.FAILED,
        cases=(TestCase("t.py::test_a", TestStatus.FAILED, "assert 1 == 2\r\n", "t.py"),),
        exit_code=1,
        output="1 failed\n\x1b[31m",
        planted_failed=True,
    )
    whole: dict[str, Any] = {
        "number": number,
        "summary": "sum every price",
        "calls": (call,),
        "change": Change("diff --git a/a.py b/a.py\n-\r\n+\u00e9", ("a.py",), 1, 1, (".venv",)),
        "report": report,
        "spend": Spend(number, 100 * number, 10 * number, 0.25 * number, 3.5 * number),
        "duration_s": 3.5,
        "why_next": "1 test fails",
    }
    return Iteration(**(whole | changed))


def a_ground(folder: Path, files: Mapping[str, bytes], plan: TestPlan | None = None) -> Ground:
    """A base commit of these files in a mirror, with plain processes as the sandbox."""
    path = folder / "mirror.git"
    if not path.exists():
        run_git(["init", "--quiet", "--bare", "--template=", "--", str(path)])
        run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=path)
    mirror = Mirror(path)
    tree = mirror.tree_with(EMPTY_TREE, {name: File(data) for name, data in files.items()})
    base = mirror.commit(
        tree, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )
    quick = TestPlan("PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest")
    return Ground(mirror, base, plan or quick, ProcessSandbox(), None, Limits(), lambda: False)


def begun(store: Store, inbox: SqlInbox, trigger: Trigger | None = None) -> str:
    """The id of a run that was accepted and begun."""
    inbox.accept(trigger or a_trigger())
    return store.begin_run(store.waiting()[-1])


def database_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'selfcode.sqlite'}"


@contextmanager
def a_database(folder: Path) -> Iterator[Engine]:
    """The tables in a real SQLite file."""
    with a_database_at(database_url(folder)) as engine:
        yield engine


@contextmanager
def a_database_at(address: str) -> Iterator[Engine]:
    """The tables in a real database, for whoever opens it anew, as after a restart."""
    engine = connect(address)
    migrate(engine)
    try:
        yield engine
    finally:
        engine.dispose()
