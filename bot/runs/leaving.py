"""The place of a run, left while a service is away that it needs: others may have it meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from bot.runs.known import Known
from bot.runs.leases import LeaseLost
from bot.runs.patience import Outage


@dataclass(frozen=True, slots=True)
class Leaving:
    """A `steps.Place`. What the run waits for is kept, so that it is known again by whoever takes it up.

    `say` shows people where the run is, in this step and by what is kept then; nothing depends on it.
    """

    known: Known
    say: Callable[[str], None]

    def left_for(self, step: str) -> Outage | None:
        """See `steps.Place`."""
        outage = self.known.outage
        return outage if outage is not None and outage.step == step else None

    def leave(self, outage: Outage, wait_s: float) -> NoReturn:
        """See `steps.Place`. People are told once: the next tries say the same."""
        known = self.known
        known.learn(outage=outage)
        if outage.times == 1:
            self.say(outage.step)
        known.house.store.give_back(known.run_id, wait_s=wait_s, waits_for=outage.what)
        raise LeaseLost(known.run_id)

    def goes_on(self, step: str) -> None:
        """See `steps.Place`."""
        self.known.learn(outage=None)
        self.say(step)
