from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.records import Caps
from bot.settings import Settings, read_settings

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n"
APP = {"SELFCODE_APP_ID": "7", "SELFCODE_PRIVATE_KEY": PEM, "SELFCODE_WEBHOOK_SECRET": "hush-hook"}


def complaint(**environment: str) -> str:
    """What the operator is told about settings that can't be used."""
    with pytest.raises(ConfigError) as caught:
        read_settings(environment)
    return str(caught.value)


def app_complaint(settings: Settings) -> str:
    with pytest.raises(ConfigError) as caught:
        settings.require_app()
    return str(caught.value)


# --- Reading


def test_nothing_needs_to_be_set() -> None:
    settings = read_settings({})

    assert settings.caps == Caps()
    assert (settings.host, settings.port, settings.label, settings.min_permission, settings.sandbox) == (
        "127.0.0.1",
        8000,
        "selfcode",
        "write",
        "docker",
    )
    assert settings.home == Path.home() / ".selfcode"


def test_every_limit_is_an_operators_setting() -> None:
    settings = read_settings(
        {
            "SELFCODE_MAX_ITERATIONS": "2",
            "SELFCODE_MAX_CALLS": "3",
            "SELFCODE_MAX_TOKENS": "4",
            "SELFCODE_MAX_USD": "0.5",
            "SELFCODE_MAX_MINUTES": "6",
            "SELFCODE_MAX_PATCH_LINES": "7",
            "SELFCODE_MAX_PATCH_FILES": "8",
        }
    )

    assert settings.caps == Caps(2, 3, 4, 0.5, 6.0, 7, 8)


def test_lists_are_separated_by_commas() -> None:
    settings = read_settings(
        {
            "SELFCODE_ALLOWED_OWNERS": " octo, ,Hubot,",
            "SELFCODE_IMAGES": "python:*",
            "SELFCODE_TRUSTED_BOTS": "renovate, triage[bot]",
        }
    )

    assert settings.allowed_owners == ("octo", "Hubot")
    assert settings.trusted_bots == ("renovate", "triage[bot]")
    assert settings.images == ("python:*",)


@pytest.mark.parametrize("empty", ["", "  ", "\n"])
@pytest.mark.parametrize("name", sorted(str(field.validation_alias) for field in Settings.model_fields.values()))
def test_an_empty_value_counts_as_not_set(name: str, empty: str) -> None:
    assert read_settings({name: empty}) == read_settings({})


def test_space_around_a_value_does_not_count() -> None:
    assert read_settings({"SELFCODE_LABEL": " bot \n", "SELFCODE_PORT": " 9000\n"}).label == "bot"


def test_what_is_not_ours_is_passed_over() -> None:
    assert read_settings({"PATH": "/bin", "SELFCODE_SOMETHING_NEW": "1"}) == read_settings({})


def test_a_home_below_ones_own_may_be_written_with_a_tilde() -> None:
    settings = read_settings({"SELFCODE_HOME": "~/bot", "SELFCODE_PRIVATE_KEY_PATH": "~/key.pem"})

    assert settings.home == Path.home() / "bot"
    assert settings.private_key_path == Path.home() / "key.pem"


def test_a_slash_at_the_end_of_an_address_does_not_count() -> None:
    settings = read_settings({"SELFCODE_GITHUB_API_URL": "https://github.example/api/v3/"})

    assert settings.github_api_url == "https://github.example/api/v3"


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "https://github.com"),
        ({"SELFCODE_GITHUB_API_URL": "https://github.example/api/v3"}, "https://github.example"),
        (
            {"SELFCODE_GITHUB_API_URL": "https://api.github.example", "SELFCODE_GITHUB_URL": "https://github.example/"},
            "https://github.example",
        ),
    ],
)
def test_the_web_address_follows_the_apis_unless_it_is_named(given: dict[str, str], address: str) -> None:
    assert read_settings(given).web_address == address


