from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from bot.records import Evidence, HunkCheck, Outcome, PullRequestText, RunResult, Spend, Task, TestReport, Verdict
from bot.writing.document import LIMIT
from bot.writing.pull_request import pull_request, title
from tests.writing.builders import (
    PATCH,
    RED,
    a_change,
    a_hunk,
    a_plan,
    a_progress,
    a_proof,
    a_provenance,
    a_report,
    a_result,
    a_task,
    an_iteration,
    hunks,
)
from tests.writing.foreign import PIECES, TOKEN, foreign_text, patiently
from tests.writing.rendering import code_blocks, foreign_html, is_closed, live, table_rows, visible


def written(result: RunResult | None = None, task: Task | None = None, **given: Any) -> PullRequestText:
    return pull_request(result or a_result(), task or a_task(), branch="selfcode/issue-7", run_id="r-1", **given)


def test_the_first_line_says_what_was_proven() -> None:
    first_line = written().body.splitlines()[0]

    assert first_line == (
        "✅ **Proven**: 2 tests fail without this change and pass with it; all 12 that passed before still pass."
    )


def test_it_closes_its_issue_and_links_nothing_else() -> None:
    assert "\nCloses #7\n" in written().body
    assert live(written().body) == ["#7"]


def test_it_links_the_page_of_its_run_where_there_is_one() -> None:
    body = written(pages="https://bot.example.com").body

    assert "run `r-1` · [run page](https://bot.example.com/runs/r-1) (sign in with GitHub). The iteration log" in body
    assert live(body) == ["#7", "https://bot.example.com/runs/r-1"]


def test_without_an_issue_on_a_server_there_is_none_to_close() -> None:
    text = written(task=a_task(number=None))

    assert "Closes" not in text.body
    assert text.title == "Totals are too small"


def test_the_evidence_shows_counts_for_each_check() -> None:
    assert table_rows(written().body)[:5] == [
        ["", "check", "result"],
        ["✅", "Fail without the change, pass with it", "2 tests"],
        ["✅", "Passed before, pass still", "12 of 12"],
        ["✅", "Existing tests", "untouched"],
        ["✅", "Test results were checked", "a test of ours had to fail, and was seen failing in each run"],
    ]


def test_the_four_runs_say_whose_code_and_whose_tests_they_ran() -> None:
    rows = table_rows(written().body)

    assert ["baseline", "base", "base", "12 passed", "2.4 s"] in rows
    assert ["A", "base", "this change", "12 passed, 2 failed", "2.4 s"] in rows
    assert ["B", "this change", "this change", "14 passed", "2.4 s"] in rows
    assert ["C", "this change", "base", "12 passed", "2.4 s"] in rows


def test_a_few_names_stand_open_and_many_are_folded() -> None:
    many = tuple(f"tests/test_a.py::test_{n}" for n in range(30))

    assert "<summary>Fail without" not in written().body
    assert (
        "<summary>Fail without the change, pass with it: 30</summary>"
        in written(a_result(proof=a_proof(red=many))).body
    )


def test_an_unproven_change_is_a_draft_that_says_what_is_missing() -> None:
    proof = a_proof(missing=("no test was added",), red=(), tests_changed=())

    text = written(a_result(Outcome.UNPROVEN, proof=proof))

    assert text.draft
    assert text.body.startswith("⚠️ **Unproven**: the tests pass with the change; all 12 that passed before still pass.")
    assert "Missing: no test was added." in text.body.splitlines()[0]
    assert ["⚠️", "Fail without the change, pass with it", "no test"] in table_rows(text.body)


def test_several_things_missing_are_listed() -> None:
    proof = a_proof(missing=("tests/test_a.py was altered", "pyproject.toml was changed"))

    shown = written(a_result(Outcome.UNPROVEN, proof=proof)).body

    assert "(and 1 more reason below)" in shown.splitlines()[0]
    assert "- tests/test_a.py was altered\n- pyproject.toml was changed" in shown


def test_altered_tests_broken_tests_and_tampered_results_are_marked() -> None:
    broke = ("tests/test_prices.py::test_1", "tests/test_prices.py::test_2")
    proof = replace(
        a_proof(missing=("x",), tests_altered=("tests/test_a.py: skips test_b",)),
        evidence=Evidence(broke=broke, flaky=("tests/f.py::g",)),
        head=a_report(tampered="collected 3, reported 2"),
        base_tests_on_head=a_report_without(broke),
    )

    shown = written(a_result(Outcome.UNPROVEN, proof=proof)).body

    rows = table_rows(shown)
    assert "10 of 12 tests that passed before still pass" in shown.splitlines()[0]
    assert ["❌", "Passed before, pass still", "10 of 12; broke: 2 tests"] in rows
    assert ["⚠️", "Existing tests", "altered: `tests/test_a.py: skips test_b`"] in rows
    assert ["❌", "Test results were checked", "collected 3, reported 2"] in rows
    assert ["➖", "Flaky, counted neither way", "`tests/f.py::g`"] in rows


