"""`selfcode doctor`, against GitHub's stand-in, a model server and a database of their own."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from bot.app_file import FILE
from bot.cli import commands
from bot.demo.hub import Hub
from bot.demo.state import App
from bot.records import Check, CheckState, Checkup
from bot.settings import read_settings
from bot.wire.checkup import checkup_of
from bot.wire.database import database_of
from tests.agent.openai_server import Answer, OpenAIServer, completion, openai_server
from tests.demo.keys import Keys


@dataclass
class Place:
    """An App on octo's account, all of it in order."""

    hub: Hub
    app: App
    model: OpenAIServer
    home: Path

    def environment(self, **changed: str) -> dict[str, str]:
        return {
            "SELFCODE_HOME": str(self.home),
            "SELFCODE_GITHUB_API_URL": self.hub.api_url,
            "SELFCODE_APP_ID": str(self.app.id),
            "SELFCODE_APP_SLUG": self.app.slug,
            "SELFCODE_PRIVATE_KEY": self.app.private_key,
            "SELFCODE_WEBHOOK_SECRET": self.app.webhook_secret,
            "SELFCODE_CLIENT_ID": self.app.client_id,
            "SELFCODE_CLIENT_SECRET": self.app.client_secret,
            "SELFCODE_PUBLIC_URL": "http://127.0.0.1:9",
            "SELFCODE_SANDBOX": "process",
            "OPENAI_BASE_URL": self.model.url,
            "SELFCODE_MODEL": "m",
            "SELFCODE_PRICES": "m=1/2",
        } | changed

    def look(self, **changed: str) -> Mapping[str, list[Check]]:
        """The checks, by what they are of."""
        environment = self.environment(**changed)
        found: dict[str, list[Check]] = {}
        for check in checkup_of(read_settings(environment), environment, stop=lambda: False, tell=lambda _: None):
            found.setdefault(check.part, []).append(check)
        return found


def states(checks: list[Check]) -> list[CheckState]:
    return [check.state for check in checks]


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub(keys=Keys()) as running:
        yield running


@pytest.fixture
def place(hub: Hub, tmp_path: Path) -> Iterator[Place]:
    hub.world.apps.clear()
    hub.world.installations.clear()
    hub.world.deliveries.clear()
    with openai_server() as model:
        model.answers = [completion("READY")]
        model.about_models = Answer({"data": [{"id": "m", "context_length": 32768}]})
        app = hub.create_app("adders", owner="octo", webhook_url="http://127.0.0.1:9/webhook")
        yield Place(hub, app, model, tmp_path)


def test_where_all_is_in_order_each_part_says_so(place: Place) -> None:
    place.hub.install(place.app, "octo")
    place.hub.wait_for_deliveries()
    place.hub.world.deliveries.clear()
    database_of(read_settings(place.environment())).dispose()

    found = place.look()

    assert list(found) == [
        "settings",
        "clock",
        "key",
        "permissions",
        "installation",
        "webhook",
        "sign-in",
        "deliveries",
        "sandbox",
        "image",
        "disk",
        "database",
        "model",
    ]
    assert Checkup(tuple(check for checks in found.values() for check in checks)).is_healthy
    assert "of octo" in found["key"][0].words
    assert "takes what is to be kept" in found["database"][0].words
    said = " ".join(check.words for check in found["model"])
    assert "dialect fenced" in said
    assert "32,768 tokens" in said
    assert "cost 0.001200 USD" in said


def test_a_drift_of_permissions_and_events_is_found_in_the_app_and_in_each_installation(place: Place) -> None:
    installation = place.hub.install(place.app, "octo")
    place.hub.allow(installation, checks="none")
    place.app.permissions["contents"] = "read"
    place.app.events = tuple(event for event in place.app.events if event != "check_run")

    found = place.look()

    assert "lacks contents: write; events check_run" in found["permissions"][0].words
    assert "lacks checks: write; events check_run" in found["installation"][0].words
    assert place.hub.base_url in found["installation"][0].mend


def test_a_key_that_is_refused_a_webhook_elsewhere_and_deliveries_that_failed_are_each_told(place: Place) -> None:
    place.hub.set_webhook(place.app, "http://127.0.0.1:8/webhook")
    place.hub.wait_for_deliveries()

    found = place.look()
    refused = place.look(SELFCODE_APP_ID="999")

    assert "and this is http://127.0.0.1:9/webhook" in found["webhook"][0].words
    assert "no answer" in found["deliveries"][0].words
    assert states(found["installation"]) == [CheckState.BAD]
    assert states(refused["key"]) == [CheckState.BAD]
    assert [states(refused[part]) for part in ("permissions", "installation", "webhook")] == [[CheckState.UNKNOWN]] * 3
    assert "does not accept SELFCODE_APP_ID with this key" in refused["key"][0].words
    assert states(refused["disk"]) == [CheckState.GOOD]


