"""Tasks from folders: what is read, and what is said of a folder that can't be used."""

from pathlib import Path

import pytest

from bench.solve.loading import load
from bench.solve.records import Kind, ProgramTask, kind_of
from bot.backtest.tasks import RepositoryTask
from bot.errors import ConfigError
from tests.bench import folders


def test_a_folder_of_tasks_holds_programs_and_repositories(tmp_path: Path) -> None:
    program, repository = load([folders.tasks(tmp_path)], cache=tmp_path)

    assert isinstance(program, ProgramTask)
    assert (program.id, kind_of(program), program.prompt) == ("adder", Kind.PROGRAM, "Write add(a, b).")
    assert program.judge == folders.JUDGE
    assert isinstance(repository, RepositoryTask)
    assert (repository.id, kind_of(repository), repository.title) == ("subtracting", Kind.REPOSITORY, "add() subtracts")
    assert sorted(repository.files) == ["calc.py", "test_calc.py"]
    assert sorted(repository.judge) == ["test_judge.py"]


def test_a_folder_may_be_one_task_alone(tmp_path: Path) -> None:
    (task,) = load([folders.program_task(tmp_path)], cache=tmp_path)

    assert task.id == "adder"


def test_the_judges_command_is_by_default_the_tests_one_on_the_judges_files(tmp_path: Path) -> None:
    (task,) = load([folders.repository_task(tmp_path, test="")], cache=tmp_path)

    assert isinstance(task, RepositoryTask)
    assert task.test == "python3 -m pytest -q"
    assert task.judge_test == "python3 -m pytest -q test_judge.py"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"task.toml": "title ="}, "task.toml is not TOML"),
        ({"task.toml": 'kind = "program"\ntitle = "x"\nporpmt = "y"'}, "`porpmt`: Extra inputs are not permitted"),
        ({"task.toml": 'kind = "riddle"\ntitle = "x"'}, "`kind`: Input should be 'program' or 'repository'"),
        ({"task.toml": 'kind = "program"\ntitle = "x"'}, "a program task needs a `prompt`"),
        (
            {"task.toml": 'kind = "program"\ntitle = "x"\nprompt = "y"'},
            "there is no judge.py: put the acceptance tests",
        ),
        (
            {"task.toml": 'kind = "program"\ntitle = "x"\nprompt = "y"', "judge.py": "def"},
            "judge.py is not Python",
        ),
        ({"task.toml": 'kind = "repository"\ntitle = "x"'}, "a repository task needs a `body`"),
        ({"task.toml": 'kind = "repository"\ntitle = "x"\nbody = "y"'}, "there is no folder repository/"),
        (
            {"task.toml": 'kind = "repository"\ntitle = "x"\nbody = "y"', "repository/a.py": ""},
            "there is no folder judge/: put the hidden tests there",
        ),
        (
            {"task.toml": 'kind = "repository"\ntitle = "x"\nbody = "y"', "repository/a": "", "judge/a.txt": ""},
            "judge/ holds no test file (test_….py): add one, or say `judge_test`",
        ),
    ],
)
def test_a_task_that_can_not_be_used_is_refused_with_what_to_do(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    folder = folders.write(tmp_path / "broken", files)

    with pytest.raises(ConfigError) as refused:
        load([folder], cache=tmp_path)

    assert str(folder) in str(refused.value)
    assert said in str(refused.value)


def test_one_error_names_every_task_that_can_not_be_used(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folders.write(tmp_path / name, {"task.toml": "nonsense"})

    with pytest.raises(ConfigError, match=r"(?s)one: .*two: "):
        load([tmp_path], cache=tmp_path)


def test_a_folder_without_a_task_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no task: a task is a folder with a task\.toml"):
        load([tmp_path], cache=tmp_path)


def test_two_tasks_may_not_have_one_name(tmp_path: Path) -> None:
    given = [folders.program_task(tmp_path / "a"), folders.program_task(tmp_path / "b")]

    with pytest.raises(ConfigError, match="there is another task named adder"):
        load(given, cache=tmp_path)
