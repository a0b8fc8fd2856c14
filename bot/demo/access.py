"""Who calls, and what they may do: tokens of people and installations, the JWTs of Apps."""

import base64
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import jwt

from bot.demo.answers import ApiError, bad_credentials, invalid, not_for_integrations, not_found
from bot.demo.state import ROLES, Account, App, Installation, Issue, Repository, Token
from bot.demo.world import World

_LEVELS = ("none", "read", "write", "admin")
_TOKEN_LIFE = timedelta(hours=1)
_JWT_LIFE_S = 600
ON_ISSUES = ("issues", "pull_requests")
"""What lets an App comment on, label and read issues, which pull requests are too: either permission."""


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Nobody in particular: may read what is public."""

    @property
    def name(self) -> str:
        return "anonymous"


@dataclass(frozen=True, slots=True)
class User:
    """A person, by their token. With an `app` that is one of an App's, and reaches what is seen by `installations`."""

    account: Account
    app: App | None = None
    installations: tuple[Installation, ...] = ()

    def reaches(self, repository: Repository) -> bool:
        """Whether the App, where it is one's, sees what is not for everybody."""
        within = any(found.covers(repository) and found.suspended_at is None for found in self.installations)
        return self.app is None or not repository.private or within

    @property
    def name(self) -> str:
        return self.account.login


@dataclass(frozen=True, slots=True)
class AsApp:
    """An App itself, by its JWT."""

    app: App

    @property
    def name(self) -> str:
        return f"app {self.app.slug}"


@dataclass(frozen=True, slots=True)
class AsClient:
    """An App by its client id and secret: good for the tokens that people let it have, and nothing else."""

    app: App

    @property
    def name(self) -> str:
        return f"client {self.app.slug}"


@dataclass(frozen=True, slots=True)
class AsInstallation:
    """An App on one account, by an installation's token."""

    installation: Installation
    token: Token

    @property
    def account(self) -> Account:
        return self.installation.app.bot

    @property
    def name(self) -> str:
        return self.account.login

    def covers(self, repository: Repository) -> bool:
        narrowed = self.token.repository_ids
        return self.installation.covers(repository) and (narrowed is None or repository.id in narrowed)

    def has(self, permission: str, level: str) -> bool:
        """Whether token and installation have it both: what is taken from an installation is so from its tokens."""
        least = "read" if permission == "metadata" else "none"
        held = (self.token.permissions.get(permission, least), self.installation.permissions.get(permission, least))
        return min(map(_LEVELS.index, held)) >= _LEVELS.index(level)


Caller = Anonymous | User | AsApp | AsClient | AsInstallation


def account_of(who: Caller) -> Account | None:
    """The account that a caller acts as, where it has one."""
    return who.account if isinstance(who, User | AsInstallation) else None


def caller(world: World, authorization: str) -> Caller:
    """Who the `Authorization` header names. Raises 401 for a token or JWT that is wrong or has expired."""
    scheme, _, credential = authorization.strip().partition(" ")
    match scheme.lower():
        case "":
            return Anonymous()
        case "basic":
            user, password = _from_basic(credential)
            return _by_secret(world, user, password) or by_token(world, _token_in(user, password))
        case "bearer" | "token" if credential.count(".") == 2 and credential.startswith("eyJ"):
            return AsApp(_by_jwt(world, credential))
        case "bearer" | "token":
            return by_token(world, credential.strip())
        case _:
            raise bad_credentials()


def by_token(world: World, value: str) -> User | AsInstallation:
    """Who a token stands for. Raises 401 for an unknown or expired one, 403 where the installation is suspended."""
    token = world.tokens.get(value)
    if token is None or (token.expires_at is not None and world.now() >= token.expires_at):
        raise bad_credentials()
    if token.user is not None:
        mine = tuple(found for found in world.installations.values() if found.app is token.app)
        return User(token.user, token.app, mine)
    installation = token.installation
    if installation is None or installation.id not in world.installations:
        raise bad_credentials()
    if installation.suspended_at is not None:
        raise ApiError(403, "This installation has been suspended")
    return AsInstallation(installation, token)


def _from_basic(credential: str) -> tuple[str, str]:
    try:
        user, _, password = base64.b64decode(credential, validate=True).decode().partition(":")
    except ValueError:
        raise bad_credentials() from None
    return user, password


def _token_in(user: str, password: str) -> str:
    return password if password not in ("", "x-oauth-basic") else user


def _by_secret(world: World, client_id: str, secret: str) -> AsClient | None:
    """The App with this client id, by its secret."""
    found = (app for app in world.apps.values() if app.client_id and app.client_id == client_id)
    return next(
        (AsClient(app) for app in found if hmac.compare_digest(secret.encode(), app.client_secret.encode())), None
    )


