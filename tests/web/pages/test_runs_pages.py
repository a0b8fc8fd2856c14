"""The list of runs, one run, its parts, and what may be asked for of it."""

from itertools import pairwise

import pytest
from flask import Request
from flask.testing import FlaskClient
from sqlalchemy import Engine

from bot.records import (
    HappeningKind,
    Outcome,
    Person,
    Progress,
    ReportState,
    Spend,
    Task,
    TestReport,
    TriggerKind,
    Verdict,
    dump,
)
from bot.runs.store import SqlInbox, Store
from bot.web.pages.visitors import Visitor
from tests.runs.builders import a_trigger, an_issue_ref, an_iteration, begun
from tests.web.pages.browsing import look, read, send
from tests.web.pages.conftest import an_app
from tests.writing.builders import a_proof


def solved(store: Store, inbox: SqlInbox, **changed: object) -> str:
    """A run of two iterations that came to a proven pull request."""
    run_id = begun(store, inbox, a_trigger(**changed))  # type: ignore[arg-type]
    task = Task("Totals are too small", "`total([1, 2, 3])` gives 5.", left_out=("a comment by mallory",))
    store.learn(run_id, task=dump(task), base="4f0c2b7d1e" * 4, proof=dump(a_proof()))
    for step in ("admit", "baseline", "iteration 1", "iteration 2", "proof", "pull request"):
        store.happenings.keep(run_id, HappeningKind.BEGAN, step)
        store.happenings.keep(run_id, HappeningKind.DONE, step)
    store.keep_progress(run_id, Progress((an_iteration(1),), Spend(1, 100, 10, 0.25, 3.5)))
    both = (an_iteration(1), an_iteration(2))
    store.keep_progress(run_id, Progress(both, Spend(2, 200, 20, 0.5, 7.0), Verdict.SOLVED, "Every price counts now."))
    store.learn(run_id, pull_request=12, head_sha="9a" * 20)
    store.finish(run_id, Outcome.PROVEN, "")
    store.happenings.write()
    return run_id


def test_the_list_shows_runs_what_they_cost_and_what_waits(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)
    inbox.accept(a_trigger(issue=an_issue_ref(8)))

    page = look(client, "/")

    assert page.all("a", href=f"/runs/{run_id}")
    for words in ("1 run, USD 0.50", "Proven", "Totals are too small", "#12 open", "Waiting: 1", "no worker is alive"):
        assert words in page.text


