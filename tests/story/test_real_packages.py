"""Three published packages, each with one real function broken: from label to proven pull request, in containers."""

from collections.abc import Iterator

import pytest

from bot.records import Outcome
from sandbox.docker import DockerSandbox
from tests.real.packages import PACKAGES, RealPackage, repository_files
from tests.story.town import BOT, Town, town


@pytest.fixture(scope="module")
def town_in_containers(docker_sandbox: DockerSandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    recordings = [package.recording for package in PACKAGES]
    with town(tmp_path_factory.mktemp("town"), *recordings, sandbox="docker") as built:
        yield built


@pytest.mark.docker
@pytest.mark.real
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_real_package_goes_from_label_to_proven_pull_request(town_in_containers: Town, package: RealPackage) -> None:
    files = {path: file.data for path, file in repository_files(package).items()}
    repository = town_in_containers.repository(f"octo/{package.name}", files)
    issue = repository.open_issue(package.title, package.body, by="ada")
    base = repository.head()

    issue.label("selfcode", by="ada")

    town_in_containers.wait_for_outcome(repository, issue, Outcome.PROVEN)
    (pull,) = repository.pulls
    (result,) = town_in_containers.said(issue)
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
