"""What git says when it fails, turned into errors named for who must act. Pure."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import Gone, Refused, Unavailable

SAID_AT_MOST = 2000

LIMITED_S = 300.0
"""How long to wait where the server has had too many requests: how long it wants none, git does not tell."""


@dataclass
class GitFailed(Exception):
    """git failed for a reason of its own: a broken repository, or a bug of ours. Holds git's words, scrubbed."""

    command: str
    exit_code: int
    stderr: str
    stdout: bytes = b""

    def __str__(self) -> str:
        return f"git {self.command} ended with {self.exit_code}: {self.stderr or 'no message'}"


class Moved(Refused):
    """The remote branch is not where we left it: someone pushed to it, deleted it, or made it first.

    `found` is the commit it is at now, None where it is gone.
    """

    def __init__(self, branch: str, found: str | None) -> None:
        self.branch = branch
        self.found = found
        at = f"is at {found[:12]} now" if found else "is gone"
        super().__init__(
            f"The branch `{branch}` was changed by someone else and {at}. "
            "Nothing was pushed over it; `/selfcode retry` starts from what is there."
        )


OTHER_IDS = (
    "The repository names its commits by SHA-256 (`git init --object-format=sha256`). selfcode reads those with SHA-1 "
    "names alone, as GitHub has them."
)
_REFUSALS = (
    (re.compile(r"mismatched algorithms: client sha1; server sha256"), OTHER_IDS),
    (
        re.compile(r"archived so it is read-only", re.IGNORECASE),
        "The repository is archived: nothing can be pushed to it.",
    ),
)
_DENIED = re.compile(r"Write access to repository not granted|Permission to \S+ denied to", re.IGNORECASE)
_GONE = re.compile(
    r"repository '[^']*' not found|Repository not found|returned error: (?:30\d|4(?!01|08|29)\d\d)\b"
    r"|does not appear to be a git repository|could not read (?:Username|Password)|unable to get password from user"
    r"|repository '[^']*' does not exist|unable to update url base from redirection|HTTP 4(?!01|08|29)\d\d ",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"returned error: 429\b|HTTP 429 |exceeded an? \w+ rate limit|API rate limit exceeded", re.IGNORECASE
)
_UNAVAILABLE = re.compile(
    r"unable to access|RPC failed|early EOF|hung up unexpectedly|unexpected disconnect|connection (?:reset|refused)"
    r"|timed? ?out|could not resolve|Authentication failed|Internal Server Error|No space left on device"
    r"|unable to look up|Could not read from remote repository|expected flush after|invalid index-pack output"
    r"|fetch-pack: |bad (?:line length|pack) ",
    re.IGNORECASE,
)
_REJECTED = re.compile(r"^!\t[^\t]*\t\[[^\]]*\](.*)$", re.MULTILINE)
_SECRETS = re.compile(r"\b(?:gh[a-z]_|github_pat_)[A-Za-z0-9._-]{16,}")
_USERINFO = re.compile(r"(?<=://)[^/@\s']+@")
_PROGRESS = re.compile(r"^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Total|Delta) ")


def failure(command: str, exit_code: int, stdout: bytes, stderr: str) -> Exception:
    """The error for a git call that failed; `stderr` is scrubbed already."""
    said = f"git {command}: {stderr or 'no message'}"
    if _REJECTED.search(
        stdout.decode("utf-8", "replace")
    ):  # the server answered; `rejection` knows what its words mean
        return GitFailed(command, exit_code, stderr, stdout)
    if refusal := next((words for pattern, words in _REFUSALS if pattern.search(stderr)), ""):
        return Refused(refusal)
    if _DENIED.search(stderr):
        return Refused(f"GitHub does not let the App push here; it needs the permission `contents: write`. {said}")
    is_limited = _LIMITED.search(stderr) is not None
    if _GONE.search(stderr) and not is_limited:
        return Gone(said)
    if _UNAVAILABLE.search(stderr) or is_limited:
        return Unavailable(said, LIMITED_S if is_limited else None)
    return GitFailed(command, exit_code, stderr, stdout)


def rejection(branch: str, stdout: bytes, stderr: str, *, secrets: Sequence[str] = ()) -> Exception:
    """The error for a push that the server answered with a no: the rule's own text, for the user.

    `stdout` is what `git push --porcelain` wrote. Source: git-push(1), “Output”.
    """
    reasons = [match[1].strip().strip("()") for match in _REJECTED.finditer(stdout.decode("utf-8", "replace"))]
    remote = [line.removeprefix("remote:").strip() for line in stderr.splitlines() if line.startswith("remote:")]
    said = scrubbed("\n".join(line for line in (*remote, *reasons) if line), secrets)
    if _LIMITED.search(said):
        return Unavailable(f"git push: {said}", LIMITED_S)
    if _UNAVAILABLE.search(said) or "unpacker error" in said:
        return Unavailable(f"git push: {said}")
    return Refused(f"The server refused the push to `{branch}`:\n{said or stderr}")


def scrubbed(text: str, secrets: Sequence[str] = ()) -> str:
    """The text without secrets, tokens, user names in URLs and progress lines, at most `SAID_AT_MOST` characters."""
    for secret in secrets:
        if secret:
            login = base64.b64encode(f"x-access-token:{secret}".encode()).decode()
            text = text.replace(secret, "***").replace(login, "***")
    text = _USERINFO.sub("", _SECRETS.sub("***", text))
    lines = [line.rstrip() for line in text.replace("\r", "\n").splitlines()]
    return "\n".join(line for line in lines if line and not _PROGRESS.match(line))[-SAID_AT_MOST:]
