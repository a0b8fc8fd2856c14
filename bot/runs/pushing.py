"""The run's commits on the way to its branch, over nothing that is not ours."""

import logging
from dataclasses import dataclass, replace
from typing import Any

from bot.errors import Refused, Stopped
from bot.records import Proof
from bot.repository import Moved
from bot.runs import solving
from bot.runs.branch import Footing, Joined, Standing, by_people, standing
from bot.runs.commits import commit_merge, commit_work, words_of
from bot.runs.continuing import our_commits, paths_in_words
from bot.runs.ground import Ground
from bot.runs.jobs import job_of
from bot.runs.judgement import PATCH_KEPT, newest_judgement
from bot.runs.known import Known
from bot.runs.provenance import with_head
from bot.runs.reading import withdrawn
from bot.runs.signing import Signing
from bot.runs.stopping import StopFlag
from bot.runs.verifying import missing_of_protected

PUSHES_AT_MOST = 3

log = logging.getLogger(__name__)


def refuse_unwanted(known: Known, stop: StopFlag) -> None:
    """Raise `Stopped` where the issue was closed or the label taken off while we worked."""
    if stop():
        raise Stopped
    if why := withdrawn(known.house.github.issue(known.at), known.trigger, label=known.house.label):
        raise Stopped(why)


