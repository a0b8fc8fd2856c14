"""Webhook deliveries: signed, sent in order from one thread, remembered with their answer."""

import hashlib
import hmac
import json
import queue
import threading
import time
import uuid
from urllib.parse import urlsplit

import requests

from bot.demo import shapes
from bot.demo.shapes import Json
from bot.demo.state import Account, App, Delivery, Installation, Repository
from bot.demo.world import World

_TIMEOUT_S = 10.0
"""Source: GitHub, “Best practices for using webhooks”."""


_NEEDED = {
    "issues": ("issues",),
    "issue_comment": ("issues", "pull_requests"),
    "pull_request": ("pull_requests",),
    "pull_request_review": ("pull_requests",),
    "pull_request_review_comment": ("pull_requests",),
    "pull_request_review_thread": ("pull_requests",),
    "check_run": ("checks",),
    "check_suite": ("checks",),
    "push": ("contents",),
}
"""One of these permissions lets an App receive the event; every App may read `metadata`.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""


class Courier:
    """Sends deliveries, one after the other. A failed one is never sent again by itself."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._session = requests.Session()
        self._session.trust_env = False
        self._waiting: queue.Queue[Delivery | None] = queue.Queue()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send_all, name="hub-courier", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Send nothing more, and end."""
        self._ended.set()
        self._waiting.put(None)
        self._thread.join(_TIMEOUT_S + 1)
        self._session.close()

    def wait_until_idle(self) -> None:
        """Return once everything that was handed over so far was answered or has failed."""
        self._waiting.join()

    def tell_repository(
        self,
        repository: Repository,
        event: str,
        action: str | None,
        fields: Json,
        *,
        sender: Account,
        app: App | None = None,
    ) -> None:
        """Deliver an event to every App that is installed on the repository and subscribes to it; or to one `app`.

        An App gets no events of what it has no permission to read.
        """
        world = self._world
        for installation in world.installations_on(repository):
            if app not in (None, installation.app):
                continue
            if installation.suspended_at is not None or event not in installation.app.events:
                continue
            if not any(installation.permissions.get(name) for name in _NEEDED.get(event, ("metadata",))):
                continue
            payload = {
                **({"action": action} if action else {}),
                **fields,
                "repository": shapes.repository(world, repository),
                "sender": shapes.account(world, sender),
                "installation": {"id": installation.id, "node_id": shapes.node_id("Integration", installation.id)},
            }
            self._hand_over(installation.app, event, payload, installation=installation, repository=repository)

    def tell_app(self, installation: Installation, event: str, action: str, fields: Json, *, sender: Account) -> None:
        """Deliver an event about an installation to its App."""
        payload = {
            "action": action,
            "installation": shapes.installation(self._world, installation),
            **fields,
            "sender": shapes.account(self._world, sender),
        }
        self._hand_over(installation.app, event, payload, installation=installation)

    def tell_of_account(self, app: App, event: str, action: str, account: Account) -> None:
        """Deliver to an App what somebody did with what they let it do. No installation goes with it."""
        self._hand_over(app, event, {"action": action, "sender": shapes.account(self._world, account)})

    def ping(self, app: App) -> Delivery:
        """Deliver what GitHub sends when a webhook is set up. It has no action."""
        hook = {
            "type": "App",
            "id": app.id,
            "name": "web",
            "active": True,
            "events": list(app.events),
            "config": {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url},
            "updated_at": shapes.moment(app.created_at),
            "created_at": shapes.moment(app.created_at),
            "app_id": app.id,
            "deliveries_url": f"{self._world.api_url}/app/hook/deliveries",
        }
        return self._hand_over(app, "ping", {"zen": "Keep it logically awesome.", "hook_id": app.id, "hook": hook})

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send a delivery again: the same GUID and body under a new id."""
        again = Delivery(
            id=self._world.new_id(),
            guid=delivery.guid,
            app=delivery.app,
            event=delivery.event,
            action=delivery.action,
            payload=delivery.payload,
            body=delivery.body,
            headers=_headers(delivery.app, delivery.event, delivery.guid, delivery.body),
            created_at=self._world.now(),
            installation_id=delivery.installation_id,
            repository_id=delivery.repository_id,
            redelivery=True,
        )
        return self._keep(again)

    def _hand_over(
        self,
        app: App,
        event: str,
        payload: Json,
        *,
        installation: Installation | None = None,
        repository: Repository | None = None,
    ) -> Delivery:
        guid = str(uuid.uuid4())
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        delivery = Delivery(
            id=self._world.new_id(),
            guid=guid,
            app=app,
            event=event,
            action=payload.get("action"),
            payload=json.loads(body),
            body=body,
            headers=_headers(app, event, guid, body),
            created_at=self._world.now(),
            installation_id=installation.id if installation else None,
            repository_id=repository.id if repository else None,
        )
        return self._keep(delivery)

    def _keep(self, delivery: Delivery) -> Delivery:
        self._world.deliveries.append(delivery)
        if delivery.app.webhook_url:
            self._waiting.put(delivery)
        return delivery

    def _send_all(self) -> None:
        while (delivery := self._waiting.get()) is not None:
            if not self._ended.is_set():
                self._send(delivery)
            self._waiting.task_done()
        self._waiting.task_done()

    def _send(self, delivery: Delivery) -> None:
        started = time.monotonic()
        outcome = _NOBODY if is_nowhere(delivery.app.webhook_url) else self._post(delivery)
        with self._world.lock:
            delivery.status_code, delivery.status, delivery.answer = outcome
            delivery.duration_s = time.monotonic() - started

    def _post(self, delivery: Delivery) -> tuple[int, str, str]:
        """Status code, status and body of the answer."""
        try:
            answer = self._session.post(
                delivery.app.webhook_url,
                data=delivery.body,
                headers=delivery.headers,
                timeout=_TIMEOUT_S,
                allow_redirects=False,
            )
        except requests.Timeout:
            return 0, "timed out", ""
        except requests.RequestException as problem:
            return *_NOBODY[:2], str(problem)
        return answer.status_code, "OK" if answer.ok else "Invalid HTTP Response", answer.text[:2000]


_NOBODY = (0, "failed to connect to host", "")


def is_nowhere(url: str) -> bool:
    """Whether an address is one of those that never lead anywhere. Source: RFC 2606 (`.invalid`)."""
    return (urlsplit(url).hostname or "").endswith(".invalid")


def signature(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _headers(app: App, event: str, guid: str, body: bytes) -> dict[str, str]:
    old = hmac.new(app.webhook_secret.encode(), body, hashlib.sha1).hexdigest()
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/044aadd",
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": f"sha1={old}",
        "X-Hub-Signature-256": signature(app.webhook_secret, body),
    }
