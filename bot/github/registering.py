"""An App's credentials, out of the code that GitHub sends back once the App is created.

Source: https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
"""

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bot.errors import Gone, Refused, Unavailable
from bot.github.answers import Account, Slice
from bot.github.failures import Expired, Moved
from bot.github.server import Purpose, Server
from bot.records import NewApp
from bot.seen.counting import Uncounted

_CONVERTING = Purpose("hand over the key of the new App", "metadata: read")


class Converted(Slice):
    """The App with its credentials, which are told this once."""

    id: int
    slug: str
    owner: Account
    html_url: str
    pem: str
    webhook_secret: str | None = None
    client_id: str
    client_secret: str


class GitHubRegistrar:
    """What `records.Registrar` promises."""

    def __init__(self, *, api_url: str, ca_bundle: Path | None = None) -> None:
        self._server = Server(
            api_url=api_url,
            ca_bundle=ca_bundle,
            seconds_between_writes=0.0,
            clock=time.time,
            sleep=time.sleep,
            counts=Uncounted(),
        )

    def created_with(self, code: str) -> NewApp:
        """Once: whoever waits decides whether to ask again."""
        path = f"/app-manifests/{quote(code, safe='')}/conversions"
        try:
            answer = self._server.send(self._server.connections(None), "POST", path, purpose=_CONVERTING, at_once=True)
        except (Expired, Moved, Refused) as refusal:
            raise Gone(f"GitHub does not take the code: {type(refusal).__name__}") from None
        return _as_record(answer)


def _as_record(answer: Any) -> NewApp:
    """Nothing of what can't be read gets into an error's text: there are secrets in it."""
    try:
        found = Converted.model_validate(answer)
    except ValueError:
        raise Unavailable("GitHub's answer with the new App's key can't be read") from None
    return NewApp(
        id=found.id,
        slug=found.slug,
        owner=found.owner.login,
        html_url=found.html_url,
        private_key=found.pem,
        webhook_secret=found.webhook_secret or "",
        client_id=found.client_id,
        client_secret=found.client_secret,
    )
