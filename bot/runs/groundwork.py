"""The ground that a durable run works on, laid step by step: what one step finds is kept, and had from `Known`."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from bot.errors import Gone, Refused
from bot.proof import what_is_broken
from bot.repository import guess
from bot.runs import solving
from bot.runs.ground import EnvironmentGone, Ground
from bot.runs.house import House, SetupBroken, is_allowed, setup_for
from bot.runs.known import Known
from bot.runs.stopping import StopFlag

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Groundwork:
    """The steps from a base commit to a baseline. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def _house(self) -> House:
        return self.known.house

    @property
    def is_laid(self) -> bool:
        """Whether it is laid for the base as it is now: a run's base moves where people bring it into the branch."""
        return self.known.facts.get("laid_on") == self.known.base

    def update_mirror(self) -> None:
        """Bring every branch of the mirror up to date. A repository that was renamed since has another address."""
        known = self.known
        try:
            self._update_mirror()
        except Gone:
            info = self._house.github.repository(known.at.repository)
            if info.clone_url == known.info.clone_url:
                raise
            known.learn(info=info)
            self._update_mirror()

    def _update_mirror(self) -> None:
        known = self.known
        known.mirror.update(
            known.info.clone_url, credentials=known.credentials(), ca_bundle=self._house.ca_bundle, stop=self.stop
        )

    def find_plan(self) -> None:
        """Find out how the tests are run, by the configuration and the files of the base. Raises `Refused`."""
        known, mirror, base = self.known, self.known.mirror, self.known.base
        directory = known.config.directory
        plan = known.config.plan(guess(lambda path: mirror.read(base, path), mirror.entries(base), directory=directory))
        if plan is None:
            raise Refused(
                "There is no test command. Say how the tests are run in `.github/selfcode.yml` on the default branch, "
                "for example `test: python3 -m pytest`."
            )
        known.learn(plan=plan)

    def prepare_environment(self) -> str:
        """Find or build the image that the tests run in, from the base alone. Returns what broke, or ""."""
        known, plan = self.known, self.known.plan
        image = plan.image or self._house.image
        if not is_allowed(image, (self._house.image, *self._house.images)):
            raise Refused(f"The image `{plan.image}` is not among those that the operator allows (SELFCODE_IMAGES).")
        ref = known.at.repository
        setup = setup_for(plan, known.mirror, known.base, image=image, repository_id=ref.id, repository=ref.full_name)
        try:
            prepared = self._house.prepare_image(setup, self.stop)
        except SetupBroken as broken:
            return str(broken)
        known.learn(image=prepared.image, image_identity=prepared.identity, blocked=list(prepared.blocked))
        return ""

    def take_baseline(self) -> str:
        """Run the tests on the untouched base. Returns what is wrong with the command, or ""."""
        baseline = self.standing(solving.take_baseline)
        self.known.learn(
            baseline=baseline.report,
            plant=baseline.plant,
            byproducts=list(baseline.byproducts),
            versions=dict(baseline.versions),
            laid_on=self.known.base,
        )
        return what_is_broken(baseline.report, build=self.known.plan.build)

    def standing(self, work: Callable[[Ground], T]) -> T:
        """Work on the ground. Where its prepared image had to make room for others meanwhile, it is made again."""
        try:
            return work(self.known.ground(self.stop))
        except EnvironmentGone as gone:
            log.warning("run %s: the environment is prepared again: %s", self.known.run_id, gone)
            if broken := self.prepare_environment():
                raise Refused(broken) from gone
            return work(self.known.ground(self.stop))
