"""docs/configuration.md says what the models say."""

from pathlib import Path

from bot.repository.config import RepositoryConfig, RepositoryLimits, parse_config
from bot.settings import Settings
from manual.tables import named_in, with_tables
from tests.manual.blocks import blocks

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_the_page_is_as_the_models_are() -> None:
    assert with_tables(PAGE) == PAGE, "make it anew: `make format`"


def test_every_setting_is_on_the_page_once() -> None:
    assert sorted(named_in(PAGE)) == sorted(Settings.model_fields)


def test_every_setting_and_key_says_what_it_is() -> None:
    fields = {**Settings.model_fields, **RepositoryConfig.model_fields, **RepositoryLimits.model_fields}

    assert [name for name, field in fields.items() if not field.description] == []


def test_a_table_has_name_default_and_words_and_the_values_that_these_leave_open() -> None:
    made = with_tables("<!-- settings: min_permission poll_seconds database_url dry_run -->\n<!-- end -->")

    assert "| `SELFCODE_MIN_PERMISSION` | `write` | what a person needs to start" in made
    assert "Or `read`, `triage`, `maintain`, `admin` |" in made
    assert "5 to 3600 |" in made
    assert "| `SELFCODE_DATABASE_URL` | SQLite in the home |" in made
    assert "| `SELFCODE_DRY_RUN` | `false` |" in made


def test_what_stands_around_the_tables_is_kept() -> None:
    made = with_tables("Before.\n\n<!-- limits -->\nstale\n<!-- end -->\n\nBehind.\n")

    assert made.startswith("Before.\n\n<!-- limits -->\n\n| key | |\n")
    assert made.endswith("\n\n<!-- end -->\n\nBehind.\n")
    assert "stale" not in made


def test_the_examples_of_a_repositorys_file_can_be_used() -> None:
    examples = [parse_config(example.encode()) for example in blocks(PAGE, "yaml")]

    assert [example.directory for example in examples] == [".", "packages/prices"]
