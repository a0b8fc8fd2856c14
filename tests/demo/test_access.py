"""Who may do what, as GitHub says it: 401, 403, 404."""

import time
from pathlib import Path

import pytest
import yaml

from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"


def test_a_wrong_token_is_401_everywhere(scene: Scene) -> None:
    answer = Client(scene.hub.api_url, "ghs_wrong").get(REPO)

    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_an_installations_token_expires_after_an_hour(scene: Scene) -> None:
    bot = scene.bot()
    assert bot.get(REPO).status_code == 200

    scene.hub.advance(minutes=61)

    assert bot.get(REPO).status_code == 401
    assert scene.bot().get(REPO).status_code == 200


def test_an_installations_token_is_long_and_holds_dots(scene: Scene) -> None:
    token = scene.bot_token()

    assert token.startswith(f"ghs_{scene.app.id}_")
    assert len(token) > 500
    assert token.count(".") == 2


def test_the_short_token_format_can_be_asked_for(scene: Scene) -> None:
    path = f"/app/installations/{scene.installation.id}/access_tokens"

    answer = scene.as_app().ask("POST", path, X_GitHub_Stateless_S2S_Token="disabled")

    assert len(answer.json()["token"]) == 40


def test_a_token_narrowed_to_contents_may_not_comment(scene: Scene) -> None:
    scene.repository.open_issue("Sum is wrong", by="mona")
    narrowed = scene.bot({"permissions": {"contents": "write"}})

    answer = narrowed.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    assert answer.status_code == 403
    assert answer.json()["message"] == "Resource not accessible by integration"


def test_a_token_narrowed_to_one_repository_may_not_write_to_another(scene: Scene) -> None:
    scene.hub.create_repository("octo/other").open_issue("Elsewhere", by="mona")
    narrowed = scene.bot({"repository_ids": [scene.repository.id]})

    assert narrowed.post("/repos/octo/other/issues/1/comments", {"body": "Hello"}).status_code == 403


def test_a_token_cannot_be_given_more_than_the_installation_has(scene: Scene) -> None:
    path = f"/app/installations/{scene.installation.id}/access_tokens"

    answer = scene.as_app().post(path, {"permissions": {"workflows": "write"}})

    assert answer.status_code == 422


def test_a_private_repository_is_not_found_by_strangers(scene: Scene) -> None:
    scene.hub.create_repository("octo/secret", private=True)

    assert scene.person("ada").get("/repos/octo/secret").status_code == 404
    assert scene.bot().get("/repos/octo/secret").status_code == 200


def test_a_suspended_installation_gets_no_token_and_its_tokens_are_403(scene: Scene) -> None:
    bot = scene.bot()

    scene.hub.suspend(scene.installation)

    assert bot.get(REPO).status_code == 403
    path = f"/app/installations/{scene.installation.id}/access_tokens"
    assert scene.as_app().post(path).status_code == 403


def test_the_tokens_of_a_removed_installation_are_401(scene: Scene) -> None:
    bot = scene.bot()

    scene.hub.uninstall(scene.installation)

    assert bot.get(REPO).status_code == 401
    assert scene.as_app().get(f"/app/installations/{scene.installation.id}").status_code == 404


@pytest.mark.parametrize(("claim", "seconds"), [("exp", -60), ("exp", 3600), ("iat", 600)])
def test_a_jwt_of_another_time_is_401(scene: Scene, claim: str, seconds: int) -> None:
    assert scene.as_app(**{claim: int(time.time()) + seconds}).get("/app").status_code == 401


def test_a_jwt_of_an_unknown_app_is_401(scene: Scene) -> None:
    assert scene.as_app(iss="999999").get("/app").status_code == 401


def test_a_jwt_of_another_key_is_401(scene: Scene) -> None:
    other = scene.hub.create_app("other")
    forged = Scene(scene.hub, scene.repository, other, scene.installation).as_app(iss=str(scene.app.id))

    assert forged.get("/app").status_code == 401


def test_roles_are_told_in_full_and_the_old_word_beside_them(scene: Scene) -> None:
    scene.repository.give_role("maria", "maintain")
    bot = scene.bot()

    told = {login: bot.get(f"{REPO}/collaborators/{login}/permission").json() for login in ("maria", "tria", "ada")}

    assert {login: (found["permission"], found["role_name"]) for login, found in told.items()} == {
        "maria": ("write", "maintain"),
        "tria": ("read", "triage"),
        "ada": ("read", "read"),
    }


def test_the_permission_of_somebody_unknown_is_404(scene: Scene) -> None:
    assert scene.bot().get(f"{REPO}/collaborators/nobody-here/permission").status_code == 404


def test_a_label_needs_triage_and_a_comment_only_reading(scene: Scene) -> None:
    scene.repository.open_issue("Sum is wrong", by="ada")
    labels = {"labels": ["selfcode"]}

    assert scene.person("ada").post(f"{REPO}/issues/1/comments", {"body": "Me too"}).status_code == 201
    assert scene.person("ada").post(f"{REPO}/issues/1/labels", labels).status_code == 403
    assert scene.person("tria").post(f"{REPO}/issues/1/labels", labels).status_code == 200


def test_labels_that_a_stranger_opens_an_issue_with_are_left_out(scene: Scene) -> None:
    answer = scene.person("ada").post(f"{REPO}/issues", {"title": "Please", "labels": ["selfcode"]})

    assert answer.json()["labels"] == []


def test_only_an_app_writes_check_runs(scene: Scene) -> None:
    run = {"name": "mine", "head_sha": scene.repository.head()}

    assert scene.person("mona").post(f"{REPO}/check-runs", run).status_code == 403


def test_an_archived_repository_is_read_only(scene: Scene) -> None:
    scene.repository.open_issue("Sum is wrong", by="mona")

    scene.repository.archive()

    assert scene.bot().post(f"{REPO}/issues/1/comments", {"body": "Hello"}).status_code == 403
    assert scene.bot().get(f"{REPO}/issues/1").status_code == 200


def test_an_app_has_by_default_what_app_yml_asks_for(scene: Scene) -> None:
    manifest = yaml.safe_load((Path(__file__).parents[2] / "app.yml").read_text())

    assert scene.app.permissions == manifest["default_permissions"]
    assert list(scene.app.events) == manifest["default_events"]
