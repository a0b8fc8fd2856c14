"""Examinations of folders and of served repositories, whole: real git, real HTTP, real processes."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.demo.hub import Hub
from bot.errors import Refused, Unavailable
from bot.records import Examination, Health, StopCheck
from bot.repository import Mirror
from bot.repository.config import PATHS, parse_config
from bot.runs.doctor import TIMES, Given, Means, look, prepare, sandbox_facts
from bot.runs.house import Prepared, Setup, SetupBroken
from bot.runs.lanes import Places
from bot.runs.sources import Remote, examine_folder, examine_remote, folder_of, from_folder, is_full_name
from bot.writing.configuration import recommended
from sandbox import Limits
from sandbox.process import ProcessSandbox

SOURCE = "def add(a, b):\n    return a + b\n"
TEST = """\
from unittest import TestCase

from calc import add


class TestAdd(TestCase):
    def test_add(self):
        assert add(1, 2) == 3
"""
NOTHING_OF_THE_SOURCE = TEST.replace("from calc import add\n", "").replace("assert add(1, 2) == 3", "pass")
CONFIGURATION = 'test: python3 -m unittest discover tests\nsetup: ""\n'
FOR_PYTEST = 'test: PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q\nsetup: ""\n'
AT_ONCE = "test: test -f calc.py\n"
"""A command that costs nothing, for what does not depend on what the tests say."""

FILES = {"calc.py": SOURCE, "tests/test_calc.py": TEST, PATHS[0]: CONFIGURATION}


def nothing_prepared(_setup: Setup, _stop: StopCheck) -> Prepared:
    return Prepared(None)


MEANS = Means(
    sandbox=ProcessSandbox(),
    prepare_image=nothing_prepared,
    image="the-image",
    images=("other-*",),
    limits=Limits(wall_s=60),
    places=Places(),
    stop=lambda: False,
)


def a_folder(place: Path, files: Mapping[str, str | None]) -> Path:
    folder = place / "calc-1.0"
    for path, text in files.items():
        if text is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder


def committed(folder: Path) -> str:
    """A commit of all that is in the folder. Returns its id."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return head.stdout.strip()


Examine = Callable[..., Examination]


@pytest.fixture
def examine(tmp_path: Path) -> Examine:
    """Examines a folder of these files beside the usual ones; None leaves one out."""

    def examined(
        files: Mapping[str, str | None] | None = None, *, given: Given | None = None, **means: Any
    ) -> Examination:
        folder = a_folder(tmp_path, {**FILES, **(files or {})})
        return examine_folder(replace(MEANS, **means), folder, given or Given(), about="plain", tell=lambda _: None)

    return examined


def test_a_healthy_project_runs_three_times_and_turns_red_with_a_fault(examine: Examine) -> None:
    known = examine()

    assert known.health is Health.HEALTHY, known.obstacles
    assert [report.counts for report in known.runs] == ["1 passed"] * TIMES
    assert known.fault is not None
    assert (known.fault.files, known.fault.noticed, known.fault.asked) == (1, 1, 1)
    assert [phase for phase, _ in known.seconds] == [
        "environment",
        "tests, run 1",
        "tests, run 2",
        "tests, run 3",
        "tests with a fault",
    ]


