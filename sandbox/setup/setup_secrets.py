"""What a setup may know and nothing may keep: files in memory, masked in its output, searched for in what it leaves.

This guards against what happens by accident: a token in a configuration file, a URL in a log. A setup that wants to
keep a secret can change it so that no search knows it.
"""

import base64
import json
import re
import secrets as randomness
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

from sandbox.containers.container import SECRETS, WORKSPACE
from sandbox.containers.workspace import SetupWorkspace
from sandbox.contract import File, SandboxError, archive_of

MASK = "***"
_SHORTEST_SEARCHED = 8
"""In characters: what is shorter is found everywhere."""

_SHORTEST_MASKED = 4
_LONGEST_ENCODED = 48
"""Base64 is often broken into lines, of 64 characters at least: so much of it stands in one."""

_MARK = "/opt/selfcode/before-setup"
_CANARY = "/opt/selfcode/canary"
_CUT = re.compile(r"\n\[… \d+ bytes left out …\]\n")
"""Where the middle of an output was left out, as `sandbox.output` writes it."""

_PLACE = f"""
mkdir -p {_MARK.rpartition("/")[0]} && : >{_MARK} && umask 377 &&
head -c "$1" | tar -x -m -f - -C {SECRETS} --no-same-owner --no-same-permissions
"""

_SHOWN = 20

_SEARCH = f"""
umask 077
patterns={SECRETS}/.patterns-$$
found={SECRETS}/.found-$$
head -c "$1" >"$patterns"
tail -n 1 "$patterns" >{_CANARY}
since=; [ -e {_MARK} ] && since="-cnewer {_MARK}"
export LC_ALL=C
find / -xdev -type f $since -print0 | xargs -0 grep -lFf "$patterns" -- >"$found"
find / -xdev $since -print | grep -Ff "$patterns" >>"$found"
find / -xdev -type l $since -exec ls -dl {{}} + | grep -Ff "$patterns" >>"$found"
grep -xF {_CANARY} "$found"
grep -vxF {_CANARY} "$found" | head -n {_SHOWN}
rm -f "$patterns" "$found" {_CANARY}
:
"""
"""Print the paths of files in the container's own layer that hold a pattern, and of those that are named by one; of
links that lead to one, with what else `ls` says of them.

The files are found by when they last changed, which a program can't set. First comes a file of ours, with the last
pattern in it.
"""

_SEARCH_WORKSPACE = f"""
umask 077
patterns={SECRETS}/.patterns-$$
head -c "$1" >"$patterns"
LC_ALL=C grep -rlFf "$patterns" {WORKSPACE} | head -n {_SHOWN}
rm -f "$patterns"
:
"""


def place(workspace: SetupWorkspace, secrets: Mapping[str, bytes]) -> None:
    """Write each secret to a file of its name, which root alone can read. Raises `SandboxError` for an odd name."""
    for name in secrets:
        if name in {"", ".", ".."} or "/" in name or not name.isprintable():
            raise SandboxError(f"a setup's secret can't be named {name!r}: it is a file's name")
    if secrets:
        archive = archive_of({name: File(value) for name, value in secrets.items()})
        workspace.script(_PLACE, archive, doing="placing the setup's secrets")


def masked(text: str, secrets: Iterable[bytes]) -> str:
    """The text without the secrets, in whatever form tools print them."""
    forms = sorted({form for value in secrets for form in _printed(value)}, key=len, reverse=True)
    if not forms:
        return text
    text = re.sub("|".join(map(re.escape, forms)), MASK, text)
    cut = _CUT.search(text)
    if cut is None:
        return text
    head, tail = text[: cut.start()], text[cut.end() :]
    return _without_end(head, forms) + cut[0] + _without_start(tail, forms)


