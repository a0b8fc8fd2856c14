"""JSON as GitHub writes it: accounts, repositories, labels, Apps and installations.

Source: GitHub's OpenAPI description, API version 2026-03-10; the tests hold these shapes against it. `legacy` adds what
version 2022-11-28 still has.
"""

import base64
from datetime import datetime
from typing import Any

from bot.demo.state import Account, App, Installation, Label, Reaction, Repository
from bot.demo.world import World

Json = dict[str, Any]

_REPOSITORY_PATHS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_ACCOUNT_PATHS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def moment(at: datetime | None) -> str | None:
    """A time as GitHub writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def node_id(kind: str, number: int) -> str:
    """A global id, opaque to its readers."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def account(world: World, of: Account) -> Json:
    """GitHub's “simple user”."""
    url = f"{world.api_url}/users/{of.login}"
    web = f"{world.base_url}/apps/{of.login.removesuffix('[bot]')}" if of.kind == "Bot" else _web(world, of.login)
    return {
        "login": of.login,
        "id": of.id,
        "node_id": node_id(of.kind, of.id),
        "avatar_url": f"{world.base_url}/avatars/{of.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": web,
        **{name: url + path for name, path in _ACCOUNT_PATHS.items()},
        "type": of.kind,
        "site_admin": False,
    }


def whole_account(world: World, of: Account) -> Json:
    """What `GET /users/{login}` answers."""
    return account(world, of) | {
        "name": of.login,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "public_repos": sum(1 for found in world.repositories.values() if found.owner is of and not found.private),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": moment(of.created_at),
        "updated_at": moment(of.created_at),
    }


def repository(world: World, of: Repository, *, permissions: Json | None = None) -> Json:
    """A repository as it stands in lists, pull requests and deliveries."""
    url = f"{world.api_url}/repos/{of.full_name}"
    web = _web(world, of.full_name)
    still_open = sum(1 for issue in of.issues.values() if issue.state == "open" and not issue.deleted)
    body: Json = {
        "id": of.id,
        "node_id": node_id("Repository", of.id),
        "name": of.name,
        "full_name": of.full_name,
        "private": of.private,
        "owner": account(world, of.owner),
        "html_url": web,
        "description": None,
        "fork": False,
        "url": url,
        **{name: url + path for name, path in _REPOSITORY_PATHS.items()},
        "created_at": moment(of.created_at),
        "updated_at": moment(of.created_at),
        "pushed_at": moment(of.created_at),
        "git_url": f"git:{web.partition(':')[2]}.git",
        "ssh_url": f"ssh://git@{web.partition('://')[2]}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        "homepage": None,
        "size": 1,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": 0,
        "mirror_url": None,
        "archived": of.archived,
        "disabled": False,
        "open_issues_count": still_open,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if of.private else "public",
        "forks": 0,
        "open_issues": still_open,
        "watchers": 0,
        "default_branch": of.default_branch,
    }
    return body | ({"permissions": permissions} if permissions else {})


def whole_repository(world: World, of: Repository, *, permissions: Json | None = None) -> Json:
    """What `GET /repos/{owner}/{repo}` answers."""
    return repository(world, of, permissions=permissions) | {"network_count": 0, "subscribers_count": 0}


def short_repository(of: Repository) -> Json:
    """A repository as the installation events name it."""
    return {
        "id": of.id,
        "node_id": node_id("Repository", of.id),
        "name": of.name,
        "full_name": of.full_name,
        "private": of.private,
    }


def label(world: World, of: Label, within: Repository) -> Json:
    """A label of a repository."""
    return {
        "id": of.id,
        "node_id": node_id("Label", of.id),
        "url": f"{world.api_url}/repos/{within.full_name}/labels/{of.name}",
        "name": of.name,
        "color": of.color,
        "default": False,
        "description": of.description,
        "archived_at": None,
        "archived_by": None,
    }


def reaction(world: World, of: Reaction) -> Json:
    """One reaction of one account."""
    return {
        "id": of.id,
        "node_id": node_id("Reaction", of.id),
        "user": account(world, of.user),
        "content": of.content,
        "created_at": moment(of.created_at),
    }


def rollup(reactions: list[Reaction], url: str) -> Json:
    """How often each reaction was given."""
    counts = {name: sum(1 for found in reactions if found.content == name) for name in REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def app(world: World, of: App) -> Json:
    """An App, as it shows itself and stands beside what it wrote."""
    return {
        "id": of.id,
        "slug": of.slug,
        "node_id": node_id("App", of.id),
        "owner": account(world, of.owner),
        "name": of.slug,
        "description": None,
        "external_url": world.base_url,
        "html_url": f"{world.base_url}/apps/{of.slug}",
        "created_at": moment(of.created_at),
        "updated_at": moment(of.created_at),
        "permissions": of.permissions,
        "events": list(of.events),
    }


def installation(world: World, of: Installation) -> Json:
    """An App on one account."""
    return {
        "id": of.id,
        "client_id": f"Iv23demo{of.app.id:08d}",
        "account": account(world, of.account),
        "repository_selection": "all" if of.repository_ids is None else "selected",
        "access_tokens_url": f"{world.api_url}/app/installations/{of.id}/access_tokens",
        "repositories_url": f"{world.api_url}/installation/repositories",
        "html_url": f"{world.base_url}/settings/installations/{of.id}",
        "app_id": of.app.id,
        "app_slug": of.app.slug,
        "target_id": of.account.id,
        "target_type": of.account.kind,
        "permissions": of.permissions,
        "events": list(of.app.events),
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at or of.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": account(world, of.suspended_by) if of.suspended_by else None,
        "suspended_at": moment(of.suspended_at),
    }


def _web(world: World, path: str) -> str:
    return f"{world.base_url}/{path}"
