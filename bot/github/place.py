"""One repository on the server, where it is now and with a token that is good now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bot.errors import Gone, Refused, Unavailable
from bot.github.answers import Identified, Repository, read
from bot.github.connections import Connections
from bot.github.failures import Expired, Invalid, Limited, Moved
from bot.github.pace import creates_content
from bot.github.server import Purpose, Server, Verb
from bot.github.tokens import Tokens
from bot.records import RepositoryRef

T = TypeVar("T")

PAGE = 100
SURE_S = 60.0
"""How long a name is sure to be the repository's: once it is renamed, anybody may come to have its old one."""
BRIEF_WAIT_S = 5.0
"""Up to here a call waits by itself; what takes longer counts for all other calls of the installation too."""
_FOUND = 302
_FINDING = Purpose("find the repository", "metadata: read")
_LOOKING = Purpose("look at the repository", "metadata: read")


@dataclass(frozen=True, slots=True)
class Place:
    """A repository's part of the API, for one purpose. Paths are relative to `/repos/OWNER/NAME/`."""

    server: Server
    connections: Connections
    full_name: str
    purpose: Purpose
    installation_id: int

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    def get(self, path: str, **parameters: Any) -> Any:
        return self._send("GET", path, parameters=parameters)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._send("POST", path, body=body)

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        return self._send("PATCH", path, body=body)

    def mutate(self, mutation: str, **variables: Any) -> None:
        """Do what the REST API can't, by GraphQL. Raises `Refused` with GitHub's words, `Gone`, `Unavailable`."""
        self._graph(mutation, variables, at_once=False)

    def query(self, query: str, **variables: Any) -> Any:
        """Read what the REST API does not tell, by GraphQL. Raises as `mutate` does."""
        return self._graph(query, variables, at_once=True)

    def end_of_file(self, path: str, size_bytes: int) -> bytes:
        """The end of a file that is kept on another host, where the API only points. Raises `Gone`, `Unavailable`."""
        try:
            self.get(path)
        except Moved as moved:
            if moved.status != _FOUND:
                raise
            return self.server.end_of_file(moved.location, size_bytes)
        raise Gone(f"GitHub can't {self.purpose.doing}: it points to no file")

    def pages(self, path: str, kind: type[T], **parameters: Any) -> Iterator[T]:
        """Everything in a list, page by page. Addresses are made here, so that a proxy's names do not matter."""
        page, is_full = 1, True
        while is_full:
            answer = self.get(path, per_page=PAGE, page=page, **parameters)
            yield from (read(kind, item) for item in read(list[Any], answer))
            page, is_full = page + 1, len(answer) == PAGE

    def _graph(self, text: str, variables: dict[str, Any], *, at_once: bool) -> Any:
        body = {"query": text, "variables": variables}
        return self._sent("POST", self.connections.graphql_url, body=body, at_once=at_once)

    def _send(self, verb: Verb, path: str, **sent: Any) -> Any:
        return self._sent(verb, f"/repos/{self.full_name}/{path}", **sent)

    def _sent(self, verb: Verb, address: str, **sent: Any) -> Any:
        """One request, if GitHub takes one of this installation now. Raises `Unavailable` where it does not."""
        pace = self.server.pace
        pace.ask(self.installation_id, is_urgent=self.purpose.is_urgent)
        if verb == "POST" and not sent.get("at_once") and creates_content(address):
            pace.create(self.installation_id)
        try:
            return self.server.send(
                self.connections,
                verb,
                address,
                purpose=self.purpose,
                installation_id=self.installation_id,
                **sent,
            )
        except Limited as limited:
            if limited.retry_after_s and limited.retry_after_s > BRIEF_WAIT_S:
                pace.hush(self.installation_id, limited.retry_after_s, texts_alone=limited.is_about_texts)
            raise