def a_report_without(ids: tuple[str, ...]) -> TestReport:
    whole = a_report()
    return replace(whole, cases=tuple(case for case in whole.cases if case.id not in ids))


def test_a_flaky_test_is_not_counted_as_having_held() -> None:
    proof = replace(a_proof(), evidence=Evidence(red=("tests/a.py::b",), flaky=("tests/test_prices.py::test_1",)))

    shown = written(a_result(proof=proof)).body

    assert "all 11 that passed before still pass" in shown.splitlines()[0]


@pytest.mark.parametrize(
    ("a", "b", "mark"), [(True, True, "✅"), (None, True, "✅"), (True, False, "⚠️"), (None, None, "⚠️")]
)
def test_results_are_shown_as_believed_only_where_the_planted_test_was_seen_failing(
    a: bool | None, b: bool | None, mark: str
) -> None:
    proof = a_proof(head_tests_on_base=a_report(planted_failed=a), head=a_report(planted_failed=b))

    rows = table_rows(written(a_result(proof=proof)).body)

    assert rows[4][:2] == [mark, "Test results were checked"]


def test_results_by_exit_code_alone_claim_no_counts() -> None:
    bare = a_report(cases=(), reader="exit code")
    proof = a_proof(missing=("x",), red=(), baseline=bare, head=bare, base_tests_on_head=bare, head_tests_on_base=bare)

    shown = written(a_result(Outcome.UNPROVEN, proof=proof)).body

    assert "all" not in shown.splitlines()[0]
    assert ["✅", "Passed before, pass still", "exit code 0; no test is known by name"] in table_rows(shown)
    assert ["⚠️", "Test results were checked", "not checked: no test of ours could be added"] in table_rows(shown)


def test_the_commands_show_the_tests_failing_at_the_tests_own_commit() -> None:
    (commands,) = code_blocks(written(a_result(plan=a_plan(directory="my app"))).body)

    head = "2a9b" * 10
    assert commands.splitlines() == [
        "git fetch origin selfcode/issue-7",
        f"git checkout --detach {head}",
        "cd 'my app'",
        "python -m pip install -e .",
        "# with the change: passes",
        "python -m pytest",
        "# without it: fails",
        f"git checkout --detach {head}~1",
        "python -m pytest",
    ]


def test_where_no_test_was_added_the_commands_show_them_failing_at_the_base() -> None:
    (commands,) = code_blocks(written(a_result(proof=a_proof(tests_changed=()))).body)

    assert "git checkout --detach " + "1f0c" * 10 in commands


def test_where_the_commits_stand_on_earlier_ones_no_commit_shows_the_tests_failing() -> None:
    (commands,) = code_blocks(written(a_result(built_on="77aa" * 10)).body)

    assert "# with the change: passes" in commands
    assert "without it" not in commands


def test_the_whole_proof_can_be_had_again_in_one_command() -> None:
    (commands,) = code_blocks(written(repository="octo/calc").body)

    assert commands.splitlines()[:2] == ["selfcode verify 'octo/calc#12'", "# or by hand:"]


def test_what_the_issue_asked_stands_beside_where_the_change_answers_it() -> None:
    body = written(task=a_task(body="`total([1, 2, 3])` gives 5.\n\nIt should be 6.\n```\nmuch output\n```")).body

    assert "> **Totals are too small**\n>\n> `total([1, 2, 3])` gives 5.\n> It should be 6.\n> …" in body
    assert ["`prices.py:2`", "`total`"] in table_rows(body)


def test_each_changed_place_names_the_tests_that_notice_it() -> None:
    noticed = (a_hunk(noticed_by=RED), a_hunk(start=20, noticed_by=RED[:1]), a_hunk(start=30))
    checked = HunkCheck(noticed=noticed, unnoticed=(a_hunk(start=40),), untried=(a_hunk(start=50),))

    rows = table_rows(written(a_result(proof=replace(a_proof(), hunks=checked))).body)

    assert ["`prices.py:2`", "`total`", "`test_the_first_price_counts` and 1 more"] in rows
    assert ["`prices.py:20`", "–", "`test_the_first_price_counts`"] in rows
    assert ["`prices.py:30`", "–", "the tests"] in rows
    assert ["`prices.py:40`", "–", "⚠️ no test"] in rows
    assert ["`prices.py:50`", "–", "not tried"] in rows