def test_inbox_and_steps_are_files_of_their_own_in_the_home_unless_a_database_is_named() -> None:
    at_home = read_settings({"SELFCODE_HOME": "/var/bot"})
    elsewhere = read_settings({"SELFCODE_DATABASE_URL": "postgresql://db/bot"})

    assert at_home.database == "sqlite:////var/bot/selfcode.sqlite"
    assert at_home.workflow_database == "sqlite:////var/bot/steps.sqlite"
    assert elsewhere.database == elsewhere.workflow_database == "postgresql://db/bot"


def test_containers_are_marked_by_the_home_the_same_after_every_start() -> None:
    marks = [read_settings({"SELFCODE_HOME": home}).owner_tag for home in ("/a", "/a/../a", "/b")]

    assert marks[0] == marks[1]
    assert marks[0] != marks[2]


# --- Bad settings


BAD = {
    "SELFCODE_PORT": "http",
    "SELFCODE_APP_ID": "my-app",
    "SELFCODE_MIN_PERMISSION": "owner",
    "SELFCODE_SANDBOX": "jail",
    "SELFCODE_SANDBOX_PATHS": "/nowhere/at/all",
    "SELFCODE_SANDBOX_DISK_GB": "0",
    "SELFCODE_SETUP_NETWORKS": "10.0.0.0/33",
    "SELFCODE_SETUP_SECRETS": "/nowhere/at/all",
    "SELFCODE_DIALECT": "klingon",
    "SELFCODE_DRY_RUN": "perhaps",
    "SELFCODE_MAX_ITERATIONS": "0",
    "SELFCODE_MAX_USD": "-1",
    "SELFCODE_MAX_MINUTES": "inf",
    "SELFCODE_DAY_USD_REPOSITORY": "nan",
    "SELFCODE_RUNS_AT_ONCE": "1000",
    "SELFCODE_TEST_SECONDS": "0",
    "SELFCODE_GITHUB_API_URL": "api.github.com",
    "OPENAI_BASE_URL": "localhost:8080/v1",
    "SELFCODE_CA_BUNDLE": "/nowhere/ca.pem",
    "SELFCODE_LABEL": "x" * 51,
}


@pytest.mark.parametrize("name", BAD)
def test_a_setting_that_can_not_be_used_is_named(name: str) -> None:
    assert f"  {name}: " in complaint(**{name: BAD[name]})


def test_one_error_names_every_bad_setting() -> None:
    said = complaint(**BAD, SELFCODE_PRIVATE_KEY=PEM, SELFCODE_PRIVATE_KEY_PATH="/key.pem")

    named = {line.split(":")[0].strip() for line in said.splitlines()[1:]}
    assert named == {*BAD, "SELFCODE_PRIVATE_KEY_PATH"}


def test_the_key_comes_from_one_place() -> None:
    said = complaint(SELFCODE_PRIVATE_KEY=PEM, SELFCODE_PRIVATE_KEY_PATH="/key.pem")

    assert "set SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH, not both" in said


def test_a_complaint_holds_no_value_that_may_be_a_secret() -> None:
    said = complaint(SELFCODE_APP_ID="hush-app", SELFCODE_PORT="hush-port", SELFCODE_MIN_PERMISSION="hush-all")

    assert "hush" not in said


# --- The App


def test_an_app_that_is_set_up_needs_nothing_more() -> None:
    read_settings(APP).require_app()


def test_all_that_the_app_lacks_is_told_at_once() -> None:
    said = app_complaint(read_settings({}))

    assert len(said.splitlines()) == 5
    assert "SELFCODE_APP_ID" in said
    assert "SELFCODE_WEBHOOK_SECRET" in said
    assert "SELFCODE_PRIVATE_KEY" in said


@pytest.mark.parametrize("name", APP)
def test_each_part_of_the_app_is_asked_for(name: str) -> None:
    said = app_complaint(read_settings(APP | {name: ""}))

    said, taken = said.rsplit("\n", 1)
    assert name in said
    assert len(said.splitlines()) == 2
    assert all(each in taken for each in APP if each != name)


def test_where_deliveries_are_fetched_no_secret_is_needed_for_those_that_are_sent() -> None:
    settings = read_settings(APP | {"SELFCODE_WEBHOOK_SECRET": "", "SELFCODE_POLL_SECONDS": "30"})

    settings.require_app(webhook=False)
    assert "SELFCODE_WEBHOOK_SECRET" in app_complaint(settings)


