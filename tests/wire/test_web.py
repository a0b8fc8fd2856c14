"""The door of the pages, as the settings say."""

from pathlib import Path

from bot.settings import read_settings
from bot.wire.database import database_of
from bot.wire.web import door_of
from tests.test_settings import OAUTH, PUBLIC


def test_without_credentials_nobody_can_sign_in(tmp_path: Path) -> None:
    settings = read_settings({"SELFCODE_HOME": str(tmp_path)} | PUBLIC)
    engine = database_of(settings)

    assert door_of(settings, engine) is None
    engine.dispose()


def test_the_door_goes_by_the_public_address_the_operators_and_the_permission_that_commands_take(
    tmp_path: Path,
) -> None:
    named = {"SELFCODE_OPERATORS": "Ada, grace", "SELFCODE_MIN_PERMISSION": "maintain"}
    settings = read_settings({"SELFCODE_HOME": str(tmp_path)} | OAUTH | PUBLIC | named)
    engine = database_of(settings)

    door = door_of(settings, engine)

    assert door is not None
    assert (door.place.public_url, door.operators) == ("https://bot.example.com", frozenset({"ada", "grace"}))
    assert (door.minimum, door.lets_in_local) == ("maintain", False)
    address = door.signing_in.address(state="s", challenge="c", back="b")
    assert address.startswith("https://github.com/login/oauth/authorize?client_id=Iv23&")
    engine.dispose()
