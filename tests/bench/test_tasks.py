"""The repository tasks of `bench/solve`: how one is made ready and checked, and what of them is committed."""

import ast
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.solve import building
from bench.solve.checking import Check, Results
from bench.solve.mutations import Misplaced
from bench.solve.packages import NotFetched, Package, fetch, source

TASKS = building.tasks()
PYTHON_NAMES = sys.stdlib_module_names | {"pytest"}


# How a task is made ready

CODE = b"def is_small(n):\n    return n < 10\n"
TOLD = """\
kind = "repository"
title = "9 is 'small', 10 is too"
body = '''
    >>> is_small(10)
    True
'''
reported_test = true

[source]
package = "small"
version = "1.0"
file = "{file}"
sha256 = "{sha256}"

[[source.mutation]]
file = "small/__init__.py"
function = "is_small"
change = "compare"
from = "<"
to = "<="
"""


def a_wheel() -> bytes:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as archive:
        archive.writestr("small/__init__.py", CODE)
        archive.writestr("small-1.0.dist-info/METADATA", "Name: small\n")
    return room.getvalue()


def an_sdist() -> bytes:
    room = io.BytesIO()
    with tarfile.open(fileobj=room, mode="w:gz") as archive:
        for path in (
            "small-1.0/small/__init__.py",
            "small-1.0/PKG-INFO",
            "small-1.0/../out.py",
            "small-1.0/x.egg-info/y",
        ):
            entry = tarfile.TarInfo(path)
            entry.size = len(CODE)
            archive.addfile(entry, io.BytesIO(CODE))
    return room.getvalue()


def a_package(data: bytes, file: str = "small-1.0-py3-none-any.whl") -> Package:
    return Package(package="small", version="1.0", file=file, sha256=hashlib.sha256(data).hexdigest())


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "small-1.0-py3-none-any.whl").write_bytes(a_wheel())
    return folder


@pytest.fixture
def task(tmp_path: Path) -> Path:
    folder = tmp_path / "a-task"
    for name in ("tests", "judge"):
        (folder / name).mkdir(parents=True)
    data = a_wheel()
    told = TOLD.format(file="small-1.0-py3-none-any.whl", sha256=hashlib.sha256(data).hexdigest())
    (folder / "task.toml").write_text(told, "utf-8")
    (folder / "tests" / "test_small.py").write_text(asking("1 < 2", "is_small(9)"), "utf-8")
    (folder / "tests" / "test_reported.py").write_text(asking("not is_small(10)"), "utf-8")
    (folder / "judge" / "test_judge_small.py").write_text(
        asking("not is_small(10)", "not is_small(10.0)", "is_small(-1)"), "utf-8"
    )
    return folder


def asking(*claims: str) -> str:
    tests = (f"def test_{number}():\n    assert {claim}\n" for number, claim in enumerate(claims))
    return "from small import is_small\n\n\n" + "\n\n".join(tests)


def test_a_ready_task_is_plain_files(task: Path, cache: Path, tmp_path: Path) -> None:
    ready = building.build(task, tmp_path / "ready", cache=cache)

    assert ready == tmp_path / "ready" / "a-task"
    assert {path.relative_to(ready).as_posix() for path in ready.rglob("*") if path.is_file()} == {
        "task.toml",
        "repository/small/__init__.py",
        "repository/pytest.ini",
        "repository/tests/test_small.py",
        "repository/tests/test_reported.py",
        "judge/test_judge_small.py",
        "solution/small/__init__.py",
    }
    assert (ready / "repository/small/__init__.py").read_bytes() == CODE.replace(b"<", b"<=")
    assert (ready / "solution/small/__init__.py").read_bytes() == CODE


def test_a_ready_task_says_the_same_without_its_source(task: Path, cache: Path, tmp_path: Path) -> None:
    told, ready = building.read(task), building.read(building.build(task, tmp_path, cache=cache))

    assert (ready.title, ready.body, ready.test) == (told.title, told.body, told.test)
    assert ready.source is None


def test_building_again_leaves_nothing_of_before(task: Path, cache: Path, tmp_path: Path) -> None:
    ready = building.build(task, tmp_path / "ready", cache=cache)
    (ready / "repository" / "left.py").touch()

    assert not (building.build(task, tmp_path / "ready", cache=cache) / "repository" / "left.py").exists()


def test_a_plain_task_is_taken_as_it_is(task: Path, cache: Path, tmp_path: Path) -> None:
    plain = building.build(task, tmp_path / "one", cache=cache)
    again = building.build(plain, tmp_path / "two", cache=cache)

    assert (again / "repository/small/__init__.py").read_bytes() == CODE.replace(b"<", b"<=")


def test_a_package_that_is_not_in_the_cache_is_named(task: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFetched, match=r"small-1\.0-py3-none-any\.whl is not in"):
        building.build(task, tmp_path / "ready", cache=tmp_path / "empty")


