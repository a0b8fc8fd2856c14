"""Apps, installations, deliveries, accounts and repositories."""

from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import urlencode

from flask import Response, request

from bot.demo import access, installing, oauth, registering, shapes
from bot.demo.answers import ApiError, as_json, listed, not_found, page_before
from bot.demo.rest import Part, Route, body, nothing
from bot.demo.shapes import Json
from bot.demo.state import ROLES, Delivery, Installation, Repository

_REDELIVERABLE = timedelta(days=3)
"""Source: GitHub, “Redelivering webhooks”."""


class Apps(Part):
    """What an App asks about itself, by its JWT."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", "/app", self.show),
            ("GET", "/app/installations", self.installations),
            ("GET", "/app/installations/<int:number>", self.installation),
            ("DELETE", "/app/installations/<int:number>", self.uninstall),
            ("POST", "/app/installations/<int:number>/access_tokens", self.new_token),
            ("PUT", "/app/installations/<int:number>/suspended", self.suspend),
            ("DELETE", "/app/installations/<int:number>/suspended", self.unsuspend),
            ("POST", "/app-manifests/<code>/conversions", self.convert),
            ("DELETE", "/applications/<client_id>/token", self.revoke),
            ("GET", "/app/hook/config", self.hook),
            ("GET", "/app/hook/deliveries", self.deliveries),
            ("GET", "/app/hook/deliveries/<int:number>", self.delivery),
            ("POST", "/app/hook/deliveries/<int:number>/attempts", self.redeliver),
            ("GET", "/repos/<owner>/<name>/installation", self.repository_installation),
            ("GET", "/users/<login>/installation", self.account_installation),
            ("GET", "/orgs/<login>/installation", self.account_installation),
        )

    def show(self) -> Response:
        app = access.require_app(self.caller)
        mine = [found for found in self.world.installations.values() if found.app is app]
        return as_json(shapes.app(self.world, app) | {"installations_count": len(mine)})

    def convert(self, code: str) -> Response:
        """The credentials of an App that was created from a manifest: told once, to whoever has the code."""
        app = registering.redeem(self.world, code)
        told = {"client_id": app.client_id, "client_secret": app.client_secret, "pem": app.private_key}
        return as_json(shapes.app(self.world, app) | told | {"webhook_secret": app.webhook_secret or None}, 201)

    def revoke(self, client_id: str) -> Response:
        """A token that somebody let the App have is good for nothing any more. Only the App itself may ask for that."""
        who = self.caller
        if not isinstance(who, access.AsClient) or who.app.client_id != client_id:
            raise not_found()
        oauth.delete_token(self.world, who.app, access.require_field(body(), "Application", "access_token"))
        return nothing()

    def hook(self) -> Response:
        app = access.require_app(self.caller)
        if not app.webhook_url:
            raise not_found()
        return as_json({"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": app.webhook_url})

    def installations(self) -> Response:
        app = access.require_app(self.caller)
        mine = [
            shapes.installation(self.world, found) for found in self.world.installations.values() if found.app is app
        ]
        return listed(mine, self.world.base_url)

    def installation(self, number: int) -> Response:
        return as_json(shapes.installation(self.world, self._mine(number)))

    def uninstall(self, number: int) -> Response:
        installation = self._mine(number)
        installing.uninstall(self.changes, installation, installation.app.owner)
        return nothing()

    def new_token(self, number: int) -> Response:
        installation = self._mine(number)
        stateless = request.headers.get("X-GitHub-Stateless-S2S-Token", "enabled") != "disabled"
        token = access.new_installation_token(self.world, installation, body(), stateless=stateless)
        answer: Json = {
            "token": token.value,
            "expires_at": shapes.moment(token.expires_at),
            "permissions": token.permissions,
            "repository_selection": "all" if installation.repository_ids is None else "selected",
        }
        if token.repository_ids is not None:
            chosen = [self.world.repositories[found] for found in sorted(token.repository_ids)]
            answer["repository_selection"] = "selected"
            answer["repositories"] = [shapes.repository(self.world, found) for found in chosen]
        return as_json(answer, 201)

    def suspend(self, number: int) -> Response:
        installation = self._mine(number)
        installing.suspend(self.changes, installation, installation.app.owner)
        return nothing()

    def unsuspend(self, number: int) -> Response:
        installation = self._mine(number)
        installing.unsuspend(self.changes, installation, installation.app.owner)
        return nothing()

    def repository_installation(self, owner: str, name: str) -> Response:
        app = access.require_app(self.caller)
        repository = self.world.repository(owner, name)
        for installation in self.world.installations_on(repository):
            if installation.app is app:
                return as_json(shapes.installation(self.world, installation))
        raise not_found()

    def account_installation(self, login: str) -> Response:
        app = access.require_app(self.caller)
        account = self.world.account(login)
        for installation in self.world.installations.values():
            if installation.app is app and installation.account is account:
                return as_json(shapes.installation(self.world, installation))
        raise not_found()

    def deliveries(self) -> Response:
        """Newest first, paged by a `cursor` that the `Link` header hands out: the last delivery that was shown."""
        mine = [found for found in reversed(self._my_deliveries()) if _is_asked_for(found)]
        shown, cursor = page_before(mine, request.args.get("cursor"))
        answer = as_json([_delivery(found) for found in shown])
        if cursor:
            query = urlencode({**request.args, "cursor": cursor})
            answer.headers["Link"] = f'<{self.world.base_url}{request.path}?{query}>; rel="next"'
        return answer

    def delivery(self, number: int) -> Response:
        found = self._my_delivery(number)
        request_json = {"headers": found.headers, "payload": found.payload}
        answer = {"headers": None, "payload": found.answer}
        url = found.app.webhook_url
        return as_json(_delivery(found) | {"url": url, "request": request_json, "response": answer})

    def redeliver(self, number: int) -> Response:
        found = self._my_delivery(number)
        self.changes.courier.redeliver(found)
        return as_json({}, 202)

    def _my_deliveries(self) -> list[Delivery]:
        """What was sent to the App and is kept still, the oldest first."""
        app = access.require_app(self.caller)
        oldest = self.world.now() - _REDELIVERABLE
        mine = (found for found in self.world.deliveries if found.app is app and found.created_at >= oldest)
        return [found for found in mine if found.status_code is not None]

    def _my_delivery(self, number: int) -> Delivery:
        app = access.require_app(self.caller)
        found = next((found for found in self.world.deliveries if found.id == number), None)
        if found is None or found.app is not app or found.status_code is None:
            raise not_found()
        if found.created_at < self.world.now() - _REDELIVERABLE:
            raise not_found()
        return found

    def _mine(self, number: int) -> Installation:
        app = access.require_app(self.caller)
        installation = self.world.installation(number)
        if installation.app is not app:
            raise not_found()
        return installation


class Persons(Part):
    """What an App asks in the name of somebody who has let it."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", "/user/installations", self.installations),
            ("GET", "/user/installations/<int:number>/repositories", self.repositories),
        )

    def installations(self) -> Response:
        who = self._who()
        mine = [found for found in who.installations if found.account is who.account or self._seen(who, found)]
        shown = [shapes.installation(self.world, found) for found in mine]
        return listed(shown, self.world.base_url, inside="installations")

    def repositories(self, number: int) -> Response:
        """Those that both may see, and the person by a role of their own: not by its being public."""
        who = self._who()
        installation = next((found for found in who.installations if found.id == number), None)
        if installation is None:
            raise not_found()
        if installation.suspended_at is not None:
            raise ApiError(403, "This installation has been suspended")
        shown = [
            shapes.repository(self.world, found, permissions=_flags(found.role(who.account)))
            for found in self._seen(who, installation)
        ]
        return listed(shown, self.world.base_url, inside="repositories")

    def _who(self) -> access.User:
        who = self.caller
        if not isinstance(who, access.User):
            raise ApiError(401, "Requires authentication")
        if who.app is None:
            raise ApiError(403, "You must authenticate with an access token authorized to a GitHub App")
        return who

    def _seen(self, who: access.User, installation: Installation) -> list[Repository]:
        covered = (found for found in self.world.repositories.values() if installation.covers(found))
        return [found for found in covered if found.is_collaborator(who.account)]


