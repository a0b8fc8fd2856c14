"""Who may have a proof taken again, of what, and what is said: on a real store and mirror, with a fake GitHub."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database

from bot.errors import Refused
from bot.records import Evidence, IssueRef, Outcome, Proof, PullRequestText, Task, TriggerKind
from bot.repository import Mirror
from bot.repository.git import EMPTY_TREE, run_git
from bot.runs.house import House
from bot.runs.judgement import newest_judgement
from bot.runs.known import Known
from bot.runs.moved import Moved
from bot.runs.renewal import Renewal
from bot.runs.stopping import StopFlag
from bot.runs.store import SqlInbox, Store
from bot.writing.document import marker
from tests.github.fake import FakeGitHub, FakePull, FakeRepository
from tests.runs.builders import MAINTAINER, STRANGER, a_database, a_house, a_trigger
from tests.writing.builders import a_plan, a_provenance, a_report

PAGES = "https://bot.example.com"
PROVEN, PUSHED = "2a9b" * 10, "3c4d" * 10
ALTERED = ("test_calc.py: test_add loosens a comparison",)
UNPROVEN = Proof(
    ("Existing tests were altered: test_calc.py.",),
    Evidence(),
    a_report(),
    head=a_report(),
    tests_altered=ALTERED,
    provenance=a_provenance(head=PROVEN),
)
BEFORE = f"before\n\n{marker('pull-request', 'r')}"
"""What an earlier version of ours wrote, of which nothing is kept."""
HELD = replace(UNPROVEN, missing=(), accepted_by=MAINTAINER.login)


@dataclass
class Scene:
    """An issue whose run has ended with a draft pull request and its proof."""

    home: Path
    database: Database
    proof: Proof = UNPROVEN
    github: FakeGitHub = field(default_factory=FakeGitHub)
    repository: FakeRepository = field(init=False)
    issue: IssueRef = field(init=False)
    origin: str = field(init=False)

    def __post_init__(self) -> None:
        self.repository = self.github.add_repository("octo/cat")
        self.repository.roles[MAINTAINER.login] = "write"
        self.issue = self.github.open_issue(self.repository.ref, labels=("selfcode",))
        self.repository.branches[self.branch] = PROVEN
        text = PullRequestText("Fix it", BEFORE, draft=True)
        number = self.github.publish_pull_request(self.repository.ref, self.branch, "main", text).number
        self.origin = self.begun(TriggerKind.START)
        known = Known(self.house, self.origin)
        made = self.proof.provenance
        assert made is not None
        self.proof = replace(self.proof, provenance=replace(made, base=a_base(known.mirror)))
        known.learn(
            task=Task("It breaks", "Always.", number=self.issue.number),
            info=self.github.repository(self.repository.ref),
            plan=a_plan(),
            baseline=a_report(),
            pull_request=number,
            head_sha=PROVEN,
            proof=self.proof,
        )
        self.house.store.finish(self.origin, Outcome.UNPROVEN, "")

    @property
    def branch(self) -> str:
        return f"selfcode/issue-{self.issue.number}"

    @property
    def pull(self) -> FakePull:
        return self.repository.pulls[0]

    @property
    def house(self) -> House:
        return replace(a_house(Store(self.database), self.github, self.home), pages=PAGES)

    def begun(self, kind: TriggerKind, **changed: Any) -> str:
        store = Store(self.database)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        usual: dict[str, Any] = {"issue": self.issue, "sender": MAINTAINER, "occurred_at": now}
        SqlInbox(self.database).accept(a_trigger(kind, **(usual | changed)))
        return store.begin_run(store.waiting()[-1])

    def asked(self, kind: TriggerKind = TriggerKind.ACCEPT, **changed: Any) -> Renewal:
        comment: dict[str, Any] = (
            {} if kind is TriggerKind.RENEW else {"comment_id": self.comment(), "pull_request": self.pull.number}
        )
        run_id = self.begun(kind, **(comment | changed))
        return Renewal(Known(self.house, run_id), StopFlag(Store(self.database), run_id))

    def comment(self) -> int:
        at = IssueRef(self.issue.repository, self.pull.number)
        return self.github.say(at, "/selfcode accept-tests", by=MAINTAINER.login)

    def judged(self, renewal: Renewal, proof: Proof = HELD) -> None:
        """As if the steps between had judged the branch."""
        renewal.known.learn(base="1f0c" * 10, plan=a_plan(), baseline=a_report(), proof=proof)

    def proven_again(self, head: str, outcome: Outcome, *, kind: TriggerKind = TriggerKind.RENEW) -> str:
        """A run that has taken a proof of this commit, and ended so."""
        run_id = self.begun(kind)
        known = Known(self.house, run_id)
        proof = replace(self.proof, provenance=a_provenance(base=self.base, head=head))
        known.learn(
            task=Known(self.house, self.origin).task,
            plan=a_plan(),
            baseline=a_report(),
            pull_request=self.pull.number,
            head_sha=head,
            proof=proof,
        )
        self.house.store.finish(run_id, outcome, "")
        return run_id

    @property
    def base(self) -> str:
        assert self.proof.provenance is not None
        return self.proof.provenance.base

    @property
    def answers(self) -> list[str]:
        return [said.body for said in self.pull.thread.comments if said.author.login == self.github.login]

    @property
    def reactions(self) -> list[str]:
        return [content for given in self.pull.thread.comment_reactions.values() for _, content in given]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with a_database(tmp_path) as opened:
        yield opened


@pytest.fixture
def scene(tmp_path: Path, database: Database) -> Scene:
    return Scene(tmp_path, database)


def a_base(mirror: Mirror) -> str:
    run_git(["init", "--quiet", "--bare", "--template=", "--", str(mirror.path)])
    run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=mirror.path)
    return mirror.commit(
        EMPTY_TREE, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )


def refused(renewal: Renewal) -> str:
    """The refusal of the first step, answered as at a run's end."""
    with pytest.raises(Refused) as refusal:
        renewal.admit()
    for _, work in renewal.last_words(Outcome.REFUSED, str(refusal.value)):
        work()
    return str(refusal.value)


