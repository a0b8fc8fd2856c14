"""`selfcode verify`, whole, in a process of its own."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.demo.handles import RepositoryHandle
from bot.demo.hub import Hub
from bot.records import Evidence, IssueRef, Proof, Provenance, ReportState, RepositoryRef, TestReport, dump
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import SqlInbox, Store
from bot.settings import read_settings
from bot.wire.verification import pull_named
from tests import command
from tests.demo.keys import Keys
from tests.history import BASE, FIX, TEST, History
from tests.runs.builders import a_trigger

WEB = "https://github.com"


VERIFY = ("verify", "--sandbox", "process")


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "tmp").mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "tmp"), **more}


def verify(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return command.selfcode(folder, *VERIFY, *arguments, environment=environment(folder, **more))


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A project and its fix, with the test."""
    history = History.begun(tmp_path / "calc")
    history.commit(FIX)
    return history


# --- A range


def test_the_table_is_what_stdout_gets_and_the_repository_stays_as_it_was(history: History, tmp_path: Path) -> None:
    before = (history.git("for-each-ref"), history.git("status", "--porcelain"))

    done = verify(tmp_path, "calc", "HEAD~1..HEAD")

    assert (done.returncode, done.stdout.split(":")[0]) == (0, "PROVEN"), done.stderr
    assert "✅ Fail without the change, pass with it" in done.stdout
    assert f"tests: {TEST}" in done.stderr
    assert (history.git("for-each-ref"), history.git("status", "--porcelain")) == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_object_alone_is_on_stdout_and_the_table_beside_it(history: History, tmp_path: Path) -> None:
    history.commit({"tests/test_double.py": None})

    done = verify(tmp_path, "calc", "main~2...main", "--json")

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"]) == (1, "unproven")
    assert said["missing"] != []
    assert (said["provenance"]["head"], said["provenance"]["command"]) == (history.git("rev-parse", "main"), TEST)
    assert "UNPROVEN" in done.stderr


def test_altered_tests_may_be_accepted_by_whoever_runs_it(history: History, tmp_path: Path) -> None:
    history.commit({"tests/test_double.py": None})

    said = json.loads(verify(tmp_path, "calc", "main~2..main", "--accept-tests", "--json").stdout)

    assert (said["outcome"], said["accepted_by"]) == ("proven", "--accept-tests"), said["missing"]


def test_a_base_whose_tests_can_t_run_is_an_outcome_with_its_output(history: History, tmp_path: Path) -> None:
    done = verify(tmp_path, "calc", "HEAD~1..HEAD", "--test", "no-such-runner --all", "--json")

    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (1, "baseline_broken")
    assert "no-such-runner" in done.stderr.splitlines()[-1]


def test_a_build_that_is_said_and_fails_is_what_failed_and_shows_its_output(history: History, tmp_path: Path) -> None:
    done = verify(tmp_path, "calc", "HEAD~1..HEAD", "--build", "echo no compiler; exit 3")

    assert done.returncode == 1
    assert "THE TESTS CAN'T BE RUN: The build command on the untouched base fails: exit code 3." in done.stdout
    assert "| no compiler" in done.stdout
    assert "built before each run by: echo no compiler; exit 3" in done.stderr


