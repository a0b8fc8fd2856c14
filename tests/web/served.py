"""A web server for the tests, as a process of its own: `python -m tests.web.served DIRECTORY MAX_REQUESTS LOG_FORMAT`.

Its inbox is a folder, one file for each trigger, so that several processes share it; each writes its id into the file.
It prints its port once it accepts connections.
"""

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.cli.answering import lines_of
from bot.records import Receipt, Trigger
from bot.seen.figures import Figures
from bot.web.asgi import Site
from bot.web.serve import serve
from tests.web.fakes import an_app


@dataclass(frozen=True, slots=True)
class FolderInbox:
    folder: Path

    async def keep(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        return [self._accept(trigger) for trigger in triggers]

    def _accept(self, trigger: Trigger) -> Receipt:
        (self.folder / f"process-{os.getpid()}").touch()
        name = trigger.key.replace("/", "_")
        try:
            with (self.folder / f"trigger-{name}").open("x") as file:
                file.write(trigger.delivery_id)
        except FileExistsError:
            return Receipt.DUPLICATE
        return Receipt.ACCEPTED


def main() -> None:
    lines = logging.StreamHandler()
    lines.setFormatter(lines_of(sys.argv[3], ()))
    logging.basicConfig(level=logging.INFO, handlers=[lines])
    folder = Path(sys.argv[1])

    def app_factory() -> Site:
        return an_app(FolderInbox(folder), figures=Figures(folder / "figures"))

    serve(
        app_factory,
        host="127.0.0.1",
        port=0,
        workers=2,
        max_requests=int(sys.argv[2]),
        patience_s=1.0,
        connections=8,
        on_ready=lambda port: print(port, flush=True),  # noqa: T201 - the parent reads it
    )


if __name__ == "__main__":
    main()
