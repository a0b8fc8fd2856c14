import json

import pytest
from hypothesis import given

from bot.records import ActionTaken, Aim, Candidate, Progress, Spend, Usage
from bot.writing.document import LIMIT
from bot.writing.iteration_log import iteration_log, log_marker, reply_text
from tests.writing.builders import a_call, a_change, a_progress, a_report, an_iteration
from tests.writing.foreign import TOKEN, foreign_text, patiently
from tests.writing.rendering import code_blocks, foreign_html, is_closed, live, table_rows, visible


def test_each_iteration_is_one_line_with_change_tests_tokens_cost_time_and_why_it_went_on() -> None:
    first = an_iteration(1, report=a_report(passed=11, failing=("tests/a.py::b",)), why_next="1 test fails")
    second = an_iteration(2, summary="sum from the first price on")

    rows = table_rows(iteration_log(a_progress(first, second), a_report(), run_id="r-1"))

    assert rows[0] == ["#", "change", "tests before → after", "tokens", "cost", "time", "then"]
    assert rows[1][2:] == ["12 passed → 11 passed, 1 failed", "2,340", "USD 0.01", "11 s", "1 test fails"]
    assert rows[2][:3] == ["2", "sum from the first price on", "11 passed, 1 failed → 14 passed"]


def test_a_test_that_came_first_is_shown_as_such() -> None:
    first = an_iteration(1, aim=Aim.TEST, summary="a test for the first price")

    rows = table_rows(iteration_log(a_progress(first, an_iteration(2)), a_report(), run_id="r-1"))

    assert rows[1][1] == "test first: a test for the first price"
    assert rows[2][1] == "sum every price, not all but the first"


def test_candidates_are_counted_and_each_says_why_it_was_left() -> None:
    others = (
        Candidate(a_change(), a_report(failing=("t.py::b",)), (a_call(),), "more tests fail"),
        Candidate(a_change(), None, (a_call(),), "the same change as in iteration 1"),
    )

    shown = iteration_log(a_progress(an_iteration(others=others)), a_report(), run_id="r-1")

    row = table_rows(shown)[1]
    assert row[1].endswith("(the best of 3 candidates)")
    assert row[3] == "7,020"
    assert "- 12 passed, 1 failed, +9 −1: more tests fail" in shown
    assert "- not tested, +9 −1: the same change as in iteration 1" in shown


def test_the_share_of_cached_tokens_is_shown() -> None:
    call = a_call(usage=Usage(prompt_tokens=2000, completion_tokens=100, cached_tokens=1500, cost_usd=0.01))
    progress = a_progress(an_iteration(calls=(call,)), spend=Spend(1, 2000, 100, 0.01, cached_tokens=1500))

    shown = iteration_log(progress, a_report(), run_id="r-1")

    assert "2,100 tokens (75 % of the prompts cached)" in shown
    assert table_rows(shown)[1][3] == "2,100 (75 % cached)"


def test_what_the_critic_used_is_told_apart() -> None:
    spend = Spend(3, 2000, 100, 0.05, critic_tokens=700, critic_cost_usd=0.02)

    shown = iteration_log(a_progress(an_iteration(), spend=spend), a_report(), run_id="r-1")

    assert "Of that the critic: 700 tokens, USD 0.02" in shown


def test_replies_actions_and_test_output_are_folded_below() -> None:
    shown = iteration_log(a_progress(), a_report(), run_id="r-1")

    assert "The slice drops the first price; sum all of them." in visible(shown)
    assert '✓ `edit` `{"path": "prices.py"}`' in shown
    assert "0 failed, 14 passed in 0.12s" in visible(shown)
    assert shown.count("<details>") == 3


def test_an_action_that_failed_says_why() -> None:
    call = a_call(actions=(ActionTaken("edit", '{"path": "a.py"}', "SEARCH matches lines 3, 9 and 12", ok=False),))

    shown = iteration_log(a_progress(an_iteration(calls=(call,))), a_report(), run_id="r-1")

    assert "✗ `edit`" in shown
    assert "SEARCH matches lines 3, 9 and 12" in shown


def test_estimated_tokens_and_unknown_prices_are_said() -> None:
    call = a_call(usage=Usage(prompt_tokens=90, completion_tokens=10, estimated=True))

    rows = table_rows(iteration_log(a_progress(an_iteration(calls=(call,))), a_report(), run_id="r-1"))

    assert rows[1][3:5] == ["≈ 100", "–"]


def test_a_run_without_an_iteration_has_a_log_too() -> None:
    assert "No iteration was made." in iteration_log(Progress(), None, run_id="r-1")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (json.dumps({"choices": [{"message": {"content": "hello"}}]}), "hello"),
        (json.dumps({"role": "assistant", "content": "hello"}), "hello"),
        (json.dumps({"content": None, "tool_calls": [{"function": {"name": "run", "arguments": "{}"}}]}), "run {}"),
        ('{"choices": []}', '{"choices": []}'),
        ('{"choices": [{"finish_reason": "length", "message": null}]}',) * 2,
        (json.dumps([1]), "[1]"),
        ("not json", "not json"),
    ],
)
def test_a_reply_is_shown_as_its_words_and_tool_calls_or_whole_where_it_has_neither(reply: str, words: str) -> None:
    assert reply_text(reply) == words


def test_a_token_in_a_reply_is_masked() -> None:
    call = a_call(reply=json.dumps({"content": f"I found {TOKEN}"}))

    shown = iteration_log(a_progress(an_iteration(calls=(call,))), a_report(), run_id="r-1")

    assert TOKEN[:20] not in shown
    assert "[masked]" in shown


def test_too_long_a_log_keeps_its_table_and_the_newest_test_output() -> None:
    emoji = "😀" * 20_000
    iterations = [
        an_iteration(
            n,
            calls=tuple(a_call(reply=json.dumps({"content": f"reply {n} {emoji}"})) for _ in range(20)),
            report=a_report(output=f"{emoji}\noutput of {n}"),
        )
        for n in range(1, 11)
    ]

    shown = iteration_log(a_progress(*iterations), a_report(), run_id="r-1")

    assert len(shown) <= LIMIT
    assert len(shown.encode()) < 262_144
    assert is_closed(shown)
    assert [row[0] for row in table_rows(shown)][1:] == [str(n) for n in range(1, 11)]
    assert "output of 10" in shown
    assert "reply 1 " not in shown
    assert "Details are left out here" in shown
    assert shown.endswith(log_marker("r-1"))


@patiently
@given(foreign_text)
def test_no_foreign_text_reaches_further_than_its_place(text: str) -> None:
    call = a_call(
        reply=json.dumps({"content": text}),
        problem=text,
        actions=(ActionTaken(text, text, text, ok=False), ActionTaken("read", text, text, ok=True)),
    )
    iteration = an_iteration(summary=text, calls=(call,), report=a_report(output=text, command=text), why_next=text)

    shown = iteration_log(a_progress(iteration, why=text), a_report(), run_id="r-1")

    assert is_closed(shown)
    assert live(shown) == []
    assert foreign_html(shown) == []
    assert shown.count("<!-- selfcode:") == 1
    assert len(code_blocks(shown)) == 2
