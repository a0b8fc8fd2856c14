"""The proof of a range of commits, whole: real git, real processes, real sandboxes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Refused
from bot.records import ImageIdentity, Outcome, RunResult, StopCheck
from bot.repository.revisions import range_of, span_of
from bot.runs.doctor import Given, Means
from bot.runs.house import Prepared, Setup, SetupBroken
from bot.runs.lanes import Places
from bot.runs.subjects import from_span, mirror_for_once
from bot.runs.verifying import verify
from sandbox import Limits, Sandbox
from sandbox.process import ProcessSandbox
from tests.history import ADD_TEST, BASE, BROKEN, DOUBLE_TEST, FIX, FIXED, TEST, History

PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q"
IDENTITY = ImageIdentity("prepared:1", "sha256:12", "base:1", "sha256:34")


def nothing_prepared(_setup: Setup, _stop: StopCheck) -> Prepared:
    return Prepared(None)


MEANS = Means(
    sandbox=ProcessSandbox(),
    prepare_image=nothing_prepared,
    image="the-image",
    images=(),
    limits=Limits(wall_s=60),
    places=Places(),
    stop=lambda: False,
    any_image=True,
    has_images=False,
)

Verify = Callable[..., RunResult]


def verified(
    history: History,
    span: str,
    *,
    given: Given | None = None,
    accepted_by: str = "",
    tell: Callable[[str], None] = lambda _: None,
    **means: Any,
) -> RunResult:
    """The proof of a range of this history."""
    found = span_of(history.folder, range_of(span))
    with mirror_for_once() as mirror:
        subject = from_span(found, mirror, stop=lambda: False)
        return verify(replace(MEANS, **means), subject, given or Given(), accepted_by=accepted_by, tell=tell)


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A project whose sum is wrong, which no test notices."""
    return History.begun(tmp_path / "calc")


# --- Proven


@pytest.mark.parametrize("sandbox", ["process_sandbox", "bubblewrap_sandbox", "docker_sandbox"])
def test_a_fix_with_its_test_is_proven(history: History, sandbox: str, request: pytest.FixtureRequest) -> None:
    base, head = history.git("rev-parse", "HEAD"), history.commit(FIX)
    backend: Sandbox = request.getfixturevalue(sandbox)

    result = verified(history, "HEAD~1..HEAD", given=Given(test=PYTEST), sandbox=backend)

    assert result.outcome is Outcome.PROVEN, result.reason
    assert (result.base_sha, result.head_sha, result.sandbox) == (base, head, backend.name)
    assert result.proof is not None
    assert result.proof.evidence.red == ("tests/test_add.py::TestAdd::test_add",)
    assert result.proof.provenance is not None
    assert (result.proof.provenance.base, result.proof.provenance.head) == (base, head)
    assert (result.proof.provenance.command, result.proof.provenance.sandbox) == (PYTEST, backend.name)
    assert set(result.proof.provenance.versions) >= {"python", "pytest", "selfcode"}


def test_of_many_commits_and_merges_only_the_difference_of_both_ends_counts(history: History) -> None:
    history.git("checkout", "--quiet", "-b", "fix")
    history.commit({"calc.py": BROKEN + "\n\nraise SystemExit\n"}, "A detour")
    history.commit({"calc.py": BROKEN, "tests/test_add.py": ADD_TEST}, "Back, and a test")
    history.git("checkout", "--quiet", "main")
    history.commit({"notes.txt": "1"}, "Elsewhere")
    history.git("checkout", "--quiet", "fix")
    history.git("merge", "--quiet", "--no-edit", "main")
    history.commit({"calc.py": FIXED}, "The fix")

    assert verified(history, "main...fix").outcome is Outcome.PROVEN


def test_the_image_is_named_by_the_identity_that_its_maker_gave(history: History) -> None:
    history.commit(FIX)

    result = verified(history, "HEAD~1..", prepare_image=lambda _setup, _stop: Prepared(None, identity=IDENTITY))

    assert result.proof is not None
    assert result.proof.provenance is not None
    assert result.proof.provenance.image_digest == "sha256:12"
    assert result.proof.provenance.base_image_digest == "sha256:34"


# --- Unproven

LOOSE = DOUBLE_TEST.replace("double(4) == 8", "double(4)")
UNTESTED = {"calc.py": FIXED.replace("2 * a", "a + a")}


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({**FIX, "tests/test_double.py": None}, "Existing tests were altered"),
        ({**FIX, "tests/test_double.py": LOOSE}, "Existing tests were altered"),
        ({"tests/test_add.py": ADD_TEST}, "Only tests were changed"),
        (
            {"calc.py": BROKEN.replace("2 * a", "a + a"), "tests/test_add.py": ADD_TEST},
            "No test fails without the change",
        ),
        ({**FIX, "calc.py": FIXED.replace("2 * a", "3 * a")}, "Tests that passed before the change do not pass"),
        ({**FIX, ".github/workflows/ci.yml": "on: push\n"}, "Files of the continuous integration were changed"),
    ],
)
def test_what_a_change_lacks_is_said(history: History, change: Mapping[str, str | None], lacks: str) -> None:
    history.commit(change)

    result = verified(history, "HEAD~1..HEAD")

    assert result.outcome is Outcome.UNPROVEN
    assert lacks in result.reason


