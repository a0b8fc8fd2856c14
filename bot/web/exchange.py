"""One request without its body, and a whole reply, as values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """The path is without the query, `headers` by their names in lower case, `remote` the address at the other end."""

    method: str
    path: str
    headers: Mapping[str, str]
    remote: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered."""

    status: int
    body: bytes
    content_type: str = JSON


def in_json(status: int, **fields: object) -> Reply:
    """A reply of these fields."""
    return Reply(status, json.dumps(fields).encode())


ALIVE = in_json(200, alive=True)
NOT_ALLOWED = in_json(405, error="method not allowed")
TOO_SLOW = in_json(408, error="request timeout")
TOO_LARGE = in_json(413, error="request entity too large")
BUG = in_json(500, error="internal error")
