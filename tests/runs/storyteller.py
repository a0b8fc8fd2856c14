"""A worker's engine in a process of its own: `python -m tests.runs.storyteller FOLDER VERSION`.

It tells one story of steps, and writes into `FOLDER/log` what happens. Where `FOLDER/hang` exists, the step “third”
hangs, to be killed there; where `FOLDER/full` exists, the story breaks off at its end, as on a full disk.
"""

import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.runs.engine import Engine
from bot.runs.leases import Lease
from bot.runs.steps import Json, step

RUN_ID = "a-run"


@dataclass(frozen=True, slots=True)
class Story:
    folder: Path

    def write(self, line: str) -> None:
        with (self.folder / "log").open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")

    def tell(self, run_id: str) -> None:
        """Steps that come to values, to errors of ours and to a bug, and one that is cut off."""
        self.write(f"{run_id} begins")
        self.write(f"first is {self._once('first', self._first)}")
        for name, error in {
            "refused": Refused("the archive is closed"),
            "gone": Gone("deleted"),
            "stopped": Stopped("label removed"),
            "away": Unavailable("no answer"),
            "bug": ZeroDivisionError("by zero"),
        }.items():
            try:
                self._once(name, self._raising(error))
            except Exception as raised:  # noqa: BLE001 - the story writes down whatever comes
                self.write(f"{name} raised {type(raised).__name__}: {raised}")
        self._once("third", self._third)
        self._once("last", lambda: None)
        if (self.folder / "full").exists():
            raise OSError("no space left")
        self.write(f"{run_id} ends")

    def _once(self, name: str, work: Callable[[], Json]) -> object:
        def told() -> Json:
            self.write(f"doing {name}")
            return work()

        return step(name, told, stop=lambda: False, patience=(0.01, 0.01))

    def _first(self) -> Json:
        return {"n": 1, "words": ["caf\u00e9", None, 0.5, {"error": "a word, not an error"}]}

    def _raising(self, error: Exception) -> Callable[[], Json]:
        def work() -> Json:
            raise error

        return work

    def _third(self) -> Json:
        while (self.folder / "hang").exists():
            time.sleep(0.05)
        return None


def main() -> None:
    folder, version = Path(sys.argv[1]), sys.argv[2]
    story = Story(folder)
    url = f"sqlite:///{folder / 'deeper' / 'steps.sqlite'}"
    lease = next_lease(folder)
    with Engine(url, lease.worker_id, lambda lease: story.tell(lease.run_id), version=version, rest_s=0.5) as engine:
        engine.start(lease)
        engine.start(lease)
        while not select.select([sys.stdin], [], [], 0.1)[0]:
            if engine.is_to_start_again(RUN_ID):
                engine.start(lease)


def next_lease(folder: Path) -> Lease:
    """The run in the hands of one more worker."""
    with (folder / "workers").open("a+", encoding="utf-8") as workers:
        workers.seek(0)
        fence = 1 + len(workers.readlines())
        workers.write(f"worker-{fence}\n")
    return Lease(RUN_ID, f"worker-{fence}", fence)


if __name__ == "__main__":
    main()
