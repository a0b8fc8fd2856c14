"""The steps of one `/selfcode doctor`: kept and queued like a run, but it asks no model and pushes nothing.

What is known by now is one value in the store, which each step takes and keeps again.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot import records
from bot.errors import Unavailable
from bot.records import Health, Outcome, load
from bot.runs import doctor
from bot.runs.admission import admit_who_asked
from bot.runs.diagnosis import diagnosed
from bot.runs.doctor import Given, Means, Patient
from bot.runs.groundwork import Groundwork
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.stopping import StopFlag
from bot.runs.voice import Voice
from bot.writing.doctor import examining_comment, headline, report_comment, unfinished_comment
from sandbox import SandboxError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Examination:
    """One examination, step by step. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def run_id(self) -> str:
        return self.known.run_id

    @property
    def house(self) -> House:
        return self.known.house

    def admit(self) -> None:
        """Look whether the person may ask, as of now, and say that we are at it. The issue itself may be closed."""
        info = self.house.github.repository(self.known.at.repository)
        admit_who_asked(self.known)
        begun = records.Examination(repository=info.ref.full_name, sandbox=doctor.sandbox_facts(self.house.sandbox))
        self.known.learn(info=info, examination=begun)
        self._show("fetching the repository")

    def fetch(self) -> None:
        """Bring the mirror up to date, and find out how the tests of the default branch are run."""
        known, mirror = self.known, self.known.mirror
        Groundwork(known, self.stop).update_mirror()
        info = known.info
        base = mirror.head(info.default_branch)
        sandbox = doctor.sandbox_facts(self.house.sandbox, self._about_the_sandbox())
        begun = records.Examination(repository=info.ref.full_name, sandbox=sandbox, commit=base or "")
        if base is None:
            trouble = f"The repository has no commit on its default branch `{info.default_branch}` yet."
            self._keep(replace(begun, trouble=trouble))
            return
        known.learn(base=base)
        self._keep(doctor.look(self._patient, begun, Given(), self._means))

    def prepare_environment(self) -> None:
        """Find or build the image that the tests run in."""
        if doctor.wants_environment(self.found):
            self._show("preparing the environment")
            self._keep(doctor.prepare(self._means, self._patient, self.found))

    def run_tests(self, number: int) -> bool:
        """Run the tests for the time of this number, unless that was done. Returns whether once more is wanted."""
        if len(self.found.runs) < number and doctor.wants_run(self.found):
            self._show(f"running the tests, time {number} of {doctor.TIMES}")
            self._keep(doctor.run_tests(self._means, self._patient, self.found))
        return doctor.wants_run(self.found)

    def plant_fault(self) -> None:
        """See whether the tests notice a fault in the source, then come to a conclusion."""
        found = self.found
        if found.fault is None and doctor.wants_fault(found):
            self._show("planting a fault in every source file, to see whether the tests notice")
            found = doctor.plant_fault(self._means, self._patient, found)
        self._keep(diagnosed(found))

    def result(self) -> tuple[Health, str]:
        """How the repository is, and why, in a sentence."""
        return self.found.health, headline(self.found)

    def show_step(self, _: str) -> None:
        """Say what it waits for, where it does and was admitted."""
        outage = self.known.outage
        if outage is not None and "examination" in self.house.store.facts(self.run_id):
            self._show(f"held up, and tried again every few minutes: {outage.what}")

    # --- the end

    def last_words(self, outcome: Outcome | Health, reason: str) -> Sequence[tuple[str, Callable[[], None]]]:
        """What is said at the end, by name."""
        return (("result", lambda: self.show_result(outcome, reason)),)

    def show_result(self, outcome: Outcome | Health, reason: str) -> None:
        """Turn the comment into the report. What was never admitted is never answered."""
        if "examination" not in self.house.store.facts(self.run_id):
            return
        if isinstance(outcome, Health):
            self._voice.write(report_comment(self.found, run_id=self.run_id, pages=self.house.pages))
        else:
            ended = f"{outcome}{f': {reason}' if reason else ''}"
            self._voice.write(unfinished_comment(self.found, run_id=self.run_id, ended=ended, pages=self.house.pages))

    def finish(self, outcome: Outcome | Health, reason: str) -> None:
        """End it in the store."""
        self.house.store.finish(self.run_id, outcome, reason)
        log.info("examination %s ends: %s %s", self.run_id, outcome, reason)

    # --- what it stands on

    @property
    def found(self) -> records.Examination:
        """What is known by now."""
        text: str = self.house.store.facts(self.run_id)["examination"]
        return load(records.Examination, text)

    def _keep(self, found: records.Examination) -> None:
        self.known.learn(examination=found)

    @property
    def _patient(self) -> Patient:
        repository = self.known.at.repository
        return Patient(self.known.mirror, self.known.base, repository.id, name=repository.full_name)

    @property
    def _means(self) -> Means:
        house = self.house
        return Means(
            sandbox=house.sandbox,
            prepare_image=house.prepare_image,
            image=house.image,
            images=house.images,
            limits=house.limits,
            stop=self.stop,
            places=house.places,
        )

    @property
    def _voice(self) -> Voice:
        return Voice(self.known)

    def _about_the_sandbox(self) -> str:
        try:
            return self.house.sandbox.check()
        except SandboxError as problem:
            raise Unavailable(f"the sandbox does not answer: {problem}") from problem

    def _show(self, doing: str) -> None:
        comment = examining_comment(self.found, run_id=self.run_id, doing=doing, pages=self.house.pages)
        self._voice.politely(lambda: self._voice.write(comment))
