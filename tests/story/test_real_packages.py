"""Three published packages, each with one real function broken: from label to proven pull request, in containers."""

from pathlib import Path

import pytest

from bot.records import Outcome
from sandbox.docker import DockerSandbox
from tests.real.packages import PACKAGES, RealPackage, repository_files
from tests.story.town import BOT, town


@pytest.mark.docker
@pytest.mark.real
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_real_package_goes_from_label_to_proven_pull_request(
    tmp_path: Path,
    package: RealPackage,
    docker_sandbox: DockerSandbox,
) -> None:
    files = {path: file.data for path, file in repository_files(package).items()}
    with town(tmp_path, package.recording, sandbox="docker") as built:
        repository = built.repository(f"octo/{package.name}", files)
        issue = repository.open_issue(package.title, package.body, by="ada")
        base = repository.head()

        issue.label("selfcode", by="ada")

        built.wait_for_outcome(repository, issue, Outcome.PROVEN)
        (pull,) = repository.pulls
        (result,) = built.said(issue)
        (log,) = pull.comments_by(BOT)
        changed = {file.path: file for file in pull.files}
        assert set(changed) <= {package.breakage.path, package.test_file}
        assert pull.base_sha == base
        assert len(pull.commits) == len(changed)
        assert not pull.is_draft
        assert pull.file(package.breakage.path) != files[package.breakage.path]
        assert {path: sha for path, sha in repository.tree(pull.head).items() if path not in changed} == {
            path: sha for path, sha in repository.tree().items() if path not in changed
        }
        assert changed.get(package.test_file) is None or changed[package.test_file].deletions == 0
        assert f"Closes #{issue.number}" in pull.body
        assert [red for red in package.red if red not in pull.body] == []
        assert "Proven" in result.body.splitlines()[0]
        assert f"{package.iterations} iterations" in log.body
