"""One command in a workspace that a keeper has."""

import os
import select
from collections.abc import Mapping, Sequence
from typing import Self

from sandbox.contract import Ending, SandboxError
from sandbox.output import Output, Watch
from sandbox.resident.keeping import Keeper
from sandbox.streams import Streams

_STARTING_S = 20.0
_ENDING_S = 20.0


class Command:
    """One command, from `begin` to the end of all that it started, at the latest with the context.

    `process` is the process that will be it, `problem` why it has no exit code though nobody ended it.
    """

    def __init__(self, keeper: Keeper, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._keeper = keeper
        self._request = {"words": list(words), "env": dict(env)}
        self._exit_code: int | None = None
        self._has_ended = False
        self.problem = ""

    def __enter__(self) -> Self:
        (stdout, their_stdout), (stderr, their_stderr) = os.pipe(), os.pipe()
        self._pipes = (stdout, stderr)
        self._streams = Streams(stdout, stderr, also=self._keeper.fileno())
        try:
            self._keeper.ask(b"run", self._request, their_stdout, their_stderr)
            self.process = int(self._keeper.reply(within_s=_STARTING_S)["started"])
        except SandboxError:
            self._close()
            raise
        finally:
            os.close(their_stdout)
            os.close(their_stderr)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._end()
        finally:
            self._close()

    def begin(self) -> None:
        """Let the process become the command."""
        self._keeper.say(b"go")

    def follow(self, output: Output, watch: Watch) -> Ending:
        """Read until the command has ended or has to be ended."""
        while not self._streams.read(output, watch.wait_s):
            if (verdict := watch.verdict(output)) is not None:
                return verdict
        return Ending.EXITED

    def end(self, output: Output) -> int | None:
        """End what is left of the command and take what it had still written; its exit code, if it ended by itself."""
        self._end()
        self._streams.drain(output)
        return self._exit_code

    def _end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        arrived = select.poll()  # not `select`, which has no room for high descriptors
        arrived.register(self._keeper, select.POLLIN)
        if not arrived.poll(0):
            self._keeper.say(b"end")
        reply = self._keeper.reply(within_s=_ENDING_S)
        self._exit_code, self.problem = reply.get("exit"), reply.get("problem", "")

    def _close(self) -> None:
        self._streams.close()
        for descriptor in self._pipes:
            os.close(descriptor)
