"""How GitHub says no, and how it turns pages."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from flask import Response, g, request

from bot.demo import versions

DOCUMENTATION = "https://docs.github.com/rest"
_WITHOUT_STATUS = (405, 409, 422)


class Numbered(Protocol):
    """What grows in number with time."""

    @property
    def id(self) -> int: ...


T = TypeVar("T", bound=Numbered)


class ApiError(Exception):
    """An answer other than 2xx, in GitHub's shape. `errors` is the list that a 422 carries."""

    def __init__(
        self, status: int, message: str, errors: Sequence[Any] = (), *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message
        self.errors = list(errors)
        self.headers = dict(headers or {})

    def answer(self) -> Response:
        body: dict[str, Any] = {"message": self.message}
        if self.errors:
            body["errors"] = self.errors
        body["documentation_url"] = DOCUMENTATION
        told = body if self.status in _WITHOUT_STATUS else body | {"status": str(self.status)}
        answer = as_json(told, self.status)
        answer.headers.update(self.headers)
        return answer


class Moved(Exception):
    """A former name was used: 301. `url` is the new address of the repository, or of the thing where it is `whole`."""

    def __init__(self, url: str, *, whole: bool = False) -> None:
        super().__init__(url)
        self.url = url
        self.whole = whole

    def answer(self, rest: str) -> Response:
        """The answer; `rest` is what followed the repository's name in the path that was asked for."""
        url = self.url if self.whole else self.url + rest
        body = {"message": "Moved Permanently", "url": url, "documentation_url": DOCUMENTATION}
        answer = as_json(body, 301)
        answer.headers["Location"] = url
        return answer


def not_found() -> ApiError:
    """404, which is also what hides things from those who may not know of them."""
    return ApiError(404, "Not Found")


def bad_credentials() -> ApiError:
    """401 for a token that is wrong or has expired."""
    return ApiError(401, "Bad credentials")


def not_for_integrations() -> ApiError:
    """403 for an App that lacks a permission or the repository."""
    return ApiError(403, "Resource not accessible by integration")


def invalid(resource: str, code: str, field: str = "", message: str = "") -> ApiError:
    """422 with one entry, such as `invalid("Label", "already_exists", "name")`."""
    entry = {"resource": resource, "code": code}
    if field:
        entry["field"] = field
    if message:
        entry["message"] = message
    return ApiError(422, "Validation Failed", [entry])


def as_json(value: Any, status: int = 200) -> Response:
    """An answer with a JSON body, in the shape of the API version that the request names."""
    text = json.dumps(versions.as_of(g.get("version", versions.OLD), value), ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, content_type="application/json; charset=utf-8")


def page_of(items: Sequence[Any], base_url: str) -> tuple[Sequence[Any], str]:
    """The page that the request asks for, and the `Link` header ("" where there is nothing to turn to)."""
    size = _positive("per_page", 30, 100)
    page = _positive("page", 1, 1_000_000)
    last = max(1, -(-len(items) // size))
    links = []
    for relation, number, there in (
        ("prev", page - 1, page > 1),
        ("next", page + 1, page < last),
        ("last", last, page < last),
        ("first", 1, page > 1),
    ):
        if there:
            query = urlencode({**request.args, "page": number})
            links.append(f'<{base_url}{request.path}?{query}>; rel="{relation}"')
    return items[(page - 1) * size : page * size], ", ".join(links)


def listed(items: Sequence[Any], base_url: str, *, inside: str = "") -> Response:
    """A page of a list, with its `Link` header; inside an object with `total_count` where GitHub does so."""
    page, link = page_of(items, base_url)
    answer = as_json({"total_count": len(items), inside: page} if inside else page)
    if link:
        answer.headers["Link"] = link
    return answer


def page_before(items: Sequence[T], cursor: str | None) -> tuple[Sequence[T], str]:
    """The page of a list, newest first, that comes after what a cursor names; and the next one's ("" on the last).

    What was added since does not move it. To callers a cursor is just text.
    """
    size, before = _positive("per_page", 30, 100), math.inf
    if cursor is not None:
        named = re.fullmatch(r"v1_([0-9]+)", cursor)
        if named is None:
            raise ApiError(400, "Bad Request")
        before = int(named[1])
    older = [item for item in items if item.id < before]
    shown = older[:size]
    return shown, f"v1_{shown[-1].id}" if len(older) > size else ""


def _positive(name: str, default: int, most: int) -> int:
    text = request.args.get(name, "")
    return min(most, max(1, int(text))) if text.isdigit() else default
