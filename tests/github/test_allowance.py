"""What GitHub still allows, as it says with each answer."""

from contextlib import suppress

import pytest

from bot.demo.hub import Hub
from bot.demo.state import App
from bot.errors import Gone, Refused, Unavailable
from bot.github.allowance import allowance_in
from bot.github.app import GitHubApp
from bot.seen.counting import Allowance, Status, Uncounted
from tests.github.stages import HubStage

HEADERS = {
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": "4987",
    "x-ratelimit-used": "13",
    "x-ratelimit-reset": "1770000000",
    "x-ratelimit-resource": "core",
}


def test_an_answer_says_what_is_left_and_until_when() -> None:
    assert allowance_in(HEADERS) == Allowance("core", 5000, 4987, 1_770_000_000.0)


@pytest.mark.parametrize(
    "headers", [{}, HEADERS | {"x-ratelimit-remaining": "many"}, {"x-ratelimit-limit": "5000"}, {"retry-after": "60"}]
)
def test_what_can_not_be_read_says_nothing(headers: dict[str, str]) -> None:
    assert allowance_in(headers) is None


@pytest.mark.parametrize("resource", ["", "a b", "x" * 41])
def test_a_resource_that_is_no_word_is_another(resource: str) -> None:
    found = allowance_in(HEADERS | {"x-ratelimit-resource": resource})

    assert found == Allowance("other", 5000, 4987, 1_770_000_000.0)


class Heard(Uncounted):
    """What was counted of GitHub."""

    def __init__(self) -> None:
        self.answers: list[tuple[Status, int | None]] = []
        self.allowances: list[Allowance] = []

    def github_answered(self, status: Status, installation_id: int | None, allowance: Allowance | None) -> None:
        self.answers.append((status, installation_id))
        self.allowances += [allowance] if allowance else []


def test_every_answer_is_counted_for_the_installation_whose_token_asked(hub: Hub, app: App, scene: HubStage) -> None:
    heard = Heard()
    door = GitHubApp(app_id=app.id, private_key=app.private_key, api_url=hub.api_url, counts=heard)
    installation = scene.ref.installation_id

    door.repository(scene.ref)
    door.app_slug()
    with pytest.raises(Gone):
        door.pull_request_numbered(scene.ref, 4711)

    looked_again = (200, installation)
    assert heard.answers == [(201, None), (200, installation), (200, None), (404, installation), looked_again]
    assert [each.resource for each in heard.allowances] == ["core"] * 5
    assert heard.allowances[3].left < heard.allowances[1].left


def test_a_server_that_can_not_be_reached_is_counted_too(app: App, scene: HubStage) -> None:
    heard = Heard()
    door = GitHubApp(
        app_id=app.id, private_key=app.private_key, api_url="http://127.0.0.1:9", sleep=lambda _: None, counts=heard
    )

    with pytest.raises(Unavailable):
        door.repository(scene.ref)

    assert set(heard.answers) == {(None, None)}


@pytest.mark.parametrize(
    ("answer", "counted"),
    [
        ((403, "You have exceeded a secondary rate limit.", {}), "limited"),
        ((403, "Slow down.", {"Retry-After": "1"}), "limited"),
        ((429, "Too many requests", {}), 429),
        ((403, "Resource not accessible by integration", {}), 403),
    ],
)
def test_that_github_asks_us_to_wait_is_counted_however_it_says_so(
    hub: Hub, app: App, scene: HubStage, answer: tuple[int, str, dict[str, str]], counted: Status
) -> None:
    heard, (status, says, headers) = Heard(), answer
    door = GitHubApp(
        app_id=app.id, private_key=app.private_key, api_url=hub.api_url, sleep=lambda _: None, counts=heard
    )
    hub.fail_next("GET", f"/repositories/{scene.ref.id}", status, {"message": says}, headers=headers)

    with suppress(Unavailable, Refused):
        door.repository(scene.ref)

    assert [found for found, _ in heard.answers if found not in (200, 201)] == [counted]
