from pathlib import Path

import pytest
from sqlalchemy import text

from bot.errors import ConfigError
from bot.settings import read_settings
from bot.wire.database import database_of


def test_the_home_is_made_for_its_owner_alone_and_the_database_is_in_it(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"

    database_of(read_settings({"SELFCODE_HOME": str(home)})).dispose()

    assert (home / "selfcode.sqlite").exists()
    assert home.stat().st_mode & 0o077 == 0


def test_the_database_keeps_what_it_is_told_though_the_machine_may_fail(tmp_path: Path) -> None:
    engine = database_of(read_settings({"SELFCODE_HOME": str(tmp_path)}))

    with engine.connect() as connection:
        journal, synchronous = (
            connection.execute(text(f"pragma {name}")).scalar() for name in ("journal_mode", "synchronous")
        )

    assert (journal, synchronous) == ("wal", 2)
    engine.dispose()


@pytest.mark.parametrize("url", ["sqlite:////proc/none/x.sqlite", "sqlite:////dev/null/x.sqlite", "sqlite:////proc"])
def test_a_database_file_that_can_not_be_made_is_the_operators_to_mend(tmp_path: Path, url: str) -> None:
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": url})

    with pytest.raises(ConfigError, match="SELFCODE_DATABASE_URL"):
        database_of(settings)


def test_a_file_that_is_no_database_is_the_operators_to_mend(tmp_path: Path) -> None:
    (tmp_path / "selfcode.sqlite").write_text("not a database, but long enough to be looked at" * 100)

    with pytest.raises(ConfigError, match="SELFCODE_DATABASE_URL"):
        database_of(read_settings({"SELFCODE_HOME": str(tmp_path)}))