def test_a_head_that_lacks_what_the_base_has_is_warned_of(history: History, tmp_path: Path) -> None:
    done = verify(tmp_path, "calc", "HEAD..HEAD~1", "--test", "no-such-runner")

    assert "HEAD...HEAD~1 is what HEAD~1 has since they parted" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "main..HEAD"], "nowhere is neither a folder here"),
        (["plain", "main..HEAD"], "not in a git repository"),
        (["calc", "main"], "is no range of commits"),
        (["calc", "mian..HEAD"], "Did you mean `main`"),
        (["calc", "HEAD..HEAD"], "There is nothing in"),
        (["calc"], "names nothing that can be verified"),
        (["octo/cat"], "names nothing that can be verified"),
        (["https://git.example.org/octo/cat/pull/7"], f"Addresses begin with {WEB}"),
        (["calc", "HEAD~1..HEAD", "--directory", "nowhere"], "is not a folder of the repository"),
    ],
)
def test_what_can_not_be_verified_is_wrong_usage(
    history: History, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "plain").mkdir()

    done = verify(tmp_path, *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_it_as_stopped_and_nothing_stays_behind(history: History, tmp_path: Path) -> None:
    slow = f"touch {tmp_path}/began; sleep 60"

    with subprocess.Popen(
        command.words(*VERIFY, "calc", "HEAD~1..HEAD", "--test", slow, "--json"),
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as verifying:
        deadline = time.monotonic() + 60
        while not (tmp_path / "began").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(verifying.pid, signal.SIGINT)
        stdout, stderr = verifying.communicate(timeout=60)

    assert (verifying.returncode, json.loads(stdout)["outcome"]) == (1, "stopped")
    assert "STOPPED" in stderr
    assert list((tmp_path / "tmp").iterdir()) == []


# --- A pull request


@pytest.mark.parametrize(
    "target",
    ["octo/cat#7", f"{WEB}/octo/cat/pull/7", f"{WEB}/octo/cat/pull/7/files", f"{WEB}/octo/cat/pull/7/"],
)
def test_a_pull_request_is_named_by_its_number_or_its_address(target: str) -> None:
    assert pull_named(target, read_settings({}).web_address) == ("octo/cat", 7)


class Served:
    """The project on a GitHub of its own, with the App on it, and a pull request that holds the fix."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub, self.folder = hub, folder
        self.repository: RepositoryHandle = hub.create_repository("octo/calc", dict(BASE))
        self.base = self.repository.head() or ""
        self.head = self.repository.commit(FIX, branch="fix", parent=self.base)
        self.repository.commit({"elsewhere.txt": "1"})
        self.number = self.repository.open_pull("fix", by="octo", title="Fix").number
        app = hub.create_app(owner="octo", webhook_secret="hush")
        self.installation = hub.install(app, "octo")
        self.server = {"SELFCODE_GITHUB_API_URL": hub.api_url, "SELFCODE_HOME": str(folder / "home")}
        self.keys = {
            "SELFCODE_APP_ID": str(app.id),
            "SELFCODE_PRIVATE_KEY": app.private_key,
            "SELFCODE_WEBHOOK_SECRET": "hush",
        }

    def keep(self, proof: Proof) -> str:
        """Keep a proof of the pull request as a run of the App would. Returns the run's id."""
        (self.folder / "home").mkdir()
        engine = connect(f"sqlite:///{self.folder / 'home' / 'selfcode.sqlite'}")
        migrate(engine)
        at = IssueRef(RepositoryRef(self.installation.id, self.repository.id, "octo", "calc"), 1)
        SqlInbox(engine).accept(a_trigger(issue=at))
        store = Store(engine)
        run_id = store.begin_run(store.waiting()[0])
        store.learn(run_id, base=self.base, head_sha=self.head, pull_request=self.number, proof=dump(proof))
        engine.dispose()
        return run_id


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Hub(tmp_path / "hub", keys=Keys()) as hub:
        yield Served(hub, tmp_path)


def a_kept_proof(served: Served, **changed: str) -> Proof:
    made = Provenance(served.base, served.head, "pytest --old", sandbox="docker", versions={"pytest": "1.0"})
    report = TestReport("pytest --old", ReportState.PASSED)
    return Proof((), Evidence(), report, provenance=replace(made, **changed))  # type: ignore[arg-type]


def test_a_pull_request_is_proven_beside_the_proof_that_is_kept_of_it(served: Served) -> None:
    run_id = served.keep(a_kept_proof(served))

    done = verify(served.folder, f"octo/calc#{served.number}", "--json", **served.server, **served.keys)

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"]) == (0, "proven"), done.stderr
    assert (said["base"], said["head"]) == (served.base, served.head)
    assert (said["stored"]["run"], said["stored"]["agrees"], said["stored"]["stale"]) == (run_id, True, None)
    assert f"test command: {TEST}, was pytest --old" in said["stored"]["differences"]
    assert "sandbox: process, was docker" in said["stored"]["differences"]


def test_a_push_since_the_proof_makes_it_stale(served: Served) -> None:
    served.keep(a_kept_proof(served))
    newer = served.repository.commit({"README.md": "Sums.\n"}, branch="fix", by="octo")

    done = verify(served.folder, f"octo/calc#{served.number}", **served.server, **served.keys)

    assert (done.returncode, done.stdout.split(":")[0]) == (0, "PROVEN"), done.stderr
    assert f"This proof is of `{served.head[:12]}`; the head is `{newer[:12]}` now" in done.stdout


def test_anybody_can_verify_a_public_pull_request_without_the_app(served: Served) -> None:
    address = f"{served.hub.base_url}/octo/calc/pull/{served.number}"

    done = verify(served.folder, address, "--json", **served.server)

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"], said["head"]) == (0, "proven", served.head), done.stderr
    assert (said["stored"], len(said["notes"])) == (None, 1)
    assert not (served.folder / "home").exists()


def test_a_number_that_no_pull_request_has_is_wrong_usage(served: Served) -> None:
    for credentials in ({}, served.keys):
        done = verify(served.folder, "octo/calc#77", **served.server, **credentials)

        assert (done.returncode, done.stdout) == (2, "")
        assert "octo/calc has no pull request 77" in done.stderr
