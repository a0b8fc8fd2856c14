"""The inbox of a web process: what comes at the same time is kept by one transaction, whose end is what takes long."""

import fcntl
import os
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.errors import Unavailable
from bot.records import Receipt, Trigger

AT_ONCE = 100
"""How many one transaction keeps at most."""


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


@dataclass(slots=True)
class _Parcel:
    """A trigger that somebody waits for, and what came of it."""

    trigger: Trigger
    receipt: Receipt | None = None
    problem: Exception | None = None


class SharedInbox:
    """An inbox for any number of threads: whoever finds nobody keeping, keeps for all that have come meanwhile.

    Nobody is answered before the transaction has ended that keeps what they brought.
    """

    def __init__(self, keeper: Keeper, others: AbstractContextManager[None] | None = None) -> None:
        """`others` lets the processes have their turns."""
        self._keeper = keeper
        self._others = others or nullcontext()
        self._brought: list[_Parcel] = []
        self._list = threading.Lock()
        self._turn = threading.Lock()

    def accept(self, trigger: Trigger) -> Receipt:
        """Keep a trigger. Raises what keeping it raised."""
        parcel = _Parcel(trigger)
        with self._list:
            self._brought.append(parcel)
        with self._turn:
            while parcel.receipt is None and parcel.problem is None:
                self._keep()
        if parcel.problem is not None:
            raise parcel.problem
        assert parcel.receipt is not None
        return parcel.receipt

    def _keep(self) -> None:
        with self._list:
            parcels, self._brought = self._brought[:AT_ONCE], self._brought[AT_ONCE:]
        if not self._is_kept(parcels) and len(parcels) > 1:
            for parcel in parcels:
                self._is_kept([parcel])

    def _is_kept(self, parcels: Sequence[_Parcel]) -> bool:
        """Whether all is settled; not where it may be one of them alone that can't be kept."""
        try:
            with self._others:
                receipts = self._keeper.accept_all([parcel.trigger for parcel in parcels])
        except Exception as problem:  # noqa: BLE001 - raised again to each who waits for it
            for parcel in parcels:
                parcel.problem = problem
            return isinstance(problem, Unavailable)
        for parcel, receipt in zip(parcels, receipts, strict=True):
            parcel.receipt, parcel.problem = receipt, None
        return True
