"""`selfcode worker`, which stands still at each moment that is told of until whoever watches lets it go on."""

import logging
import os

from bot.cli import main
from tests.chaos.telling import ADDRESS, LOGGERS, Telling


def work() -> None:
    """Be the command."""
    telling = Telling(os.environ[ADDRESS])
    for name in LOGGERS:
        logging.getLogger(name).addHandler(telling)
    logging.getLogger(LOGGERS[0]).setLevel(logging.DEBUG)
    main()
