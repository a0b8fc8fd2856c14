"""SELFCODE_HOME/app.json: the App that was created by clicking."""

import json
from pathlib import Path

import pytest

from bot.app_file import FILE, KeptApp, home_in, merge, read_kept, require_writable, write_kept
from bot.errors import ConfigError
from bot.settings import read_settings

KEPT = {
    "SELFCODE_APP_ID": "7",
    "SELFCODE_APP_SLUG": "adders",
    "SELFCODE_PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n",
    "SELFCODE_WEBHOOK_SECRET": "hush-hook-hush",
    "SELFCODE_GITHUB_API_URL": "https://api.github.com",
    "SELFCODE_POLL_SECONDS": "30",
}


def kept(**changed: str) -> KeptApp:
    return KeptApp(Path("/home/app.json"), KEPT | changed)


def test_what_is_kept_is_read_again_and_is_for_this_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"

    path = write_kept(home, KEPT)

    assert read_kept(home) == KeptApp(path, KEPT)
    assert [each.name for each in home.iterdir()] == [FILE]
    assert (path.stat().st_mode & 0o777, home.stat().st_mode & 0o777) == (0o600, 0o700)


def test_an_app_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    write_kept(tmp_path, KEPT)

    with pytest.raises(ConfigError, match="is there already"):
        write_kept(tmp_path, {"SELFCODE_APP_ID": "8"})

    assert read_kept(tmp_path).values == KEPT
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"SELFCODE_APP_ID": 7}', "not an object of settings"),
        ('{"SELFCODE_HOME": "/"}', "no setting of the App: SELFCODE_HOME"),
    ],
)
def test_a_file_that_is_none_of_ours_is_told_without_a_word_of_what_is_in_it(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / FILE).write_text(text)

    with pytest.raises(ConfigError, match=words):
        read_kept(tmp_path)


def test_a_home_that_is_no_folder_holds_nothing_and_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert read_kept(tmp_path / "file" / "home").values == {}
    with pytest.raises(ConfigError, match="can't be written"):
        require_writable(tmp_path / "file" / "home")


def test_the_environment_overrides_what_is_kept_and_an_empty_value_does_not() -> None:
    settings = read_settings({"SELFCODE_WEBHOOK_SECRET": "mine-mine-mine", "SELFCODE_APP_ID": " "}, kept())

    settings.require_app()
    assert settings.app_id == 7
    assert settings.poll_seconds == 30
    assert "mine-mine-mine" in settings.secrets()


def test_a_key_in_a_file_of_ones_own_goes_before_the_kept_one(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("another PRIVATE KEY")

    settings = read_settings({"SELFCODE_PRIVATE_KEY_PATH": str(tmp_path / "key.pem")}, kept())

    assert settings.key_text() == "another PRIVATE KEY"


def test_a_public_address_that_is_set_later_ends_the_fetching() -> None:
    settings = read_settings({"SELFCODE_PUBLIC_URL": "https://bot.example.com/"}, kept())

    assert (settings.public_url, settings.poll_seconds) == ("https://bot.example.com", None)


@pytest.mark.parametrize(
    "environment",
    [
        {"SELFCODE_APP_ID": "8"},
        {"SELFCODE_APP_SLUG": "selfcode"},
        {"SELFCODE_GITHUB_API_URL": "https://github.example.com/api/v3"},
    ],
)
def test_where_the_environment_is_of_another_app_nothing_of_the_kept_one_is_mixed_with_it(
    environment: dict[str, str],
) -> None:
    settings = read_settings(environment, kept())

    assert (settings.private_key, settings.webhook_secret, settings.poll_seconds) == (None, None, None)
    with pytest.raises(ConfigError, match=f"of another App, by {next(iter(environment))}"):
        settings.require_app()


def test_what_is_missing_is_named_and_where_the_rest_comes_from() -> None:
    without_key = {name: value for name, value in KEPT.items() if name != "SELFCODE_PRIVATE_KEY"}

    with pytest.raises(ConfigError) as told:
        read_settings(
            {"SELFCODE_WEBHOOK_SECRET": "mine-mine-mine"}, KeptApp(Path("/h/app.json"), without_key)
        ).require_app()

    assert "SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH is not set" in str(told.value)
    assert "SELFCODE_APP_ID from /h/app.json; SELFCODE_WEBHOOK_SECRET from the environment" in str(told.value)


def test_where_nothing_of_an_app_is_set_the_page_is_named_that_creates_one() -> None:
    with pytest.raises(ConfigError, match="`selfcode serve` shows a page that creates it"):
        read_settings({}).require_app()


def test_the_home_is_where_the_settings_say(tmp_path: Path) -> None:
    assert home_in({"SELFCODE_HOME": str(tmp_path)}) == tmp_path
    assert home_in({"SELFCODE_HOME": " "}) == read_settings({}).home
    assert merge({}, KeptApp(tmp_path)).note == ""


def test_nothing_secret_shows_in_what_is_printed_of_it() -> None:
    assert "hush" not in repr(kept()) + repr(merge({}, kept())) + json.dumps(merge({}, kept()).note)
