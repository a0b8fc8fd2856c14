"""A run's change as commits: the tests, then the rest; the same each time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from bot.proof import goes_with_tests
from bot.records import OPERATOR, Person, Task, Trigger, TriggerKind
from bot.repository import CommitStyle, Mirror
from bot.runs.branch import Footing
from bot.runs.deciding import UNASKED
from bot.runs.known import Known
from bot.runs.solving import Author
from bot.writing.masking import mask_secrets
from bot.writing.pull_request import title

_TYPED = re.compile(r"[a-z]+(\([^()]*\))?!?: ")


@dataclass(frozen=True, slots=True)
class Words:
    """What the commits of a run say: the change's subject, the trailers below it, who commits, and when.

    `when` is the run's own beginning, so that the same run makes the same commits however often it is told.
    """

    subject: str
    author: Author
    when: datetime
    style: CommitStyle = CommitStyle.PLAIN
    trailers: tuple[str, ...] = ()

    @property
    def of_change(self) -> str:
        """The message of the change's commit."""
        typed = self.style is CommitStyle.PLAIN or _TYPED.match(self.subject)
        return self._message(self.subject if typed else f"fix: {self.subject}")

    @property
    def of_tests(self) -> str:
        """The message of the tests' commit."""
        if self.style is CommitStyle.PLAIN:
            return self._message(f"Test: {self.subject}")
        return self._message(f"test: {_TYPED.sub('', self.subject, count=1)}")

    def of_merge(self, base: str, branch: str) -> str:
        """The message of a commit that brings the base's newest state into the branch."""
        return self._message(f"Merge {base} into {branch}")

    def of_join(self, branch: str) -> str:
        """The message of a commit that joins the work with what people pushed to the branch meanwhile."""
        return self._message(f"Merge what was pushed to {branch} meanwhile")

    def _message(self, subject: str) -> str:
        return "\n\n".join([subject, *(["\n".join(self.trailers)] if self.trailers else [])])


def words_of(known: Known) -> Words:
    """What a run's commits say, without secrets."""
    config, house, host = known.config, known.house, urlsplit(known.info.clone_url).hostname or "github.com"
    return Words(
        subject=mask_secrets(subject_of(known.task, known.trigger), house.secrets),
        author=house.author,
        when=datetime.fromtimestamp(int(known.started_at), UTC),
        style=config.commit_style,
        trailers=trailers_for(_who_asked(known.trigger), house.author, host=host, sign_off=config.sign_off),
    )


def subject_of(task: Task, trigger: Trigger | None = None) -> str:
    """What the change's commit is called: the issue's title, and what it answers where that is not the issue."""
    match trigger:
        case Trigger(kind=TriggerKind.REVIEW, sender=sender):
            return f"Review by {sender.login}: {title(task)}"
        case Trigger(kind=TriggerKind.MEND):
            return f"Failed checks: {title(task)}"
        case _:
            return title(task)


def trailers_for(asked: Person | None, author: Author, *, host: str, sign_off: bool) -> tuple[str, ...]:
    """The lines that name who asked for it as a co-author, and sign the commit off for the bot itself.

    `host` is that of GitHub's web pages. Nobody signs off for a person: the words of a sign-off are one's own.

    Source: https://docs.github.com/en/account-and-profile/reference/email-addresses-reference#your-noreply-email-address
    """
    signed = (f"Signed-off-by: {author.name} <{author.email}>",) if sign_off else ()
    if asked is None or asked.is_bot:
        return signed
    mailbox = asked.login if asked.id is None else f"{asked.id}+{asked.login}"
    return (f"Co-authored-by: {asked.login} <{mailbox}@users.noreply.{host}>", *signed)


def _who_asked(trigger: Trigger) -> Person | None:
    """Who a run is for; None where nobody did on GitHub, whoever it has to do with."""
    return None if trigger.kind in UNASKED or trigger.sender == OPERATOR else trigger.sender


def commit_change(mirror: Mirror, onto: str, tree: str, words: Words) -> tuple[str, ...]:
    """Write what a tree changes over a commit as commits on top of it, oldest first; none where it changes nothing."""
    with_tests = {file.path for file in mirror.changed_files(onto, tree) if goes_with_tests(file)}
    tests_only = mirror.tree_of(onto, tree, lambda path: path in with_tests)
    made: list[str] = []
    before = mirror.tree_with(onto, {})
    for part, message in ((tests_only, words.of_tests), (mirror.tree_with(tree, {}), words.of_change)):
        if part != before:
            made.append(_commit(mirror, part, [made[-1] if made else onto], message, words))
            before = part
    return tuple(made)


def commit_merge(mirror: Mirror, tree: str, parents: Sequence[str], message: str, words: Words) -> str:
    """Write a merge of these parents."""
    return _commit(mirror, tree, parents, message, words)


def commit_work(mirror: Mirror, footing: Footing, tree: str, words: Words, *, base_branch: str) -> tuple[str, ...]:
    """Write a run's work as commits on top of what it goes on from, oldest first.

    Where it solved conflicts, the first is the merge with the base, which holds the solution and nothing else.
    """
    onto, made = footing.onto, tuple[str, ...]()
    if footing.conflicts:
        solved = mirror.tree_of(footing.tree, tree, lambda path: path in footing.conflicts)
        message = words.of_merge(base_branch, footing.branch)
        onto = commit_merge(mirror, solved, [footing.onto, footing.base], message, words)
        made = (onto,)
    return (*made, *commit_change(mirror, onto, tree, words))


def _commit(mirror: Mirror, tree: str, parents: Sequence[str], message: str, words: Words) -> str:
    return mirror.commit(
        tree,
        parents=parents,
        message=message,
        author_name=words.author.name,
        author_email=words.author.email,
        when=words.when,
    )