def objection(workspace: SetupWorkspace, secrets: Mapping[str, bytes], *, left: str) -> str | None:
    """Why an image may not be made of what setup has written: a secret is in it, by the names of both, or it can't be
    searched. None where there is nothing to say against it.

    `left` is the archive in which the image keeps what setup left in the workspace.
    """
    patterns = {name: found for name, value in secrets.items() if (found := _patterns(value))}
    if not patterns:
        return None
    leaks = _search(workspace, [pattern for each in patterns.values() for pattern in each])
    if leaks is None:
        return "what it has written can't be searched for its secrets: find, xargs, grep and tail are needed"
    if not leaks:
        return None
    for name, each in patterns.items():
        for path in _search(workspace, each) or ():
            inside = _in_workspace(workspace, each) if path == left else []
            shown = masked((inside or [path])[0], secrets.values())
            return f"it has left the secret {name!r} in {shown}, where it would stay in the image"
    return "it has left a secret in what it has written"


def _search(workspace: SetupWorkspace, patterns: Sequence[bytes]) -> Sequence[str] | None:
    """The files with one of the patterns; None where the search does not even find what was put there to be found."""
    canary = randomness.token_hex(16)
    listed = _lines([*patterns, canary.encode()])
    found = _paths(workspace.script(_SEARCH, listed, doing="searching for secrets"))
    return [_path_in(line) for line in found if line != _CANARY] if _CANARY in found else None


def _in_workspace(workspace: SetupWorkspace, patterns: Sequence[bytes]) -> Sequence[str]:
    return _paths(workspace.script(_SEARCH_WORKSPACE, _lines(patterns), doing="searching for secrets"))


def _lines(patterns: Sequence[bytes]) -> bytes:
    return b"".join(pattern + b"\n" for pattern in patterns)


def _path_in(line: str) -> str:
    """The path of a line, with a link's target behind it."""
    before, slash, path = line.partition(" /")
    return f"/{path}" if slash and before.startswith("l") else line


def _paths(printed: bytes) -> list[str]:
    return [line for line in printed.decode("utf-8", "replace").splitlines() if line]


def _patterns(value: bytes) -> Sequence[bytes]:
    """What a search by lines looks for: of several lines the longest, plain, URL-encoded and in base64."""
    longest = max(re.split(rb"[\r\n\0]", value), key=len)
    if len(longest) < _SHORTEST_SEARCHED:
        return ()
    encoded = [form.encode()[:_LONGEST_ENCODED] for form in _in_base64(value)]
    return tuple({longest, quote(longest, safe="").encode(), *encoded})


def _printed(value: bytes) -> Iterable[str]:
    whole = value.decode("utf-8", "replace").strip()
    for text in {whole, *whole.splitlines()}:
        if len(text) >= _SHORTEST_MASKED:
            yield text
            yield json.dumps(text)[1:-1]
            for encoded in (quote(text, safe=""), quote(text), quote_plus(text)):
                yield encoded
                yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    if len(whole) >= _SHORTEST_MASKED:
        yield base64.b64encode(value).decode()
        yield from _in_base64(value)


def _in_base64(value: bytes) -> Iterable[str]:
    """What base64 makes of a value wherever it stands in what is encoded: behind a user's name, for one."""
    stripped = value.strip()
    for before in range(3):
        after = (before + len(stripped)) % 3  # bytes in a group that what follows changes
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(b"\0" * before + stripped).decode().rstrip("=")
            yield form[(0, 2, 3)[before] : len(form) - (1 if after else 0)]


def _without_end(text: str, forms: Sequence[str]) -> str:
    """Without the beginning of a secret whose rest was left out."""
    for form in forms:
        for length in range(len(form) - 1, _SHORTEST_MASKED - 1, -1):
            if text.endswith(form[:length]):
                return text[:-length] + MASK
    return text


def _without_start(text: str, forms: Sequence[str]) -> str:
    for form in forms:
        for length in range(len(form) - 1, _SHORTEST_MASKED - 1, -1):
            if text.startswith(form[-length:]):
                return MASK + text[length:]
    return text