def _by_jwt(world: World, text: str) -> App:
    """The App whose key signed the JWT. Checked by the real clock, whatever tests do to the tokens' clock."""
    try:
        claims: dict[str, Any] = jwt.decode(text, options={"verify_signature": False})
        app = world.apps.get(int(claims.get("iss", 0)))
    except (jwt.InvalidTokenError, ValueError):
        raise ApiError(401, "A JSON web token could not be decoded") from None
    if app is None:
        raise ApiError(401, "Integration not found")
    try:
        jwt.decode(text, app.public_key, algorithms=["RS256"], options={"require": ["exp", "iat", "iss"]}, leeway=5)
    except jwt.ExpiredSignatureError:
        message = "'Expiration time' claim ('exp') must be a numeric value representing the future time"
        raise ApiError(401, f"{message} at which the assertion expires") from None
    except jwt.ImmatureSignatureError:
        message = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        raise ApiError(401, message) from None
    except jwt.InvalidTokenError:
        raise ApiError(401, "A JSON web token could not be decoded") from None
    if claims["exp"] - claims["iat"] > _JWT_LIFE_S + 60:
        raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
    return app


def new_installation_token(
    world: World, installation: Installation, wanted: Mapping[str, Any], *, stateless: bool
) -> Token:
    """Make a token for an installation, narrowed to `permissions` and `repository_ids` or `repositories`."""
    if installation.suspended_at is not None:
        raise ApiError(403, "This installation has been suspended")
    asked: Mapping[str, str] = wanted.get("permissions") or {}
    for permission, level in asked.items():
        given = installation.permissions.get(permission, "none")
        if level not in _LEVELS or _LEVELS.index(level) > _LEVELS.index(given):
            raise ApiError(422, "The permissions requested are not granted to this installation.")
    token = Token(
        value=_stateless_token(installation) if stateless else f"ghs_{secrets.token_hex(18)}",
        installation=installation,
        permissions={**asked, "metadata": "read"} if asked else dict(installation.permissions),
        repository_ids=_narrowed(world, installation, wanted),
        expires_at=world.now() + _TOKEN_LIFE,
    )
    return world.add_token(token)


def _narrowed(world: World, installation: Installation, wanted: Mapping[str, Any]) -> frozenset[int] | None:
    by_id, by_name = wanted.get("repository_ids"), wanted.get("repositories")
    if not by_id and not by_name:
        return None
    covered = [found for found in world.repositories.values() if installation.covers(found)]
    names = {name.lower() for name in by_name or ()}
    chosen = {found.id for found in covered if found.id in (by_id or ()) or found.name.lower() in names}
    if len(chosen) < len(set(by_id or ())) or len(chosen) < len(names):
        raise ApiError(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return frozenset(chosen)


def _stateless_token(installation: Installation) -> str:
    """A token in the format of 2026: `ghs_`, the App's id, a JWT; about 520 characters with dots, `_` and `-` in it."""
    parts = (secrets.token_urlsafe(48), secrets.token_urlsafe(192), secrets.token_urlsafe(132))
    return f"ghs_{installation.app.id}_{'.'.join(parts)}"


# --- What they may do


def readable(world: World, who: Caller, owner: str, name: str) -> Repository:
    """The repository, where the caller may know that it exists; else 404, as GitHub does."""
    repository = world.repository(owner, name)
    if not sees(who, repository):
        raise not_found()
    return repository


def sees(who: Caller, repository: Repository) -> bool:
    """Whether the caller may know that the repository exists."""
    match who:
        case Anonymous() | AsApp() | AsClient():
            return not repository.private
        case User(account):
            return repository.role(account) != "none" and who.reaches(repository)
        case AsInstallation():
            return not repository.private or who.covers(repository)


def require(
    who: Caller, repository: Repository, permission: str | tuple[str, ...], level: str, *, role: str
) -> Account:
    """The account that acts, if it may: an App by a permission (one of several), a person by their role."""
    if level != "read" and repository.archived:
        raise ApiError(403, "Repository was archived so is read-only.")
    match who:
        case Anonymous() | AsApp() | AsClient():
            raise ApiError(401, "Requires authentication")
        case User(account):
            if not who.reaches(repository):
                raise not_for_integrations()
            if ROLES.index(repository.role(account)) < ROLES.index(role):
                raise ApiError(403, "Must have admin rights to Repository." if role == "admin" else "Forbidden")
            return account
        case AsInstallation():
            names = (permission,) if isinstance(permission, str) else permission
            open_to_all = level == "read" and not repository.private
            granted = who.covers(repository) and any(who.has(name, level) for name in names)
            if not granted and not open_to_all:
                raise not_for_integrations()
            return who.account


def require_unlocked(who: Caller, issue: Issue) -> None:
    """Raise 403 where the conversation is locked and the caller has no write access of a person or an App."""
    match who:
        case User(account) if ROLES.index(issue.repository.role(account)) >= ROLES.index("write"):
            return
        case _ if issue.locked:
            raise ApiError(403, "Unable to create comment because issue is locked.")
        case _:
            return


def require_app(who: Caller) -> App:
    """The App that asks by its JWT; else 401."""
    if not isinstance(who, AsApp):
        raise ApiError(401, "A JSON web token could not be decoded")
    return who.app


def require_field(body: Mapping[str, Any], resource: str, name: str) -> str:
    """A field that must be there and not empty, else 422 `missing_field`."""
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise invalid(resource, "missing_field", name)
    return value