def test_a_mutation_of_a_file_that_is_not_there_is_refused(task: Path, cache: Path, tmp_path: Path) -> None:
    told = (task / "task.toml").read_text("utf-8").replace("small/__init__.py", "small/other.py")
    (task / "task.toml").write_text(told, "utf-8")

    with pytest.raises(Misplaced, match=r"has no small/other\.py"):
        building.build(task, tmp_path / "ready", cache=cache)


def test_a_good_task_passes_its_check(task: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked = building.checked(task, cache)

    assert checked.wrong == ()
    assert (str(checked.visible), str(checked.judged)) == ("2 passed, 1 failed", "1 passed, 2 failed")
    assert building.print_checks([checked]) == 0
    assert "1 tasks, 0 not as they should be" in capsys.readouterr().out


def results(passed: int, *failed: str) -> Results:
    return Results(passed, failed)


@pytest.mark.parametrize(
    ("visible", "judged", "fixed", "complaint"),
    [
        (results(0), results(0, "j"), results(1), "no visible test passes on the base"),
        (results(1, "t::x"), results(0, "j"), results(2), "visible tests fail on the base"),
        (results(1, "test_reported::x"), results(0, "j", "k"), results(2), "does not do as the task says"),
        (results(1), results(3), results(4), "the judge passes on the base"),
        (results(1), results(0, "j"), results(1, "j"), "tests fail on the fixed source"),
    ],
)  # fmt: skip
def test_a_task_that_is_not_what_it_says_is_found_out(
    visible: Results, judged: Results, fixed: Results, complaint: str
) -> None:
    assert [one for one in Check("t", visible, judged, fixed, reported=False).wrong if complaint in one]


# How packages are fetched


def test_what_is_missing_is_fetched_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def download(packages: Iterable[Package], into: Path) -> None:
        asked.extend(one.requirement for one in packages)
        (into / "named-otherwise.whl").write_bytes(a_wheel())

    package = a_package(a_wheel())

    assert fetch([package, package], tmp_path, download) == (package,)
    assert fetch([package], tmp_path, download) == ()
    assert asked == [f"small==1.0 --hash=sha256:{package.sha256}"]
    assert [path.name for path in tmp_path.iterdir()] == [package.file]


def test_what_has_another_hash_is_not_kept(tmp_path: Path) -> None:
    def download(packages: Iterable[Package], into: Path) -> None:
        for one in packages:
            (into / one.file).write_bytes(b"something else")

    with pytest.raises(NotFetched, match="its hash is another"):
        fetch([a_package(a_wheel())], tmp_path, download)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "file"), [(a_wheel(), "small-1.0-py3-none-any.whl"), (an_sdist(), "small-1.0.tar.gz")]
)
def test_the_metadata_of_packaging_is_left_out(data: bytes, file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(data)

    assert source(a_package(data, file), tmp_path) == {"small/__init__.py": CODE}


# What is committed


def test_there_are_enough_tasks_of_different_packages() -> None:
    told = [building.read(task).source for task in TASKS]

    assert len(told) >= 20
    assert len({one.package for one in told if one}) >= 10
    assert len({mutation.change for one in told if one for mutation in one.mutation}) >= 8


def test_half_of_the_tasks_show_the_reporters_test() -> None:
    shown = [task for task in TASKS if building.read(task).reported_test]

    assert len(shown) * 2 == len(TASKS)
    assert shown == [task for task in TASKS if (task / "tests" / "test_reported.py").exists()]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_a_description_and_tests_in_python(task: Path) -> None:
    files = {path.relative_to(task).as_posix() for path in task.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    tests = {path for path in files if re.fullmatch(r"(tests|judge)/test_\w+\.py", path)}

    assert files - tests == {"task.toml"}
    assert {path.split("/")[0] for path in tests} == {"tests", "judge"}
    assert len({path.split("/")[1] for path in tests}) == len(tests)
    assert [path for path in tests if "def test_" not in (task / path).read_text("utf-8")] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_tests_import_the_package_and_pytest_alone(task: Path) -> None:
    told = building.read(task).source
    assert told
    packages = {mutation.file.split("/")[0] for mutation in told.mutation}

    assert imported(task) - PYTHON_NAMES == packages


def imported(task: Path) -> set[str]:
    nodes = [node for path in task.rglob("test_*.py") for node in ast.walk(ast.parse(path.read_bytes()))]
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return {name.split(".")[0] for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_nothing_of_a_package_is_kept_but_names(task: Path) -> None:
    told = building.read(task).source
    assert told

    said = [text for mutation in told.mutation for text in (mutation.original, mutation.to or "")]
    assert [text for text in said if not re.fullmatch(r"[A-Za-z_]*|[-+*/<>=!|&%]{1,2}|\d+|not in|is not", text)] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_an_issue_does_not_point_at_the_change(task: Path) -> None:
    told = building.read(task)
    assert told.source
    private = [name for one in told.source.mutation for name in one.function.split(".") if name.startswith("_")]

    assert [name for name in private if not name.endswith("__") and re.search(rf"\b{name}\b", told.body)] == []
    assert not told.title.endswith(".")