def test_a_changed_place_that_no_test_notices_is_named(history: History) -> None:
    history.commit({**FIX, **UNTESTED})

    proof = verified(history, "HEAD~1..HEAD").proof

    assert proof is not None
    assert proof.hunks is not None
    assert [hunk.text for hunk in proof.hunks.unnoticed] == ["-    return 2 * a\n+    return a + a"]


def test_protected_paths_of_the_base_are_told_and_not_refused(tmp_path: Path) -> None:
    config = BASE[".github/selfcode.yml"] + "protect: [prices/]\n"
    history = History.begun(tmp_path / "calc", {**BASE, ".github/selfcode.yml": config, "prices/all": "1"})
    history.commit({**FIX, "prices/all": "2"})

    result = verified(history, "HEAD~1..HEAD")

    assert result.outcome is Outcome.UNPROVEN
    assert "Protected paths were changed: prices/all." in result.reason


def test_who_runs_it_may_accept_what_happened_to_existing_tests(history: History) -> None:
    history.commit({**FIX, "tests/test_double.py": LOOSE})

    result = verified(history, "HEAD~1..HEAD", accepted_by="grace")

    assert result.outcome is Outcome.PROVEN, result.reason
    assert result.proof is not None
    assert result.proof.accepted_by == "grace"


# --- The base decides


def test_the_change_has_no_say_in_how_it_is_judged(history: History) -> None:
    history.commit({**FIX, ".github/selfcode.yml": "test: 'true'\nsetup: touch /tmp/nothing\n"})

    result = verified(history, "HEAD~1..HEAD")

    assert result.plan is not None
    assert (result.plan.test, result.plan.setup) == (TEST, "")
    assert result.outcome is Outcome.UNPROVEN
    assert "Test configuration was changed" in result.reason


def test_the_environment_is_made_of_the_base_s_files_alone(history: History) -> None:
    history.commit({**FIX, "requirements.txt": "evil"})
    asked: list[Setup] = []

    def prepare(setup: Setup, _stop: StopCheck) -> Prepared:
        asked.append(setup)
        return Prepared(None)

    verified(history, "HEAD~1..HEAD", prepare_image=prepare)

    assert [dict(setup.declared) for setup in asked] == [{}]
    assert b"evil" not in asked[0].archive


def test_a_command_that_can_t_run_on_the_base_ends_it_there(history: History) -> None:
    history.commit(FIX)

    result = verified(history, "HEAD~1..HEAD", given=Given(test="no-such-runner --all"))

    assert result.outcome is Outcome.BASELINE_BROKEN
    assert "command not found" in result.reason
    assert result.proof is None


def test_a_build_that_fails_on_the_base_is_named_with_what_it_said_and_can_be_said_differently(tmp_path: Path) -> None:
    config = BASE[".github/selfcode.yml"] + "build: sh -c 'echo no compiler; exit 3'\n"
    history = History.begun(tmp_path / "calc", {**BASE, ".github/selfcode.yml": config})
    history.commit(FIX)

    broken = verified(history, "HEAD~1..HEAD")
    without = verified(history, "HEAD~1..HEAD", given=Given(build=""))

    assert broken.outcome is Outcome.BASELINE_BROKEN
    assert broken.reason == "The build command on the untouched base fails: exit code 3."
    assert broken.baseline is not None
    assert broken.baseline.output == "The build command failed.\nno compiler"
    assert without.outcome is Outcome.PROVEN, without.reason


def test_a_base_of_which_no_test_file_can_be_loaded_ends_it_there(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "calc", {**BASE, "calc.py": "import nowhere\n"})
    history.commit({"calc.py": FIXED})
    told: list[str] = []

    result = verified(history, "HEAD~1..HEAD", tell=told.append)

    assert result.outcome is Outcome.BASELINE_BROKEN
    assert result.reason == (
        "The test command on the untouched base: no test was run, for tests/test_double.py can't be loaded. "
        "ModuleNotFoundError: No module named 'nowhere'."
    )
    assert told[-1] == result.reason


def test_a_setup_that_fails_on_the_base_ends_it_there(history: History) -> None:
    history.commit(FIX)

    def prepare(_setup: Setup, _stop: StopCheck) -> Prepared:
        raise SetupBroken("The set-up command failed: exit code 1\nno such package", blocked=("x was refused",))

    result = verified(history, "HEAD~1..HEAD", prepare_image=prepare)

    assert result.outcome is Outcome.BASELINE_BROKEN
    assert "no such package" in result.reason
    assert result.blocked == ("x was refused",)


def test_a_base_that_does_not_say_how_it_is_tested_is_refused_with_the_way_out(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "bare", {"a.txt": "1"})
    history.commit({"a.txt": "2"})

    with pytest.raises(Refused, match="no test command"):
        verified(history, "HEAD~1..HEAD")


def test_a_wrong_configuration_of_the_base_is_refused_with_the_commit(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "wrong", {**BASE, ".github/selfcode.yml": "tset: pytest\n"})
    history.commit(FIX)

    with pytest.raises(Refused, match=rf"base commit {history.git('rev-parse', '--short=12', 'HEAD~1')}"):
        verified(history, "HEAD~1..HEAD")


# --- Ended from outside


def test_a_stop_is_a_result_and_leaves_no_workspace(history: History) -> None:
    history.commit(FIX)
    slow = Given(test="sleep 60")

    result = verified(history, "HEAD~1..HEAD", given=slow, stop=lambda: True)

    assert result.outcome is Outcome.STOPPED
    assert result.proof is None