def test_places_that_no_test_notices_are_folded_with_their_lines() -> None:
    body = written(a_result(proof=replace(a_proof(), hunks=hunks(noticed=5, unnoticed=2, untried=1)))).body

    assert (
        "**2 of 7 changed places are noticed by no test; 1 more was not tried: the time for it was up**\n\n"
        "Each was taken back alone, and the tests passed still:" in body
    )
    assert "<summary>prices.py:60</summary>\n\n```diff\n-    return sum(prices[1:])" in body
    assert "**Limit reached:** 1 min for taking back each changed place alone" in body


def test_where_no_time_was_left_no_place_is_said_to_be_unnoticed() -> None:
    body = written(a_result(proof=replace(a_proof(), hunks=hunks(untried=3)))).body

    assert "**3 changed places were not tried: the time for it was up**" in body
    assert "taken back alone, and" not in body


def test_what_the_proof_was_made_of_is_folded() -> None:
    body = written(a_result(proof=replace(a_proof(), provenance=a_provenance(head="")))).body

    assert "<summary>What this proof was made of</summary>" in body
    rows = table_rows(body)
    assert ["base", f"`{'1f0c' * 10}`"] in rows
    assert ["head", f"`{'2a9b' * 10}`"] in rows
    assert ["selfcode", "`0.5.0`"] in rows


def test_altered_tests_come_with_what_a_maintainer_can_say_until_one_said_it() -> None:
    altered = a_proof(missing=("x",), tests_altered=("tests/test_a.py: removed",))

    assert "comments `/selfcode accept-tests`" in written(a_result(Outcome.UNPROVEN, proof=altered)).body
    assert "accept-tests" not in written(a_result(proof=replace(altered, missing=(), accepted_by="ada"))).body


def test_signs_of_something_made_for_show_are_listed_though_the_proof_holds() -> None:
    body = written(a_result(proof=replace(a_proof(), second_looks=("prices.py answers 6 where 3 comes in",)))).body

    assert body.startswith("✅ **Proven**")
    assert "**Worth a second look**\n\n- prices.py answers 6 where 3 comes in" in body


def test_a_proof_that_a_push_made_stale_says_so_before_everything_else() -> None:
    first_line = written(moved_to="3c4d" * 10).body.splitlines()[0]

    assert first_line.startswith(
        "⚠️ **Stale**: the proof below is of `2a9b2a9b2a`, and the branch is at `3c4d3c4d3c` by now"
    )


def test_a_change_that_people_had_a_hand_in_is_not_called_the_models() -> None:
    pushed = a_change(patch=PATCH.replace("prices.py", "other.py"), paths=("other.py",))

    body = written(a_result(branch_change=pushed)).body

    assert "Written by a model, changed by people since" in body
    assert ["`other.py:2`", "`total`"] in table_rows(body)


def test_it_says_what_the_work_took() -> None:
    assert ["`gpt-5-mini`", "1 iteration, 1 call", "2,340", "USD 0.01", "1 min 15 s", "docker"] in table_rows(
        written().body
    )


def test_an_unknown_price_is_said() -> None:
    spend = replace(a_progress().spend, cost_usd=None)

    assert "price unknown" in written(a_result(progress=a_progress(spend=spend))).body


def test_a_limit_that_was_reached_is_said() -> None:
    progress = a_progress(verdict=Verdict.LIMIT, why="5 iterations were made")

    assert "**Limit reached:** 5 iterations were made" in written(a_result(progress=progress)).body


def test_what_was_left_out_of_the_change_is_named() -> None:
    change = a_change(left_out=(".cache/big.bin: 101 MB",))

    assert "- .cache/big.bin: 101 MB" in written(a_result(progress=a_progress(an_iteration(change=change)))).body


@pytest.mark.parametrize("piece", [*PIECES, 'x"; touch $HOME/pwned; echo "$GITHUB_TOKEN', "$(id)", "--upload-pack=x"])
def test_no_foreign_text_reaches_further_than_its_place(piece: str) -> None:
    names = (f"tests/{piece}::a", f"{piece}")
    result = a_result(
        Outcome.UNPROVEN,
        reason=piece,
        model=piece or "m",
        sandbox=piece,
        progress=a_progress(an_iteration(summary=piece, why_next=piece), why=f"text {piece} text\n{piece}"),
        critic=piece,
        proof=a_proof(
            missing=(piece, piece),
            red=names,
            tests_changed=names,
            tests_altered=names,
            accepted_by=piece,
            second_looks=(piece,),
            hunks=HunkCheck(noticed=(a_hunk(piece, noticed_by=names),), unnoticed=(a_hunk(piece, text=piece),)),
            provenance=a_provenance(command=piece, image=piece, sandbox=piece, versions={piece: piece}),
        ),
    )

    text = written(result, a_task(title=f"title {piece}", body=piece))

    assert is_closed(text.body)
    assert live(text.body) == ["#7"]
    assert foreign_html(text.body) == []
    assert text.body.count("<!-- selfcode:") == 1
    assert TOKEN[:20] not in text.body + text.title
    assert "\n" not in text.title


