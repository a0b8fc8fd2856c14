"""`.github/selfcode.yml`: what may stand in it, and what is said of what may not."""

from collections.abc import Mapping

import pytest

from bot.errors import Refused
from bot.records import Caps, Reproduce, TestPlan
from bot.repository import (
    CommitStyle,
    OnFailedChecks,
    OnUnsolved,
    RepositoryConfig,
    Update,
    parse_config,
    read_config,
)
from bot.repository.config import PROBLEMS_AT_MOST

WHOLE = b"""\
# everything at once
test: pytest -q
setup:
  - pip install -e .
  - make data
build: make
image: python:3.13
directory: ./packages/tool/
protect: [docs/**, Makefile]
report: out/junit.xml
limits: {iterations: 2, calls_per_iteration: 5, tokens: 1000, cost_usd: 0.5,
  minutes: 10, patch_lines: 99, patch_files: 3, candidates: 2}
model: small
critic: off
reproduce: first
require_proof: true
on_unsolved: comment
reviewers: ["@ann", bob]
labels: bot
draft: true
update: rebase
on_failed_checks: fix
commit_style: conventional
sign_off: true
verified_commits: false
"""


def config_of(files: Mapping[str, bytes]) -> RepositoryConfig:
    return read_config(files.get)


def refusal_of(text: str | bytes) -> str:
    with pytest.raises(Refused) as refused:
        parse_config(text if isinstance(text, bytes) else text.encode())
    return str(refused.value)


def test_every_key_of_the_manual_is_read() -> None:
    config = parse_config(WHOLE)

    assert config.model_dump(exclude={"limits"}) == {
        "test": "pytest -q",
        "setup": "pip install -e . && make data",
        "build": "make",
        "image": "python:3.13",
        "directory": "packages/tool",
        "protect": ("docs/**", "Makefile"),
        "report": "out/junit.xml",
        "model": "small",
        "critic": "off",
        "reproduce": Reproduce.FIRST,
        "require_proof": True,
        "on_unsolved": OnUnsolved.COMMENT,
        "reviewers": ("ann", "bob"),
        "labels": ("bot",),
        "draft": True,
        "update": Update.REBASE,
        "on_failed_checks": OnFailedChecks.FIX,
        "commit_style": CommitStyle.CONVENTIONAL,
        "sign_off": True,
        "verified_commits": False,
    }
    assert config.lowered(Caps()) == Caps(2, 5, 1000, 0.5, 10.0, 99, 3)
    assert config.candidates(4) == 2


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"---\n", b"\xef\xbb\xbf", b"test:\n"])
def test_an_empty_configuration_is_the_defaults(text: bytes) -> None:
    assert parse_config(text) == RepositoryConfig()


def test_a_repository_without_a_configuration_has_the_defaults() -> None:
    assert config_of({}) == RepositoryConfig()


@pytest.mark.parametrize("path", [".github/selfcode.yml", ".github/selfcode.yaml"])
def test_both_endings_are_found(path: str) -> None:
    assert config_of({path: b"test: make"}).test == "make"


def test_two_configurations_are_refused() -> None:
    with pytest.raises(Refused, match="Keep one"):
        config_of({".github/selfcode.yml": b"", ".github/selfcode.yaml": b""})


def test_a_bare_off_means_off() -> None:
    assert parse_config(b"critic: off\n").critic == "off"


@pytest.mark.parametrize(
    ("text", "critic"), [(b"", ""), (b"critic: off\n", ""), (b"critic: false\n", ""), (b"critic: other\n", "other")]
)
def test_a_critic_is_a_models_name_or_none(text: bytes, critic: str) -> None:
    assert parse_config(text).critic_or_none == critic


@pytest.mark.parametrize("way", Reproduce)
def test_every_way_to_reproduce_is_read(way: Reproduce) -> None:
    assert parse_config(f"reproduce: {way}\n".encode()).reproduce is way


def test_candidates_are_lowered_and_never_raised() -> None:
    assert parse_config(b"limits: {candidates: 9}\n").candidates(3) == 3


def test_what_this_version_does_not_do_is_refused_rather_than_left_undone() -> None:
    assert "`on_unsolved: draft` is not available in this version" in refusal_of("on_unsolved: draft\n")


def test_every_problem_is_told_at_once_with_its_line() -> None:
    said = refusal_of(
        "tset: pytest\n"
        "limits:\n"
        "  iteration: 3\n"
        "  tokens: many\n"
        "  usd: 2\n"
        "  minutes: 0\n"
        "directory: ../up\n"
        "report: /etc/passwd\n"
        "require_proof: 'yes'\n"
        "on_unsolved: shout\n"
        "reviewers: [a b]\n"
        "protect: 5\n"
        "build: true\n"
        "build: make\n"
        "model: ''\n"
        "zzz: 1\n"
    )

    assert said.splitlines() == [
        "`.github/selfcode.yml` can't be used:",
        "- line 1: `tset` is not a key; did you mean `test`?",
        "- line 3: `limits.iteration` is not a key; did you mean `iterations`?",
        "- line 4: `limits.tokens`: must be a whole number",
        "- line 5: `limits.usd` is not a key; did you mean `cost_usd`?",
        "- line 6: `limits.minutes`: input should be greater than 0",
        "- line 7: `directory`: must be a path inside the repository",
        "- line 8: `report`: must be a path inside the repository",
        "- line 9: `require_proof`: must be true or false",
        "- line 10: `on_unsolved`: input should be 'comment' or 'draft'",
        "- line 11: `reviewers`: holds something that is no login",
        "- line 12: `protect`: must be a list",
        "- line 14: `build` is given twice",
        "- line 15: `model`: is empty",
        f"- line 16: `zzz` is not a key (keys: {', '.join(RepositoryConfig.model_fields)})",
    ]


