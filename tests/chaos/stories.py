"""What is told under chaos: runs of every kind, short ones."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle
from bot.demo.recorded import Recording
from tests.chaos.points import Target
from tests.story import recordings


@dataclass(frozen=True, slots=True)
class Scene:
    """A repository with an issue. In `aside`, another issue, something is asked for while the bot's parts are away."""

    repository: RepositoryHandle
    issue: IssueHandle
    aside: IssueHandle

    @property
    def pull(self) -> PullHandle:
        """The one that is there."""
        (found,) = self.repository.pulls
        return found


def nothing(_: Scene) -> None:
    """Ask for nothing."""


@dataclass(frozen=True, slots=True)
class Story:
    """A run that is asked for by `asks`, after one that `before` asks for.

    `recordings` are what the model replies to who names the story: the issue does. `targets` are what is ended in it.
    """

    name: str
    asks: Callable[[Scene], object]
    recordings: Sequence[Recording] = ()
    before: Callable[[Scene], None] = nothing
    targets: Collection[Target] = (Target.WORKER, Target.HUB)

    @property
    def runs_before(self) -> int:
        return int(self.before is not nothing)

    @property
    def body(self) -> str:
        """The issue's."""
        return f"{recordings.BODY}\n\n{_words_of(self.name)}"


def _words_of(name: str) -> str:
    return f"(It is told as “{name}”.)"


def _label(scene: Scene) -> None:
    scene.issue.label("selfcode", by="ada")


def _review(scene: Scene) -> None:
    scene.pull.review(by="ada", comments=[("calc.py", 2, _SAY), ("calc.py", 1, "Another name?")])


_SAY = "Say what it does."
_ANSWERS = "ANSWER 1: done - it has a docstring now.\nANSWER 2: not done - the name is used elsewhere."
_REVIEWED = recordings.recording(
    f"{recordings.DOCUMENTED}\n{recordings.finish('It says what it does.')}\n{_ANSWERS}", match=_SAY
)

STORIES = (
    Story("issue", _label, [recordings.wrong_then_right(_words_of("issue"))], targets=tuple(Target)),
    Story("review", _review, [_REVIEWED, recordings.right_at_once(_words_of("review"))], before=_label),
    Story(
        "again",
        lambda scene: scene.pull.rerun(by="ada"),
        [recordings.right_at_once(_words_of("again"))],
        before=_label,
    ),
    Story("doctor", lambda scene: scene.issue.comment("/selfcode doctor", by="ada")),
)
"""The first has every step that there is in the work on an issue: there everything is ended."""
