"""Secrets that a change brings into a repository: in a file's name, in its text, in any of a text's encodings."""

import codecs
from collections.abc import Iterable, Iterator, Sequence

from bot.records import ChangedFile
from bot.writing.masking import mask_secrets, secrets_held

_OF_TWO_BYTES = ("utf-16-le", "utf-16-be")
_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}


def leaking(files: Iterable[ChangedFile], values: Sequence[str] = ()) -> tuple[str, ...]:
    """The files, by their paths without secrets, that bring what looks like a secret, or is one of the `values`.

    What a file held before the change, this one or another that it changes, is not brought by it: a file that moves
    takes its own along. A second secret beside a first one is.
    """
    changed = tuple(files)
    brought = {file.path: _secrets_of(file.path, file.after, values) for file in changed}
    if not any(brought.values()):
        return ()
    held = frozenset[str]().union(*(_secrets_of(file.path, file.before, values) for file in changed))
    return tuple(mask_secrets(path, values) for path, secrets in brought.items() if secrets - held)


def _secrets_of(path: str, data: bytes | None, values: Sequence[str]) -> frozenset[str]:
    """What one side of a file holds, its name with it; nothing where it is not there."""
    if data is None:
        return frozenset()
    return frozenset().union(*(secrets_held(text, values) for text in (path, *_texts_in(data))))


def _texts_in(data: bytes) -> Iterator[str]:
    """What the bytes may say: as UTF-8, and with zeros among them as text of two bytes each, wherever it begins."""
    yield data.decode("utf-8", "replace")
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            yield data.decode(encoding, "replace")
    if b"\0" in data or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        for encoding in _OF_TWO_BYTES:
            yield from (data[begin:].decode(encoding, "replace") for begin in (0, 1))
