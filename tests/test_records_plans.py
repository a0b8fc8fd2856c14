"""Several commands as one."""

import subprocess

import pytest

from bot.records import joined

PROGRAMS = (
    "({ command -v gcc >/dev/null && command -v make >/dev/null; } || { apt-get update && apt-get install gcc; })"
)


@pytest.mark.parametrize(
    ("commands", "exit_code", "printed"),
    [
        (["echo 1", "echo 2 && echo 3"], 0, "1\n2\n3\n"),
        (["false", "true || true", "echo done"], 1, ""),
        (["false || false", "echo done"], 1, ""),
        (["echo 1; false", "echo done"], 1, "1\n"),
        (["true # a comment", "echo done"], 0, "done\n"),
        (["cd /", "x=1; export x", "echo $PWD$x"], 0, "/1\n"),
        (["echo '#;||'", "false\ntrue", "echo done"], 0, "#;||\ndone\n"),
        (["false", "(true) || (true)", "echo done"], 1, ""),
        (["true &", "echo done"], 0, "done\n"),
        (["echo a | tr a b", "echo 'it'\"'\"'s'"], 0, "b\nit's\n"),
    ],
)
def test_each_command_must_succeed_as_a_whole(commands: list[str], exit_code: int, printed: str) -> None:
    ran = subprocess.run(["sh", "-c", joined(commands)], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout) == (exit_code, printed)


@pytest.mark.parametrize(
    "command", ["npm ci", PROGRAMS, "pip install 'a; python_version<\"3\"'", "a | b", "if true; then a; fi && (b; c)"]
)
def test_one_command_stays_as_it_is(command: str) -> None:
    assert joined([command]) == command


@pytest.mark.parametrize("command", ["npm ci", PROGRAMS, "pip install 'a; python_version<\"3\"'", "a | b"])
def test_what_holds_together_gets_no_braces(command: str) -> None:
    assert joined([command, "x"]) == f"{command} && x"
