"""How long prompts and replies may be, and how that changes."""

from bot.agent.room import room_in


def test_a_reply_that_was_cut_off_gets_twice_the_room_and_at_last_a_shorter_prompt() -> None:
    room = room_in(None)
    replies = []
    for _ in range(4):
        room = room.after_cut_off(prompt_tokens=1_000, prompt_chars=3_000)
        replies.append((room.reply_tokens, room.budget.prompt_chars))

    assert [tokens for tokens, _ in replies] == [16_384, 32_768, 32_768, 32_768]
    assert replies[1][1] > replies[2][1]


def test_a_longer_reply_still_fits_the_window() -> None:
    room = room_in(8_192).after_cut_off(prompt_tokens=5_000, prompt_chars=15_000)

    assert room.reply_tokens == 8_192 - 5_000 - 64


def test_where_the_window_has_no_more_room_the_prompt_is_made_shorter() -> None:
    room = room_in(8_192)

    shorter = room.after_cut_off(prompt_tokens=7_000, prompt_chars=18_000)

    assert (shorter.reply_tokens, shorter.budget.prompt_chars) == (room.reply_tokens, 13_500)


def test_a_prompt_that_is_too_long_is_made_shorter_twice_whatever_its_length() -> None:
    room, lengths = room_in(None), [9_000]
    for _ in range(2):
        shorter = room.after_too_long(prompt_chars=lengths[-1])
        assert shorter is not None
        room = shorter
        lengths.append(room.budget.prompt_chars)

    assert lengths == [9_000, 4_500, 2_250]
    assert room.after_too_long(prompt_chars=2_250) is None


def test_a_model_with_a_small_window_is_not_let_to_go_on_and_on_at_first() -> None:
    room = room_in(16_384, expected_chars=1_500)

    assert room.reply_tokens == 1_800
    assert room.after_cut_off(prompt_tokens=1_000, prompt_chars=3_000).reply_tokens == 4_096


def test_a_model_with_a_large_window_may_reason_as_long_as_it_likes() -> None:
    assert room_in(200_000, expected_chars=1_500).reply_tokens == room_in(200_000).reply_tokens
