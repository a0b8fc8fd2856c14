"""The hook of the stand-in's repositories: refuses the pushes that GitHub refuses, in GitHub's words.

git runs this file by itself for each ref that is pushed, as `update` does: with the ref, the old and the new commit.
The rules come as JSON in `HUB_RULES`. Those for branches say nothing of other refs.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote

_SECRETS: Mapping[str, re.Pattern[bytes]] = {
    "GitHub Personal Access Token": re.compile(rb"\bghp_[A-Za-z0-9]{36}\b"),
    "GitHub App Installation Access Token": re.compile(rb"\bghs_[A-Za-z0-9._-]{36,}"),
    "Amazon AWS Access Key ID": re.compile(rb"\bAKIA[A-Z0-9]{16}\b"),
    "OpenAI API Key": re.compile(rb"\bsk-[A-Za-z0-9_-]{40,}"),
}


def complaint(rules: Mapping[str, Any], ref: str, new: str) -> str:
    """What GitHub says to the push of `new` to `ref`; "" where it takes it."""
    if rules["refusal"]:
        return str(rules["refusal"])
    if _fits(ref, rules["protected"]):
        return (
            f"error: GH006: Protected branch update failed for {ref}.\n\n"
            "- Changes must be made through a pull request.\n"
        )
    commits, on_branches = _new(new, "--all"), _new(new, "--branches")
    return (
        _workflows(commits, allowed=rules["workflows"])
        or _too_large(commits, rules["file_bytes"])
        or _unsigned(rules, ref, on_branches if _fits(ref, rules["signed"]) else [])
        or _secret(rules, ref, commits if rules["secrets"] else [])
    )


def signature(payload: bytes, key: str) -> str:
    """The stand-in's own signature of a commit without one: nobody else has the key."""
    told = base64.b64encode(hmac.digest(key.encode(), payload, hashlib.sha256)).decode()
    return f"-----BEGIN PGP SIGNATURE-----\n\n{told}\n-----END PGP SIGNATURE-----\n"


def signed(payload: bytes, made: str) -> bytes:
    """The commit with its signature in it. Source: git's gitformat-signature(5)."""
    head, _, message = payload.partition(b"\n\n")
    return b"%b\ngpgsig %b\n\n%b" % (head, made.rstrip("\n").replace("\n", "\n ").encode(), message)


def taken_apart(commit: bytes) -> tuple[bytes, str]:
    """A commit without its signature, and the signature, "" where it has none."""
    head, _, message = commit.partition(b"\n\n")
    found = re.search(rb"\ngpgsig (.*(?:\n .*)*)", head)
    if found is None:
        return commit, ""
    bare = head[: found.start()] + head[found.end() :]
    return bare + b"\n\n" + message, found[1].decode("utf-8", "replace").replace("\n ", "\n") + "\n"


def _new(commit: str, besides: str) -> list[str]:
    return [] if set(commit) == {"0"} else _git("rev-list", commit, "--not", besides).decode().split()


def _workflows(commits: list[str], *, allowed: bool) -> str:
    for commit in () if allowed else commits:
        for path, _ in _changed(commit):
            if path.startswith(".github/workflows/"):
                return (
                    f"refusing to allow a GitHub App to create or update workflow `{path}` "
                    "without `workflows` permission"
                )
    return ""


def _too_large(commits: list[str], most: int) -> str:
    for commit in commits:
        for path, blob in _changed(commit):
            size = int(_git("cat-file", "-s", blob))
            if size > most:
                return (
                    "error: Trace: 5f0e1c2d\nerror: See https://gh.io/lfs for more information.\n"
                    f"error: File {path} is {size / 2**20:.2f} MB; "
                    f"this exceeds GitHub's file size limit of {most / 2**20:.2f} MB\n"
                    "error: GH001: Large files detected. "
                    "You may want to try Git Large File Storage - https://git-lfs.github.com."
                )
    return ""


def _unsigned(rules: Mapping[str, Any], ref: str, commits: list[str]) -> str:
    found = [commit for commit in commits if not _is_verified(_git("cat-file", "commit", commit), rules["signing_key"])]
    if not found:
        return ""
    counted = f"{len(found)} violation{'s' if len(found) > 1 else ''}"
    listed = "\n".join(f"  {commit}" for commit in found)
    return _violation(rules, ref, f"- Commits must have verified signatures.\n  Found {counted}:\n\n{listed}\n")


def _is_verified(commit: bytes, key: str) -> bool:
    payload, made = taken_apart(commit)
    return made == signature(payload, key)


def _secret(rules: Mapping[str, Any], ref: str, commits: list[str]) -> str:
    for commit in commits:
        for path, blob in _changed(commit):
            content = _git("cat-file", "blob", blob)
            for kind, pattern in _SECRETS.items():
                match = pattern.search(content)
                if match:
                    line = content.count(b"\n", 0, match.start()) + 1
                    return _violation(rules, ref, _blocked(rules, kind, commit, f"{path}:{line}"))
    return ""


def _blocked(rules: Mapping[str, Any], kind: str, commit: str, where: str) -> str:
    return (
        "- GITHUB PUSH PROTECTION\n  —————————————————————————————————————————\n"
        "    Resolve the following violations before pushing again\n\n    - Push cannot contain secrets\n\n"
        f"      —— {kind} ——————————————————————————\n       locations:\n"
        f"         - commit: {commit}\n           path: {where}\n\n"
        "       (?) To push, remove secret from commit(s) or follow this URL to allow the secret.\n"
        f"       {rules['url']}/security/secret-scanning/unblock-secret/2wLq\n"
    )


def _violation(rules: Mapping[str, Any], ref: str, text: str) -> str:
    return (
        f"error: GH013: Repository rule violations found for {ref}.\n"
        f"Review all repository rules at {rules['url']}/rules?ref={quote(ref, safe='')}\n\n{text}"
    )


def _fits(ref: str, patterns: list[str]) -> bool:
    branch = ref.removeprefix("refs/heads/")
    return branch != ref and any(fnmatchcase(branch, pattern) for pattern in patterns)


def _changed(commit: str) -> Iterator[tuple[str, str]]:
    """Path and content of each file that a commit adds or changes."""
    text = _git("diff-tree", "-r", "-m", "--root", "--no-commit-id", "-z", "--diff-filter=d", commit).decode(
        errors="replace"
    )
    fields = text.split("\0")
    for entry, path in zip(fields[::2], fields[1::2], strict=False):
        mode, blob = entry.split()[1], entry.split()[3]
        if mode != "160000":
            yield path, blob


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout


if __name__ == "__main__":
    said = complaint(json.loads(os.environ["HUB_RULES"]), sys.argv[1], sys.argv[3])
    sys.stderr.write(said + ("\n" if said else ""))
    raise SystemExit(1 if said else 0)