def test_what_fails_what_is_flaky_and_what_wants_the_network_are_told_apart(examine: Examine, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    tests = (
        f"import pathlib, socket\n{TEST}\n\ndef test_wrong():\n    assert 1 == 2\n\n\n"
        "def test_site():\n    socket.create_connection(('site.example.invalid', 443))\n\n\n"
        f"def test_sometimes():\n    counter = pathlib.Path({str(counter)!r})\n    counter.open('a').write('x')\n"
        "    assert len(counter.read_text()) != 2\n"
    )

    known = examine({PATHS[0]: FOR_PYTEST, "tests/test_calc.py": tests, "tests/test_more.py": TEST})

    assert [case.id for case in known.failing] == ["tests/test_calc.py::test_wrong", "tests/test_calc.py::test_site"]
    assert known.flaky == ("tests/test_calc.py::test_sometimes",)
    assert [(each.test, each.hosts) for each in known.offline] == [
        ("tests/test_calc.py::test_site", ("site.example.invalid",))
    ]
    assert known.health is Health.HEALTHY, known.obstacles


def test_a_command_that_can_t_run_is_run_once_and_no_fault_is_planted(examine: Examine) -> None:
    known = examine({PATHS[0]: "test: no-such-runner --all\n"})

    assert known.health is Health.UNHEALTHY
    assert [str(report.state) for report in known.runs] == ["command not found"]
    assert known.fault is None


AN_INSTALLED_COPY = {
    "calc.py": None,
    "src/calc.py": SOURCE,
    "tests/installed/calc.py": SOURCE,
    "tests/conftest.py": "import pathlib, sys\nsys.path.insert(0, str(pathlib.Path(__file__).parent / 'installed'))\n",
}


def test_tests_of_an_installed_copy_do_not_notice_and_that_is_said(examine: Examine) -> None:
    known = examine({PATHS[0]: FOR_PYTEST, **AN_INSTALLED_COPY})

    assert known.fault is not None
    assert not known.fault.is_noticed
    assert known.health is Health.UNHEALTHY
    assert "don't run the workspace's own code" in known.obstacles[0]


def test_a_build_that_fails_with_a_fault_has_noticed_it(examine: Examine) -> None:
    built = 'build: python3 -c "import calc"\n'

    known = examine({PATHS[0]: CONFIGURATION + built, "tests/test_calc.py": NOTHING_OF_THE_SOURCE})

    assert known.fault is not None
    assert known.fault.is_noticed
    assert known.health is Health.HEALTHY, known.obstacles


NOTICED_BY_THE_BUILD = 'build: "! grep -q error speed.c"\n'


def test_where_the_build_notices_the_code_that_is_not_compiled_is_looked_at_alone(examine: Examine) -> None:
    known = examine({PATHS[0]: CONFIGURATION + NOTICED_BY_THE_BUILD, "speed.c": "int speed;\n"})

    assert known.fault is not None
    assert (known.fault.files, known.fault.noticed, known.health) == (1, 1, Health.HEALTHY)


def test_what_the_build_notices_does_not_hide_that_the_tests_run_a_copy_of_the_rest(examine: Examine) -> None:
    known = examine({PATHS[0]: FOR_PYTEST + NOTICED_BY_THE_BUILD, "speed.c": "int speed;\n", **AN_INSTALLED_COPY})

    assert known.fault is not None
    assert (known.fault.files, known.fault.noticed, known.health) == (1, 0, Health.UNHEALTHY)


def test_a_project_without_source_that_could_take_a_fault_is_not_said_to_be_tested(examine: Examine) -> None:
    known = examine({"calc.py": None, "tests/test_calc.py": NOTHING_OF_THE_SOURCE})

    assert known.fault is None
    assert any("is not known" in each for each in known.remarks)


def test_a_command_of_which_only_the_exit_code_is_known_is_examined_too(examine: Examine) -> None:
    known = examine({PATHS[0]: "test: python3 -c 'import calc; assert calc.add(1, 2) == 3'\n"})

    assert known.health is Health.HEALTHY, known.obstacles
    assert known.fault is not None
    assert (known.fault.asked, known.fault.is_noticed) == (0, True)


def test_what_is_given_goes_before_what_the_repository_says_and_each_says_so(examine: Examine) -> None:
    given = Given(test="python3 -m unittest -v", image="mine")

    known = examine(given=given)

    reasons = {each.key: (each.value, each.reason) for each in known.found}
    assert reasons["test"] == ("python3 -m unittest -v", "given by --test")
    assert reasons["image"] == ("mine", "given by --image")


@pytest.mark.parametrize("directory", ["/etc", "../other", "a/../../b"])
def test_a_folder_outside_of_the_repository_is_refused(examine: Examine, directory: str) -> None:
    with pytest.raises(Refused, match="not a folder inside"):
        examine(given=Given(directory=directory))


def test_a_folder_that_the_repository_does_not_have_is_refused_or_the_trouble(examine: Examine) -> None:
    with pytest.raises(Refused, match="--directory nope is not a folder of the repository"):
        examine(given=Given(directory="nope"))

    assert "`nope`, which is not there" in examine({PATHS[0]: "directory: nope\n"}).trouble


def test_a_configuration_that_is_wrong_is_the_trouble_with_its_line(examine: Examine) -> None:
    known = examine({PATHS[0]: "tets: pytest\n"})

    assert known.health is Health.UNHEALTHY
    assert "did you mean `test`" in known.trouble
    assert known.runs == ()
    assert recommended(known) == ""


def test_an_image_that_is_not_allowed_is_the_trouble_with_the_operators_line(examine: Examine) -> None:
    known = examine({PATHS[0]: CONFIGURATION + "image: evil/image:1\n"})

    assert "`SELFCODE_IMAGES=evil/image:1`" in known.trouble
    assert known.runs == ()


def test_an_image_that_only_a_local_examination_takes_is_noted(examine: Examine) -> None:
    known = examine({PATHS[0]: f"{AT_ONCE}image: evil/image:1\n"}, any_image=True)

    assert len(known.runs) == TIMES
    assert any("a server with these settings would refuse it" in each for each in known.remarks)


def test_a_set_up_that_the_sandbox_does_not_run_is_not_told_as_if_it_were(tmp_path: Path) -> None:
    told: list[str] = []
    folder = a_folder(tmp_path, {PATHS[0]: f"{AT_ONCE}setup: pip install things\n", "calc.py": SOURCE})

    examine_folder(replace(MEANS, has_images=False), folder, Given(), about="", tell=told.append)
    without = list(told)
    told.clear()
    examine_folder(MEANS, folder, Given(), about="", tell=told.append)

    assert "`setup` is not run: this sandbox has no images" in without
    assert not any("pip install" in each or "preparing" in each for each in without)
    assert "preparing the environment" in told


def test_what_is_told_on_the_way_holds_no_control_characters(tmp_path: Path) -> None:
    told: list[str] = []
    folder = a_folder(tmp_path, {PATHS[0]: 'test: "true \\e]0;title\\a"\n'})

    examine_folder(MEANS, folder, Given(), about="", tell=told.append)

    assert any("true" in each for each in told)
    assert not any("\x1b" in each or "\x07" in each for each in told)


def test_an_image_that_a_pattern_allows_is_taken(examine: Examine) -> None:
    asked: list[Setup] = []

    def prepare(setup: Setup, _stop: StopCheck) -> Prepared:
        asked.append(setup)
        return Prepared(None, ("files.example.com was refused: SELFCODE_SETUP_HOSTS=files.example.com",))

    known = examine({PATHS[0]: f"{AT_ONCE}image: other-image:1\n"}, prepare_image=prepare)

    assert [setup.image for setup in asked] == ["other-image:1"]
    assert known.blocked == ("files.example.com was refused: SELFCODE_SETUP_HOSTS=files.example.com",)


def test_what_a_restart_has_done_again_is_told_once(tmp_path: Path) -> None:
    begun = Examination(repository="calc", sandbox=sandbox_facts(MEANS.sandbox, ""))
    patient, known = from_folder(
        a_folder(tmp_path, {PATHS[0]: AT_ONCE}), Mirror(tmp_path / "mirror"), begun, stop=MEANS.stop
    )
    known = look(patient, known, Given(), MEANS)

    done = prepare(MEANS, patient, prepare(MEANS, patient, known))

    assert [phase for phase, _ in done.seconds] == ["environment"]


def test_a_set_up_that_fails_is_the_trouble_with_the_end_of_its_output(examine: Examine) -> None:
    def broken(_setup: Setup, _stop: StopCheck) -> Prepared:
        raise SetupBroken(
            "The set-up command failed: exit code 1\n" + "noise\n" * 9000 + "no such package", blocked=("h",)
        )

    known = examine(prepare_image=broken)

    assert known.health is Health.UNHEALTHY
    assert known.trouble.startswith("The set-up command failed: exit code 1\n")
    assert known.trouble.endswith("no such package")
    assert len(known.trouble) < 25_000
    assert known.blocked == ("h",)


def test_without_a_test_command_that_is_said(examine: Examine) -> None:
    known = examine({PATHS[0]: None, "tests/test_calc.py": None})

    assert known.health is Health.UNHEALTHY
    assert "no test command" in known.trouble
    assert "package.json" in known.trouble
    assert recommended(known) == ""


def test_a_stop_ends_it_with_what_is_known_by_then(tmp_path: Path) -> None:
    heard: list[str] = []
    means = replace(MEANS, stop=lambda: any(line.startswith(f"run 2 of {TIMES}") for line in heard))

    known = examine_folder(means, a_folder(tmp_path, FILES), Given(), about="plain", tell=heard.append)

    assert known.health is Health.INTERRUPTED
    assert (len(known.runs), known.obstacles, recommended(known)) == (1, (), "")


def test_a_stop_while_the_repository_is_fetched_ends_it_too(tmp_path: Path) -> None:
    with Hub(tmp_path / "hub") as hub:
        hub.create_repository("octo/calc", FILES)
        remote = Remote("octo/calc", f"{hub.base_url}/octo/calc.git")

        known = examine_remote(replace(MEANS, stop=lambda: True), remote, Given(), about="", tell=lambda _: None)

    assert known.health is Health.INTERRUPTED


def test_what_is_to_be_committed_can_be_read_and_says_what_was_run(examine: Examine) -> None:
    known = examine({PATHS[0]: None}, given=Given(test="test -f calc.py"))

    config = parse_config(recommended(known).encode())

    assert known.plan is not None
    assert (config.test, config.setup or "") == (known.plan.test, known.plan.setup)


# --- Where the repository is from


def test_of_a_git_repository_the_commit_is_examined_and_not_what_lies_about(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, {**FILES, PATHS[0]: AT_ONCE})
    head = committed(folder)
    (folder / "calc.py").unlink()

    known = examine_folder(MEANS, folder, Given(), about="", tell=lambda _: None)

    assert known.commit == head
    assert known.runs[0].is_green


@pytest.mark.parametrize(
    ("text", "is_noted"),
    [(AT_ONCE, False), (AT_ONCE.replace("\n", "\r\n"), False), (f"{AT_ONCE}model: small\n", True), (None, True)],
)
def test_a_configuration_that_is_not_as_in_the_commit_is_noted(
    tmp_path: Path, text: str | None, is_noted: bool
) -> None:
    folder = a_folder(tmp_path, {**FILES, PATHS[0]: AT_ONCE})
    committed(folder)
    (folder / ".github").rename(tmp_path / "aside")
    a_folder(tmp_path, {PATHS[0]: text})

    known = examine_folder(MEANS, folder, Given(), about="", tell=lambda _: None)

    assert any("what is not committed is not looked at" in each for each in known.remarks) is is_noted


def test_a_configuration_that_was_never_committed_is_noted(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, {"calc.py": SOURCE})
    committed(folder)
    a_folder(tmp_path, {PATHS[0]: AT_ONCE})

    known = examine_folder(MEANS, folder, Given(), about="", tell=lambda _: None)

    assert known.health is Health.UNHEALTHY
    assert any("what is not committed is not looked at" in each for each in known.remarks)


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    with pytest.raises(Refused, match="no commit yet"):
        examine_folder(MEANS, tmp_path, Given(), about="", tell=lambda _: None)


def test_a_public_repository_is_cloned_from_its_server(tmp_path: Path) -> None:
    with Hub(tmp_path / "hub") as hub:
        hub.create_repository("octo/calc", {**FILES, PATHS[0]: AT_ONCE})
        remote = Remote("octo/calc", f"{hub.base_url}/octo/calc.git")

        known = examine_remote(MEANS, remote, Given(), about="", tell=lambda _: None)

        assert known.runs[0].is_green
        assert len(known.commit) == 40
        with pytest.raises(Refused, match="octo/none can't be had"):
            examine_remote(MEANS, Remote("octo/none", f"{hub.base_url}/octo/none.git"), Given(), about="", tell=print)


def test_a_server_that_does_not_answer_is_named() -> None:
    remote = Remote("octo/calc", "http://127.0.0.1:9/octo/calc.git")

    with pytest.raises(Unavailable, match=r"octo/calc can't be had from http://127\.0\.0\.1:9"):
        examine_remote(MEANS, remote, Given(), about="", tell=lambda _: None)


@pytest.mark.parametrize(
    ("target", "expected"),
    [("octo/calc", True), ("octo/calc.js", True), ("octo", False), ("./octo/calc", False), ("octo/calc/x", False)],
)
def test_owner_and_name_are_told_from_a_path(target: str, expected: bool) -> None:
    assert is_full_name(target) is expected


def test_a_folder_that_is_there_goes_before_a_repository_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "octo" / "calc").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert not is_full_name("octo/calc")
    assert folder_of("octo/calc").is_dir()


def test_what_is_neither_a_folder_nor_a_name_is_refused() -> None:
    with pytest.raises(Refused, match="neither a folder here nor OWNER/REPO"):
        folder_of("/nowhere/at/all")
