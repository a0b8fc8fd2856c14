"""A conversation fits the model's window before it is sent, and loses the least useful parts first."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent.budget import Budget, budget_for
from bot.agent.llm import Message, Role, ToolCall, assistant, system, user
from bot.agent.shrinking import fitted, size_of

WINDOWS = (2_048, 4_096, 8_192, 32_768, 131_072, 1_000_000)


def opened(number: int, words: str = "") -> Message:
    return user(f"Iteration {number} of 5. {words}")


def a_budget(prompt_chars: int) -> Budget:
    return Budget(32_768, 1_000, prompt_chars, 1_000, 1_000, 1_000)


def a_talk(*more: Message, context: str = "context") -> list[Message]:
    return [system("instructions"), user(context), assistant("I have read it."), *more]


def texts(messages: list[Message]) -> list[str]:
    return [message.content or "" for message in messages]


def a_call(at: int, answer: str, arguments: str = "{}") -> list[Message]:
    asked = ToolCall(f"c{at}", "read", arguments)
    return [assistant(None, (asked,)), Message(Role.TOOL, answer, tool_call_id=asked.id)]


def test_what_fits_stays_as_it_is() -> None:
    talk = a_talk(opened(1), assistant("x" * 500), user("y" * 500), opened(2))

    assert fitted(talk, a_budget(5_000)) == talk


def test_the_oldest_iteration_goes_first() -> None:
    old, last = [opened(1), assistant("a" * 1_500)], [opened(2), assistant("b" * 700)]

    assert fitted(a_talk(*old, *last, opened(3)), a_budget(1_500)) == a_talk(*last, opened(3))


def test_old_answers_are_cut_before_any_exchange_is_left_out() -> None:
    talk = a_talk(opened(1), *a_call(1, "head" + "x" * 5_000 + "tail"), *a_call(2, "z" * 900))

    _, _, _, _, asked, old, *rest = fitted(talk, a_budget(3_000))

    assert asked == talk[4]
    assert len(old.content or "") < 800
    assert (old.content or "").startswith("head")
    assert (old.content or "").endswith("tail")
    assert rest == talk[6:]


def test_a_tool_call_goes_together_with_its_answers() -> None:
    talk = a_talk(opened(1), *(message for at in range(40) for message in a_call(at, "w" * 300)))

    messages = fitted(talk, a_budget(4_000))

    asked = {call.id for message in messages for call in message.tool_calls}
    answered = {message.tool_call_id for message in messages if message.role is Role.TOOL}
    assert asked == answered
    assert messages[-1] == talk[-1]
    assert messages[:4] == talk[:4]


def test_the_current_opening_and_the_context_are_cut_last() -> None:
    talk = a_talk(opened(1, "o" * 900), assistant("say"), user("big" * 20_000), context="c" * 900)

    messages = fitted(talk, a_budget(3_000))

    assert messages[:4] == talk[:4]
    assert size_of(messages) <= 3_000


def test_a_tool_call_larger_than_the_window_goes_whole_for_its_arguments_cant_be_cut() -> None:
    talk = a_talk(opened(1), *a_call(1, "written", arguments='{"content": "' + "x" * 50_000 + '"}'))

    assert fitted(talk, a_budget(5_000)) == a_talk(opened(1))


def test_what_is_said_after_a_cut_stands_behind_an_unchanged_prefix() -> None:
    talk = a_talk(opened(1), *(message for at in range(60) for message in a_call(at, "w" * 400)))
    cuts = [fitted(talk[:end], a_budget(9_000)) for end in range(6, len(talk), 2)]

    held = [after[: len(before)] == before for before, after in pairwise(cuts)]

    assert held.count(False) <= len(held) // 3


@pytest.mark.parametrize("window", WINDOWS)
def test_a_budget_leaves_room_for_the_reply(window: int) -> None:
    budget = budget_for(window)

    assert budget.prompt_chars // 3 + budget.reply_tokens <= window
    assert budget.context_chars + budget.history_chars + budget.answer_chars <= budget.prompt_chars


def test_a_million_tokens_are_not_filled() -> None:
    assert budget_for(1_000_000).context_chars == budget_for(200_000).context_chars < 60_000


def test_an_unknown_window_counts_as_one_of_32k() -> None:
    assert budget_for(None) == budget_for(32_768)


def test_half_a_budget_is_that_of_half_the_window_down_to_the_smallest() -> None:
    assert budget_for(8_192).halved() == budget_for(4_096)
    assert budget_for(2_048).halved() == budget_for(2_048)


sizes = st.sampled_from([0, 1, 250, 3_000, 100_000])
turns = st.lists(st.tuples(st.sampled_from(["opening", "words", "call"]), sizes), max_size=12)


@settings(deadline=None)
@given(turns, sizes, st.sampled_from(WINDOWS))
def test_whatever_was_said_fits(turns: list[tuple[str, int]], context: int, window: int) -> None:
    talk = a_talk(opened(1), context="c" * context)
    for at, (kind, size) in enumerate(turns):
        match kind:
            case "opening":
                talk.append(opened(at, "o" * size))
            case "words":
                talk += [assistant("a" * size), user("u" * size)]
            case _:
                talk += a_call(at, "r" * size, arguments="j" * size)

    messages = fitted(talk, budget_for(window))

    assert size_of(messages) <= budget_for(window).prompt_chars
    assert messages[0] == talk[0]
    assert fitted(talk, budget_for(window)) == messages
