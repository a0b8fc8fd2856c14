"""The steps of one run. What one finds out, the others have from `Known`, after a restart too."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from bot.errors import Refused, Stopped
from bot.records import IssueRef, Outcome, Progress, PullRequest, Verdict
from bot.repository import branch_for
from bot.runs import solving
from bot.runs.admission import admit_who_asked
from bot.runs.asked import taken_up
from bot.runs.ground import Ground
from bot.runs.groundwork import Groundwork
from bot.runs.house import House
from bot.runs.known import Known
from bot.runs.provenance import with_head
from bot.runs.publishing import marked_ready, set_check
from bot.runs.reading import people_to_ask_about, task_from, withdrawn
from bot.runs.stopping import StopFlag
from bot.runs.voice import Voice
from bot.writing.check import check
from bot.writing.iteration_log import iteration_log, log_marker
from bot.writing.progress import Phase, ProgressView, progress_comment
from bot.writing.pull_request import pull_request
from bot.writing.result import result_comment

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

    # --- 1: may it run at all, and on what

    def admit(self) -> None:
        """Read again what the delivery claimed, freeze the issue's text, and say that we are at it."""
        trigger, at = self.known.trigger, self.known.at
        github = self.house.github
        info = github.repository(at.repository)
        issue = github.issue(at)
        if why := withdrawn(issue, trigger, label=self.house.label):
            raise Stopped(why)
        admit_who_asked(self.known)
        comments = github.comments(at)
        permissions = {login: github.permission(at.repository, login) for login in people_to_ask_about(issue, comments)}
        task = task_from(
            issue, comments, at=at, trigger=trigger, permissions=permissions, minimum=self.house.min_permission
        )
        self.known.learn(task=task, info=info)
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
        """Bring the mirror up to date, fix the base commit, read the configuration of the default branch."""
        known, info = self.known, self.known.info
        self._groundwork.update_mirror()
        base = known.mirror.head(info.default_branch)
        if base is None:
            raise Refused(
                f"The repository has no commit on its default branch `{info.default_branch}` yet. "
                "Push one, then start again."
            )
        known.learn(base=base)
        self._groundwork.find_plan()
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
            progress = self._groundwork.standing(partial(self._first if number == 1 else self._iterated, progress))
            self.house.store.keep_progress(self.run_id, progress)
        if progress.verdict is Verdict.STOPPED:
            raise Stopped
        return progress.verdict is not None

    def _first(self, progress: Progress, ground: Ground) -> Progress:
        """The first iteration: the test that a person was asked about and let stand, where it still shows the issue."""
        asked = self.known.to_take_up
        if asked is not None:
            test, asked_on = asked
            taken = taken_up(ground, self.known.job, test, asked_on=asked_on, tell=self._tell)
            if taken is not None:
                return taken
        return self._iterated(progress, ground)

    def _iterated(self, progress: Progress, ground: Ground) -> Progress:
        known = self.known
        return solving.iterate(ground, self.house.agent_for(known.crew), known.job, progress, tell=self._tell)

    def _tell(self, what: str) -> None:
        log.info("run %s: %s", self.run_id, what)

    def take_proof(self) -> None:
        """Judge the change in clean workspaces."""
        known, progress = self.known, self.known.progress
        if not solving.needs_proof(progress):
            return
        self._show(Phase.PROVING)
        ground = known.ground(self.stop)
        solving.refuse_forbidden(ground, progress, protect=known.config.protect, secrets=self.house.secrets)
        job = known.job
        proof = self._groundwork.standing(
            lambda ground: solving.take_proof(ground, progress, job.baseline, job.hidden, minutes=job.caps.minutes)
        )
        known.learn(proof=with_head(proof, self._commit()))

    # --- 8: publishing, each step looking first for what an earlier try left

    def publishes(self, outcome: Outcome) -> bool:
        """Whether a pull request is wanted for this outcome."""
        return not self.house.dry_run and (outcome is Outcome.PROVEN or not self.known.config.require_proof)

    def push(self) -> None:
        """Put the commits on the issue's branch, over nothing but what we pushed ourselves."""
        self._still_wanted()
        self._show(Phase.PUBLISHING)
        known, mirror, at = self.known, self.known.mirror, self.known.at
        url, branch, head = known.info.clone_url, branch_for(at.number), self._commit()
        ours = self.house.store.last_pushed(at.repository.id, at.number) | {head}
        there = mirror.fetch_branch(
            url, branch, credentials=known.credentials(), ca_bundle=self.house.ca_bundle, stop=self.stop
        )
        if there is not None and there not in ours:
            raise Refused(
                f"The branch `{branch}` holds commits that are not selfcode's (`{there[:12]}`). They were left alone; "
                "rename or delete the branch, then comment `/selfcode retry`."
            )
        known.learn(head_sha=head)
        mirror.push(
            url,
            head,
            branch,
            expect=there,
            credentials=known.credentials(),
            ca_bundle=self.house.ca_bundle,
            stop=self.stop,
        )

    def _commit(self) -> str:
        """The change as commits in the mirror: the same head each time."""
        known = self.known
        when = datetime.fromtimestamp(int(known.started_at), UTC)
        return solving.commit(known.ground(self.stop), known.progress, known.task, author=self.house.author, when=when)

    def open_pull_request(self, outcome: Outcome, reason: str) -> None:
        """Open the pull request, or bring the open one up to date. Its number, which it names, is known then alone."""
        self._still_wanted()
        known = self.known
        opened = self._publish(outcome, reason)
        if opened.number != known.result(outcome, reason).pull_request:
            known.learn(pull_request=opened.number)
            opened = self._publish(outcome, reason)
        if outcome is Outcome.PROVEN and opened.is_draft:
            known.learn(not_ready=marked_ready(self.house, known.at.repository, opened.number))

    def _publish(self, outcome: Outcome, reason: str) -> PullRequest:
        known, config, branch = self.known, self.known.config, branch_for(self.known.at.number)
        text = pull_request(
            known.result(outcome, reason),
            known.task,
            branch=branch,
            run_id=self.run_id,
            repository=known.info.ref.full_name,
            labels=config.labels,
            reviewers=config.reviewers,
        )
        text = self._voice.masked_pull(text)
        return self.house.github.publish_pull_request(known.at.repository, branch, known.info.default_branch, text)

    def _still_wanted(self) -> None:
        """Raise `Stopped` where the issue was closed or the label taken off while we worked."""
        if self.stop():
            raise Stopped
        if why := withdrawn(self.house.github.issue(self.known.at), self.known.trigger, label=self.house.label):
            raise Stopped(why)

    # --- the end

    def last_words(self, outcome: Outcome, reason: str) -> Sequence[tuple[str, Callable[[], None]]]:
        """What is said at the end, by name: each by itself, whatever becomes of the others."""
        return (
            ("log", lambda: self.post_log(outcome, reason)),
            ("check", lambda: self.set_check(outcome, reason)),
            ("result", lambda: self.show_result(outcome, reason)),
        )

    def post_log(self, outcome: Outcome, reason: str) -> None:
        """Post the iteration log: on the pull request where there is one, else on the issue."""
        at, result = self.known.at, self.known.result(outcome, reason)
        if not result.progress.iterations:
            return
        if result.pull_request is not None:
            at = IssueRef(at.repository, result.pull_request)
        body = iteration_log(result.progress, result.baseline, run_id=self.run_id)
        self.house.github.post_comment(at, self._voice.masked(body), marker=log_marker(self.run_id))

    def set_check(self, outcome: Outcome, reason: str) -> None:
        """Set the check run on the head that was published."""
        result = self.known.result(outcome, reason)
        if result.pull_request is None:
            return
        in_head = self.known.mirror.entries(result.head_sha)
        set_check(self.known, result.head_sha, check(result, run_id=self.run_id, in_head=in_head))

    def show_result(self, outcome: Outcome, reason: str) -> None:
        """Turn the progress comment into the result. What was never admitted is never answered."""
        if self.known.is_admitted:
            result = self.known.result(outcome, reason)
            self._voice.write(result_comment(result, run_id=self.run_id, caps=self.known.shown_caps))

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End the run in the store."""
        self.house.store.finish(self.run_id, outcome, reason)
        log.info("run %s ends: %s %s", self.run_id, outcome, reason)

    # --- what people see meanwhile

    def _show(self, phase: Phase, *, iteration: int = 1) -> None:
        known = self.known
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
        )
        self._voice.politely(lambda: self._voice.write(progress_comment(view)))