class Repositories(Part):
    """Accounts, repositories, and who may do what in them."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", "/", self.root),
            ("GET", "/meta", self.meta),
            ("GET", "/rate_limit", self.rate_limit),
            ("GET", "/user", self.me),
            ("GET", "/users/<login>", self.account),
            ("GET", "/installation/repositories", self.installation_repositories),
            ("GET", "/repos/<owner>/<name>", self.show),
            ("GET", "/repos/<owner>/<name>/collaborators/<login>/permission", self.permission),
        )

    def root(self) -> Response:
        api = self.world.api_url
        return as_json({"current_user_url": f"{api}/user", "repository_url": f"{api}/repos/{{owner}}/{{repo}}"})

    def meta(self) -> Response:
        return as_json({"verifiable_password_authentication": False})

    def rate_limit(self) -> Response:
        limit = {"limit": 5000, "used": 0, "remaining": 5000, "reset": int(self.world.now().timestamp()) + 3600}
        return as_json({"resources": {"core": limit, "search": limit | {"limit": 30, "remaining": 30}}})

    def me(self) -> Response:
        match self.caller:
            case access.User(account):
                return as_json(shapes.whole_account(self.world, account))
            case access.AsInstallation():
                raise ApiError(403, "Resource not accessible by integration")
            case _:
                raise ApiError(401, "Requires authentication")

    def account(self, login: str) -> Response:
        return as_json(shapes.whole_account(self.world, self.world.account(login)))

    def installation_repositories(self) -> Response:
        caller = self.caller
        if not isinstance(caller, access.AsInstallation):
            raise ApiError(401, "Requires authentication")
        covered = [found for found in self.world.repositories.values() if caller.covers(found)]
        return listed(
            [shapes.repository(self.world, found) for found in covered], self.world.base_url, inside="repositories"
        )

    def show(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        permissions = None
        match self.caller:
            case access.User(account):
                permissions = _flags(repository.role(account))
            case access.AsInstallation() as who if who.covers(repository):
                permissions = _flags("write" if who.has("contents", "write") else "read")
            case _:
                pass
        return as_json(shapes.whole_repository(self.world, repository, permissions=permissions))

    def permission(self, owner: str, name: str, login: str) -> Response:
        """`permission` knows four words only; `role_name` is the truth."""
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "metadata", "read", role="write")
        account = self.world.accounts.get(login.lower())
        if account is None:
            raise ApiError(404, f"{login} is not a user")
        role, called = repository.role(account), repository.role_name(account)
        legacy = {"maintain": "write", "triage": "read"}.get(role, role)
        user = shapes.account(self.world, account) | {"permissions": _flags(role), "role_name": called}
        return as_json({"permission": legacy, "role_name": called, "user": user})


def _is_asked_for(delivery: Delivery) -> bool:
    """By the filters of the request. What nobody could be connected to for is neither success nor failure.

    Source: https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
    """
    code = delivery.status_code or 0
    match request.args.get("status"):
        case "success" if not 200 <= code < 400:
            return False
        case "failure" if not 400 <= code < 600:
            return False
    redelivery = request.args.get("redelivery")
    return redelivery is None or delivery.redelivery is (redelivery == "true")


def _flags(role: str) -> Json:
    rank = ROLES.index(role)
    names = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
    return {flag: rank >= ROLES.index(least) for flag, least in names.items()}


def _delivery(of: Delivery) -> Json:
    return {
        "id": of.id,
        "guid": of.guid,
        "delivered_at": shapes.moment(of.created_at),
        "redelivery": of.redelivery,
        "duration": round(of.duration_s, 3),
        "status": of.status,
        "status_code": of.status_code,
        "event": of.event,
        "action": of.action,
        "installation_id": of.installation_id,
        "repository_id": of.repository_id,
        "throttled_at": None,
    }
