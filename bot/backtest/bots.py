"""Who is tried: a model with the settings that it is tried with, or a player that costs nothing."""

from dataclasses import dataclass
from enum import StrEnum

from bot.errors import Refused
from bot.records import Reproduce


class Player(StrEnum):
    """What plays in the place of a model. The oracle knows the real fix; each saboteur cheats in a way of its own."""

    ORACLE = "oracle"
    TESTS = "saboteur:tests"
    SPECIAL = "saboteur:special"
    INPUT = "saboteur:input"
    NOTHING = "saboteur:nothing"
    ASSERTS_NOTHING = "saboteur:asserts-nothing"


@dataclass(frozen=True, slots=True)
class Bot:
    """One of those that are compared. `name` is as it was asked for, settings included.

    None is what the operator or the repository says. A `critic` of "" is none. `player` is what plays in the place of
    `model`, which then is "".
    """

    name: str
    model: str = ""
    player: Player | None = None
    reproduce: Reproduce | None = None
    iterations: int | None = None
    critic: str | None = None
    candidates: int | None = None


_HOW = "Say it as MODEL or as `MODEL;reproduce=off;iterations=3;critic=OTHER;candidates=2`."
_MOST = 100


def bot_named(text: str) -> Bot:
    """The bot that a text names: a model or player, and settings behind semicolons. Raises `Refused`."""
    name, *settings = (part.strip() for part in text.split(";"))
    if not name:
        raise Refused(f"`{text}` names no model. {_HOW}")
    found: dict[str, str] = {}
    for setting in filter(None, settings):
        key, is_said, value = (part.strip() for part in setting.partition("="))
        if not is_said or key not in _SETTINGS or key in found:
            raise Refused(f"`{text}`: `{setting}` is no setting of a bot, or stands twice. {_HOW}")
        found[key] = value
    said = ";".join([name, *(f"{key}={value}" for key, value in sorted(found.items()))])
    player = _player(name)
    return Bot(
        name=said,
        model="" if player else name,
        player=player,
        reproduce=_reproduce(found.get("reproduce"), text),
        iterations=_number(found.get("iterations"), text),
        critic=found.get("critic"),
        candidates=_number(found.get("candidates"), text),
    )


_SETTINGS = frozenset({"reproduce", "iterations", "critic", "candidates"})


def _player(name: str) -> Player | None:
    known = [str(each) for each in Player]
    if name in known:
        return Player(name)
    if name.partition(":")[0] == "saboteur":
        raise Refused(f"There is no player `{name}`. There are {', '.join(known)}.")
    return None


def _reproduce(said: str | None, text: str) -> Reproduce | None:
    ways = [str(each) for each in Reproduce if each is not Reproduce.ASK]
    if said is not None and said not in ways:
        raise Refused(f"`{text}`: `reproduce` is one of {', '.join(ways)}; nobody can be asked in a backtest.")
    return Reproduce(said) if said else None


def _number(said: str | None, text: str) -> int | None:
    if said is None:
        return None
    if not said.isdecimal() or not 1 <= int(said) <= _MOST:
        raise Refused(f"`{text}`: `{said}` is no number from 1 to {_MOST}.")
    return int(said)