class Places:
    """Finds repositories by their number. Names are remembered until GitHub says that they have changed."""

    def __init__(self, *, server: Server, tokens: Tokens, clock: Callable[[], float]) -> None:
        self._server = server
        self._tokens = tokens
        self._clock = clock
        self._names: dict[int, str] = {}
        self._seen: dict[int, float] = {}

    def look(self, ref: RepositoryRef) -> Repository:
        """The repository as it is now, wherever it went."""
        try:
            found = self._looked_at(ref)
        except Gone:
            if not self._tokens.follow(ref):
                raise
            found = self._looked_at(ref)
        repository = read(Repository, found)
        self._names[ref.id], self._seen[ref.id] = repository.full_name, self._clock()
        return repository

    def _looked_at(self, ref: RepositoryRef) -> Any:
        return self._with_token(
            ref, lambda token: self._server.send(token, "GET", f"/repositories/{ref.id}", purpose=_LOOKING)
        )

    def find(self, full_name: str) -> RepositoryRef:
        """The number of the repository that has this name now, and the installation that it is seen through.

        Raises: `Gone` where there is none, or the App is not installed on it; `Expired` where the App's key is refused.
        """
        send, owner, _, name = self._server.send, *full_name.partition("/")
        try:
            there = send(self._tokens.as_app, "GET", f"/repos/{full_name}/installation", purpose=_FINDING)
            ref = RepositoryRef(read(Identified, there).id, 0, owner, name)
            found = send(self._tokens.by_name(ref), "GET", f"/repos/{full_name}", purpose=_FINDING)
        except Moved as moved:
            raise Gone(f"{full_name} has another name now") from moved
        return replace(ref, id=read(Identified, found).id)

    def work(self, ref: RepositoryRef, purpose: Purpose, task: Callable[[Place], T]) -> T:
        """Do a task there; again from its start where the token had expired or the repository was renamed.

        That shows in a refusal too, once its old name is another repository's. A task looks for what an earlier try
        left before it writes.
        """
        remembered = self._names.get(ref.id)
        try:
            return self._at(ref, purpose, task)
        except Moved:
            self._names.pop(ref.id, None)
        except (Gone, Refused) as no:
            if isinstance(no, Invalid) or remembered is None or not self._has_moved_from(remembered, ref):
                raise
        try:
            return self._at(ref, purpose, task)
        except Moved as moved:
            raise Gone(f"GitHub can't {purpose.doing}: it was moved to another repository") from moved

    def work_surely(self, ref: RepositoryRef, purpose: Purpose, task: Callable[[Place], T]) -> T:
        """As `work`, for what somebody's rights hang on: by no name that may be another repository's by now."""
        if self._clock() - self._seen.get(ref.id, 0.0) >= SURE_S:
            self._names.pop(ref.id, None)
        return self.work(ref, purpose, task)

    def _has_moved_from(self, name: str, ref: RepositoryRef) -> bool:
        try:
            return self.look(ref).full_name != name
        except (Gone, Refused, Moved):
            return False

    def _at(self, ref: RepositoryRef, purpose: Purpose, task: Callable[[Place], T]) -> T:
        self._name(ref)  # it may take another installation's token from here on
        return self._with_token(ref, lambda token: task(self._place(ref, token, purpose)))

    def _place(self, ref: RepositoryRef, token: Connections, purpose: Purpose) -> Place:
        return Place(self._server, token, self._name(ref), purpose, ref.installation_id)

    def _with_token(self, ref: RepositoryRef, task: Callable[[Connections], T]) -> T:
        try:
            return task(self._tokens.for_repository(ref))
        except Expired:
            self._tokens.forget(ref)
        try:
            return task(self._tokens.for_repository(ref))
        except Expired as expired:
            raise Unavailable(f"GitHub does not accept a fresh token: {expired}") from expired

    def _name(self, ref: RepositoryRef) -> str:
        """The name in GitHub's own letter case, which its filters need."""
        return self._names.get(ref.id) or self.look(ref).full_name
