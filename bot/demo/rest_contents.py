"""Branches, commits and files."""

import base64
from collections.abc import Iterable

from flask import Response, request

from bot.demo import access, git, pulling, shapes_pulls
from bot.demo.answers import ApiError, Moved, as_json, invalid, not_found
from bot.demo.rest import Part, Route, body
from bot.demo.shapes import Json, node_id
from bot.demo.state import Repository


class Contents(Part):
    """Branches, commits and files; writing is git's, but for renaming and deleting branches."""

    def routes(self) -> Iterable[Route]:
        repository = "/repos/<owner>/<name>"
        return (
            ("GET", f"{repository}/git/ref/<path:reference>", self.reference),
            ("DELETE", f"{repository}/git/refs/heads/<path:branch>", self.delete_branch),
            ("GET", f"{repository}/branches/<path:branch>", self.branch),
            ("POST", f"{repository}/branches/<path:branch>/rename", self.rename_branch),
            ("GET", f"{repository}/commits/<path:revision>", self.commit),
            ("GET", f"{repository}/contents/<path:path>", self.contents),
        )

    def reference(self, owner: str, name: str, reference: str) -> Response:
        repository = self._readable(owner, name)
        sha = git.resolve(repository.directory, f"refs/{reference}")
        if sha is None:
            raise not_found()
        api = f"{self.world.api_url}/repos/{repository.full_name}/git"
        body_ = {
            "ref": f"refs/{reference}",
            "node_id": node_id("Ref", repository.id) + reference,
            "url": f"{api}/refs/{reference}",
            "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
        }
        return as_json(body_)

    def delete_branch(self, owner: str, name: str, branch: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "contents", "write", role="write")
        pulling.delete_branch(self.changes, repository, by, branch)
        return Response(status=204)

    def branch(self, owner: str, name: str, branch: str) -> Response:
        """A branch; by a former name 301."""
        repository = self._readable(owner, name)
        sha = git.head(repository.directory, branch)
        if sha is None and branch in repository.renamed_branches:
            now = repository.renamed_branches[branch]
            raise Moved(f"{self.world.api_url}/repositories/{repository.id}/branches/{now}", whole=True)
        if sha is None:
            raise ApiError(404, "Branch not found")
        return as_json(self._branch(repository, branch, sha))

    def rename_branch(self, owner: str, name: str, branch: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "contents", "write", role="write")
        new = access.require_field(body(), "Branch", "new_name")
        if git.head(repository.directory, branch) is None:
            raise not_found()
        if git.head(repository.directory, new) is not None:
            raise invalid("Branch", "already_exists", "name")
        pulling.rename_branch(self.changes, repository, by, branch, new)
        return as_json(self._branch(repository, new, git.head(repository.directory, new) or ""), 201)

    def _branch(self, repository: Repository, branch: str, sha: str) -> Json:
        api = f"{self.world.api_url}/repos/{repository.full_name}/branches/{branch}"
        web = f"{self.world.base_url}/{repository.full_name}/tree/{branch}"
        return {
            "name": branch,
            "commit": shapes_pulls.commit(self.world, git.one_commit(repository.directory, sha), repository),
            "_links": {"self": api, "html": web},
            "protected": False,
            "protection": {"enabled": False},
            "protection_url": f"{api}/protection",
        }

    def commit(self, owner: str, name: str, revision: str) -> Response:
        repository = self._readable(owner, name)
        sha = git.resolve(repository.directory, revision)
        if sha is None:
            raise ApiError(422, f"No commit found for SHA: {revision}")
        return as_json(shapes_pulls.commit(self.world, git.one_commit(repository.directory, sha), repository))

    def contents(self, owner: str, name: str, path: str) -> Response:
        repository = self._readable(owner, name)
        revision = request.args.get("ref") or repository.default_branch
        data = git.file(repository.directory, revision, path)
        if data is None:
            raise not_found()
        api = f"{self.world.api_url}/repos/{repository.full_name}"
        web = f"{self.world.base_url}/{repository.full_name}"
        sha = git.blob_id(repository.directory, revision, path)
        links = {"self": f"{api}/contents/{path}?ref={revision}", "git": f"{api}/git/blobs/{sha}"}
        links["html"] = f"{web}/blob/{revision}/{path}"
        body_ = {
            "type": "file",
            "encoding": "base64",
            "size": len(data),
            "name": path.rpartition("/")[2],
            "path": path,
            "content": base64.encodebytes(data).decode(),
            "sha": sha,
            "url": links["self"],
            "git_url": links["git"],
            "html_url": links["html"],
            "download_url": f"{web}/raw/{revision}/{path}",
            "_links": links,
        }
        return as_json(body_)

    def _readable(self, owner: str, name: str) -> Repository:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "contents", "read", role="read")
        return repository