def test_a_body_of_any_size_is_shortened_below_githubs_limit() -> None:
    names = tuple(f"tests/test_{'😀' * 100}.py::test_{n}" for n in range(50_000))
    words = "🎉" * 70_000
    proof = a_proof(missing=(words, words), red=names, tests_altered=names, tests_changed=names)

    text = written(a_result(Outcome.UNPROVEN, proof=proof, reason=words, progress=a_progress(why=words)))

    assert len(text.body) <= LIMIT
    assert is_closed(text.body)
    assert "Shortened" in text.body
    assert "Closes #7" in text.body
    assert text.body.endswith("<!-- selfcode:pull-request r-1 -->")


def test_the_title_is_the_issues_in_one_line() -> None:
    assert written(task=a_task(title="  Totals\nare too small  ")).title == "Totals are too small (#7)"
    assert title(a_task(title="a\r\nb\u2028c\td\x1b[31m \u202ee\0")) == "a b c d e (#7)"


@pytest.mark.parametrize(
    "words",
    [
        "admin/invoices/failed/",
        "fix: a..b ~^: [x] .lock",
        "-rf",
        "--upload-pack=x",
        "@{",
        'x"; touch $HOME/pwned; echo "$GITHUB_TOKEN',
        "$(id)",
    ],
)
def test_a_title_appears_literally_with_the_issues_number(words: str) -> None:
    assert title(a_task(title=words)) == f"{words} (#7)"


@pytest.mark.parametrize("words", ["", "   ", "\r\n", "\u200b\u202e", "\0"])
def test_an_issue_whose_title_shows_nothing_is_called_a_change(words: str) -> None:
    assert title(a_task(title=words)) == "Change (#7)"


def test_a_title_of_three_hundred_emoji_is_cut() -> None:
    shown = title(a_task(title="😊" * 300))

    assert shown.endswith("😊… (#7)")
    assert len(shown) <= 256


@pytest.mark.parametrize(
    "words",
    ["Closes #5", "this fixes: #5, resolved acme/tool#6", "fix GH-5 as https://github.com/acme/tool/issues/5 says"],
)
def test_a_title_can_not_close_another_issue(words: str) -> None:
    shown = title(a_task(title=words))

    assert live(shown) == ["#7"]
    assert shown.replace("\u200b", "") == f"{words} (#7)"


@patiently
@given(foreign_text)
def test_any_title_becomes_one_short_line(words: str) -> None:
    shown = title(a_task(title=words, number=12345))

    assert shown.endswith(" (#12345)")
    assert len(shown.splitlines()) == 1
    assert len(shown) <= 256
    assert shown.encode().decode() == shown


def test_the_models_words_are_shown_as_a_quote() -> None:
    assert "total left out the first price" in visible(written().body).replace("`", "")
    assert "\n> " in written().body


def test_the_doubts_of_a_second_model_have_a_heading_of_their_own() -> None:
    body = written(a_result(critic="gpt-5", progress=a_progress(doubts="An empty list is not looked at."))).body

    heading = (
        "**Doubts of a second model** (`gpt-5`), which read the change beside the issue; nothing was checked by it:"
    )
    assert f"{heading}\n\n> An empty list is not looked at." in body


def test_without_doubts_there_is_no_heading() -> None:
    assert "Doubts" not in written().body


@pytest.mark.parametrize(
    ("passed", "failed", "row"),
    [
        (3, 0, ["✅", "The operator's acceptance tests", "3 of 3 pass"]),
        (2, 1, ["❌", "The operator's acceptance tests", "2 of 3 pass"]),
    ],
)
def test_acceptance_tests_are_counted_and_not_named(passed: int, failed: int, row: list[str]) -> None:
    proof = replace(a_proof(), acceptance_passed=passed, acceptance_failed=failed)

    assert row in table_rows(written(a_result(proof=proof)).body)


@patiently
@given(foreign_text)
def test_doubts_are_masked_escaped_and_bounded(text: str) -> None:
    body = written(a_result(progress=a_progress(doubts=f"{text} {TOKEN} @ada" + "x" * 10_000))).body

    assert live(body) == ["#7"]
    assert foreign_html(body) == []
    assert is_closed(body)
    assert TOKEN not in body
    assert "x" * 2001 not in body


def test_what_the_critic_used_is_told_apart_from_what_the_model_used() -> None:
    spend = Spend(5, 9000, 1000, 0.05, critic_tokens=2000, critic_cost_usd=0.02)

    rows = table_rows(written(a_result(critic="gpt-5", progress=a_progress(spend=spend))).body)

    assert rows[-2][:4] == ["`gpt-5-mini`", "1 iteration, 5 calls", "8,000", "USD 0.03"]
    assert rows[-1][:4] == ["`gpt-5`", "the critic", "2,000", "USD 0.02"]
