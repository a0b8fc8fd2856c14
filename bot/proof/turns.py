"""In which order what does not depend on each other is done: whoever runs a proof decides."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


def never(_: object) -> bool:
    """No result is doubtful."""
    return False


class Each(Protocol):
    """Does one thing to each, side by side or in turn, and returns the results in the order of what was given.

    A result that is doubtful, for what else went on at the time, is taken once more alone. Raises what the first to
    fail raises, as soon as nothing goes on any more.
    """

    def __call__(
        self,
        work: Callable[[Given], Result],
        given: Sequence[Given],
        *,
        is_doubtful: Callable[[Result], bool] = never,
    ) -> Sequence[Result]: ...


def in_turn(
    work: Callable[[Given], Result],
    given: Sequence[Given],
    *,
    is_doubtful: Callable[[Result], bool] = never,  # noqa: ARG001 - nothing else goes on
) -> Sequence[Result]:
    """One after the other."""
    return [work(one) for one in given]
