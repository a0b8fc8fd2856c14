"""The documentation says what is there: settings, keys, outcomes, commands. No more, no less."""

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from bot.records import Outcome
from bot.repository.config import RepositoryConfig, RepositoryLimits, parse_config
from bot.settings import Settings
from bot.triggers.commands import AcceptTests, Command, Doctor, Help, Note, Retry, Status, Stop, read_command
from bot.writing.replies import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(f"docs/{each.name}" for each in (ROOT / "docs").glob("*.md")),
)
SETTINGS = {str(field.validation_alias) for field in Settings.model_fields.values()}


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_setting_is_documented() -> None:
    assert {name for name in SETTINGS if f"`{name}`" not in page("docs/configuration.md")} == set()


@pytest.mark.parametrize("name", [*PAGES, "compose.yaml", "Dockerfile"])
def test_no_page_names_a_setting_that_there_is_not(name: str) -> None:
    assert set(re.findall(r"\b(?:SELFCODE|OPENAI)_[A-Z_]+[A-Z]\b", page(name))) <= SETTINGS


def test_the_documented_defaults_are_the_defaults() -> None:
    rows = re.findall(r"^\| `((?:SELFCODE|OPENAI)_\w+)` \| `([^`]+)` \|", page("docs/configuration.md"), re.MULTILINE)
    fields = {str(field.validation_alias): field for field in Settings.model_fields.values()}

    said = {name: value for name, value in rows if name != "SELFCODE_HOME"}
    assert said == {name: _written(fields[name].default) for name in said}


def _written(default: object) -> str:
    return (
        str(default).lower()
        if isinstance(default, bool)
        else f"{default:g}"
        if isinstance(default, float)
        else str(default)
    )


def test_the_example_of_a_repositorys_configuration_can_be_read_and_names_every_key() -> None:
    text = page("docs/configuration.md")
    examples = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    example = examples[-1]

    for each in examples:
        parse_config(each.encode())

    keys = set(yaml.safe_load(example))
    assert {key for key in RepositoryConfig.model_fields if key not in keys and f"`{key}`" not in text} == set()
    assert set(yaml.safe_load(example)["limits"]) == set(RepositoryLimits.model_fields)


def test_the_readmes_example_configuration_can_be_read() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", page("README.md"), re.DOTALL)

    assert parse_config(example.encode()).test == "python -m pytest"


def test_the_readme_knows_every_outcome() -> None:
    assert {outcome for outcome in Outcome if f"| `{outcome}` |" not in page("README.md")} == set()


def test_help_names_every_command_that_is_read() -> None:
    commands = [read_command(command) for command, _ in COMMANDS]

    assert commands == [Retry("[hint]"), Note("<text>"), Status(), Stop(), AcceptTests(), Doctor(), Help()]
    assert {type(command) for command in commands} == set(get_args(Command))


def test_the_readme_names_every_command() -> None:
    assert [command for command, _ in COMMANDS if f"`{command}`" not in page("README.md")] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_link_inside_the_documentation_leads_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page(name))

    assert [link for link in links if not (ROOT / name).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_file_of_the_code_that_a_page_names_is_there(name: str) -> None:
    rooms = "agent|demo|github|proof|repository|runs|triggers|web|writing"
    named = re.findall(rf"`((?:bot/|sandbox/|tests/)?(?:(?:{rooms})/)?\w+\.py)`", page(name))
    places = (ROOT, ROOT / "bot")

    assert [path for path in named if "/" in path and not any((place / path).exists() for place in places)] == []