def test_whose_word_it_is_and_of_which_commit_is_kept(scene: Scene) -> None:
    renewal = scene.asked()

    renewal.admit()

    facts = scene.house.store.facts(renewal.run_id)
    assert (facts["accepted_by"], facts["judged"], facts["origin"]) == (MAINTAINER.login, PROVEN, scene.origin)
    assert renewal.known.trigger.comment_id is not None
    assert scene.reactions == ["eyes"]


def test_a_word_on_the_tests_by_a_stranger_counts_for_nothing_and_is_not_answered(scene: Scene) -> None:
    refused(scene.asked(sender=STRANGER))

    assert scene.reactions == ["-1"]
    assert scene.answers == []
    assert scene.pull.text.body == BEFORE


def test_where_no_pull_request_is_open_there_is_nothing_to_accept(scene: Scene) -> None:
    scene.pull.state = "closed"

    assert refused(scene.asked()) == "There is no open pull request of selfcode's for this issue."
    assert scene.answers[0].startswith("There is no open pull request")


def test_where_no_test_was_altered_there_is_nothing_to_accept(tmp_path: Path, database: Database) -> None:
    scene = Scene(tmp_path, database, proof=replace(UNPROVEN, tests_altered=()))

    assert "alters no existing test" in refused(scene.asked())


def test_what_was_accepted_once_is_not_accepted_again(tmp_path: Path, database: Database) -> None:
    scene = Scene(tmp_path, database, proof=HELD)

    assert f"accepted already, by {MAINTAINER.login}" in refused(scene.asked())


def test_a_word_on_the_tests_is_of_what_was_proven_not_of_what_was_pushed_since(scene: Scene) -> None:
    scene.repository.branches[scene.branch] = PUSHED

    assert "Press “Re-run” on the check `selfcode` first" in refused(scene.asked())
    assert len(scene.answers) == 1


def test_a_word_on_the_tests_is_not_of_a_proof_that_came_after_it(scene: Scene) -> None:
    accepting = scene.asked()
    scene.proven_again(PUSHED, Outcome.UNPROVEN)
    scene.repository.branches[scene.branch] = PUSHED

    assert refused(accepting) == "A newer proof came meanwhile: look at that one, then say it again."
    assert len(scene.answers) == 1


