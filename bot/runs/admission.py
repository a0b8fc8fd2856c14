"""Whether who asked may ask, as of now."""

from bot.errors import Refused
from bot.records import TriggerKind
from bot.runs.known import Known
from bot.runs.reading import at_least
from bot.runs.voice import Voice


def admit_who_asked(known: Known) -> None:
    """Answer whoever asked with 👀. Raises `Refused`, after a 👎, where they have less access than the operator wants.

    Their permission is read again, for a delivery can't be relied on for it. “Re-run” on a check is nothing that could
    be reacted to.
    """
    trigger, at, github, minimum = known.trigger, known.at, known.house.github, known.house.min_permission
    may_ask = at_least(github.permission(at.repository, trigger.sender.login), minimum)
    reaction = "eyes" if may_ask else "-1"
    if trigger.kind is not TriggerKind.RENEW:
        Voice(known).politely(lambda: github.react(trigger.asked_at, reaction, comment_id=trigger.comment_id))
    if not may_ask:
        raise Refused(f"{trigger.sender.login} has less than {minimum} access")
