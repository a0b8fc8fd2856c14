import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from bot.cli import commands
from bot.cli.working import task_of
from bot.demo.hub import Hub
from bot.demo.recorded import RecordedModel
from bot.errors import ConfigError, Refused
from bot.records import RunResult, load
from bot.repository import parse_config
from bot.settings import read_settings
from bot.wire.doctor import remote_of
from tests import command

COMMANDS = {
    "serve": "Run the web server and a worker",
    "web": "Run the web server alone",
    "worker": "Run a worker alone",
    "run": "Solve an issue in a local repository",
    "solve": "Write a script for a task",
    "runs": "List runs across repositories",
    "trace": "Show what a run asked its model",
    "doctor": "Examine a repository: do its tests run here",
    "verify": "Do the proof of a change again",
    "backtest": "Try it on your own past",
    "queue": "Show what waits, what is at work",
    "purge": "Forget what is kept",
    "demo": "Show the main job, end to end",
}
DOCTOR = ("doctor", "--sandbox", "process")
GIT_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def selfcode(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with no setting but a key that nothing answers for."""
    return command.selfcode(folder, *arguments, environment=settings_in(folder, **environment))


def settings_in(folder: Path, **environment: str) -> dict[str, str]:
    named = environment or {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    return {"PATH": os.environ["PATH"], "HOME": str(folder), **named}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=os.environ | GIT_IDENTITY, check=True, capture_output=True)


def a_repository(folder: Path, **files: str) -> Path:
    """A repository with one commit of these files."""
    repository = folder / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    for name, text in files.items():
        (repository / re.sub(r"_(?=[^_]*$)", ".", name)).write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", "Begin")
    return repository


# --- Usage


def test_the_commands_are_these() -> None:
    assert set(commands.commands) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_a_command_does(name: str) -> None:
    one, all_of_them = [CliRunner().invoke(commands, arguments) for arguments in ([name, "--help"], ["--help"])]

    assert (one.exit_code, all_of_them.exit_code) == (0, 0)
    assert COMMANDS[name] in one.output
    assert name in all_of_them.output


SERVERS = {"serve", "web", "worker"}
"""What comes to no result."""


def every_command(group: click.Group, *before: str) -> Iterator[tuple[str, ...]]:
    """All that can be called, by its words; a group that does something itself too."""
    for name, found in group.commands.items():
        if isinstance(found, click.Group):
            yield from every_command(found, *before, name)
        if not isinstance(found, click.Group) or found.invoke_without_command:
            yield (*before, name)


@pytest.mark.parametrize("words", tuple(every_command(commands)), ids=" ".join)
def test_every_command_that_comes_to_a_result_can_print_it_as_json_and_no_other(words: tuple[str, ...]) -> None:
    offers = "--json" in CliRunner().invoke(commands, [*words, "--help"]).output

    assert offers is (words[0] not in SERVERS)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["run"],
        ["run", "--issue", "Fix it", "--repo", "/nowhere"],
        ["run", "--issue", "Fix it", "--sandbox", "jail"],
        ["run", "--issue", "Fix it", "surplus"],
        ["run", "--issue", "Fix it", "--reproduce", "never"],
        ["run", "--issue", "Fix it", "--acceptance-tests", "/nowhere"],
        ["runs", "-n", "0"],
        ["runs", "--outcome", "splendid"],
        ["runs", "--since", "yesterday"],
        ["trace"],
        ["trace", "x", "--call", "0"],
        ["solve"],
        ["solve", "Print hello", "--max-iterations", "0"],
        ["solve", "Print hello", "--tests", "/nowhere.py"],
        ["doctor", "a", "b"],
        ["verify"],
        ["verify", ".", "main..fix", "surplus"],
        ["verify", ".", "main..fix", "--sandbox", "jail"],
        ["purge"],
        ["purge", "octo/cat", "--installation", "1"],
        ["purge", "--older-than", "-1"],
        ["serve", "--port", "http"],
    ],
)
def test_wrong_usage_ends_with_2_and_prints_nothing_that_a_program_would_read(arguments: list[str]) -> None:
    done = CliRunner().invoke(commands, arguments)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Usage" in done.stderr


@pytest.mark.parametrize(
    ("module", "does_without"),
    [
        (
            "bot.cli",
            {"sqlalchemy", "docker", "github", "openai", "dbos", "flask", "prometheus_client", "pythonjsonlogger"},
        ),
        ("bot.wire.web", {"docker", "github", "openai", "dbos", "pythonjsonlogger"}),
        ("bot.wire.verification", {"github", "openai", "dbos", "flask"}),
        ("bot.wire.commands", {"github", "openai", "dbos", "flask"}),
    ],
)
def test_a_command_starts_without_the_libraries_that_others_need(module: str, does_without: set[str]) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert does_without.intersection(loaded.split()) == set()


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_server_without_an_app_ends_with_2_and_names_all_that_lacks(tmp_path: Path, name: str) -> None:
    done = command.selfcode_anew(tmp_path, name, environment=settings_in(tmp_path))

    assert done.returncode == 2
    assert "SELFCODE_APP_ID" in done.stderr
    assert "SELFCODE_WEBHOOK_SECRET" in done.stderr
    assert "SELFCODE_PRIVATE_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".selfcode").exists()


# --- The issue


def test_the_first_line_of_an_issue_is_its_title_and_the_rest_its_body() -> None:
    task = task_of("## Totals are too small ##\n\nThe first price is left out.\n")

    assert (task.title, task.body) == ("Totals are too small ##", "The first price is left out.")


def test_an_issue_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text("# Caf\u00e9\n\nIs closed.", encoding="utf-8")

    assert task_of(str(tmp_path / "issue.md")).title == "Caf\u00e9"


@pytest.mark.parametrize("issue", ["", "  \n ", "#", "## \n"])
def test_an_issue_without_a_word_is_wrong_usage(issue: str) -> None:
    with pytest.raises(ConfigError, match="the issue is empty"):
        task_of(issue)


# --- selfcode run


RUN = ("run", "--issue", "Fix it", "--sandbox", "process", "--json")


def run_json(folder: Path, repository: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return selfcode(folder, *RUN, "--repo", str(repository), *arguments, **environment)


def test_a_test_command_that_is_not_there_ends_as_baseline_broken_before_the_model_is_asked(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")

    done = run_json(tmp_path, repository, "--test", "no-such-program --all")

    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert (said["outcome"], said["tokens"], said["branch"]) == ("baseline_broken", 0, None)
    assert "command not found" in said["reason"]
    assert done.stdout.count("\n") == 1
    assert "no-such-program" in Path(said["report"]).read_text()
    assert "own rights" in done.stderr


def test_a_run_that_comes_to_nothing_leaves_the_repository_as_it_was(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")
    (repository / "a.py").write_text("A = 2\n")
    git(repository, "config", "status.showUntrackedFiles", "all")

    run_json(tmp_path, repository, "--test", "no-such-program")

    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repository, capture_output=True, text=True, check=True
    )
    branches = subprocess.run(["git", "branch"], cwd=repository, capture_output=True, text=True, check=True)
    assert status.stdout == " M a.py\n"
    assert branches.stdout == "* main\n"


@contextmanager
def a_model_server_that_refuses() -> Iterator[str]:
    """A server that knows no key."""

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer = b'{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}'
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_model_that_can_not_be_asked_is_an_outcome_too(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")

    with a_model_server_that_refuses() as url:
        done = run_json(tmp_path, repository, "--test", "true", OPENAI_BASE_URL=url, OPENAI_API_KEY="hush-key")

    assert done.returncode == 1
    assert json.loads(done.stdout)["outcome"] == "error"
    assert "Traceback" not in done.stderr
    assert "hush-key" not in done.stdout + done.stderr


def a_repository_without_commits(folder: Path) -> Path:
    (folder / "empty").mkdir()
    git(folder / "empty", "init", "-q")
    return folder / "empty"


def test_a_repository_without_commits_is_told_so(tmp_path: Path) -> None:
    done = run_json(tmp_path, a_repository_without_commits(tmp_path))

    assert (done.returncode, done.stdout) == (2, "")
    assert "has no commit yet" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_repository_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    done = run_json(tmp_path, tmp_path / "plain")

    assert (done.returncode, done.stdout) == (2, "")
    assert "not the top folder of a git repository: name that with --repo" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_without_a_test_command_is_told_how_to_name_one(tmp_path: Path) -> None:
    done = run_json(tmp_path, a_repository(tmp_path, README="Hello."))

    assert (done.returncode, done.stdout) == (2, "")
    assert "--test" in done.stderr


def test_a_setting_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    done = selfcode(
        tmp_path, "run", "--issue", "Fix it", SELFCODE_SANDBOX="jail", SELFCODE_PORT="http", SELFCODE_MAX_USD="much"
    )

    assert done.returncode == 2
    assert [name in done.stderr for name in ("SELFCODE_SANDBOX", "SELFCODE_PORT", "SELFCODE_MAX_USD")] == [True] * 3
    assert "Traceback" not in done.stderr


def test_docker_that_does_not_answer_is_told_and_nothing_weaker_is_taken(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="")

    done = selfcode(
        tmp_path,
        *("run", "--repo", str(repository), "--issue", "Fix it", "--test", "touch ran"),
        DOCKER_HOST=f"unix://{tmp_path}/no.sock",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
    )

    assert done.returncode == 2
    assert "`--sandbox bubblewrap` (SELFCODE_SANDBOX=bubblewrap)" in done.stderr
    assert "for code that you trust, `--sandbox process`" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (repository / "ran").exists()


def test_the_demo_takes_no_other_sandbox_than_the_one_that_was_named(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "demo", SELFCODE_SANDBOX="docker", DOCKER_HOST=f"unix://{tmp_path}/no.sock")

    assert done.returncode == 2
    assert "no Docker engine answers" in done.stderr


SUBTRACTS = "def add(a, b):\n    return a - b\n"
ADDS = "```python path=calc.py\ndef add(a, b):\n    return a + b\n```\n"
BEGIN = "from unittest import TestCase\n\n"
SUM = f"""\
{BEGIN}from calc import add


class TestSum(TestCase):
    def test_sum(self):
        assert add(1, 2) == 3
"""
OTHER = f"{BEGIN}\nclass TestOther(TestCase):\n    def test_other(self):\n        pass\n"
HIDDEN = f"{BEGIN}\nclass TestHidden(TestCase):\n    def test_never(self):\n        assert 1 == 2, 'never'\n"
TEST = f"```python path=test_sum.py\n{SUM}```\n"
UNITTEST = "python3 -m unittest"
DONE = "```finish\ndone\n```\n"


def run_recorded(
    folder: Path, *arguments: str, start: Callable[..., subprocess.CompletedProcess[str]] = command.selfcode
) -> subprocess.CompletedProcess[str]:
    """A run on a repository that subtracts, with a model that writes a test and then mends it."""
    there = a_repository(folder, calc_py=SUBTRACTS, test_other_py=OTHER)
    iterations = [[{"content": TEST + DONE}], [{"content": ADDS + DONE}]]
    with RecordedModel({"model": "recorded", "match": "Fix it", "iterations": iterations}) as model:
        settings = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "hush-key-0123", "SELFCODE_MODEL": "recorded"}
        given = (*RUN, "--repo", str(there), "--test", UNITTEST, *arguments)
        return start(folder, *given, environment=settings_in(folder, **settings))


@dataclass(frozen=True, slots=True)
class Finished:
    """A local run that is over: what it printed, and the repository that it was in. To be looked at alone."""

    repository: Path
    said: dict[str, Any]

    @property
    def kept(self) -> Path:
        """The folder of its report."""
        return Path(self.said["report"]).parent


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    said = json.loads(run_recorded(folder, start=command.selfcode_anew).stdout)
    return Finished(folder / "repository", said)


def test_where_nobody_can_be_asked_about_the_test_the_run_ends_and_says_how_to_go_on(tmp_path: Path) -> None:
    done = run_recorded(tmp_path, "--reproduce", "ask")

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"], said["branch"]) == (1, "needs_information", None), done.stderr
    assert "--reproduce first" in done.stderr
    assert "assert add(1, 2) == 3" in Path(said["report"]).read_text()


def test_acceptance_tests_that_fail_leave_a_change_unproven_and_are_named(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "test_hidden.py").write_text(HIDDEN)

    done = run_recorded(tmp_path, "--acceptance-tests", str(hidden))

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"]) == (1, "unproven"), done.stderr
    assert "1 of 1 of the operator's acceptance tests fail: test_hidden.py::TestHidden::test_never." in said["missing"]
    assert "assert 1 == 2" not in done.stdout + done.stderr


def test_the_proof_of_a_run_can_be_had_again_from_its_branch(finished: Finished, tmp_path: Path) -> None:
    said = finished.said
    kept = load(RunResult, (finished.kept / "trace.json").read_text()).proof
    span = f"{said['base']}..{said['branch']}"
    given = (str(finished.repository), span, "--test", UNITTEST, "--sandbox", "process", "--json")

    done = selfcode(tmp_path, "verify", *given)

    again = json.loads(done.stdout)
    assert (done.returncode, again["outcome"], said["outcome"]) == (0, "proven", "proven"), done.stderr
    assert kept is not None
    assert kept.provenance is not None
    assert kept.provenance.head == said["head"]
    assert again["provenance"] == asdict(kept.provenance)
    assert again["evidence"]["red"] == list(kept.evidence.red)


def test_a_folder_of_acceptance_tests_that_holds_none_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    done = run_recorded(tmp_path, "--acceptance-tests", str(tmp_path / "empty"))

    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no file in" in done.stderr


# --- selfcode trace


def test_a_trace_shows_each_call_of_a_local_run_and_its_prompt_where_wanted(finished: Finished, tmp_path: Path) -> None:
    short = selfcode(tmp_path, "trace", str(finished.kept))
    whole = selfcode(tmp_path, "trace", str(finished.kept), "--prompts", "--json")

    assert short.returncode == whole.returncode == 0
    assert short.stdout.splitlines()[0].endswith("trace.json: proven")
    assert "iteration 1, the test: " in short.stdout
    assert "iteration 2: " in short.stdout
    said = json.loads(whole.stdout)
    assert said["outcome"] == "proven"
    assert "Iteration 2" in json.dumps(said["parts"][1]["calls"][0]["messages"])


def test_a_trace_is_found_by_the_id_that_the_report_names_in_the_repository_of_the_run(
    finished: Finished, tmp_path: Path
) -> None:
    there = selfcode(finished.repository, "trace", finished.kept.name)
    elsewhere = selfcode(tmp_path, "trace", finished.kept.name)

    assert (there.returncode, elsewhere.returncode) == (0, 2)
    assert "iteration 2: " in there.stdout
    assert "in the repository here" in elsewhere.stderr


@pytest.mark.parametrize("name", ["nothing", "/nowhere/at/all"])
def test_a_run_that_there_is_not_is_told_so_and_no_home_is_made(tmp_path: Path, name: str) -> None:
    done = selfcode(tmp_path, "trace", name)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"There is no run {name}" in done.stderr
    assert not (tmp_path / ".selfcode").exists()


# --- selfcode doctor


def test_an_examination_is_one_object_and_the_report_prose(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")

    done = selfcode(tmp_path, *DOCTOR, str(repository), "--test", "python3 -c 'import a'", "--json")

    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"], said["fault"]["noticed"]) == (0, "healthy", True)
    assert said["sandbox"]["name"] == "process"
    assert done.stdout.count("\n") == 1
    assert "HEALTHY" in done.stderr


def test_what_is_to_be_committed_is_all_that_stdout_gets(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("A = 1\n")

    done = selfcode(tmp_path, *DOCTOR, str(folder), "--test", "no-such-program", "--directory", ".")

    assert done.returncode == 1
    assert parse_config(done.stdout.encode()).test == "no-such-program"
    assert "UNHEALTHY" in done.stderr


def test_an_examination_that_is_interrupted_comes_to_no_verdict(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")
    slow = (*DOCTOR, str(repository), "--test", f"touch {tmp_path}/began; sleep 60", "--json")

    with subprocess.Popen(
        command.words(*slow),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as examining:
        deadline = time.monotonic() + 60
        while not (tmp_path / "began").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(examining.pid, signal.SIGINT)
        stdout, stderr = examining.communicate(timeout=60)

    said = json.loads(stdout)
    assert (examining.returncode, said["outcome"], said["configuration"]) == (130, "interrupted", None)
    assert "INTERRUPTED" in stderr
    assert "UNHEALTHY" not in stderr


def test_a_configuration_that_is_refused_is_not_printed_to_be_committed(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / ".github").mkdir(parents=True)
    (folder / ".github" / "selfcode.yml").write_text("setup: x\ntests: y\n")

    done = selfcode(tmp_path, *DOCTOR, str(folder))

    assert (done.returncode, done.stdout) == (1, "")
    assert "to commit" not in done.stderr


def test_a_folder_that_is_not_there_is_told_before_the_sandbox_is_asked(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "doctor", "/nowhere/at/all", DOCKER_HOST=f"unix://{tmp_path}/no.sock")

    assert done.returncode == 2
    assert "neither a folder here nor OWNER/REPO" in done.stderr


def test_options_for_a_repository_without_one_are_wrong_usage(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "doctor", "--test", "pytest")

    assert (done.returncode, done.stdout) == (2, "")
    assert "of which repository?" in done.stderr


def test_what_can_not_be_examined_is_wrong_usage(tmp_path: Path) -> None:
    done = selfcode(tmp_path, *DOCTOR, "nowhere")

    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere is neither a folder here nor OWNER/REPO" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_on_github_is_had_through_the_app_where_it_is_set_up_else_as_everybody_sees_it(
    tmp_path: Path,
) -> None:
    with Hub(tmp_path / "hub") as hub:
        closed = hub.create_repository("octo/closed", {"a.py": "A = 1\n"}, private=True)
        app = hub.create_app(owner="octo", webhook_secret="hush")
        hub.install(app, "octo", (closed,))
        server = {"SELFCODE_GITHUB_API_URL": hub.api_url}
        keys = {
            "SELFCODE_APP_ID": str(app.id),
            "SELFCODE_PRIVATE_KEY": app.private_key,
            "SELFCODE_WEBHOOK_SECRET": "hush",
        }

        by_everybody = remote_of(read_settings(server), "octo/open")
        by_the_app = remote_of(read_settings(server | keys), "octo/closed")
        with pytest.raises(Refused, match="octo/open can't be had: the App is not installed on it"):
            remote_of(read_settings(server | keys), "octo/open")

    assert (by_everybody.clone_url, by_everybody.credentials) == (f"{hub.base_url}/octo/open.git", None)
    assert (by_the_app.key, by_the_app.clone_url) == (closed.id, f"{hub.base_url}/octo/closed.git")
    assert by_the_app.credentials is not None


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://github.example.com/api/v3", "https://github.example.com"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
    ],
)
def test_where_people_see_a_server_follows_from_its_api(api: str, web: str) -> None:
    assert read_settings({"SELFCODE_GITHUB_API_URL": api}).web_address == web


def test_run_without_a_key_says_what_to_set_before_any_test_is_run(tmp_path: Path) -> None:
    repository = a_repository(tmp_path, a_py="A = 1\n")
    began = tmp_path / "began"

    done = selfcode(
        tmp_path,
        "run",
        "--repo",
        str(repository),
        "--issue",
        "Fix it",
        "--test",
        f"touch {began}",
        SELFCODE_SANDBOX="process",
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "OPENAI_API_KEY" in done.stderr
    assert not began.exists()


# --- selfcode solve


def test_solve_without_a_key_says_what_to_set(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "solve", "Print hello", "--json", SELFCODE_SANDBOX="process")

    assert (done.returncode, done.stdout) == (2, "")
    assert "OPENAI_API_KEY" in done.stderr


def test_an_empty_task_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "solve", " ", SELFCODE_SANDBOX="process", OPENAI_BASE_URL="http://127.0.0.1:9/v1")

    assert (done.returncode, done.stdout) == (2, "")
    assert "the task is empty" in done.stderr
