import pytest

from bot.proof.commands import programs


@pytest.mark.parametrize(
    ("command", "started"),
    [
        ("./run.sh --all", ["run.sh"]),
        ("bash -eu scripts/test.sh", ["scripts/test.sh"]),
        ("A=1 timeout 100 ./t.sh", ["t.sh"]),
        ("export A=1; python3.11 tools/run.py -q", ["tools/run.py"]),
        ("python -m tools.run", ["tools/run.py", "tools/run/__init__.py", "tools/run/__main__.py"]),
        ("uv run python tools/run.py", ["tools/run.py"]),
        ("poetry run scripts/test", ["scripts/test"]),
        ("inv test", ["tasks.py", "tasks/__init__.py"]),
        ("ruff check calc.py && pytest --cov=calc calc.py", ["ruff", "pytest"]),
    ],
)
def test_the_files_that_a_command_starts_are_those_it_names_as_programs(command: str, started: list[str]) -> None:
    assert [program for program in programs(command) if program != "A=1"] == started