def test_said_again_after_the_newer_proof_it_counts(scene: Scene) -> None:
    scene.proven_again(PUSHED, Outcome.UNPROVEN)
    scene.repository.branches[scene.branch] = PUSHED
    accepting = scene.asked()

    accepting.admit()

    assert scene.house.store.facts(accepting.run_id)["judged"] == PUSHED


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.STOPPED])
def test_a_proof_that_was_kept_and_never_said_can_not_be_accepted(scene: Scene, outcome: Outcome) -> None:
    scene.proven_again(PUSHED, outcome)
    scene.repository.branches[scene.branch] = PUSHED

    assert "Press “Re-run” on the check `selfcode` first" in refused(scene.asked())


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.STOPPED])
def test_an_acceptance_that_could_not_be_said_does_not_keep_out_the_next_and_is_not_carried_on(
    scene: Scene, outcome: Outcome
) -> None:
    unsaid = scene.asked()
    unsaid.admit()
    scene.judged(unsaid)
    unsaid.finish(outcome, "GitHub does not answer")
    again, renewing = scene.asked(), scene.asked(TriggerKind.RENEW)

    again.admit()
    renewing.admit()

    store = scene.house.store
    kept = [store.facts(run.run_id)["accepted_by"] for run in (again, renewing)]
    assert kept == [MAINTAINER.login, ""]


def test_what_was_taken_again_since_re_run_was_pressed_is_not_taken_once_more(scene: Scene) -> None:
    pressed_again = scene.asked(TriggerKind.RENEW)
    scene.proven_again(PROVEN, Outcome.UNPROVEN)

    assert "was taken again in the meantime" in refused(pressed_again)
    assert scene.repository.checks == []


@pytest.mark.parametrize(("head", "outcome"), [(PUSHED, Outcome.UNPROVEN), (PROVEN, Outcome.STOPPED)])
def test_re_run_is_not_lost_to_a_proof_of_another_commit_nor_to_one_that_was_stopped(
    scene: Scene, head: str, outcome: Outcome
) -> None:
    pressed_again = scene.asked(TriggerKind.RENEW)
    scene.proven_again(head, outcome)

    pressed_again.admit()

    assert scene.house.store.facts(pressed_again.run_id)["judged"] == PROVEN


def test_re_run_judges_what_the_branch_holds_now_and_an_older_word_is_not_of_that(
    tmp_path: Path, database: Database
) -> None:
    scene = Scene(tmp_path, database, proof=HELD)
    same, other = scene.asked(TriggerKind.RENEW), scene.asked(TriggerKind.RENEW)

    same.admit()
    scene.repository.branches[scene.branch] = PUSHED
    other.admit()

    kept = [scene.house.store.facts(renewal.run_id) for renewal in (same, other)]
    assert [(facts["judged"], facts["accepted_by"]) for facts in kept] == [(PROVEN, MAINTAINER.login), (PUSHED, "")]
    assert scene.reactions == []


def test_where_it_is_proven_now_the_draft_becomes_ready(scene: Scene) -> None:
    renewal = scene.asked()
    renewal.admit()
    scene.judged(renewal)
    renewal.known.learn(base=scene.base)

    renewal.update_pull_request()
    renewal.give_answer(Outcome.PROVEN, "")
    renewal.give_answer(Outcome.PROVEN, "")

    assert not scene.pull.is_draft
    assert scene.pull.text.title == "Fix it"
    assert f"{PAGES}/runs/{renewal.run_id}" in scene.pull.text.body
    assert f"accepted by `{MAINTAINER.login}`" in scene.pull.text.body
    (answer,) = scene.answers
    assert f"Ready for your review: #{scene.pull.number}" in answer


def test_where_github_keeps_the_draft_the_answer_says_so_in_its_words(scene: Scene) -> None:
    scene.github.fail_next("mark_ready", Refused("Resource not accessible"))
    renewal = scene.asked()
    renewal.admit()
    scene.judged(renewal)
    renewal.known.learn(base=scene.base)

    renewal.update_pull_request()
    renewal.give_answer(Outcome.PROVEN, "")

    assert scene.pull.is_draft
    assert "Proven, and a draft still" in scene.answers[0]
    assert "Resource not accessible" in scene.answers[0]


def test_what_was_ready_is_a_draft_again_where_the_proof_that_is_renewed_does_not_hold(
    tmp_path: Path, database: Database
) -> None:
    scene = Scene(tmp_path, database, proof=HELD)
    scene.pull.is_draft = False
    scene.repository.branches[scene.branch] = PUSHED
    renewal = scene.asked(TriggerKind.RENEW)
    renewal.admit()
    scene.judged(renewal, UNPROVEN)
    renewal.known.learn(base=scene.base)

    renewal.update_pull_request()

    assert scene.pull.is_draft
    assert "**A draft again**" in scene.pull.text.body


