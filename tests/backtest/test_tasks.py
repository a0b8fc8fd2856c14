"""Tasks in the simple format: out of a repository, into a folder, and back."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot import backtest
from bot.backtest.tasks import RepositoryTask, tasks_in, write_task
from bot.backtest.wanted import Wanted
from bot.errors import ConfigError, Refused
from sandbox.contract import File
from tests.backtest.seams import means_of
from tests.history import ADD_TEST, BASE, FIX, FIXED, History
from tests.writing.foreign import foreign_text, patiently

PROSE = "Sums come out as differences"


def a_task(**changed: object) -> RepositoryTask:
    made = RepositoryTask(
        id="t", title=PROSE, body="They should not.", files={"a.py": File(b"1\n")}, judge={"test_a.py": File(b"2\n")},
        test="true", judge_test="false",
    )  # fmt: skip
    return replace(made, **changed)  # type: ignore[arg-type]


# --- There and back


def test_a_task_is_read_as_it_was_written(tmp_path: Path) -> None:
    task = a_task(
        files={
            "a.py": File(b"1\r\n"), "run": File(b"#!/bin/sh\n", executable=True), "link": File(b"a.py", symlink=True),
            "out": File(b"/etc/passwd", symlink=True), "x.bin": File(b"\0\xff"), "deep/er/none.txt": File(b""),
            os.fsdecode(b"caf\xe9.txt"): File(b"x"),
            "a\nb 'c\".txt": File(b"y"),
            ".github/selfcode.yml": File(b"test: x\n"),
        },
        solution={"a.py": File(b"2"), "run": File(b"#!/bin/sh\n", executable=False)},
        removed=("x.bin", "deep/er/none.txt"),
    )  # fmt: skip

    write_task(task, tmp_path / "t")

    assert tasks_in(tmp_path) == (task,)
    assert tasks_in(tmp_path / "t") == (task,)
    assert "x.bin" not in task.solved


@settings(patiently, max_examples=40)
@given(foreign_text, foreign_text, foreign_text)
def test_words_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, title: str, body: str, test: str
) -> None:
    folder = tmp_path_factory.mktemp("t")
    write_task(a_task(title=f"x{title}x", body=f"x{body}x", test=f"x{test}x"), folder / "t")

    (read,) = tasks_in(folder)

    clean = [
        f"x{text}x".translate({0: "�", **dict.fromkeys(range(0xD800, 0xE000), "�")}) for text in (title, body, test)
    ]
    assert [read.title, read.body, read.test] == clean


def test_a_task_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    write_task(a_task(), tmp_path / "t")
    write_task(a_task(files={"b.py": File(b"1\n")}), tmp_path / "t")

    assert list(tasks_in(tmp_path)[0].files) == ["b.py"]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


@pytest.mark.parametrize(
    "path", [".git/config", "a/.GIT/hooks/x", ".git", "a/.git./x", ".git /x", "git~1/x", "../x", "/etc/x", "a/../../x"]
)
@pytest.mark.parametrize("part", ["files", "judge", "solution"])
def test_what_no_folder_may_hold_is_refused_and_nothing_is_left(tmp_path: Path, path: str, part: str) -> None:
    with pytest.raises(Refused):
        write_task(a_task(**{part: {path: File(b"x")}}), tmp_path / "in" / "t")

    assert list((tmp_path / "in").glob("*")) == []
    assert [each.name for each in tmp_path.iterdir()] in ([], ["in"])


def test_a_removed_file_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"caf\\xe9"):
        write_task(a_task(removed=(os.fsdecode(b"caf\xe9"),)), tmp_path / "t")


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        write_task(
            a_task(files={"d": File(str(tmp_path).encode(), symlink=True), "d/x": File(b"x")}), tmp_path / "in/t"
        )

    assert not (tmp_path / "x").exists()


# --- What is wrong with one


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    def begun(name: str, text: str | bytes, *folders: str) -> None:
        for each in ("", *folders):
            (tmp_path / name / each).mkdir(parents=True)
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / name / "task.toml").write_bytes(data)

    good = 'title = "t"\nkind = "repository"\nbody = "b"\n'
    begun("a-broken", "title = ")
    begun("b-bytes", b'title = "\xff"')
    begun("c-faults", 'kind = "x"\nspeed = 1\nremoved = 3\n')
    begun("d-no-body", 'title = "t"\nkind = "repository"\n', "repository", "judge")
    begun("e-no-judge", good, "repository")
    begun("f-no-repository", good, "judge")
    begun("g-no-test", good, "repository", "judge")
    begun("h-program", 'title = "t"\nkind = "program"\n')
    begun("i-package", good + "[source]\nx = 1\n", "repository", "judge")
    begun("j-good", good + 'judge_test = "true"\n', "repository", "judge")

    with pytest.raises(ConfigError) as raised:
        tasks_in(tmp_path)

    said = str(raised.value).splitlines()
    assert [Path(line.strip().partition(": ")[0]).name[0] for line in said[1:]] == list("abcdefghi")
    for words in (
        "task.toml is not TOML", "`title`: Field required", "`kind`: Input should be", "`speed`: Extra inputs",
        "`removed`: Input should be", "needs a `body`", "no folder judge/", "no folder repository/", "no test file",
        "no task of a repository", "made from a package",
    ):  # fmt: skip
        assert words in str(raised.value)


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_a_folder_without_tasks_says_what_one_is(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"holds no task: a task is a folder with a task\.toml"):
        tasks_in(tmp_path / name)


# --- Out of a repository


def exported(tmp_path: Path, history: History) -> tuple[backtest.Wanted, int]:
    wanted = Wanted(name="calc", folder=tmp_path / "results", repository=history.folder)
    looked = backtest.look(wanted, means_of(), tell=lambda _: None)
    assert [each.reason for each in looked.fixes] == [""]
    return wanted, backtest.export(wanted, looked, tmp_path / "tasks", tell=lambda _: None)


@pytest.mark.parametrize("directory", ["", "sub"])
def test_an_exported_fix_is_fit_as_a_task_with_the_same_judges(tmp_path: Path, directory: str) -> None:
    at = f"{directory}/" if directory else ""
    config = BASE[".github/selfcode.yml"] + (f"directory: {directory}\n" if directory else "")
    base = {f"{at}{path}": text for path, text in BASE.items() if path != ".github/selfcode.yml"}
    history = History.begun(tmp_path / "calc", {".github/selfcode.yml": config, **base, f"{at}old.py": "x = 1\n"})
    (history.folder / f"{at}link.py").symlink_to("calc.py")
    history.commit({f"{at}tests/data/gone.txt": "x", f"{at}tool.sh": "#!/bin/sh\n"}, "More")
    (history.folder / f"{at}tool.sh").chmod(0o755)
    (history.folder / f"{at}tests/data/b.bin").write_bytes(b"\0\xff")
    (history.folder / f"{at}link.py").unlink()
    (history.folder / f"{at}link.py").symlink_to("tool.sh")
    mended = {f"{at}{path}": text for path, text in FIX.items()}
    history.commit({**mended, f"{at}old.py": None, f"{at}tests/data/gone.txt": None}, f"{PROSE}\n\nThey should not.")

    wanted, count = exported(tmp_path, history)
    before = backtest.look(wanted, means_of(), tell=lambda _: None).fixes[0]
    as_tasks = Wanted(name="tasks", folder=tmp_path / "again", tasks=tmp_path / "tasks")
    after = backtest.look(as_tasks, means_of(), tell=lambda _: None).fixes[0]

    assert count == 1
    assert (after.reason, after.judges, after.judge_paths) == ("", before.judges, before.judge_paths)
    assert (after.fix.title, after.fix.body) == (before.fix.title, before.fix.body)
    (task,) = tasks_in(tmp_path / "tasks")
    assert task.solution[f"{at}tool.sh"].executable
    assert task.solution[f"{at}link.py"] == File(b"tool.sh", symlink=True)
    assert task.judge[f"{at}tests/data/b.bin"].data == b"\0\xff"
    assert sorted(task.removed) == [f"{at}old.py", f"{at}tests/data/gone.txt"]
    assert sorted(task.judge) == [f"{at}tests/data/b.bin", f"{at}tests/test_add.py"]


def test_a_file_that_becomes_a_folder_and_back_is_the_same_task(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "calc", {**BASE, "one": "x\n", "two/in": "x\n"})
    (history.folder / "one").unlink()
    (history.folder / "two/in").unlink()
    (history.folder / "two").rmdir()
    history.commit({"calc.py": FIXED, "tests/test_add.py": ADD_TEST, "one/in": "x\n", "two": "x\n"}, PROSE)

    assert exported(tmp_path, history)[1] == 1
    as_tasks = Wanted(name="tasks", folder=tmp_path / "again", tasks=tmp_path / "tasks")
    assert [each.reason for each in backtest.look(as_tasks, means_of(), tell=lambda _: None).fixes] == [""]


def test_a_folder_that_can_not_be_written_is_refused(tmp_path: Path) -> None:
    history = History.begun(tmp_path / "calc")
    history.commit(FIX, PROSE)
    (tmp_path / "tasks").write_text("a file")

    with pytest.raises(Refused, match="can't be written to"):
        exported(tmp_path, history)


def test_a_task_without_a_solution_is_no_fix(tmp_path: Path) -> None:
    write_task(a_task(), tmp_path / "tasks" / "t")
    wanted = Wanted(name="tasks", folder=tmp_path / "results", tasks=tmp_path / "tasks")

    (found,) = backtest.look(wanted, means_of(), tell=lambda _: None).fixes

    assert found.reason == "it holds no solution to check its judge by"