@pytest.mark.parametrize("seconds", ["0", "4", "3601", "often"])
def test_deliveries_are_fetched_neither_all_the_time_nor_hardly_ever(seconds: str) -> None:
    assert "SELFCODE_POLL_SECONDS" in complaint(SELFCODE_POLL_SECONDS=seconds)


def test_a_key_on_one_line_with_escapes_is_a_key() -> None:
    escaped = PEM.replace("\n", "\\n")

    assert read_settings({"SELFCODE_PRIVATE_KEY": escaped}).key_text().strip() == PEM.strip()


def test_a_key_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(PEM)
    settings = read_settings(
        {
            "SELFCODE_APP_ID": "7",
            "SELFCODE_WEBHOOK_SECRET": "hush-hook",
            "SELFCODE_PRIVATE_KEY_PATH": str(tmp_path / "key.pem"),
        }
    )

    settings.require_app()
    assert settings.key_text() == PEM


@pytest.mark.parametrize("key", ["hush-key", "-----BEGIN CERTIFICATE-----\nhush\n-----END CERTIFICATE-----"])
def test_what_is_no_private_key_is_told_without_showing_it(key: str) -> None:
    said = app_complaint(read_settings(APP | {"SELFCODE_PRIVATE_KEY": key}))

    assert "SELFCODE_PRIVATE_KEY: is not a PEM private key" in said
    assert "hush" not in said


def test_a_key_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    without_key = {name: value for name, value in APP.items() if name != "SELFCODE_PRIVATE_KEY"}
    places = [tmp_path / "none.pem", tmp_path, tmp_path / "binary.pem"]
    places[2].write_bytes(b"\x80\xff\x00")

    said = [app_complaint(read_settings(without_key | {"SELFCODE_PRIVATE_KEY_PATH": str(place)})) for place in places]

    assert all("SELFCODE_PRIVATE_KEY_PATH" in each for each in said)


# --- Secrets


def test_no_secret_shows_when_settings_are_printed() -> None:
    settings = read_settings(
        {
            **APP,
            "SELFCODE_PRIVATE_KEY": "hush-key",
            "OPENAI_API_KEY": "hush-openai",
            "SELFCODE_DATABASE_URL": "postgresql://bot:hush-password@db/bot",
        }
    )

    for shown in (repr(settings), str(settings), f"{settings!r}"):
        assert "hush" not in shown


@pytest.mark.parametrize("host", ["https://pypi.example.com/simple", "user@host", "host:port", "a b"])
def test_a_setup_host_is_a_host_and_no_address_of_a_page(host: str) -> None:
    assert "SELFCODE_SETUP_HOSTS: value 1: " in complaint(SELFCODE_SETUP_HOSTS=host)


def test_setup_hosts_may_have_ports_and_stars() -> None:
    hosts = "*.Example.com, nexus.corp:8081"

    assert read_settings({"SELFCODE_SETUP_HOSTS": hosts}).setup_hosts == ("*.example.com", "nexus.corp:8081")


@pytest.mark.parametrize("network", ["127.0.0.0/8", "::1/128", "169.254.0.0/16", "fe80::/10"])
def test_networks_that_stay_closed_to_setup_can_not_be_opened(network: str) -> None:
    assert "is never open to a setup" in complaint(SELFCODE_SETUP_NETWORKS=network)


def test_of_a_list_the_value_that_can_not_be_used_is_named() -> None:
    assert "SELFCODE_SETUP_NETWORKS: value 2: " in complaint(SELFCODE_SETUP_NETWORKS="10.0.0.0/8,nonsense")


# --- The model


def test_prices_are_by_model_and_a_local_one_may_cost_nothing() -> None:
    settings = read_settings({"SELFCODE_PRICES": "openai/gpt-5-mini=0.25/2/0.025, qwen3:8b = 0/0,m=.5/1"})

    assert [tuple(price) for price in settings.prices] == [
        ("openai/gpt-5-mini", 0.25, 2.0, 0.025),
        ("qwen3:8b", 0.0, 0.0, None),
        ("m", 0.5, 1.0, None),
    ]


