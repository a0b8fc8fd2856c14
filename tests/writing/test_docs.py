"""The documentation says what is there: outcomes, commands, files, no other settings. Tables, links: tests/manual."""

import re
from pathlib import Path
from typing import get_args

import pytest

from bot.records import Outcome
from bot.repository.config import parse_config
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


@pytest.mark.parametrize("name", [*PAGES, "compose.yaml", "Dockerfile"])
def test_no_page_names_a_setting_that_there_is_not(name: str) -> None:
    assert set(re.findall(r"\b(?:SELFCODE|OPENAI)_[A-Z_]+[A-Z]\b", page(name))) <= SETTINGS


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
def test_every_file_of_the_code_that_a_page_names_is_there(name: str) -> None:
    rooms = "agent|demo|github|proof|repository|runs|triggers|web|writing"
    named = re.findall(rf"`((?:bot/|sandbox/|tests/)?(?:(?:{rooms})/)?\w+\.py)`", page(name))
    places = (ROOT, ROOT / "bot")

    assert [path for path in named if "/" in path and not any((place / path).exists() for place in places)] == []
