"""What a repository's owner has forbidden: for the hook of a push, and for refs that are moved by the API."""

import json
import subprocess
import sys
from dataclasses import asdict

from bot.demo import git, push_rules
from bot.demo.answers import ApiError, not_for_integrations
from bot.demo.state import Repository
from bot.demo.world import World

_NOBODY = "0" * 40


def rules_of(world: World, repository: Repository, *, workflows: bool) -> str:
    """What the hook goes by, as JSON; `workflows`: whether whoever asks may change workflow files."""
    url = f"{world.base_url}/{repository.full_name}"
    further = {"workflows": workflows, "url": url, "signing_key": world.signing_key}
    return json.dumps(asdict(repository.rules) | further)


def require_allowed(world: World, repository: Repository, ref: str, sha: str, *, workflows: bool) -> None:
    """Raise what the API answers where the rules forbid to let a ref point to a commit."""
    environment = git.environment(repository.directory) | {
        "HUB_RULES": rules_of(world, repository, workflows=workflows)
    }
    command = [sys.executable, "-I", push_rules.__file__, ref, _NOBODY, sha]
    done = subprocess.run(command, cwd=repository.directory, env=environment, capture_output=True, check=False)
    words = done.stderr.decode(errors="replace").strip()
    if words.startswith("refusing to allow a GitHub App"):
        raise not_for_integrations()
    if done.returncode:
        raise ApiError(422, words.removeprefix("error: "))
