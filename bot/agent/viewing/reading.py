"""The door to the parsers: files go to a process of their own, which is ended when one of them costs too much."""

import json
import logging
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.agent.viewing import parsing
from bot.agent.viewing.remembered import Remembered
from bot.agent.viewing.symbols import NO_SYMBOLS, Called, Definition, Symbols, language_of, with_owners

FILE_CHARS = 400_000
LINE_CHARS = 20_000
ALL_CHARS = 6_000_000
REMEMBERED_CHARS = 3_000_000
STARTS = 4
TIMEOUT_S = 60.0

log = logging.getLogger(__name__)
_remembered = Remembered(REMEMBERED_CHARS)


def symbols_in(texts: Mapping[str, str]) -> dict[str, Symbols]:
    """The symbols of files, by path. A file that is too large, crashes its parser or takes too long has none.

    What does not parse gives what can be read of it. Costs some seconds at most, and the memory of one process; nothing
    where all of it was parsed lately.
    """
    found = dict.fromkeys(texts, NO_SYMBOLS)
    waiting = []
    for path, language in _parseable(texts):
        known = _remembered.of(language, texts[path])
        if known is None:
            waiting.append((path, language))
        else:
            found[path] = known
    for _ in range(STARTS):
        if not waiting:
            break
        answers = _answers([(language, texts[path]) for path, language in waiting])
        for (path, language), answer in zip(waiting, answers, strict=False):
            found[path] = _symbols(answer)
            _remembered.keep(language, texts[path], found[path])
        if len(answers) < len(waiting):
            log.info("%s can't be parsed; it is read as text", waiting[len(answers)][0])
        waiting = waiting[len(answers) + 1 :]
    return found


def _parseable(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    left = ALL_CHARS
    chosen = []
    for path, text in texts.items():
        language = language_of(path)
        is_usual = len(text) <= min(FILE_CHARS, left) and max(map(len, text.split("\n"))) <= LINE_CHARS
        if language is not None and is_usual:
            left -= len(text)
            chosen.append((path, language))
    return chosen


def _answers(files: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """What the process said before it ended, file by file."""
    command = [sys.executable, "-I", parsing.__file__, json.dumps([entry for entry in sys.path if entry])]
    with tempfile.TemporaryFile() as said:
        try:
            subprocess.run(
                command,
                input=json.dumps(files).encode(),
                stdout=said,
                stderr=subprocess.DEVNULL,
                cwd=Path(parsing.__file__).parent,
                env={},
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            log.warning("parsing took longer than %s s", TIMEOUT_S)
        said.seek(0)
        lines = said.read(parsing.OUTPUT_BYTES).split(b"\n")[:-1]
    return [json.loads(line) for line in lines[: len(files)]]


def _symbols(answer: Mapping[str, Any]) -> Symbols:
    return Symbols(
        with_owners([Definition(*one) for one in answer["definitions"]]),
        tuple(Called(*one) for one in answer["calls"]),
        tuple(answer["imports"]),
    )
