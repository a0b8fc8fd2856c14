"""One GitHub server, request by request: what is sent, how fast, and what its answers mean."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import parse_qs, urlsplit

from github import Auth, Github
from requests import RequestException
from requests.utils import parse_header_links
from urllib3 import BaseHTTPResponse
from urllib3.util import Retry

from bot.errors import Gone, Unavailable
from bot.github.allowance import allowance_in
from bot.github.answers import read
from bot.github.connections import Connections
from bot.github.failures import Limited, Moved, understand, understand_graph
from bot.github.graph_answers import GraphAnswer
from bot.github.pace import Pace
from bot.github.plain import API_VERSION, TIMEOUT_S, USER_AGENT, ask, json_in, trust_in
from bot.github.turns import Turns
from bot.seen.counting import Counts, Status

FILE_LIMIT_BYTES = 64 * 1024 * 1024
"""How much is read of a file to come to its end: not every host gives the end alone."""
_PIECE_BYTES = 64 * 1024

Verb = Literal["GET", "POST", "PATCH"]


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a request is for, in words for people: `doing` completes “GitHub does not let us …”.

    `is_urgent` is what is asked even while GitHub takes no texts of us.
    """

    doing: str
    needs: str
    is_urgent: bool = False


class Server:
    """Sends requests, from any number of threads. Reads go out at once, writes when it is their turn (`Turns`)."""

    def __init__(
        self,
        *,
        api_url: str,
        ca_bundle: Path | None,
        seconds_between_writes: float,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        counts: Counts,
    ) -> None:
        self._counts = counts
        self._api_url = api_url.rstrip("/")
        self._trust = trust_in(ca_bundle)
        self._clock = clock
        self.pace = Pace(clock)
        self._turns = Turns(seconds_between_writes, clock, sleep)
        logging.getLogger("github.Requester").setLevel(logging.INFO)  # its DEBUG lines hold fresh tokens

    @property
    def paused_s(self) -> float:
        """How long writes have paused so far, in seconds."""
        return self._turns.paused_s

    def connections(self, auth: Auth.Auth | None, installation_id: int | None = None) -> Connections:
        """PyGithub's connections for these credentials, if any, without retries, redirects and pauses of its own."""
        return Connections(
            installation_id=installation_id,
            make=lambda: (
                Github(
                    auth=auth,
                    base_url=self._api_url,
                    timeout=TIMEOUT_S,
                    user_agent=USER_AGENT,
                    verify=self._trust,
                    retry=_Once(total=0, status_forcelist=_REDIRECTS, allowed_methods=None),
                    seconds_between_requests=None,
                    seconds_between_writes=None,
                    api_version=API_VERSION,
                ).requester
            ),
        )

    def send(
        self,
        connections: Connections,
        verb: Verb,
        path: str,
        *,
        purpose: Purpose,
        parameters: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        at_once: bool = False,
        installation_id: int = 0,
    ) -> Any:
        """Send one request, once, and return the JSON of its answer. `at_once` is for a POST that changes nothing.

        Raises: `Unavailable`, `Gone`, `Refused`; `Expired` and `Moved`, which the caller mends.
        """
        if verb == "GET" or at_once:
            return self._exchange(connections, verb, path, purpose=purpose, parameters=parameters, body=body)
        with self._turns.write(installation_id):
            return self._exchange(connections, verb, path, purpose=purpose, parameters=parameters, body=body)

    def turn_page(
        self, connections: Connections, path: str, *, purpose: Purpose, parameters: Mapping[str, Any]
    ) -> tuple[Any, str | None]:
        """A page of a list that is paged by cursors, and the next page's cursor; None on the last. Raises as `send`.

        Only the cursor is taken from GitHub's link: its address may be one that a proxy of ours does not know.
        """
        answer, headers = self._heard(connections, "GET", path, purpose=purpose, parameters=parameters, body=None)
        return answer, next_cursor(headers.get("link", ""))

    def end_of_file(self, location: str, size_bytes: int) -> bytes:
        """The end of a file that GitHub keeps on another host, at most so many bytes. No token goes there.

        Raises: `Unavailable`, `Gone`.
        """
        if urlsplit(location).scheme not in ("https", urlsplit(self._api_url).scheme):
            raise Gone("GitHub points to a file that is not to be had safely")
        end, read_bytes = b"", 0
        try:
            with ask("GET", location, trust=self._trust, stream=True) as answer:
                if not answer.ok or answer.is_redirect:
                    raise Gone(f"the file that GitHub points to can't be read: status {answer.status_code}")
                for piece in answer.iter_content(_PIECE_BYTES):
                    end, read_bytes = (end + piece)[-size_bytes:], read_bytes + len(piece)
                    if read_bytes > FILE_LIMIT_BYTES:
                        break
        except RequestException as error:
            raise Unavailable(f"the file that GitHub points to can't be read: {type(error).__name__}") from error
        return end

    def _exchange(self, connections: Connections, verb: Verb, path: str, **sent: Any) -> Any:
        return self._heard(connections, verb, path, **sent)[0]

    def _heard(
        self,
        connections: Connections,
        verb: Verb,
        path: str,
        *,
        purpose: Purpose,
        parameters: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
    ) -> tuple[Any, Mapping[str, str]]:
        """PyGithub's own check of the answer is not used: it takes for granted that each error is a JSON object."""
        try:
            with connections.one() as connection:
                status, headers, text = connection.requestJson(
                    verb, path, parameters=dict(parameters or {}), input=None if body is None else dict(body)
                )
        except RequestException as error:
            self._counts.github_answered(None, connections.installation_id, None)
            raise Unavailable(f"GitHub can't be reached at {self._api_url}: {type(error).__name__}") from error
        counted: Status = status
        answer, now_s = json_in(text), self._clock()
        try:
            if status >= 400:
                raise understand(status, answer, headers, doing=purpose.doing, needs=purpose.needs, now_s=now_s)
            if path == connections.graphql_url:
                answer = _graph_data(answer, headers, purpose=purpose, now_s=now_s)
        except Limited:
            counted = status if status == 429 else "limited"
            raise
        finally:
            self._counts.github_answered(counted, connections.installation_id, allowance_in(headers))
        return answer, headers


def next_cursor(link: str) -> str | None:
    """The cursor of the next page that a `Link` header names; None where it names none.

    Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    following = next((each for each in parse_header_links(link) if each.get("rel") == "next"), None)
    cursors = parse_qs(urlsplit(following["url"]).query).get("cursor") if following else None
    return cursors[0] if cursors else None


def _graph_data(answer: Any, headers: Mapping[str, str], *, purpose: Purpose, now_s: float) -> Any:
    """What GraphQL answers; raises what it says instead of a status."""
    found = read(GraphAnswer, answer)
    if found.errors:
        errors = [(error.type, error.message) for error in found.errors]
        raise understand_graph(errors, doing=purpose.doing, needs=purpose.needs, headers=headers, now_s=now_s)
    return found.data


_REDIRECTS = (301, 302, 307, 308)


class _Once(Retry):
    """Nothing is repeated here, where nobody can see it, and a redirect is told instead of followed.

    PyGithub would follow it without the query, and so ask for something else.
    """

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: Any = None,
    ) -> Self:
        if response is not None and response.status in _REDIRECTS:
            raise Moved(response.headers.get("Location", ""), response.status)
        return super().increment(method, url, response, error, _pool, _stacktrace)