@dataclass(frozen=True, slots=True)
class Pushing:
    """A run's push. Every method may be called again after it was cut off."""

    known: Known
    stop: StopFlag

    @property
    def head(self) -> str:
        """The commit that is to be the branch's: the run's own last one, or that which joins it with people's.

        Where GitHub has written it anew it is GitHub's.
        """
        return self._signing.image(self._planned)

    @property
    def _planned(self) -> str:
        joined = self.known.joined
        return joined.head if joined else self._commits[-1]

    @property
    def _signing(self) -> Signing:
        return Signing(self.known, self.stop)

    @property
    def _commits(self) -> tuple[str, ...]:
        """The commits that the work comes to, oldest first: the same each time; at least what it goes on from."""
        known, footing, joined = self.known, self.known.footing, self.known.joined
        if joined and joined.over:
            footing = replace(footing, base=joined.over)
        tree = replace(known.ground(self.stop), base=footing.base).tree(known.progress.change)
        made = commit_work(known.mirror, footing, tree, words_of(known), base_branch=known.info.default_branch)
        return (footing.onto, *made)

    def is_news(self, head: str) -> bool:
        """Whether there is anything to push or say: an open pull request with a proof of this commit has it all."""
        known, footing = self.known, self.known.footing
        if head != footing.head or footing.pull_request is None:
            return True
        told = newest_judgement(known.house.store, known.at.repository.id, footing.pull_request, told=True)
        return told is None or told.head != head

    def push(self) -> bool:
        """Put the commits on the branch. False where people pushed meanwhile: theirs and ours are joined now.

        What is joined wants a proof of its own, before it is pushed. Raises `Refused` where the two don't fit.
        """
        self._signing.tidy()
        self._refuse_unwanted()
        known, planned = self.known, self._planned
        if known.joined and not self._is_proven(planned):  # cut off between the two
            return False
        footing, url = known.footing, known.info.clone_url
        made = () if known.joined else self._commits
        ours = {*known.commits, *made} - {footing.base, footing.head}
        known.learn(commits=sorted(ours), branch=footing.branch)
        remote: dict[str, Any] = {
            "credentials": known.credentials(),
            "ca_bundle": known.house.ca_bundle,
            "stop": self.stop,
        }
        for tries_left in reversed(range(PUSHES_AT_MOST)):
            there = known.mirror.fetch_branch(url, footing.branch, **remote)
            head = self._signing.image(planned)
            match self._standing(footing, head, there):
                case Standing.PUSHED:
                    break
                case Standing.AHEAD if there is not None:
                    newest = known.mirror.fetch_branch(url, known.info.default_branch, **remote)
                    self._join(footing, planned, there, newest=newest)
                    return False
                case Standing.ELSEWHERE | Standing.AHEAD:
                    raise Moved(footing.branch, there)
                case Standing.AS_LEFT | Standing.GONE:
                    head = self._signing.sign(planned, remote["credentials"])
                    known.house.store.require_held()
                    try:
                        known.mirror.push(url, head, footing.branch, expect=there, **remote)
                        break
                    except Moved:
                        if not tries_left:
                            raise
        known.learn(head_sha=head)
        self._look_at_base(known.mirror.fetch_branch(url, known.info.default_branch, **remote), head)
        return True

    def join_again(self) -> None:
        """Make what joins the work with people's once more, where it was made on another machine alone.

        Raises `Refused` where that can't be.
        """
        known, mirror, joined = self.known, self.known.mirror, self.known.joined
        if joined is None or mirror.has(joined.head):
            return
        footing, words, planned = known.footing, words_of(known), self._commits[-1]
        there = footing.head or ""
        merge = mirror.merge(there, planned, stop=self.stop)
        made = commit_merge(mirror, merge.tree, [there, planned], words.of_join(footing.branch), words)
        if made != joined.head:
            raise Refused(
                f"Somebody pushed to `{footing.branch}` while the run worked, and the machine that had joined the two "
                "is gone. The work is kept; `/selfcode retry` goes on from what the branch holds."
            )

    def prove_joined(self, ground: Ground) -> Proof:
        """Judge what the branch is to hold where people's commits are in it."""
        known, head = self.known, self.head
        job = job_of(known)
        proof = solving.prove_tree(
            ground, head, job.baseline, hidden=job.hidden, left_s=60 * job.caps.minutes - known.progress.spend.seconds
        )
        touched = missing_of_protected(known.mirror, known.base, head, known.config.protect)
        return with_head(replace(proof, missing=(*proof.missing, *touched)), head)

    def tidy(self) -> None:
        """Leave nothing on the server that no branch holds. Raises `Unavailable`."""
        self._signing.tidy()

    def _is_proven(self, planned: str) -> bool:
        proof = self.known.proof
        proven = proof.provenance.head if proof is not None and proof.provenance is not None else ""
        return proven in (planned, self._signing.image(planned))

    def _standing(self, footing: Footing, head: str, there: str | None) -> Standing:
        mirror, expected = self.known.mirror, footing.head
        return standing(
            there,
            expected=expected,
            holds_ours=there is not None and mirror.is_ancestor(head, there),
            holds_expected=there is not None and expected is not None and mirror.is_ancestor(expected, there),
        )

    def _join(self, footing: Footing, head: str, there: str, *, newest: str | None) -> None:
        """Take up what was pushed meanwhile: a merge of both, on top of theirs. Raises `Refused` for a conflict.

        Where that brought in what the base branch, at `newest` by now, holds, it is the base from here on: what others
        did there is neither the work of this run nor of those who pushed.
        """
        known, mirror = self.known, self.known.mirror
        earlier = known.joined or Joined("", (), 0)
        if earlier.times >= PUSHES_AT_MOST:
            raise Moved(footing.branch, there)
        merge = mirror.merge(there, head, stop=self.stop)
        if not merge.is_clean:
            raise Refused(_does_not_fit(footing.branch, there, merge.conflicts))
        words = words_of(known)
        joined = commit_merge(mirror, merge.tree, [there, head], words.of_join(footing.branch), words)
        base = (mirror.merge_base(newest, joined) if newest else None) or footing.base
        people = by_people(mirror.commits(newest or base, there), our_commits(known.house.store, mirror, known.at))
        theirs = tuple(sha for sha in people if sha not in footing.by_people)
        change = mirror.change(base, joined)
        known.learn(
            base=base,
            footing=replace(
                footing, base=base, head=there, by_people=tuple(sha for sha in people if sha not in theirs)
            ),
            joined=Joined(joined, theirs, earlier.times + 1, earlier.over or footing.base),
            commits=[*known.commits, joined],
            change=change if len(change.patch) <= PATCH_KEPT else replace(change, patch=""),
        )
        log.info("run %s: joined with what was pushed meanwhile: %s", known.run_id, there)

    def _look_at_base(self, newest: str | None, head: str) -> None:
        """Keep where the base branch is by now, and whether what was pushed goes into it."""
        known, mirror = self.known, self.known.mirror
        if newest is None or mirror.is_ancestor(newest, head):
            known.learn(base_moved_to="", unmerged=[])
        elif mirror.merge_base(newest, head) is not None:
            known.learn(base_moved_to=newest, unmerged=list(mirror.merge(head, newest, stop=self.stop).conflicts))

    def _refuse_unwanted(self) -> None:
        """Raise where there is nothing to push to, or nobody wants it any more; look up what the repository is called.

        A renamed one is pushed to under its new name; of a default branch that was renamed, the new one is the base.
        """
        known, github = self.known, self.known.house.github
        info = github.repository(known.at.repository)
        known.learn(info=info)
        refuse_unwanted(known, self.stop)
        if info.is_archived:
            raise Refused("The repository was archived meanwhile: nothing can be pushed to it. The work is kept.")
        number = known.footing.pull_request
        if number is not None:
            state = github.pull_request_numbered(known.at.repository, number).state
            if state != "open":
                raise Stopped(f"pull request #{number} was {state}")


def _does_not_fit(branch: str, there: str, conflicts: tuple[str, ...]) -> str:
    return (
        f"Somebody pushed to `{branch}` while the run worked (`{there[:12]}`), and the two don't fit in "
        f"{paths_in_words(conflicts)}. "
        "Nothing was pushed over it, and the work is kept; `/selfcode retry` goes on from what the branch holds."
    )
