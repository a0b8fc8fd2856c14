"""Credentials for git: the token goes through a file that lives as long as one git call, and to one origin alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

USERNAME = "x-access-token"

# git asks "Username for 'https://host': ", then "Password for 'https://x-access-token@host': " (prompts of its
# credential.c). Any other question, another host's above all, gets no answer.
_PROGRAM = """\
#!/bin/sh
here=${0%/*}
[ "$1" = "$(cat "$here/username-for")" ] && exec cat "$here/username"
[ "$1" = "$(cat "$here/password-for")" ] && exec cat "$here/token"
exit 1
"""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A token, and the one origin (scheme, host, port) that may see it. Any URL of that origin will do."""

    origin_url: str
    token: str = field(repr=False)


def prepare(credentials: Credentials, folder: Path) -> Mapping[str, str]:
    """Write an askpass program into the private folder; return the environment that makes git use it.

    The folder must be the caller's alone (0700) and be removed when git has ended.
    """
    parts = urlsplit(credentials.origin_url)
    host = parts.netloc.rpartition("@")[2]
    texts = {
        "username-for": f"Username for '{parts.scheme}://{host}': ",
        "password-for": f"Password for '{parts.scheme}://{USERNAME}@{host}': ",
        "username": USERNAME,
        "token": credentials.token,
    }
    for name, text in texts.items():
        _write(folder / name, text, mode=0o600)
    program = folder / "askpass"
    _write(program, _PROGRAM, mode=0o700)
    return {"GIT_ASKPASS": str(program)}


def _write(path: Path, text: str, *, mode: int) -> None:
    path.touch(mode=mode)
    path.write_text(text, encoding="utf-8")
