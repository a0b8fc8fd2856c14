"""A workspace over a container that does not obey."""

from collections.abc import Mapping, Sequence
from typing import Self

from sandbox import scripts
from sandbox.containers.frames import Stream
from sandbox.containers.workspace import ContainerWorkspace
from sandbox.contract import Ending, Limits
from sandbox.output import Output, Watch


class Endless:
    """A command that says nothing and does not end by itself; one of ours is done at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def fileno(self) -> int:
        return 0

    def send(self, data: bytes) -> None: ...

    def offer(self, data: bytes) -> int:
        return len(data)

    def read(self, wait_s: float) -> list[tuple[Stream, bytes]] | None:
        return None

    def follow(self, watch: Watch, output: Output) -> Ending:
        return Ending.TIMED_OUT

    def close(self) -> None: ...

    def drain(self, output: Output) -> None: ...

    def exit_code(self) -> int:
        return 0


class Stubborn:
    """A container in which nothing can be ended."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def execute(self, words: Sequence[str], *, user: str, env: Mapping[str, str]) -> Endless:
        self.done.append(" ".join(words[2:]))
        return Endless()

    def is_known_silent(self) -> bool:
        return False

    def is_silent(self, *, within_s: float = 0.0) -> bool:
        return False

    def replace(self) -> None:
        self.done.append("replace")

    def commit(self, *, repository: str, tag: str, labels: Mapping[str, str]) -> str:
        return f"{repository}:{tag}"


def opened(box: Stubborn, *, left: str | None) -> ContainerWorkspace:
    return ContainerWorkspace(box, Limits(), user="1000", home="/home/sandbox", left=left)


def test_home_leads_to_what_setup_left_in_the_container_that_replaces_another_too() -> None:
    box = Stubborn()

    opened(box, left="/opt/selfcode/left").run("true")

    assert box.done[-2:] == ["replace", f"{scripts.LINK_HOME} sh /opt/selfcode/left"]


def test_a_container_whose_setup_left_nothing_is_replaced_as_it_is() -> None:
    box = Stubborn()

    opened(box, left=None).run("true")

    assert box.done[-1] == "replace"