@pytest.mark.parametrize("value", ["m", "m=1", "m=1/2/3/4", "m=a/b", "=1/2", "m=-1/2", "m=nan/1", "m=1/2;n=1/2"])
def test_a_price_of_another_form_is_answered_with_the_form(value: str) -> None:
    told = complaint(SELFCODE_PRICES=value)

    assert "SELFCODE_PRICES" in told
    assert "MODEL=INPUT/OUTPUT" in told


def test_two_prices_for_one_model_are_refused() -> None:
    assert "more than one price for m" in complaint(SELFCODE_PRICES="m=1/2,m=3/4")


def test_the_window_and_the_dialect_may_be_told() -> None:
    settings = read_settings({"SELFCODE_WINDOW_TOKENS": "8192", "SELFCODE_DIALECT": "json"})

    assert (settings.window_tokens, settings.dialect) == (8192, "json")
    assert "SELFCODE_WINDOW_TOKENS" in complaint(SELFCODE_WINDOW_TOKENS="12")


def test_a_folder_that_the_sandbox_shows_keeps_the_name_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "v1.2").mkdir()
    (tmp_path / "current").symlink_to("v1.2")
    monkeypatch.chdir(tmp_path)

    settings = read_settings({"SELFCODE_SANDBOX_PATHS": f"{tmp_path}/current, v1.2"})

    assert settings.sandbox_paths == (tmp_path / "current", tmp_path / "v1.2")


# --- Who signs in


OAUTH = {"SELFCODE_CLIENT_ID": "Iv23", "SELFCODE_CLIENT_SECRET": "hush-hush-hush"}
PUBLIC = {"SELFCODE_PUBLIC_URL": "https://bot.example.com"}


@pytest.mark.parametrize(
    ("given", "can_sign_in", "lets_in_local"),
    [
        ({}, False, True),
        (PUBLIC, False, True),
        (OAUTH, True, True),
        (OAUTH | PUBLIC, True, False),
        (OAUTH | PUBLIC | {"SELFCODE_SIGN_IN": "elsewhere"}, True, True),
        (OAUTH | {"SELFCODE_SIGN_IN": "everywhere"}, True, False),
    ],
)
def test_who_is_on_this_machine_is_the_operator_unless_it_is_reached_from_elsewhere_or_the_operator_says_so(
    given: dict[str, str], can_sign_in: bool, lets_in_local: bool
) -> None:
    settings = read_settings(given)

    assert (settings.can_sign_in, settings.lets_in_local) == (can_sign_in, lets_in_local)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, ""),
        (PUBLIC, ""),
        (OAUTH, ""),
        (OAUTH | PUBLIC, "https://bot.example.com"),
        (OAUTH | {"SELFCODE_PUBLIC_URL": "https://bot.example.com:8443/"}, "https://bot.example.com:8443"),
        (OAUTH | {"SELFCODE_PUBLIC_URL": "http://[::1]:8000"}, "http://[::1]:8000"),
        (OAUTH | {"SELFCODE_PUBLIC_URL": "https://bot.example.com/below/"}, ""),
    ],
)
def test_people_are_led_to_the_pages_where_these_are_public_and_one_can_sign_in(
    given: dict[str, str], address: str
) -> None:
    assert read_settings(given).pages_address == address


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https://ada:hush@bot.example.com",
        "https://bot.example.com?token=hush",
        "https://bot.example.com/#hush",
        "https://bot example.com",
        "https://bot.example.com/a)b",
    ],
)
def test_a_public_address_holds_nothing_that_is_not_to_be_shown_to_everybody(url: str) -> None:
    said = complaint(SELFCODE_PUBLIC_URL=url)

    assert "SELFCODE_PUBLIC_URL" in said
    assert "hush" not in said


def test_sign_in_that_nobody_can_do_is_not_asked_for() -> None:
    assert "SELFCODE_SIGN_IN" in complaint(SELFCODE_SIGN_IN="everywhere", SELFCODE_CLIENT_ID="Iv23")
