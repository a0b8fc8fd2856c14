"""How much GitHub takes of one installation: what we may create, and since when it wants to be left alone."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable

from bot.errors import Unavailable

CREATED_AT_MOST = ((60.0, 80), (3600.0, 500))
"""How much content may be created in how many seconds.

Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""


_MARKS = ("/reactions", "/labels")


def creates_content(address: str) -> bool:
    """Whether what is posted there is a text. A result must not have to wait for five hundred labels."""
    return not address.endswith(_MARKS)


class Pace:
    """Keeps each installation within GitHub's limits, as far as one process sees. Safe for any number of threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._created: defaultdict[int, deque[float]] = defaultdict(deque)
        self._quiet_until_s: dict[int, float] = {}
        self._textless_until_s: dict[int, float] = {}
        self._lock = threading.Lock()

    def ask(self, installation_id: int, *, is_urgent: bool = False) -> None:
        """Before each request. Raises `Unavailable` while GitHub wants none: who goes on asking is shut out longer.

        While it takes no texts alone, what is urgent may be asked.
        """
        until_s = self._quiet_until_s.get(installation_id, 0.0)
        if not is_urgent:
            until_s = max(until_s, self._textless_until_s.get(installation_id, 0.0))
        wait_s = until_s - self._clock()
        if wait_s > 0:
            raise Unavailable("GitHub has asked us to wait", wait_s)

    def create(self, installation_id: int) -> None:
        """Before content is created. Raises `Unavailable` where that would be more than GitHub takes."""
        longest_s = CREATED_AT_MOST[-1][0]
        with self._lock:
            now_s, created = self._clock(), self._created[installation_id]
            while created and created[0] <= now_s - longest_s:
                created.popleft()
            for span_s, most in CREATED_AT_MOST:
                if len(created) >= most and created[-most] > now_s - span_s:
                    wait_s = created[-most] + span_s - now_s
                    raise Unavailable(f"GitHub takes no more than {most} new texts in {span_s:.0f} s", wait_s)
            created.append(now_s)

    def hush(self, installation_id: int, seconds: float, *, texts_alone: bool = False) -> None:
        """Send nothing for so long: GitHub has said so; `texts_alone`: nothing but what is urgent."""
        kept = self._textless_until_s if texts_alone else self._quiet_until_s
        kept[installation_id] = max(self._clock() + seconds, kept.get(installation_id, 0.0))
