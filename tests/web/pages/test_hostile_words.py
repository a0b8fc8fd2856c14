"""What a stranger can write, everywhere that one can: it is text, and harms nobody who looks."""

import json
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Engine

from bot.records import (
    ActionTaken,
    Aim,
    Call,
    Candidate,
    Change,
    Comment,
    HappeningKind,
    IssueRef,
    Iteration,
    Outcome,
    Person,
    Progress,
    ReportState,
    RepositoryRef,
    Spend,
    Task,
    TestCase,
    TestPlan,
    TestReport,
    TestStatus,
    Usage,
    Verdict,
    dump,
)
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_comment_trigger, a_trigger, begun
from tests.web.pages.browsing import read
from tests.web.pages.conftest import an_app
from tests.writing.builders import a_proof

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)></pre></td></details><b>"
QUOTES = "\"'><svg onload=alert(1)>{{ 7*7 }}{% raw %}"
LINK = "[click](javascript:alert(1)) ![i](https://evil.example/x.png) <https://evil.example> `x`"
TERMINAL = "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J\x07\x00\x08"
BIDI = "\u202egnp.exe\u202c\u2066\u200b\ufeff"
LONG = "A" * 1_000_000
ALL = {"markup": MARKUP, "quotes": QUOTES, "link": LINK, "terminal": TERMINAL, "bidi": BIDI, "long": LONG}

FORBIDDEN = frozenset({"img", "b", "iframe", "object", "embed", "base", "style", "svgx"})
SECRET = "correct-horse-battery-staple"


def run_of(words: str, store: Store, inbox: SqlInbox) -> str:
    """A run in which everything that others can write is these words."""
    short = words[:200].replace("\x00", "")
    at = IssueRef(RepositoryRef(1, 42, "octo", "cat"), 7)
    run_id = begun(store, inbox, a_trigger(issue=at, sender=Person(short[:90]), because=short, text=words[:4000]))
    store.add_note(a_comment_trigger(store.run(run_id).trigger.kind, issue=at, text=words[:4000]))
    task = Task(words[:2000], words[:60_000], (Comment(1, Person(short), words[:9000], ""),), left_out=(short,))
    proof = a_proof(missing=(words[:2000],), red=(short, "t.py::test_b"))
    plan = TestPlan(words[:3000], guessed_from=short)
    store.learn(run_id, task=dump(task), proof=dump(proof), plan=dump(plan), doubts=words[:9000])
    report = TestReport(
        words[:1000],
        ReportState.FAILED,
        (TestCase(words[:3000], TestStatus.FAILED, words[:9000]),),
        exit_code=1,
        output=words,
        reader="pytest",
    )
    reply = json.dumps({"choices": [{"message": {"content": words}}]})
    prompt = json.dumps([{"role": short, "content": words, "name": short}])
    actions = (ActionTaken(short[:40], words[:5000], words[:5000], ok=False),)
    call = Call(words[:300], "3", prompt, reply, actions, Usage(1, 1), 1.0, problem=words[:3000])
    change = Change(f"diff --git a/x b/x\n+{words}", (short,), 1, 1)
    made = Iteration(
        1,
        words[:2000],
        (call,),
        change,
        report,
        Spend(1, 1, 1, 0.0, 1.0),
        1.0,
        words[:2000],
        Aim.CHANGE,
        (Candidate(Change(), None, (replace(call, messages="[]", reply=short),), words[:500]),),
    )
    store.keep_progress(run_id, Progress((made,), Spend(1, 1, 1, 0.0, 1.0), Verdict.QUESTION, words[:4000]))
    store.happenings.keep(run_id, HappeningKind.TOLD, words)
    store.happenings.write()
    return run_id


@pytest.mark.parametrize("name", ALL)
def test_it_is_shown_as_text_on_every_page(client: FlaskClient, store: Store, inbox: SqlInbox, name: str) -> None:
    run_id = run_of(ALL[name], store, inbox)
    at_work = [client.get(f"/runs/{run_id}")]
    store.finish(run_id, Outcome.NEEDS_INFORMATION, ALL[name][:3000])

    for answer in at_work + [
        client.get(path)
        for path in (
            "/",
            f"/runs/{run_id}",
            f"/runs/{run_id}/iterations/1",
            f"/runs/{run_id}/calls/1",
            f"/runs/{run_id}/calls/2",
            "/numbers",
        )
    ]:
        page = read(answer)

        assert answer.status_code == 200
        assert not page.tags & FORBIDDEN
        assert len(page.all("script")) == 1
        assert not [attributes for _, attributes in page.elements if any(key.startswith("on") for key in attributes)]
        assert all(each["href"].startswith(("/", "#", "https://github.com/")) for each in page.all("a"))
        assert not any(character in answer.text for character in "\x1b\x00\x07\x08\u202e\u2066\ufeff")
        assert len(answer.data) < 400_000


@pytest.mark.parametrize("name", ["terminal", "long"])
def test_it_is_had_whole_as_plain_text(client: FlaskClient, store: Store, inbox: SqlInbox, name: str) -> None:
    run_id = run_of(ALL[name], store, inbox)

    for part in ("iterations/1/output.txt", "iterations/1/change.diff", "calls/1/call.txt"):
        answer = client.get(f"/runs/{run_id}/{part}")

        assert answer.content_type == "text/plain; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert not any(character in answer.text for character in "\x1b\x00\x07\x08")


def test_what_others_would_not_see_is_shown_by_its_number(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = run_of(BIDI, store, inbox)

    assert "[U+202E]gnp.exe" in client.get(f"/runs/{run_id}").text
    assert "[U+202E]gnp.exe" in client.get(f"/runs/{run_id}/iterations/1").text


def test_colours_of_test_output_are_names_of_the_style_sheet(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = run_of(TERMINAL, store, inbox)

    assert '<span class="ansi-red">red</span>' in client.get(f"/runs/{run_id}/iterations/1").text


def test_the_operators_secrets_are_on_no_page(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    client = an_app(engine, secrets=(SECRET,)).test_client()
    run_id = run_of(f"the key is {SECRET}, and ghp_{'a1B2' * 9}", store, inbox)

    for path in ("", "/iterations/1", "/calls/1", "/iterations/1/output.txt", "/calls/1/call.txt"):
        text = client.get(f"/runs/{run_id}{path}").text

        assert SECRET not in text
        assert "ghp_" not in text
        assert "[masked]" in text


def test_words_for_an_address_are_no_markup_either(client: FlaskClient) -> None:
    answer = client.get("/", query_string={"repository": MARKUP, "who": QUOTES, "before": LINK, "since": "<b>"})

    assert answer.status_code == 200
    assert not read(answer).tags & FORBIDDEN
