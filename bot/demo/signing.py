"""Commits that the stand-in writes for others by its API, and what it says of signatures."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.demo import git
from bot.demo.push_rules import signature, signed, taken_apart
from bot.demo.shapes import Json, moment
from bot.demo.state import Account, Repository
from bot.demo.world import World

_WEB_FLOW = "GitHub <noreply@github.com>"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A commit that somebody wants written. `author` and `committer` are lines of git's, "" where not given."""

    tree: str
    parents: tuple[str, ...]
    message: str
    author: str = ""
    committer: str = ""


def write(world: World, home: Repository, by: Account, wanted: Wanted) -> str:
    """Write a commit; signed for an App that says nothing of who wrote it. Returns its id.

    Source: https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
    """
    now = f"{int(world.now().timestamp())} +0000"
    own = f"{by.login} <{address(world, by)}> {now}"
    is_signed = world.signs_commits and by.kind == "Bot" and not (wanted.author or wanted.committer)
    author = wanted.author or own
    lines = [
        f"tree {wanted.tree}",
        *(f"parent {parent}" for parent in wanted.parents),
        f"author {author}",
        f"committer {f'{_WEB_FLOW} {now}' if is_signed else wanted.committer or author}",
    ]
    payload = "\n".join([*lines, "", wanted.message]).encode()
    commit = signed(payload, signature(payload, world.signing_key)) if is_signed else payload
    return git.run(home.directory, "hash-object", "-t", "commit", "-w", "--stdin", data=commit).decode().strip()


def address(world: World, of: Account) -> str:
    """The mail address that commits of an account have, where it gives no other."""
    return f"{of.id}+{of.login}@users.noreply.{urlsplit(world.base_url).hostname or 'github.com'}"


def verification(world: World, home: Repository, sha: str) -> Json:
    """What GitHub says of a commit's signature."""
    payload, made = taken_apart(git.run(home.directory, "cat-file", "commit", sha))
    is_valid = bool(made) and made == signature(payload, world.signing_key)
    return {
        "verified": is_valid,
        "reason": "valid" if is_valid else "unknown_key" if made else "unsigned",
        "signature": made or None,
        "payload": payload.decode("utf-8", "replace") if made else None,
        "verified_at": moment(world.now()) if is_valid else None,
    }
