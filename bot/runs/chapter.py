"""The steps of one run. What one finds out, the others have from `Known`, after a restart too."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.errors import Refused, Stopped
from bot.records import HappeningKind, Outcome, Progress, TriggerKind, Verdict
from bot.runs import solving
from bot.runs.admission import admit_who_asked
from bot.runs.asked import taken_up
from bot.runs.briefing import brief_for
from bot.runs.continuing import Continuing, start_of
from bot.runs.earlier import attempts_up_to
from bot.runs.ground import Ground
from bot.runs.groundwork import Groundwork
from bot.runs.heard import Listening
from bot.runs.house import House
from bot.runs.jobs import job_of, to_take_up
from bot.runs.known import Known, SolvedConflicts
from bot.runs.last_words import LastWords
from bot.runs.leftovers import Leftovers
from bot.runs.markers import refuse_marked
from bot.runs.patience import is_worth_repeating, patiently
from bot.runs.provenance import with_head
from bot.runs.publishing import Publishing
from bot.runs.pushing import Pushing
from bot.runs.reading import has_label, withdrawn
from bot.runs.sides import sides_taken
from bot.runs.stopping import StopFlag
from bot.runs.store import PROVING
from bot.runs.verifying import missing_of_protected
from bot.runs.voice import Voice
from bot.runs.wishes import wishes_of
from bot.writing.progress import Phase, ProgressView, phase_of_step, progress_comment

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One run, step by step. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def run_id(self) -> str:
        return self.known.run_id

    @property
    def house(self) -> House:
        return self.known.house

    @property
    def _groundwork(self) -> Groundwork:
        return Groundwork(self.known, self.stop)

    @property
    def _voice(self) -> Voice:
        return Voice(self.known)

    @property
    def _pushing(self) -> Pushing:
        return Pushing(self.known, self.stop)

    @property
    def _publishing(self) -> Publishing:
        return Publishing(self.known, self.stop)

    # --- 1: may it run at all, and on what

    def admit(self) -> None:
        """Read again what the delivery claimed, freeze what is asked for, and say that we are at it."""
        trigger, at = self.known.trigger, self.known.at
        github = self.house.github
        info = github.repository(at.repository)
        issue = github.issue(at)
        if why := withdrawn(issue, trigger, label=self.house.label):
            raise Stopped(why)
        if trigger.kind is not TriggerKind.MEND:  # nobody asks for that: the repository's settings do
            admit_who_asked(self.known)
        brief = brief_for(self.known, issue)
        reviewed = {"reviewed": brief.reviewed} if brief.reviewed else {}
        self.known.learn(task=brief.task, info=info, is_labelled=has_label(issue, self.house.label), **reviewed)
        self._show(Phase.PREPARING)
        if info.is_archived:
            raise Refused("The repository is archived: nothing can be pushed to it.")
        self._within_the_day()

    def _within_the_day(self) -> None:
        house, ref = self.house, self.known.at.repository
        for name, spent, most in (
            ("repository", house.store.spent_today(repository_id=ref.id), house.day_usd_repository),
            ("account", house.store.spent_today(installation_id=ref.installation_id), house.day_usd_installation),
        ):
            if spent >= most > 0:
                raise Refused(f"The budget of a day for this {name}, USD {most:g}, is spent. Try again tomorrow.")

    # --- 2–5: the ground

    def fetch(self) -> None:
        """Bring the mirror up to date, fix the base commit and what is gone on from, read the configuration there."""
        known, info = self.known, self.known.info
        self._groundwork.update_mirror()
        base = known.mirror.head(info.default_branch)
        if base is None:
            raise Refused(
                f"The repository has no commit on its default branch `{info.default_branch}` yet. "
                "Push one, then start again."
            )
        continuing = Continuing(known, self.stop)
        footing = continuing.had(known.footing_or_none)
        if footing is None:
            known.learn(base=base)
            footing = continuing.settle(base)
        wishes = wishes_of(known.mirror.entries(base), lambda path: known.mirror.read(base, path))
        known.learn(
            base=footing.base,
            footing=footing,
            start=known.progress.start if known.joined else start_of(known.mirror, footing),
            task=replace(known.task, conflicts=footing.conflicts, wishes=wishes),
        )
        self._groundwork.find_plan()
        self._pushing.join_again()
        self._show(Phase.PREPARING)

    def prepare_environment(self) -> str:
        """Find or build the image that the tests run in, from the default branch alone. Returns what broke, or ""."""
        return self._groundwork.prepare_environment()

    def take_baseline(self) -> str:
        """Run the tests on the untouched base. Returns what is wrong with the command, or ""."""
        self._show(Phase.BASELINE)
        return self._groundwork.take_baseline()

    # --- 6–7: the work and its proof

    def iterate(self, number: int) -> bool:
        """Make the iteration with this number, unless it was made before. Returns whether the agent is done."""
        known = self.known
        progress = known.progress
        if len(progress.iterations) < number:
            self._show(Phase.WORKING, iteration=number)
            hearing = Listening(self.house.store, self.run_id, number)
            work = self._first if number == 1 else self._iterated
            made = self._groundwork.standing(partial(work, progress, hearing))
            progress = patiently(lambda: hearing.closed(made, known.caps))
            patiently(lambda: known.keep(progress))
        if progress.verdict is Verdict.STOPPED:
            raise Stopped
        return progress.verdict is not None

    def _first(self, progress: Progress, hearing: Listening, ground: Ground) -> Progress:
        """The first iteration: the test that a person was asked about and let stand, where it still shows the issue."""
        asked = to_take_up(self.known)
        if asked is not None:
            test, asked_on = asked
            taken = taken_up(ground, job_of(self.known), test, asked_on=asked_on, tell=self._tell)
            if taken is not None:
                return taken
        return self._iterated(progress, hearing, ground)

    def _iterated(self, progress: Progress, hearing: Listening, ground: Ground) -> Progress:
        """What the model makes of it, by replies that are kept: told again, nothing of it is paid again."""
        known, step = self.known, f"iteration {hearing.number}"
        paid, spent = self.house.store.paid, progress.spend
        telling = patiently(lambda: paid.telling_of(self.run_id, step, before=spent, caps=known.caps))
        patiently(lambda: hearing.begin(lambda: telling.is_repeating))
        made = solving.iterate(
            ground,
            self.house.agent_for(known.crew, telling.in_place_of),
            job_of(known),
            progress,
            tell=self._tell,
            said=hearing.said,
            repeats=is_worth_repeating(known.outage, step, now=time.time()),
        )
        return telling.with_unused(made)

    def _tell(self, what: str) -> None:
        log.info("run %s: %s", self.run_id, what)
        self.house.store.happenings.keep(self.run_id, HappeningKind.TOLD, what.strip())

    def take_proof(self) -> None:
        """Judge the change in clean workspaces, unless the branch holds just that, proven, already.

        What is joined with people's commits already is judged with them, later.
        """
        known, progress = self.known, self.known.progress
        if known.joined or not solving.needs_proof(progress):
            return
        head = self._pushing.head
        if not self._pushing.is_news(head):
            return
        self._show(Phase.PROVING)
        ground = known.ground(self.stop)
        job, protect = job_of(known), known.config.protect
        solving.refuse_forbidden(ground, progress, protect=protect, secrets=self.house.secrets, since=job.held)
        refuse_marked(ground.mirror.changed_files(ground.base, ground.tree(progress.change)))
        proof = self._groundwork.standing(
            lambda ground: solving.take_proof(ground, progress, job.baseline, job.hidden, minutes=job.caps.minutes)
        )
        held = missing_of_protected(known.mirror, known.base, head, protect)
        solved = SolvedConflicts(sides_taken(known.mirror, known.footing, head))
        known.learn(proof=with_head(replace(proof, missing=(*proof.missing, *held)), head), solved=solved)

    def renew_environment(self) -> str:
        """Prepare the environment for the base that people have brought into the branch meanwhile, if they have."""
        if self._groundwork.is_laid:
            return ""
        self._show(Phase.PREPARING)
        self._groundwork.find_plan()
        return self.prepare_environment()

    def renew_baseline(self) -> str:
        """Likewise, run the tests on it."""
        return "" if self._groundwork.is_laid else self.take_baseline()

    def prove_joined(self) -> None:
        """Judge the work once more, together with what people pushed meanwhile."""
        self._show(Phase.PROVING)
        self.known.learn(proof=self._groundwork.standing(self._pushing.prove_joined))

    @property
    def outcome(self) -> tuple[Outcome, str]:
        """What the run comes to by now, and why."""
        progress, proof = self.known.progress, self.known.proof
        if proof is None and solving.needs_proof(progress):
            return Outcome.NOTHING_TO_DO, progress.why
        return solving.outcome_of(progress, proof)

    # --- 8: publishing, each step looking first for what an earlier try left

    @property
    def is_to_publish(self) -> bool:
        """Whether a pull request is wanted for what the run came to."""
        outcome, _ = self.outcome
        is_wanted = outcome in PROVING and self._publishing.is_wanted(outcome)
        return is_wanted and not self.house.dry_run

    def push(self) -> bool:
        """Put the commits on the branch, over nothing but what we pushed ourselves. False: people pushed meanwhile."""
        self._show(Phase.PUBLISHING)
        return self._pushing.push()

    def open_pull_request(self) -> None:
        """Open the pull request, or bring the open one up to date."""
        self._publishing.open(*self.outcome)

    # --- the end

    def last_words(self, outcome: Outcome, reason: str) -> Sequence[tuple[str, Callable[[], None]]]:
        """What is said at the end, by name: each by itself, whatever becomes of the others."""
        words = LastWords(self.known, self.stop, outcome, reason)
        return (
            ("branch", partial(self._settle_branch, outcome)),
            ("log", words.post_log),
            ("check", words.set_check),
            ("result", words.show_result),
            ("review", words.answer_review),
            ("ref", self._pushing.tidy),
        )

    def _settle_branch(self, outcome: Outcome) -> None:
        """Leave no branch that nobody is told of: a run may be cut off between its push and its pull request."""
        known = self.known
        if known.facts.get("branch") and known.facts.get("pull_request") is None:
            Leftovers(known, known.facts.get("head_sha") or self._pushing.head).settle(outcome)

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End the run in the store."""
        self.house.store.finish(self.run_id, outcome, reason)
        log.info("run %s ends: %s %s", self.run_id, outcome, reason)

    # --- what people see meanwhile

    def show_step(self, step: str) -> None:
        """Show that the run is in this step, and what it waits for, on the issue of one that was admitted."""
        if self.known.is_admitted:
            phase, number = phase_of_step(step), step.partition(" ")[2]
            self._show(phase, iteration=int(number) if phase is Phase.WORKING else 1)

    def _show(self, phase: Phase, *, iteration: int = 1) -> None:
        known, outage = self.known, self.known.outage
        view = ProgressView(
            run_id=self.run_id,
            phase=phase,
            caps=known.shown_caps,
            progress=known.progress,
            iteration=iteration,
            plan=known.plan_or_none,
            baseline=known.report_or_none,
            model=known.shown_crew.model,
            sandbox=self.house.sandbox.name,
            sandbox_isolated=self.house.sandbox.isolated,
            left_out=known.task.left_out,
            attempt=len(attempts_up_to(self.house.store, self.run_id)),
            because=known.trigger.because,
            notes=tuple(self.house.store.notes_since(self.run_id)),
            waits_for=outage.what if outage else "",
            waits_since=outage.since if outage else None,
            pages=self.house.pages,
        )
        self._voice.politely(lambda: self._voice.write(progress_comment(view)))
