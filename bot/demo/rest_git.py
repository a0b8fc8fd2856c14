"""Git's own objects by the API: commits that are written here, and refs."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response

from bot.demo import access, git, keeping, ruling, signing
from bot.demo.answers import ApiError, as_json, not_found
from bot.demo.rest import Part, Route, body
from bot.demo.shapes import Json, node_id
from bot.demo.state import Repository

_SHA = re.compile(r"[0-9a-f]{40}")
_REF = re.compile(r"refs/[^/\s]+(/[^/\s]+)+")


class GitData(Part):
    """Commits and refs. Trees and blobs come by git."""

    def routes(self) -> Iterable[Route]:
        data = "/repos/<owner>/<name>/git"
        return (
            ("POST", f"{data}/commits", self.create_commit),
            ("GET", f"{data}/commits/<sha>", self.commit),
            ("POST", f"{data}/refs", self.create_ref),
            ("PATCH", f"{data}/refs/<path:reference>", self.update_ref),
        )

    def create_commit(self, owner: str, name: str) -> Response:
        """Write a commit. What it is made of has to be there, whether a ref holds it or not."""
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "contents", "write", role="write")
        asked = body()
        for field in ("message", "tree"):
            if not isinstance(asked.get(field), str):
                raise ApiError(422, f'Invalid request.\n\n"{field}" wasn\'t supplied.')
        parents = tuple(asked.get("parents") or ())
        if not _SHA.fullmatch(asked["tree"]):
            raise ApiError(422, "The tree parameter must be exactly 40 characters and contain only [0-9a-f].")
        if not all(isinstance(parent, str) and _SHA.fullmatch(parent) for parent in parents):
            words = "Each SHA in the 'parents' parameter must be exactly 40 characters and contain only [0-9a-f]."
            raise ApiError(422, words)
        if git.kind(repository.directory, asked["tree"]) != "tree":
            raise ApiError(422, "Tree SHA does not exist")
        if any(git.kind(repository.directory, parent) != "commit" for parent in parents):
            raise ApiError(422, "Parent SHA does not exist or is not a commit object")
        wanted = signing.Wanted(
            asked["tree"], parents, asked["message"], _who(asked.get("author")), _who(asked.get("committer"))
        )
        return as_json(self._commit(repository, signing.write(self.world, repository, by, wanted)), 201)

    def commit(self, owner: str, name: str, sha: str) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "contents", "read", role="read")
        if git.kind(repository.directory, sha) != "commit":
            raise not_found()
        return as_json(self._commit(repository, sha))

    def create_ref(self, owner: str, name: str) -> Response:
        repository, asked = self._writable(owner, name), body()
        reference, sha = str(asked.get("ref", "")), str(asked.get("sha", ""))
        if not _REF.fullmatch(reference):
            raise ApiError(422, "Reference name must start with 'refs/' and contain at least two slashes.")
        if git.resolve(repository.directory, reference) is not None:
            raise ApiError(422, "Reference already exists")
        self._point(repository, reference, sha)
        return as_json(self._reference(repository, reference, sha), 201)

    def update_ref(self, owner: str, name: str, reference: str) -> Response:
        """Move a ref, forward alone unless it is forced."""
        repository, asked = self._writable(owner, name), body()
        full, sha = f"refs/{reference}", str(asked.get("sha", ""))
        before = git.resolve(repository.directory, full)
        if before is None:
            raise ApiError(422, "Reference does not exist")
        is_known = git.kind(repository.directory, sha) == "commit"
        if is_known and not asked.get("force") and not git.holds(repository.directory, sha, before):
            raise ApiError(422, "Update is not a fast forward")
        self._point(repository, full, sha)
        return as_json(self._reference(repository, full, sha))

    def _writable(self, owner: str, name: str) -> Repository:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "contents", "write", role="write")
        return repository

    def _point(self, repository: Repository, reference: str, sha: str) -> None:
        if git.kind(repository.directory, sha) != "commit":
            raise ApiError(422, "Object does not exist")
        may = not isinstance(self.caller, access.AsInstallation) or self.caller.has("workflows", "write")
        ruling.require_allowed(self.world, repository, reference, sha, workflows=may)
        before = git.heads(repository.directory)
        git.point(repository.directory, reference, sha)
        keeping.pushed(self.changes, repository, access.account_of(self.caller) or repository.owner, before)

    def _commit(self, repository: Repository, sha: str) -> Json:
        found = git.one_commit(repository.directory, sha)
        api, web = self._addresses(repository)
        author, committer = git.signatures(repository.directory, sha)
        return {
            "sha": sha,
            "node_id": node_id("Commit", repository.id) + sha,
            "url": f"{api}/commits/{sha}",
            "html_url": f"{web}/{sha}",
            "author": author,
            "committer": committer,
            "tree": {"sha": found.tree, "url": f"{api}/trees/{found.tree}"},
            "message": found.message,
            "parents": [
                {"sha": parent, "url": f"{api}/commits/{parent}", "html_url": f"{web}/{parent}"}
                for parent in found.parents
            ],
            "verification": signing.verification(self.world, repository, sha),
        }

    def _reference(self, repository: Repository, reference: str, sha: str) -> Json:
        api, _ = self._addresses(repository)
        return {
            "ref": reference,
            "node_id": node_id("Ref", repository.id) + reference,
            "url": f"{api}/{reference}",
            "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
        }

    def _addresses(self, repository: Repository) -> tuple[str, str]:
        api = f"{self.world.api_url}/repos/{repository.full_name}/git"
        return api, f"{self.world.base_url}/{repository.full_name}/commit"


def _who(given: Mapping[str, Any] | None) -> str:
    """Somebody as a line of a commit; "" where nobody is named. The time is not kept."""
    return f"{given['name']} <{given['email']}> 0 +0000" if given else ""
