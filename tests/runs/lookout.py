"""A worker that looks back, at the stand-in for GitHub and a real database: nothing is ever sent to it."""

from dataclasses import dataclass, field
from itertools import count
from urllib.parse import parse_qs, urlsplit

from sqlalchemy import Engine, select

from bot.demo import oauth
from bot.demo.handles import IssueHandle, RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.people import Asked
from bot.demo.state import App, Delivery, Installation
from bot.records import Trigger, TriggerKind
from bot.runs.catching_up import EVERY_S, CatchingUp
from bot.runs.caught_up import CaughtUp, Mark
from bot.runs.hearing import Hearing
from bot.runs.inbox import SqlInbox, trigger_of
from bot.runs.missed_deliveries import MissedDeliveries
from bot.runs.missed_labels import MissedLabels
from bot.runs.tables import inbox
from tests.github.stages import a_door

NOWHERE = "https://selfcode.invalid/webhook"
MINUTES = 2.0
"""How much later it is looked: labels have settled by then."""
HOUR = 60.0
DAY = 24 * HOUR
_NUMBERS = count(1)


@dataclass
class Lookout:
    """One App with one repository, where `ada` may write. Minutes pass on GitHub and here alike."""

    hub: Hub
    engine: Engine
    app: App = field(init=False)
    owner: str = field(init=False)
    repository: RepositoryHandle = field(init=False)
    installation: Installation = field(init=False)
    catching_up: CatchingUp = field(init=False)
    skew_s: float = 0.0
    """How much later it is by our clock than by GitHub's."""
    forgotten: dict[int, float] = field(default_factory=dict)
    """Up to when everything of a repository was ordered to be forgotten, by its id."""
    signed_out: list[tuple[int, float | None]] = field(default_factory=list)
    """The ids of users whose sessions were ended, with up to when these had begun."""

    def __post_init__(self) -> None:
        number = next(_NUMBERS)
        self.owner = f"owner-{number}"
        self.app = self.hub.create_app(f"lookout-{number}", owner=self.owner, webhook_url=NOWHERE)
        self.repository = self.hub.create_repository(f"{self.owner}/cat", roles={"ada": "write"})
        self.installation = self.hub.install(self.app, self.owner)
        self.restart()

    def restart(self, *, polls: bool = False, owners: tuple[str, ...] = ()) -> None:
        """As another process has it."""
        github = a_door(self.hub, self.app, [])
        hindsight, marks, app_id = github.hindsight, CaughtUp(self.engine), self.app.id
        hearing = Hearing(
            hindsight,
            SqlInbox(self.engine),
            "selfcode",
            f"{self.app.slug}[bot]",
            forgotten_until=lambda ref: self.forgotten.get(ref.id),
            end_sessions=lambda *told: self.signed_out.append(told),
        )
        self.catching_up = CatchingUp(
            MissedDeliveries(hindsight, hearing, marks, app_id, everything=polls, now=self.now),
            MissedLabels(
                hindsight,
                hearing,
                marks,
                app_id,
                frozenset({self.owner, *owners}),
                now=self.now,
            ),
            every_s=30.0 if polls else EVERY_S,
        )

    def now(self) -> float:
        return self.hub.world.now().timestamp() + self.skew_s

    def an_issue(self, *labels: str) -> IssueHandle:
        return self.repository.open_issue("It breaks", by="ada", labels=labels)

    def lets_it_ask(self, login: str) -> int:
        """Somebody lets the App ask in their name. Returns the number of their account."""
        with self.hub.world.lock:
            who = self.hub.world.account(login)
            back = oauth.say_yes(self.hub.world, Asked(self.app, "", "", ""), who)
            code = parse_qs(urlsplit(back).query)["code"][0]
            secret = {"client_id": self.app.client_id, "client_secret": self.app.client_secret}
            oauth.give_token(self.hub.world, secret | {"code": code})
        return who.id

    def turn(self) -> float:
        """Some minutes later, catch up with all that was delivered so far."""
        self.hub.wait_for_deliveries()
        self.hub.advance(minutes=MINUTES)
        return self.catching_up.turn()

    def listens(self, url: str) -> None:
        """From now on deliveries go there."""
        self.hub.wait_for_deliveries()
        self.hub.set_webhook(self.app, url, ping=False)

    def forgets_what_was_delivered(self) -> None:
        """So much time passes that GitHub keeps none of the deliveries up to now."""
        self.hub.wait_for_deliveries()
        self.hub.advance(minutes=4 * DAY)

    def mark(self) -> Mark:
        return CaughtUp(self.engine).mark(self.app.id)

    def keep_mark(self, *, days_ago: float) -> None:
        """As if all had been looked through that long ago."""
        CaughtUp(self.engine).keep(self.app.id, Mark(0, self.now() - days_ago * DAY * 60))

    def heard(self) -> list[Trigger]:
        """All that came into the inbox, as it came; each once, by however many keys it is known."""
        found = select(inbox.c.trigger).where(inbox.c.note.not_like("the same as %")).order_by(inbox.c.seq)
        with self.engine.connect() as connection:
            return [trigger_of(text) for text in connection.execute(found).scalars()]

    def kinds(self) -> list[str]:
        return [str(trigger.kind) for trigger in self.heard()]

    def started(self) -> list[str]:
        """In which repositories runs are to start."""
        return [each.issue.repository.name for each in self.heard() if each.kind is TriggerKind.START]

    def sent(self) -> list[Delivery]:
        """What GitHub tried to send, the oldest first."""
        return [each for each in self.hub.deliveries if each.app is self.app]

    def asked(self, *, since: int = 0) -> list[str]:
        """What was asked of GitHub: paths, tokens left out."""
        called = self.hub.calls_by(f"{self.app.slug}[bot]", since=since)
        return [each.path for each in called if not each.path.endswith("/access_tokens")]
