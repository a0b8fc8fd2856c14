"""The steps of one run. What they find out is kept in the store, so that each finds it there after a restart."""

import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.proof import Plant
from bot.records import (
    Caps,
    IssueRef,
    Outcome,
    Progress,
    Proof,
    RepositoryInfo,
    RunResult,
    Task,
    TestPlan,
    TestReport,
    Trigger,
    Verdict,
    dump,
    load,
)
from bot.repository import Credentials, Mirror, RepositoryConfig, branch_for, guess, read_config
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.house import House, Setup, SetupBroken, declared_files
from bot.runs.reading import at_least, people_to_ask_about, task_from, withdrawn
from bot.runs.stopping import StopFlag
from bot.writing.check import check
from bot.writing.iteration_log import iteration_log, log_marker
from bot.writing.masking import mask_secrets
from bot.writing.progress import Phase, ProgressView, progress_comment, progress_marker
from bot.writing.pull_request import pull_request
from bot.writing.result import result_comment

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One run of one house. Every method may be called again after it was cut off."""

    house: House
    run_id: str
    stop: StopFlag

    # --- 1: may it run at all, and on what

    def admit(self) -> None:
        """Read again what the delivery claimed, freeze the issue's text, and say that we are at it."""
        trigger, at = self._trigger, self._at
        github = self.house.github
        info = github.repository(at.repository)
        issue = github.issue(at)
        if why := withdrawn(issue, trigger, label=self.house.label):
            raise Stopped(why)
        if not at_least(github.permission(at.repository, trigger.sender.login), self.house.min_permission):
            self._politely(lambda: github.react(at, "-1", comment_id=trigger.comment_id))
            raise Refused(f"{trigger.sender.login} has less than {self.house.min_permission} access")
        self._politely(lambda: github.react(at, "eyes", comment_id=trigger.comment_id))
        comments = github.comments(at)
        permissions = {login: github.permission(at.repository, login) for login in people_to_ask_about(issue, comments)}
        task = task_from(
            issue, comments, at=at, trigger=trigger, permissions=permissions, minimum=self.house.min_permission
        )
        self._learn(task=dump(task), info=dump(info), admitted=True)
        self._show(Phase.PREPARING)
        if info.is_archived:
            raise Refused("The repository is archived: nothing can be pushed to it.")
        self._within_the_day()

    def _within_the_day(self) -> None:
        house, ref = self.house, self._at.repository
        for name, spent, most in (
            ("repository", house.store.spent_today(repository_id=ref.id), house.day_usd_repository),
            ("account", house.store.spent_today(installation_id=ref.installation_id), house.day_usd_installation),
        ):
            if spent >= most > 0:
                raise Refused(f"The budget of a day for this {name}, USD {most:g}, is spent. Try again tomorrow.")

    # --- 2–5: the ground

    def fetch(self) -> None:
        """Bring the mirror up to date, fix the base commit, read the configuration of the default branch."""
        info, mirror = self._info, self._mirror
        mirror.update(info.clone_url, credentials=self._credentials(), ca_bundle=self.house.ca_bundle, stop=self.stop)
        base = mirror.head(info.default_branch)
        if base is None:
            raise Refused(
                f"The repository has no commit on its default branch `{info.default_branch}` yet. "
                "Push one, then start again."
            )
        self._learn(base=base)
        plan = self._config.plan(guess(lambda path: mirror.read(base, path), mirror.entries(base)))
        if plan is None:
            raise Refused(
                "There is no test command. Say how the tests are run in `.github/selfcode.yml` on the default branch, "
                "for example `test: python3 -m pytest`."
            )
        self._learn(plan=dump(plan))
        self._show(Phase.PREPARING)

    def prepare_environment(self) -> str:
        """Find or build the image that the tests run in, from the default branch alone. Returns what broke, or ""."""
        mirror, base, plan = self._mirror, self._base, self._plan
        image = plan.image or self.house.image
        if image not in (self.house.image, *self.house.images):
            raise Refused(f"The image `{plan.image}` is not among those that the operator allows (SELFCODE_IMAGES).")
        setup = Setup(self._at.repository.id, image, plan.setup, mirror.archive(base), declared_files(mirror, base))
        try:
            self._learn(image=self.house.prepare_image(setup, self.stop))
        except SetupBroken as broken:
            return str(broken)
        return ""

    def take_baseline(self) -> str:
        """Run the tests on the untouched base. Returns what is wrong with the command, or ""."""
        self._show(Phase.BASELINE)
        baseline = solving.take_baseline(self._ground)
        plant = baseline.plant
        self._learn(
            baseline=dump(baseline.report),
            plant=[plant.path, plant.token, plant.positional] if plant else None,
        )
        return "" if baseline.report.could_run else f"The test command on the untouched base: {baseline.report.state}."

    # --- 6–7: the work and its proof

    def iterate(self, number: int) -> bool:
        """Make the iteration with this number, unless it was made before. Returns whether the agent is done."""
        progress = self.progress
        if len(progress.iterations) < number:
            self._show(Phase.WORKING, iteration=number)
            progress = solving.iterate(
                self._ground,
                self.house.agent_for(self._model),
                self._task,
                progress,
                caps=self._caps,
                baseline=self._baseline.report,
                tell=lambda what: log.info("run %s: %s", self.run_id, what),
            )
            self.house.store.keep_progress(self.run_id, progress)
        if progress.verdict is Verdict.STOPPED:
            raise Stopped
        return progress.verdict is not None

    def take_proof(self) -> None:
        """Judge the change in clean workspaces."""
        progress = self.progress
        if not solving.needs_proof(progress):
            return
        self._show(Phase.PROVING)
        solving.refuse_forbidden(self._ground, progress, protect=self._config.protect, secrets=self.house.secrets)
        self._learn(proof=dump(solving.take_proof(self._ground, progress, self._baseline)))

    # --- 8: publishing, each step looking first for what an earlier try left

    def publishes(self, outcome: Outcome) -> bool:
        """Whether a pull request is wanted for this outcome."""
        return not self.house.dry_run and (outcome is Outcome.PROVEN or not self._config.require_proof)

    def push(self) -> None:
        """Put the commits on the issue's branch, over nothing but what we pushed ourselves."""
        self._still_wanted()
        self._show(Phase.PUBLISHING)
        mirror, url, branch = self._mirror, self._info.clone_url, branch_for(self._at.number)
        when = datetime.fromtimestamp(int(self.house.store.run(self.run_id).started_at), UTC)
        head = solving.commit(self._ground, self.progress, self._task, author=self.house.author, when=when)
        ours = self.house.store.last_pushed(self._at.repository.id, self._at.number) | {head}
        there = mirror.fetch_branch(
            url, branch, credentials=self._credentials(), ca_bundle=self.house.ca_bundle, stop=self.stop
        )
        if there is not None and there not in ours:
            raise Refused(
                f"The branch `{branch}` holds commits that are not selfcode's (`{there[:12]}`). They were left alone; "
                "rename or delete the branch, then comment `/selfcode retry`."
            )
        self._learn(head_sha=head)
        mirror.push(
            url,
            head,
            branch,
            expect=there,
            credentials=self._credentials(),
            ca_bundle=self.house.ca_bundle,
            stop=self.stop,
        )

    def open_pull_request(self, outcome: Outcome, reason: str) -> None:
        """Open the pull request, or bring the open one up to date."""
        self._still_wanted()
        config, branch = self._config, branch_for(self._at.number)
        text = pull_request(
            self.result(outcome, reason),
            self._task,
            branch=branch,
            run_id=self.run_id,
            labels=config.labels,
            reviewers=config.reviewers,
        )
        text = replace(text, title=self._masked(text.title), body=self._masked(text.body))
        opened = self.house.github.publish_pull_request(self._at.repository, branch, self._info.default_branch, text)
        self._learn(pull_request=opened.number)

    def _still_wanted(self) -> None:
        """Raise `Stopped` where the issue was closed or the label taken off while we worked."""
        if self.stop():
            raise Stopped
        if why := withdrawn(self.house.github.issue(self._at), self._trigger, label=self.house.label):
            raise Stopped(why)

    # --- the end

    def post_log(self, outcome: Outcome, reason: str) -> None:
        """Post the iteration log: on the pull request where there is one, else on the issue."""
        if not self.progress.iterations:
            return
        result = self.result(outcome, reason)
        at = IssueRef(self._at.repository, result.pull_request) if result.pull_request else self._at
        body = iteration_log(self.progress, result.baseline, run_id=self.run_id)
        self.house.github.post_comment(at, self._masked(body), marker=log_marker(self.run_id))

    def set_check(self, outcome: Outcome, reason: str) -> None:
        """Set the check run on the head that was published."""
        result = self.result(outcome, reason)
        if result.pull_request is None:
            return
        text = check(result)
        self.house.github.set_check(
            self._at.repository,
            result.head_sha,
            conclusion=text.conclusion,
            title=self._masked(text.title),
            summary=self._masked(text.summary),
        )

    def show_result(self, outcome: Outcome, reason: str) -> None:
        """Turn the progress comment into the result. What was never admitted is never answered."""
        if self._facts.get("admitted"):
            result = self.result(outcome, reason)
            self._write(result_comment(result, run_id=self.run_id, caps=self._caps_or_default))

    def finish(self, outcome: Outcome, reason: str) -> None:
        """End the run in the store."""
        self.house.store.finish(self.run_id, outcome, reason)
        log.info("run %s ends: %s %s", self.run_id, outcome, reason)

    def result(self, outcome: Outcome, reason: str) -> RunResult:
        """All that there is to say by now."""
        facts = self._facts
        return RunResult(
            outcome=outcome,
            reason=reason,
            plan=load(TestPlan, facts["plan"]) if "plan" in facts else None,
            baseline=load(TestReport, facts["baseline"]) if "baseline" in facts else None,
            progress=self.progress,
            proof=self.proof,
            base_sha=facts.get("base", ""),
            head_sha=facts.get("head_sha", ""),
            model=self._model_or_default,
            sandbox=self.house.sandbox.name,
            pull_request=facts.get("pull_request"),
        )

    # --- what is known

    @property
    def progress(self) -> Progress:
        """The agent's state as last kept."""
        return self.house.store.progress(self.run_id)

    @property
    def proof(self) -> Proof | None:
        """The proof, once it was taken."""
        text = self._facts.get("proof")
        return load(Proof, text) if text else None

    @property
    def _facts(self) -> dict[str, Any]:
        return self.house.store.facts(self.run_id)

    def _learn(self, **found: Any) -> None:
        self.house.store.learn(self.run_id, **found)

    @property
    def _trigger(self) -> Trigger:
        return self.house.store.run(self.run_id).trigger

    @property
    def _at(self) -> IssueRef:
        return self._trigger.issue

    @property
    def _info(self) -> RepositoryInfo:
        return load(RepositoryInfo, self._facts["info"])

    @property
    def _task(self) -> Task:
        return load(Task, self._facts["task"])

    @property
    def _base(self) -> str:
        base: str = self._facts["base"]
        return base

    @property
    def _plan(self) -> TestPlan:
        return load(TestPlan, self._facts["plan"])

    @property
    def _baseline(self) -> solving.Baseline:
        facts = self._facts
        planted = facts["plant"]
        return solving.Baseline(load(TestReport, facts["baseline"]), Plant(*planted) if planted else None)

    @property
    def _mirror(self) -> Mirror:
        return Mirror(self.house.mirror_path(self._at.repository))

    @property
    def _config(self) -> RepositoryConfig:
        """The repository's configuration at the base commit. Raises `Refused` where it is wrong."""
        mirror, base = self._mirror, self._base
        return read_config(lambda path: mirror.read(base, path))

    @property
    def _model(self) -> str:
        wanted = self._config.model
        if wanted and wanted not in (self.house.model, *self.house.models):
            raise Refused(f"The model `{wanted}` is not among those that the operator allows (SELFCODE_MODELS).")
        return wanted or self.house.model

    @property
    def _caps(self) -> Caps:
        return self._config.lowered(self.house.caps)

    @property
    def _model_or_default(self) -> str:
        try:
            return self._model if "base" in self._facts else self.house.model
        except Refused:
            return self.house.model

    @property
    def _caps_or_default(self) -> Caps:
        try:
            return self._caps if "base" in self._facts else self.house.caps
        except Refused:
            return self.house.caps

    @property
    def _ground(self) -> Ground:
        return Ground(
            mirror=self._mirror,
            base=self._base,
            plan=self._plan,
            sandbox=self.house.sandbox,
            image=self._facts.get("image"),
            limits=self.house.limits,
            stop=self.stop,
        )

    def _credentials(self) -> Credentials:
        return Credentials(self._info.clone_url, self.house.github.git_token(self._at.repository))

    # --- what people see meanwhile

    def _show(self, phase: Phase, *, iteration: int = 1) -> None:
        facts = self._facts
        view = ProgressView(
            run_id=self.run_id,
            phase=phase,
            caps=self._caps_or_default,
            progress=self.progress,
            iteration=iteration,
            plan=load(TestPlan, facts["plan"]) if "plan" in facts else None,
            baseline=load(TestReport, facts["baseline"]) if "baseline" in facts else None,
            model=self._model_or_default,
            sandbox=self.house.sandbox.name,
            sandbox_isolated=self.house.sandbox.isolated,
            left_out=load(Task, facts["task"]).left_out,
        )
        self._politely(lambda: self._write(progress_comment(view)))

    def _write(self, body: str) -> None:
        """Bring the run's one comment to this text."""
        body = self._masked(body)
        comment_id = self._facts.get("comment_id")
        if comment_id is None:
            posted = self.house.github.post_comment(self._at, body, marker=progress_marker(self.run_id))
            self._learn(comment_id=posted)
        else:
            self.house.github.edit_comment(self._at, comment_id, body)

    def _masked(self, text: str) -> str:
        return mask_secrets(text, self.house.secrets)

    def _politely(self, say: Any) -> None:
        """Say something that the run does not depend on: a locked issue or a missing permission is only logged."""
        try:
            say()
        except (Refused, Gone, Unavailable) as problem:
            log.warning("run %s: not said: %s", self.run_id, problem)
