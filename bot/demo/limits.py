"""How many requests the stand-in takes of one caller: by the hour, and how fast.

Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.demo.answers import ApiError

_HOUR_S, _MINUTE_S = 3600.0, 60.0


@dataclass(slots=True)
class _Used:
    """What one caller has used: requests of this hour, points and created things of the last minutes."""

    resets_at_s: float = 0.0
    requests: int = 0
    points: deque[tuple[float, int]] = field(default_factory=deque)
    created: deque[float] = field(default_factory=deque)


@dataclass(slots=True)
class Limits:
    """The limits, which tests may lower. `says_how_long` is whether a refusal carries `Retry-After`."""

    requests_an_hour: int = 5000
    points_a_minute: int = 900
    created_a_minute: int = 80
    created_an_hour: int = 500
    says_how_long: bool = True
    _used: dict[str, _Used] = field(default_factory=dict)

    def take(self, who: str, method: str, *, creates: bool, now_s: float) -> None:
        """Count a request. Raises 403 where it is one too many."""
        used = self._of(who, now_s)
        if used.requests >= self.requests_an_hour:
            raise ApiError(403, f"API rate limit exceeded for {who}.")
        used.requests += 1
        cost = 1 if method == "GET" else 5
        if sum(points for _, points in used.points) + cost > self.points_a_minute:
            raise self._too_fast("You have exceeded a secondary rate limit. Please wait a few minutes.")
        used.points.append((now_s, cost))
        if creates:
            self._create(used, now_s)

    def give_back(self, who: str) -> None:
        """A request that does not count: its answer was 304."""
        used = self._used.get(who)
        if used is not None:
            used.requests -= 1

    def headers(self, who: str, now_s: float) -> Mapping[str, str]:
        """What every answer tells the caller."""
        used = self._of(who, now_s)
        return {
            "X-RateLimit-Limit": str(self.requests_an_hour),
            "X-RateLimit-Remaining": str(max(0, self.requests_an_hour - used.requests)),
            "X-RateLimit-Used": str(used.requests),
            "X-RateLimit-Reset": str(int(used.resets_at_s)),
            "X-RateLimit-Resource": "core",
        }

    def _create(self, used: _Used, now_s: float) -> None:
        in_a_minute = sum(1 for at_s in used.created if at_s > now_s - _MINUTE_S)
        if in_a_minute >= self.created_a_minute or len(used.created) >= self.created_an_hour:
            message = (
                "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
            )
            raise self._too_fast(message)
        used.created.append(now_s)

    def _too_fast(self, message: str) -> ApiError:
        return ApiError(403, message, headers={"Retry-After": "60"} if self.says_how_long else {})

    def _of(self, who: str, now_s: float) -> _Used:
        used = self._used.setdefault(who, _Used(now_s + _HOUR_S))
        if now_s >= used.resets_at_s:
            used.resets_at_s, used.requests = now_s + _HOUR_S, 0
        while used.points and used.points[0][0] <= now_s - _MINUTE_S:
            used.points.popleft()
        while used.created and used.created[0] <= now_s - _HOUR_S:
            used.created.popleft()
        return used