def test_a_public_address_where_nobody_can_sign_in_is_noted_with_what_is_missing(place: Place) -> None:
    place.hub.install(place.app, "octo")
    first = place.look(SELFCODE_CLIENT_ID="", SELFCODE_CLIENT_SECRET="")["sign-in"]
    second = place.look(SELFCODE_CLIENT_SECRET="")["sign-in"]
    without_an_address = place.look(SELFCODE_PUBLIC_URL="", SELFCODE_CLIENT_ID="", SELFCODE_CLIENT_SECRET="")

    assert states(first + second) == [CheckState.NOTED] * 2
    assert "nobody can sign in" in first[0].words
    assert f"export SELFCODE_CLIENT_ID=… SELFCODE_CLIENT_SECRET=…, from {place.hub.base_url}/" in first[0].mend
    assert f"export SELFCODE_CLIENT_SECRET=…, from {place.hub.base_url}/" in second[0].mend
    assert "sign-in" not in without_an_address


def test_what_is_away_keeps_nothing_else_from_being_looked_at(place: Place) -> None:
    found = place.look(
        SELFCODE_GITHUB_API_URL="http://127.0.0.1:9",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        SELFCODE_SANDBOX="docker",
        DOCKER_HOST=f"unix://{place.home}/no.sock",
        SELFCODE_DATABASE_URL="postgresql://bot:hush-hush-hush@127.0.0.1:9/bot",
    )

    assert states(found["key"]) == [CheckState.UNKNOWN]
    assert states(found["sandbox"] + found["database"] + found["model"]) == [CheckState.BAD] * 3
    assert states(found["image"]) == [CheckState.UNKNOWN]
    assert "hush" not in str(found)
    assert states(found["disk"]) == [CheckState.GOOD]


def test_a_database_of_a_newer_program_and_a_model_without_window_and_price_are_told(place: Place) -> None:
    engine = database_of(read_settings(place.environment()))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    place.model.about_models = Answer("no such page", 404)

    found = place.look(SELFCODE_PRICES="")

    assert states(found["database"]) == [CheckState.BAD]
    assert states(found["model"]) == [CheckState.GOOD, CheckState.NOTED, CheckState.NOTED]
    assert "SELFCODE_WINDOW_TOKENS" in found["model"][1].mend


def test_a_setting_that_nothing_reads_and_a_key_that_others_can_read_are_told(place: Place) -> None:
    (place.home / FILE).write_text("{}")
    (place.home / FILE).chmod(0o644)

    found = place.look(SELFCODE_MODLE="gpt")["settings"]

    assert states(found) == [CheckState.GOOD, CheckState.NOTED, CheckState.BAD]
    assert "SELFCODE_MODLE" in found[1].words
    assert found[2].mend == f"chmod 600 {place.home / FILE}"


_OF_AN_APP = (
    "SELFCODE_APP_ID",
    "SELFCODE_PRIVATE_KEY",
    "SELFCODE_WEBHOOK_SECRET",
    "SELFCODE_CLIENT_ID",
    "SELFCODE_CLIENT_SECRET",
)


def test_without_an_app_nothing_is_asked_of_github_and_the_rest_may_be_healthy(place: Place) -> None:
    asked = len(place.hub.requests)
    found = place.look(**dict.fromkeys(_OF_AN_APP, ""))

    assert [check.mend for check in found["key"]] == ["selfcode serve"]
    assert Checkup(tuple(check for checks in found.values() for check in checks)).is_healthy
    assert len(place.hub.requests) == asked


def test_the_command_tells_each_thing_in_a_line_and_ends_with_1_where_one_does_not_work(place: Place) -> None:
    told = CliRunner().invoke(commands, ["doctor", "--json"], env=place.environment())

    said = json.loads(told.stdout)
    assert (told.exit_code, said["outcome"]) == (1, "unhealthy")
    assert [each["state"] for each in said["checks"] if each["part"] == "key"] == ["good"]
    assert "BAD  installation the App is installed nowhere" in told.stderr
    assert place.app.webhook_secret not in told.output


def test_to_look_makes_and_changes_nothing(place: Place) -> None:
    home = place.home / "new" / "home"

    found = place.look(SELFCODE_HOME=str(home))

    assert states(found["database"]) == [CheckState.GOOD]
    assert not (place.home / "new").exists()


def test_settings_that_can_not_be_read_are_one_finding(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        commands, ["doctor", "--json"], env={"SELFCODE_HOME": str(tmp_path), "SELFCODE_PORT": "http"}
    )

    assert (done.exit_code, json.loads(done.stdout)["checks"][0]["part"]) == (1, "settings")
    assert "SELFCODE_PORT" in done.stderr
