"""What a model whose replies lead nowhere may cost."""

from bot.agent.patience import Patience


def replies_until_given_up(patience: Patience, *kinds: str) -> int:
    for count in range(1, 100):
        kind = kinds[(count - 1) % len(kinds)]
        match kind.split(":"):
            case ["chat"]:
                why = patience.unusable("no edit")
            case ["bad", said]:
                why = patience.fruitless(said, "not in the file")
            case _:
                why = patience.useful(kind, ("the file",))
        if why:
            return count
    return 100


def test_words_alone_are_borne_twice() -> None:
    assert replies_until_given_up(Patience(), "chat") == 3


def test_the_same_edit_that_cant_be_placed_is_borne_twice() -> None:
    assert replies_until_given_up(Patience(), "bad:a") == 3


def test_changing_between_useless_replies_buys_no_more_than_a_few() -> None:
    assert replies_until_given_up(Patience(), "bad:a", "bad:b") == 6
    assert replies_until_given_up(Patience(), "bad:a", "chat") == 5
    assert replies_until_given_up(Patience(), "chat", "chat", "bad:a") == 6


def test_looking_at_the_same_again_and_again_leads_nowhere_either() -> None:
    assert replies_until_given_up(Patience(), "read a") == 4


def test_looking_at_one_thing_after_another_is_work() -> None:
    assert replies_until_given_up(Patience(), "read a", "read b") == 100


def test_something_useful_in_between_starts_the_count_anew() -> None:
    assert replies_until_given_up(Patience(), "bad:a", "bad:a", "read a", "chat", "chat", "read b") == 100
