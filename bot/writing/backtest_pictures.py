"""A backtest as pictures: solve rates, the curve by iteration, what a solved fix took."""

from collections.abc import Callable, Sequence

from bot.records import Backtest
from bot.writing.bars import Amount, Rate, amounts, rates
from bot.writing.curves import Curve, curves
from bot.writing.figures import cost, duration, tokens
from bot.writing.palette import Caption
from bot.writing.safe import on_screen
from bot.writing.standing import Standing, in_words, standings_of

NAME_LIMIT = 60


def pictures_of(backtest: Backtest) -> dict[str, str]:
    """The pictures by the names of their files, the most important first; none where no bot was asked."""
    bots = [each for each in standings_of(backtest).bots if each.solved.is_of_something]
    if not bots:
        return {}
    about = f"{on_screen(backtest.repository, 60)} · line: 95 % interval"
    drawn = {
        "solved.svg": rates([Rate(_name(each), each.solved) for each in bots], Caption("Solved, by bot", about)),
        "iterations.svg": curves(
            [Curve(_name(each), each.curve, each.solved.whole) for each in bots],
            Caption("Solved by iteration", f"{on_screen(backtest.repository, 60)} · bands: 95 % intervals"),
        ),
        "spent.svg": _spent(bots),
        "time.svg": amounts(
            [Amount(_name(each), each.seconds_each, _said(each, each.seconds_each, duration)) for each in bots],
            Caption("Time for each solved fix", "all time that was used, over those that were solved"),
        ),
    }
    return {name: picture for name, picture in drawn.items() if picture}


def _spent(bots: Sequence[Standing]) -> str:
    """Money where it is known of all; else tokens."""
    if all(each.cost_usd is not None for each in bots) and any(each.cost_usd for each in bots):
        return amounts(
            [Amount(_name(each), each.cost_each_usd, _said(each, each.cost_each_usd, cost)) for each in bots],
            Caption("Cost for each solved fix", "all that was spent, over those that were solved"),
        )
    return amounts(
        [Amount(_name(each), each.tokens_each, _said(each, each.tokens_each, _tokens)) for each in bots],
        Caption("Tokens for each solved fix", "all that were used, over those that were solved"),
    )


def _said(each: Standing, value: float | None, told: Callable[[float], str]) -> str:
    return told(value) if value is not None else "none was solved" if not each.solved.part else "not known"


def _tokens(count: float) -> str:
    return tokens(round(count))


def _name(each: Standing) -> str:
    return on_screen(in_words(each.bot), NAME_LIMIT)
