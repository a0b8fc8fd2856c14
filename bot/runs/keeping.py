"""The inbox of a web process: what comes at the same time is kept by one transaction, whose end is what takes long."""

import asyncio
import fcntl
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.errors import Unavailable
from bot.records import Receipt, Trigger

AT_ONCE = 100
"""How many deliveries one transaction keeps at most."""


class Keeper(Protocol):
    """Keeps several triggers in one transaction: all or none."""

    def accept_all(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]: ...


@dataclass
class FileTurn(AbstractContextManager[None]):
    """Lets the processes that write to one SQLite file have their turns, of each one thread.

    Who waits is woken as soon as its turn has come, and is not overtaken; SQLite by itself has it look again, after
    pauses of up to a tenth of a second, while the one that was first goes on and on.
    """

    path: Path
    _file: int = field(init=False)

    def __post_init__(self) -> None:
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)


Kept = Sequence[Receipt] | Exception
"""What came of what was to be kept."""


@dataclass(frozen=True, slots=True)
class _Parcel:
    """What one delivery asks for, and where it waits for what comes of that."""

    triggers: Sequence[Trigger]
    kept: asyncio.Future[Sequence[Receipt]]


class SharedInbox:
    """An inbox for all that one event loop hears: what comes while a transaction is under way is kept by the next one.

    Nobody is answered before the transaction has ended that keeps what they brought.
    """

    def __init__(self, keeper: Keeper, others: AbstractContextManager[None] | None = None) -> None:
        """`others` lets the processes have their turns."""
        self._keeper = keeper
        self._others = others or nullcontext()
        self._brought: list[_Parcel] = []
        self._turn: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "keeping")

    async def keep(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        """Keep all of them, or none. Raises what keeping them raised. Who stops waiting does not take them back."""
        parcel = _Parcel(triggers, asyncio.get_running_loop().create_future())
        self._brought.append(parcel)
        if self._turn is None or self._turn.done():
            self._turn = asyncio.create_task(self._keep_all())
        return await parcel.kept

    async def _keep_all(self) -> None:
        while self._brought:
            parcels, self._brought = self._brought[:AT_ONCE], self._brought[AT_ONCE:]
            brought = [parcel.triggers for parcel in parcels]
            kept = await asyncio.get_running_loop().run_in_executor(self._thread, self._kept, brought)
            for parcel, each in zip(parcels, kept, strict=True):
                _tell(parcel.kept, each)

    def _kept(self, brought: Sequence[Sequence[Trigger]]) -> Sequence[Kept]:
        """What came of each; where it may be one of them alone that can't be kept, each is kept by itself."""
        try:
            with self._others:
                receipts = iter(self._keeper.accept_all([each for triggers in brought for each in triggers]))
            return [[next(receipts) for _ in triggers] for triggers in brought]
        except Unavailable as away:
            return [away] * len(brought)
        except Exception as problem:  # noqa: BLE001 - raised again to whoever waits for it
            if len(brought) == 1:
                return [problem]
            return [self._kept([triggers])[0] for triggers in brought]


def _tell(waiting: asyncio.Future[Sequence[Receipt]], kept: Kept) -> None:
    if waiting.done():  # the sender has gone
        return
    if isinstance(kept, Exception):
        waiting.set_exception(kept)
    else:
        waiting.set_result(kept)
