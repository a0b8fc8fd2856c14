"""The symbols of texts that were parsed lately: most files of a repository are the same in the next iteration."""

import hashlib
import threading
from collections import OrderedDict

from bot.agent.viewing.symbols import Symbols

_Key = tuple[str, bytes]


class Remembered:
    """Symbols by language and text, of texts with at most so many characters together. Threads may share it."""

    def __init__(self, limit_chars: int) -> None:
        self._limit_chars = limit_chars
        self._chars = 0
        self._known: OrderedDict[_Key, tuple[int, Symbols]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, language: str, text: str) -> Symbols | None:
        """What was kept of this text, if it is still there."""
        key = _key(language, text)
        with self._lock:
            if key not in self._known:
                return None
            self._known.move_to_end(key)
            return self._known[key][1]

    def keep(self, language: str, text: str, symbols: Symbols) -> None:
        """Keep this, and forget what was not asked for longest where it becomes too much."""
        key = _key(language, text)
        with self._lock:
            if key not in self._known:
                self._chars += len(text)
            self._known[key] = (len(text), symbols)
            while self._chars > self._limit_chars:
                _, (chars, _) = self._known.popitem(last=False)
                self._chars -= chars


def _key(language: str, text: str) -> _Key:
    return language, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