def test_a_command_that_yaml_reads_as_something_else_wants_quotes() -> None:
    assert "- line 1: `test`: must be text; put it in quotes" in refusal_of("test: true\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("test: [pytest\nbuild: make", "line 2: expected ',' or ']'"),
        ("test: a\n\tbuild: b", "line 2: found"),
        ("test: a\n---\ntest: b", "line 2: but found another document"),
        ("test: !!python/object/apply:os.system [id]", "line 1: could not determine a constructor"),
        ("a: &x [1]\nb: *x", "line 2: references"),
        ("[" * 20_000, "nested too deeply"),
        ("test: " + "[" * 20_000 + "]" * 20_000, "nested too deeply"),
        ("test: " + "- " * 20_000, "nested too deeply"),
        ('test: "pytest\\0 -q"', "`test`: holds a NUL character"),
        ('setup: "make\\0"', "`setup`: holds a NUL character"),
        (b"\xff\xfe", "not UTF-8"),
        ("test: a\0b", "unacceptable character"),
        ("? [a]\n: b", "unhashable"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_line(text: str | bytes, said: str) -> None:
    assert said in refusal_of(text)


@pytest.mark.parametrize("text", ["- a", "pytest", "5"])
def test_what_is_no_list_of_keys_is_refused(text: str) -> None:
    assert "must be a list of keys" in refusal_of(text)


def test_a_huge_configuration_is_refused_unread() -> None:
    assert "larger than" in refusal_of(b"#" * 70_000)


def test_limits_are_lowered_and_never_raised() -> None:
    config = parse_config(b"limits: {iterations: 99, tokens: 10, cost_usd: 100, minutes: 1.5}")

    assert config.lowered(Caps()) == Caps(tokens=10, minutes=1.5)


def test_a_cost_limit_of_the_repository_binds_where_the_operator_has_none() -> None:
    assert parse_config(b"limits: {cost_usd: 1}").lowered(Caps(cost_usd=None)).cost_usd == 1.0
    assert RepositoryConfig().lowered(Caps(cost_usd=None)).cost_usd is None


GUESSED = TestPlan(test="python3 -m pytest", setup="pip install -e .", guessed_from="pyproject.toml")


def test_without_a_configuration_the_guess_is_the_plan() -> None:
    assert RepositoryConfig().plan(GUESSED) == GUESSED
    assert RepositoryConfig().plan(None) is None


def test_a_configured_command_is_no_guess_and_keeps_the_guessed_set_up() -> None:
    plan = parse_config(b"test: make check\nreport: junit.xml").plan(GUESSED)

    assert plan == TestPlan(test="make check", setup="pip install -e .", report="junit.xml")


def test_a_set_up_that_is_given_as_nothing_is_nothing() -> None:
    plan = parse_config(b"setup: ''").plan(GUESSED)

    assert plan == TestPlan(test="python3 -m pytest", guessed_from="pyproject.toml")


def test_a_configured_command_needs_no_guess() -> None:
    plan = parse_config(b"test: ctest\nbuild: make\nimage: gcc:14\ndirectory: c").plan(None)

    assert plan == TestPlan(test="ctest", build="make", image="gcc:14", directory="c")


BELOW = TestPlan(test="npm test", setup="npm ci", directory="web", report="out.xml", guessed_from="web/package.json")


def test_a_guess_for_a_folder_below_runs_there() -> None:
    assert RepositoryConfig().plan(BELOW) == BELOW


def test_a_configured_command_runs_at_the_top_without_what_was_guessed_for_a_folder_below() -> None:
    assert parse_config(b"test: make check").plan(BELOW) == TestPlan(test="make check")


def test_a_configured_folder_is_where_the_commands_run() -> None:
    plan = parse_config(b"test: npm run unit\ndirectory: web").plan(BELOW)

    assert plan == TestPlan(test="npm run unit", setup="npm ci", directory="web")


def test_of_very_many_problems_the_first_are_told() -> None:
    keys = "".join(f"k{number}: 1\n" for number in range(6_000))

    with pytest.raises(Refused) as refusal:
        parse_config(keys.encode())

    told = str(refusal.value).splitlines()
    assert len(told) == PROBLEMS_AT_MOST + 2
    assert told[1].startswith("- line 1: `k0` is not a key")
    assert told[-1] == "- … and more"


def test_each_command_of_a_list_must_succeed_as_a_whole() -> None:
    config = parse_config(b"test: [make a || true, make b]")

    assert config.test == "{ make a || true\n} && make b"
