"""The door to the git program: what it lets in, and what it says when git fails."""

import os
import threading
import time
from pathlib import Path

import pytest

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.repository import Credentials, GitFailed
from bot.repository.complaints import failure, rejection, scrubbed
from bot.repository.git import Access, Surroundings, run_git
from sandbox.contract import File
from tests.repository.conftest import NOON, Bench, Origin

OPERATORS = {"OPENAI_API_KEY": "sk-operator", "GIT_DIR": "/nowhere", "GIT_SSH_COMMAND": "id", "HTTPS_PROXY": "http://p"}


def test_nothing_of_the_operators_environment_but_path_reaches_git(bench: Bench, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nenv > '{seen}'; ls -A \"$HOME\" >> '{seen}'\n")
    program.chmod(0o755)
    before = dict(os.environ)
    os.environ.update(OPERATORS, PATH=f"{program.parent}:{before['PATH']}")
    try:
        run_git(["version"])
    finally:
        os.environ.clear()
        os.environ.update(before)

    told = dict(line.partition("=")[::2] for line in seen.read_text().splitlines())
    assert not OPERATORS.keys() & told.keys()
    assert not Path(told["HOME"]).exists()
    assert (told["GIT_TERMINAL_PROMPT"], told["GIT_LFS_SKIP_SMUDGE"], told["LC_ALL"]) == ("0", "1", "C")


def test_hooks_of_a_repository_do_not_run(
    bench: Bench, origin: Origin, credentials: Credentials, tmp_path: Path
) -> None:
    pwned = tmp_path / "pwned"
    hooks = bench.mirror.path / ".husky"
    hooks.mkdir()
    for name in ("pre-commit", "prepare-commit-msg", "pre-push", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\nenv > '{pwned}'\nexit 1\n")
        (hooks / name).chmod(0o755)
    run_git(["config", "core.hooksPath", str(hooks)], repository=bench.mirror.path)

    sha = bench.origin.commit({"a": b"a"})
    bench.mirror.push(origin.url, sha, "topic", expect=None, credentials=credentials)

    assert origin.head("topic") == sha
    assert not pwned.exists()


def test_no_filter_of_a_repository_runs(bench: Bench, tmp_path: Path) -> None:
    pwned = tmp_path / "pwned"
    for key in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.x.command", "core.fsmonitor"):
        run_git(["config", key, f"touch {pwned}"], repository=bench.mirror.path)
    (bench.mirror.path / "info").mkdir(exist_ok=True)
    (bench.mirror.path / "info" / "attributes").write_text("* filter=x diff=x\n")
    base = bench.tree({".gitattributes": b"* filter=x diff=x\n", "a": b"a"})

    tree = bench.mirror.tree_with(base, {"a": File(b"b")})

    assert bench.roundtrip(base, tree) == tree
    assert not pwned.exists()


@pytest.mark.parametrize("name", ['x"; touch PWNED; echo "$GITHUB_TOKEN', "$(touch PWNED)", "--upload-pack=x", "-rf"])
def test_names_are_never_a_command(bench: Bench, tmp_path: Path, name: str) -> None:
    hostile = name.replace("PWNED", f"{tmp_path}/pwned").replace("/", "_")
    base = bench.tree({"a": b"a"})

    tree = bench.mirror.tree_with(base, {hostile: File(b"x")})
    bench.mirror.commit(tree, parents=[], message=hostile, author_name=name, author_email=name, when=NOON)

    assert bench.mirror.read(tree, hostile) == b"x"
    assert bench.roundtrip(base, tree) == tree
    assert not list(tmp_path.glob("*pwned*"))


def test_a_git_that_does_not_end_is_ended_with_all_its_children(tmp_path: Path) -> None:
    late = tmp_path / "late"
    alias = Surroundings(config={"alias.hang": f"!(sleep 1.5; touch '{late}') & wait"})

    with pytest.raises(Unavailable, match="did not end"):
        run_git(["hang"], access=Access(timeout_s=0.5), surroundings=alias)

    time.sleep(1.5)
    assert not late.exists()


def test_a_stop_ends_git_in_the_middle_of_its_work() -> None:
    stopped = threading.Event()
    threading.Timer(0.3, stopped.set).start()
    started = time.monotonic()

    with pytest.raises(Stopped):
        run_git(
            ["hang"], access=Access(stop=stopped.is_set), surroundings=Surroundings(config={"alias.hang": "!sleep 300"})
        )

    assert time.monotonic() - started < 60


def test_large_input_and_output_go_through_whole(bench: Bench) -> None:
    data = os.urandom(8_000_000)

    tree = bench.tree({"big": data})

    assert bench.mirror.read(tree, "big") == data


def test_a_git_that_takes_its_time_to_read_gets_all_of_its_input() -> None:
    slow = Surroundings(config={"alias.count": "!sleep 0.5; wc -c"})

    counted = run_git(["count"], stdin=b"x" * 1_000_000, access=Access(timeout_s=20), surroundings=slow)

    assert int(counted) == 1_000_000


@pytest.mark.parametrize(
    ("stderr", "error"),
    [
        ("fatal: unable to access 'https://h/o/r.git/': The requested URL returned error: 500", Unavailable),
        ("fatal: unable to access 'https://h/o/r.git/': Could not resolve host: h", Unavailable),
        ("error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function.", Unavailable),
        ("fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none", Unavailable),
        ("fatal: the remote end hung up unexpectedly", Unavailable),
        ("fatal: write error: No space left on device", Unavailable),
        ("fatal: Authentication failed for 'https://h/o/r.git/'", Unavailable),
        ("remote: Repository not found.\nfatal: repository 'https://h/o/r.git/' not found", Gone),
        ("fatal: unable to access 'https://h/o/r.git/': The requested URL returned error: 403", Gone),
        ("remote: Write access to repository not granted.\nThe requested URL returned error: 403", Refused),
        ("remote: This repository was archived so it is read-only.\nThe requested URL returned error: 403", Refused),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled", Gone),
        ("fatal: bad object HEAD", GitFailed),
        ("error: object file objects/a3/b is empty", GitFailed),
    ],
)
def test_each_complaint_of_git_names_who_must_act(stderr: str, error: type[Exception]) -> None:
    assert type(failure("fetch", 128, b"", stderr)) is error


def test_the_words_of_a_hook_do_not_make_a_refusal_look_like_a_network_failure() -> None:
    stdout = b"To http://h\n!\tabc:refs/heads/x\t[remote rejected] (pre-receive hook declined)\nDone\n"
    failed = failure("push", 1, stdout, "remote: the check timed out, repository 'x' not found")

    assert type(failed) is GitFailed
    assert "pre-receive hook declined" in str(rejection("x", stdout, "remote: no"))


def test_what_git_says_is_told_without_secrets_and_progress() -> None:
    said = scrubbed(
        "remote: Counting objects: 100% (3/3)\rremote: Counting objects: 100% (3/3), done.\n"
        "fatal: https://me:hunter2@example.com/r.git ghs_123_eyJ.abc-def_ghi.jkl-mno_pqr s3cr3t "
        "eC1hY2Nlc3MtdG9rZW46czNjcjN0\n",
        ["s3cr3t", ""],
    )

    assert said == "fatal: https://example.com/r.git *** *** ***"
