"""A repository's past fixes done again with their tests hidden: found, checked, replayed and judged."""

from bot.backtest.bots import Bot, Player, bot_named
from bot.backtest.exporting import export
from bot.backtest.going import look, run
from bot.backtest.wanted import LAST, Means, Tell, Wanted

__all__ = ["LAST", "Bot", "Means", "Player", "Tell", "Wanted", "bot_named", "export", "look", "run"]