def test_where_the_price_is_not_known_nothing_says_that_it_cost_nothing(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = begun(store, inbox)
    store.keep_progress(run_id, Progress((an_iteration(1),), Spend(1, 1000, 10, None, 3.5)))

    listed, told = look(client, "/"), look(client, f"/runs/{run_id}")

    assert "1 run ·" in listed.text
    assert "Spent 1,010 tokens" in told.text
    assert "USD" not in listed.text


def test_the_list_is_chosen_from_by_its_address(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    solved(store, inbox)
    begun(store, inbox, a_trigger(issue=an_issue_ref(9, repository=43)))

    proven = look(client, "/?state=ended&outcome=proven&who=grace&repository=octo/repository-42&since=2020-01-01")
    nothing = look(client, "/?since=2999-01-01&state=nonsense&outcome=also&before=junk")

    assert "1 run, USD 0.50" in proven.text
    assert "No run matches these filters." in nothing.text
    assert nothing.all("a", href="/")


def test_what_nobody_asked_for_is_listed_where_the_box_is_ticked_on_older_pages_too(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    asked = begun(store, inbox)
    followed = [begun(store, inbox, a_trigger(TriggerKind.MOVED, because="pushed to it")) for _ in range(51)]

    usual, off, all_ = look(client, "/"), look(client, "/?facts=0"), look(client, "/?facts=1&who=grace")
    [older] = all_.all("a", rel="next")
    behind = look(client, older["href"])

    [box], [ticked], [still] = (page.all("input", type="checkbox", name="facts") for page in (usual, all_, behind))
    assert "Include follow-ups to pushes and failed checks" in usual.text
    assert ["checked" in each for each in (box, ticked, still)] == [False, True, True]
    assert "1 run ·" in usual.text
    assert "1 run ·" in off.text
    assert "52 runs ·" in all_.text
    assert {"facts=1", "who=grace"} <= set(older["href"].partition("?")[2].split("&"))
    listed = [
        run_id for page in (all_, behind) for run_id in (asked, *followed) if page.all("a", href=f"/runs/{run_id}")
    ]
    assert sorted(listed) == sorted([asked, *followed])


def test_before_anything_has_run_the_list_says_how_to_begin(client: FlaskClient) -> None:
    assert "Add the label selfcode to an issue" in look(client, "/").text


def test_a_run_is_told_with_its_phases_iterations_and_proof(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)

    page = look(client, f"/runs/{run_id}")

    for words in (
        "Proven : 2 tests fail without this change and pass with it",
        "preparing",
        "tests on the base",
        "sum every price",
        "USD 0.50, 220 tokens",
        "Every price counts now.",
        "Fail without the change, pass with it",
        "a comment by mallory",
    ):
        assert words in page.text
    assert len(page.all("svg", role="img")) == 2
    assert page.all("a", href=f"/runs/{run_id}/iterations/2")
    assert page.all("a", href="https://github.com/octo/repository-42/pull/12")


def test_what_changes_of_a_run_is_had_alone(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)

    part = look(client, f"/runs/{run_id}", X_Part="1")

    assert "html" not in part.tags
    assert "sum every price" in part.text


def test_an_iteration_shows_words_actions_change_and_tests(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)

    page = look(client, f"/runs/{run_id}/iterations/2")
    part = look(client, f"/runs/{run_id}/iterations/2", X_Part="1")

    for shown in (page, part):
        for words in ("Call 2", "edit", '{"path": "a.py"}', "diff --git a/a.py b/a.py", "t.py::test_a", "1 failed"):
            assert words in shown.text
    assert "html" in page.tags
    assert "html" not in part.tags


def test_a_call_shows_the_exact_prompt_and_reply(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)

    page = look(client, f"/runs/{run_id}/calls/2")

    assert "café 😊" in page.text
    assert '{"choices": []}' in page.text
    whole = client.get(f"/runs/{run_id}/calls/2/call.txt")
    assert (whole.content_type, '"role": "user"' in whole.text) == ("text/plain; charset=utf-8", True)


def test_what_a_page_cuts_is_had_whole(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)
    output = "".join(f"line {number}\n" for number in range(50_000))
    report = TestReport("pytest", ReportState.FAILED, output=output, exit_code=1)
    store.keep_progress(run_id, Progress((an_iteration(report=report),), Spend(1, 1, 1, 0.0, 1.0)))

    page = client.get(f"/runs/{run_id}/iterations/1")
    whole = client.get(f"/runs/{run_id}/iterations/1/output.txt")

    assert "characters left out" in page.text
    assert len(page.data) < 60_000
    assert whole.text == output
    assert whole.content_type == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    "address",
    [
        "/nothing",
        "/runs/nobody",
        "/runs/nobody/iterations/1",
        "/runs/nobody/calls/1",
        "/runs/nobody/events",
        "/runs/RUN/iterations/9",
        "/runs/RUN/iterations/0",
        "/runs/RUN/calls/9",
        "/runs/RUN/iterations/9/output.txt",
        "/runs/RUN/iterations/one",
        "/runs/RUN/iterations/99999999999999999999",
        "/runs/RUN/calls/-1",
        "/runs/%00",
        "/runs/..%2f..%2fetc",
    ],
)
def test_what_is_not_there_says_so_on_a_page(client: FlaskClient, store: Store, inbox: SqlInbox, address: str) -> None:
    answer = client.get(address.replace("RUN", solved(store, inbox)))

    assert answer.status_code == 404
    assert "Page not found" in read(answer).text


def test_a_run_at_work_is_stopped_by_its_button(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)

    answer = send(client, look(client, f"/runs/{run_id}"), f"/runs/{run_id}/stop")

    assert (answer.status_code, answer.location) == (303, f"/runs/{run_id}")
    assert store.stop_because(run_id) == "cancelled by the operator"
    assert "Stopping : cancelled by the operator" in look(client, f"/runs/{run_id}").text


def test_a_run_that_has_ended_is_done_again_with_a_hint_once(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = solved(store, inbox)
    page = look(client, f"/runs/{run_id}")

    answer = send(client, page, f"/runs/{run_id}/retry", hint="look at the rounding")
    send(client, page, f"/runs/{run_id}/retry", hint="look at the rounding")

    [waits] = store.waiting()
    assert (waits.trigger.kind, waits.trigger.text) == (TriggerKind.RETRY, "look at the rounding")
    assert "This run has not started yet" in look(client, str(answer.location)).text


def test_what_waits_is_dropped_by_its_button(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    inbox.accept(a_trigger())
    [address] = [link["href"] for link in look(client, "/").all("a") if link["href"].startswith("/runs/")]

    send(client, look(client, address), f"{address}/stop")

    assert store.controls.wanted().cancelled.keys() == {address.removeprefix("/runs/")}


def test_what_can_not_be_done_is_said_on_the_page(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)
    page = look(client, f"/runs/{run_id}")
    store.finish(run_id, Outcome.STOPPED, "")

    answer = send(client, page, f"/runs/{run_id}/stop")

    assert answer.status_code == 409
    assert "has ended already" in read(answer).text


def test_what_waits_can_not_be_done_again_and_its_page_says_so(client: FlaskClient, inbox: SqlInbox) -> None:
    inbox.accept(a_trigger())
    [address] = [link["href"] for link in look(client, "/").all("a") if link["href"].startswith("/runs/")]
    [token] = [field["value"] for field in look(client, address).all("input", type="hidden")]

    answer = client.post(f"{address}/retry", data={"form_token": token})

    assert answer.status_code == 409
    assert "There is no run" in read(answer).text


def test_a_form_that_is_not_of_an_open_page_does_nothing(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = begun(store, inbox)
    page = look(client, f"/runs/{run_id}")
    [token] = [field["value"] for field in page.all("input", type="hidden")]
    address = f"/runs/{run_id}/stop"

    refused = [
        client.post(address),
        client.post(address, data={"form_token": "x" * len(token)}),
        client.post(address, data={"form_token": token}, headers={"Origin": "https://evil.example"}),
        client.post(address, data={"form_token": token}, headers={"Sec-Fetch-Site": "cross-site"}),
    ]

    assert [answer.status_code for answer in refused] == [403] * 4
    assert "go back, reload the page" in read(refused[0]).text
    assert store.stop_because(run_id) is None
    assert client.get(address).status_code == 405


def test_a_form_whose_page_tells_nobody_where_it_was_is_ours_by_its_token(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = begun(store, inbox)
    [token] = [field["value"] for field in look(client, f"/runs/{run_id}").all("input", type="hidden")]
    sent = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}

    answer = client.post(f"/runs/{run_id}/stop", data={"form_token": token}, headers=sent)

    assert answer.status_code == 303
    assert store.stop_because(run_id) is not None


def test_to_everyone_who_is_not_here_there_is_nothing(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)
    elsewhere = {"REMOTE_ADDR": "203.0.113.9"}

    answers = [
        client.get(path, environ_overrides=elsewhere)
        for path in ("/", f"/runs/{run_id}", f"/runs/{run_id}/iterations/1", "/numbers", "/events")
    ]

    assert [answer.status_code for answer in answers] == [404] * 5
    assert not any("Totals" in answer.text for answer in answers)


def test_people_see_the_runs_of_repositories_that_they_can_read_and_change_those_that_they_can_write(
    engine: Engine, store: Store, inbox: SqlInbox
) -> None:
    theirs, others = solved(store, inbox), solved(store, inbox, issue=an_issue_ref(7, repository=43))
    may = {
        "reader": Visitor(Person("reader"), reads=frozenset({42})),
        "writer": Visitor(Person("writer"), writes=frozenset({42})),
    }

    def recognize(request: Request) -> Visitor | None:
        return may.get(request.headers.get("X-Who", ""))

    client = an_app(engine, recognize=recognize).test_client()

    listed = look(client, "/", X_Who="reader")
    assert listed.all("a", href=f"/runs/{theirs}")
    assert not listed.all("a", href=f"/runs/{others}")
    assert "repository-43" not in listed.text
    assert client.get(f"/runs/{others}", headers={"X-Who": "reader"}).status_code == 404
    assert not look(client, f"/runs/{theirs}", X_Who="reader").all("form")
    form = look(client, f"/runs/{theirs}", X_Who="writer")
    [token] = [field["value"] for field in form.all("input", type="hidden")]
    sent = {"data": {"form_token": token}}
    reader = client.post(f"/runs/{theirs}/retry", headers={"X-Who": "reader"}, **sent)
    writer = client.post(f"/runs/{theirs}/retry", headers={"X-Who": "writer"}, **sent)
    assert (reader.status_code, writer.status_code) == (403, 303)
    assert [each.trigger.sender for each in store.waiting()] == [Person("writer")]


def test_every_page_loads_nothing_from_elsewhere_and_can_be_framed_by_nobody(
    client: FlaskClient, store: Store, inbox: SqlInbox
) -> None:
    run_id = solved(store, inbox)

    for path in ("/", f"/runs/{run_id}", f"/runs/{run_id}/iterations/1", f"/runs/{run_id}/calls/1", "/numbers", "/no"):
        answer = client.get(path)
        page = read(answer)

        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert not [attributes for _, attributes in page.elements if "style" in attributes or "onclick" in attributes]
        loaded = [script["src"] for script in page.all("script")] + [link["href"] for link in page.all("link")]
        assert all(address.startswith("/static/") for address in loaded)
        for address in loaded:
            with client.get(address) as found:
                assert found.status_code == 200


def test_every_page_has_its_landmarks_and_headings_in_order(client: FlaskClient, store: Store, inbox: SqlInbox) -> None:
    run_id = solved(store, inbox)

    for path in ("/", f"/runs/{run_id}", f"/runs/{run_id}/iterations/1", f"/runs/{run_id}/calls/1", "/numbers", "/no"):
        page = read(client.get(path))

        levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
        assert {"main", "header", "nav", "title"} <= page.tags
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        labelled = {label["for"] for label in page.all("label")}
        asked = [
            each for tag in ("select", "textarea", "input") for each in page.all(tag) if each.get("type") != "hidden"
        ]
        assert all(each["id"] in labelled for each in asked)
