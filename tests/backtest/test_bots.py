"""Who is tried, as people name it."""

import pytest

from bot.backtest.bots import Bot, Player, bot_named
from bot.errors import Refused
from bot.records import Reproduce


def test_a_model_is_named_by_itself() -> None:
    assert bot_named(" openai/gpt-5:mini ") == Bot("openai/gpt-5:mini", model="openai/gpt-5:mini")


def test_settings_stand_behind_semicolons_in_any_order() -> None:
    told = bot_named("m; iterations = 3;candidates=2;;critic=c ;reproduce=off;")

    assert told == Bot(
        "m;candidates=2;critic=c;iterations=3;reproduce=off",
        model="m",
        reproduce=Reproduce.OFF,
        iterations=3,
        critic="c",
        candidates=2,
    )
    assert bot_named(told.name) == told


def test_an_empty_critic_is_none_at_all() -> None:
    assert bot_named("m;critic=").critic == ""
    assert bot_named("m").critic is None


@pytest.mark.parametrize("player", list(Player))
def test_a_player_takes_settings_too(player: Player) -> None:
    told = bot_named(f"{player};reproduce=together")

    assert (told.player, told.model, told.reproduce) == (player, "", Reproduce.TOGETHER)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no model"),
        (";iterations=3", "names no model"),
        ("m;iterations", "is no setting of a bot"),
        ("m;speed=3", "is no setting of a bot"),
        ("m;iterations=3;iterations=4", "stands twice"),
        ("m;iterations=0", "is no number from 1 to 100"),
        ("m;iterations=101", "is no number from 1 to 100"),
        ("m;iterations=1.5", "is no number from 1 to 100"),
        ("m;iterations=-1", "is no number from 1 to 100"),
        ("m;iterations=", "is no number from 1 to 100"),
        ("m;candidates=²", "is no number from 1 to 100"),
        ("m;reproduce=ask", "nobody can be asked"),
        ("m;reproduce=", "`reproduce` is one of"),
        ("m;reproduce=never", "`reproduce` is one of"),
        ("saboteur:none", "There is no player"),
        ("saboteur", "There is no player"),
    ],
)
def test_what_is_no_bot_says_how_to_name_one(text: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        bot_named(text)