def test_a_push_during_the_proof_makes_it_stale_at_once_and_the_draft_stays(scene: Scene) -> None:
    renewal = scene.asked()
    renewal.admit()
    scene.judged(renewal)
    scene.repository.branches[scene.branch] = PUSHED

    renewal.update_pull_request()

    assert scene.pull.is_draft
    assert scene.pull.text.body.startswith("⚠️ **Stale**")


def test_a_re_run_that_comes_to_nothing_says_so_in_the_check(scene: Scene) -> None:
    renewal = scene.asked(TriggerKind.RENEW)
    renewal.admit()

    renewal.set_check(Outcome.BASELINE_BROKEN, "The test command on the untouched base: timed out.")

    (check,) = scene.repository.checks
    assert (check.head_sha, check.conclusion) == (PROVEN, "neutral")
    assert check.title == "Not renewed: The test command on the untouched base: timed out."


def test_told_again_from_the_start_it_stays_admitted_whatever_it_has_judged_since(scene: Scene) -> None:
    renewal = scene.asked()
    renewal.admit()
    scene.judged(renewal)

    renewal.admit()

    assert renewal.result.proof is not None


def test_the_newest_proof_is_the_one_that_counts(scene: Scene) -> None:
    renewal = scene.asked()
    renewal.admit()
    scene.judged(renewal)

    found = newest_judgement(scene.house.store, scene.repository.ref.id, scene.pull.number)

    assert found is not None
    assert (found.run_id, found.origin, found.proof.accepted_by) == (
        renewal.run_id,
        scene.origin,
        MAINTAINER.login,
    )


# --- A person's push


def told(scene: Scene) -> Moved:
    run_id = scene.begun(TriggerKind.MOVED, sender=STRANGER)
    moved = Moved(Known(scene.house, run_id), StopFlag(scene.house.store, run_id))
    if moved.look():
        moved.update_pull_request()
        moved.set_check()
    return moved


def test_a_push_makes_the_proof_stale_in_the_pull_request_and_on_the_commit(scene: Scene) -> None:
    scene.repository.branches[scene.branch] = PUSHED

    told(scene)

    assert scene.pull.text.body.startswith("⚠️ **Stale**: the proof below is of `2a9b2a9b2a`")
    assert f"{PAGES}/runs/{scene.origin}" in scene.pull.text.body
    (check,) = scene.repository.checks
    assert (check.head_sha, check.conclusion) == (PUSHED, "neutral")


def test_a_branch_that_is_put_back_is_stale_no_more(scene: Scene) -> None:
    scene.repository.branches[scene.branch] = PUSHED
    told(scene)
    scene.repository.branches[scene.branch] = PROVEN

    told(scene)

    assert scene.pull.text.body.startswith("⚠️ **Unproven**")
    assert [check.head_sha for check in scene.repository.checks] == [PUSHED]


def test_what_a_run_of_ours_pushed_is_told_by_that_run(scene: Scene) -> None:
    scene.repository.branches[scene.branch] = PUSHED
    scene.house.store.learn(scene.begun(TriggerKind.RETRY), head_sha=PUSHED)

    assert told(scene).look() == ""
    assert scene.pull.text.body == BEFORE


@pytest.mark.parametrize("kind", [TriggerKind.RETRY, TriggerKind.RENEW])
def test_an_older_commit_of_ours_that_a_person_puts_back_is_as_stale_as_theirs(scene: Scene, kind: TriggerKind) -> None:
    scene.proven_again(PUSHED, Outcome.PROVEN, kind=kind)
    scene.repository.branches[scene.branch] = PROVEN

    told(scene)

    assert scene.pull.text.body.startswith(f"⚠️ **Stale**: the proof below is of `{PUSHED[:10]}`")
    assert [check.head_sha for check in scene.repository.checks] == [PROVEN]


def test_what_a_run_pushed_that_could_not_say_it_is_as_stale(scene: Scene) -> None:
    scene.proven_again(PUSHED, Outcome.ERROR, kind=TriggerKind.RETRY)
    scene.repository.branches[scene.branch] = PUSHED

    told(scene)

    assert scene.pull.text.body.startswith(f"⚠️ **Stale**: the proof below is of `{PROVEN[:10]}`")


def test_a_pull_request_that_is_closed_by_now_is_left_alone(scene: Scene) -> None:
    scene.pull.state = "closed"

    assert told(scene).look() == ""
