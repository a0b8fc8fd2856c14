"""Deliveries as GitHub sends them, signed and made into the bytes of requests before anything is measured."""

import itertools
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from bot.triggers.signature import sign
from tests.triggers.payloads import a_person, an_envelope, an_issue

SECRET = "It's a Secret to Everybody"  # noqa: S105 - GitHub's own example
LABEL = "selfcode"
_LINKS = 45
"""How many addresses GitHub gives with a repository; with them a delivery has its usual 10 to 12 kB."""

_numbers = itertools.count(1)


def ignored(count: int, path: str) -> list[bytes]:
    """What asks for nothing: by turns a star, which no subscription names, and a label that is not ours."""
    star = _with_links({"action": "created", "starred_at": "2026-11-29T10:00:00Z"})
    other = _with_links({"action": "labeled", "issue": _issue(next(_numbers)), "label": {"id": 1, "name": "bug"}})
    return [_request(path, *(("star", star), ("issues", other))[number % 2]) for number in range(count)]


def accepted(count: int, path: str, *, repositories: int = 20) -> list[bytes]:
    """Our label on another issue each time."""
    return [_request(path, "issues", _labelled(number, repositories)) for number in itertools.islice(_numbers, count)]


def with_duplicates(requests: Sequence[bytes], *, every: int = 4) -> list[bytes]:
    """The same, and of every so many one once more, at another place."""
    again = list(requests[::every])
    half = len(requests) // 2
    return [*requests[:half], *again[: len(again) // 2], *requests[half:], *again[len(again) // 2 :]]


def _labelled(number: int, repositories: int) -> dict[str, Any]:
    place = number % repositories
    named = {"id": 71 + place, "name": f"cat-{place}", "full_name": f"octo/cat-{place}"}
    payload = _with_links({"action": "labeled", "issue": _issue(number), "label": {"id": 1, "name": LABEL}})
    payload["repository"] |= named
    payload["installation"] = {"id": 5 + place % 5, "node_id": "MDIz"}
    return payload


def _issue(number: int) -> dict[str, Any]:
    links = {f"{name}_url": f"https://api.github.com/repos/octo/cat/issues/{number}/{name}" for name in "abcdefgh"}
    body = "The total of an invoice leaves out its first price.\n\n" + "Steps, and what was expected instead. " * 40
    return an_issue(number=number, body=body, user=a_person("ada"), reactions=dict.fromkeys("abcdefghij", 0)) | links


def _with_links(fields: Mapping[str, Any]) -> dict[str, Any]:
    payload = an_envelope(**fields)
    base = "https://api.github.com/repos/octo/cat"
    payload["repository"] |= {f"link_{number}_url": f"{base}/things-{number}{{/sha}}" for number in range(_LINKS)}
    for who in (payload["sender"], payload["repository"]["owner"]):
        who |= {f"link_{number}_url": f"https://api.github.com/users/{who['login']}/{number}" for number in range(12)}
    return payload


def _request(path: str, event: str, payload: Mapping[str, Any]) -> bytes:
    body = json.dumps(payload).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: GitHub-Hookshot/044aadd\r\nAccept: */*\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nX-GitHub-Event: {event}\r\n"
        f"X-GitHub-Delivery: {uuid.uuid4()}\r\nX-GitHub-Hook-ID: 1\r\nX-Hub-Signature-256: {sign(SECRET, body)}\r\n\r\n"
    )
    return head.encode() + body
