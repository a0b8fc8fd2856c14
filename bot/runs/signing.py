"""The run's commits as GitHub's own: the same trees and words, written by its API, which signs them for an App."""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import StopCheck
from bot.repository import Credentials, GitFailed, Written
from bot.runs.known import Known
from bot.runs.provenance import with_head
from bot.runs.stopping import StopFlag

TIDY_S = 30.0
"""How long a server may take to let a ref go: a run that was stopped waits for that."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Signing:
    """What stands for a run's own commits on its branch. Every method may be called again after it was cut off.

    The commits made here are the plan: the same each time. GitHub's own differ in who made them and when, and so in
    their ids; which is whose is kept with the run as soon as GitHub has said so.
    """

    known: Known
    stop: StopFlag
    tidy_s: float = TIDY_S

    def image(self, sha: str) -> str:
        """GitHub's commit in the place of one made here, where there is one; else that itself."""
        made = self._made.get(sha, "")
        return made if made and self.known.mirror.has(made) else sha

    def sign(self, head: str, credentials: Credentials) -> str:
        """Have GitHub write all commits up to `head` that it has not got; return what is to be pushed.

        That is `head` itself where the repository does not want it, or where GitHub does not sign or does not let us:
        an unsigned commit is better than none, and a rule that wants signatures says so to the push. What is kept
        names GitHub's commits from here on. Raises: `Unavailable`, `Stopped`.
        """
        known = self.known
        if not known.config.verified_commits or known.facts.get("unsigned"):
            return head
        try:
            self._write(head, credentials)
        except (Refused, Gone, GitFailed) as no:
            log.warning("run %s: its commits are pushed unsigned: %s", known.run_id, no)
            known.learn(unsigned=str(no), verified={})
        return self.image(head)

    def tidy(self, credentials: Credentials | None = None) -> None:
        """Take off the server what commits were brought there by, if a kill has left it. Raises: `Unavailable`.

        A stop does not keep it from being done, nor does it wait for long.
        """
        known = self.known
        if not known.facts.get("staged"):
            return
        by = time.monotonic() + self.tidy_s
        try:
            known.mirror.prepare()
            remote = self._remote(credentials or known.credentials(), stop=lambda: time.monotonic() >= by)
            known.mirror.unstage(known.info.clone_url, known.run_id, **remote)
        except Stopped as late:
            raise Unavailable(f"the server did not let the run's ref go within {self.tidy_s:.0f} s") from late
        except (Refused, Gone, GitFailed) as no:
            log.warning("run %s: its ref is left on the server: %s", known.run_id, no)
        known.learn(staged=False)

    @property
    def _made(self) -> Mapping[str, str]:
        """GitHub's commits by those that were made here."""
        found: Mapping[str, str] = self.known.facts.get("verified", {})
        return found

    def _write(self, head: str, credentials: Credentials) -> None:
        known, footing = self.known, self.known.footing
        besides = [sha for sha in (footing.base, footing.head) if sha]
        planned = known.mirror.written(head, besides=besides)
        wanted = [commit for commit in planned if commit.sha not in self._made]
        if wanted:
            if not known.house.github.signs_commits():
                known.learn(unsigned="This GitHub server does not sign the commits that it writes.")
                return
            with self._staged(head, credentials):
                for commit in wanted:
                    self._have_written(commit)
        if not planned:
            return
        made = self._made
        remote = self._remote(credentials, stop=self.stop)
        known.mirror.fetch_commit(known.info.clone_url, made[head], **remote)
        there = {(each.sha, each.tree, each.parents) for each in known.mirror.written(made[head], besides=besides)}
        if there != {(made[each.sha], each.tree, _instead(each.parents, made)) for each in planned}:
            raise Refused("GitHub's commits are not what they were asked to be.")
        proof = known.proof
        renamed = {"proof": with_head(proof, made[head])} if proof else {}
        known.learn(commits=sorted({*known.commits, *(made[commit.sha] for commit in planned)}), **renamed)

    def _have_written(self, commit: Written) -> None:
        known, made = self.known, self._made
        answer = known.house.github.create_commit(
            known.at.repository,
            tree=commit.tree,
            parents=_instead(commit.parents, made),
            message=commit.message,
        )
        if not answer.is_verified:
            raise Refused(
                f"GitHub does not verify the commits that it writes for the App: {answer.reason or 'no reason'}."
            )
        known.learn(verified={**made, commit.sha: answer.sha})

    @contextmanager
    def _staged(self, head: str, credentials: Credentials) -> Iterator[None]:
        """All that the commit holds is on the server meanwhile, and no branch is touched."""
        known = self.known
        known.learn(staged=True)
        try:
            remote = self._remote(credentials, stop=self.stop)
            known.house.store.require_held()
            known.mirror.stage(known.info.clone_url, head, known.run_id, **remote)
            yield
        finally:
            self.tidy(credentials)

    def _remote(self, credentials: Credentials, *, stop: StopCheck) -> dict[str, Any]:
        return {"credentials": credentials, "ca_bundle": self.known.house.ca_bundle, "stop": stop}


def _instead(parents: Sequence[str], made: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(made.get(parent, parent) for parent in parents)
