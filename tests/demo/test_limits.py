"""How many requests the stand-in takes, and permissions that are taken away."""

import pytest

from tests.demo.clients import Scene

REPO = "/repos/octo/adder"


def test_every_answer_says_what_is_left_and_one_that_is_not_modified_does_not_count(scene: Scene) -> None:
    bot = scene.bot()

    first = bot.get(REPO)
    again = bot.ask("GET", REPO, If_None_Match=first.headers["ETag"])
    third = bot.get(REPO)

    assert again.status_code == 304
    left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in (first, third)]
    assert left == [4999, 4998]


def test_beyond_the_hours_requests_nothing_is_answered_until_it_is_over(scene: Scene) -> None:
    scene.hub.limits.requests_an_hour = 1
    person = scene.person("mona")
    person.get(REPO)

    refused = person.get(REPO)

    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert "API rate limit exceeded" in refused.text
    scene.hub.advance(minutes=61)
    assert person.get(REPO).status_code == 200


@pytest.mark.parametrize(("limit", "waited"), [("created_a_minute", 2), ("created_an_hour", 61)])
def test_too_many_texts_are_refused_for_a_while(scene: Scene, limit: str, waited: float) -> None:
    setattr(scene.hub.limits, limit, 1)
    bot = scene.bot()
    bot.post(f"{REPO}/issues", {"title": "One"})

    refused = bot.post(f"{REPO}/issues", {"title": "Two"})

    assert (refused.status_code, refused.headers["Retry-After"]) == (403, "60")
    assert "content creation" in refused.text
    assert bot.get(REPO).status_code == 200
    scene.hub.advance(minutes=waited)
    token = scene.bot()
    assert token.post(f"{REPO}/issues", {"title": "Two"}).status_code == 201


def test_too_many_requests_at_once_are_refused(scene: Scene) -> None:
    scene.hub.limits.points_a_minute = 2
    person = scene.person("mona")

    answers = [person.get(REPO).status_code for _ in range(3)]

    assert answers == [200, 200, 403]


def test_a_permission_that_is_taken_away_is_gone_from_tokens_that_are_there(scene: Scene) -> None:
    bot = scene.bot()
    scene.hub.allow(scene.installation, issues="read", pull_requests="none")

    assert bot.get(f"{REPO}/issues").status_code == 200
    assert bot.post(f"{REPO}/issues", {"title": "One"}).status_code == 403
    assert scene.hub.deliveries[-1].action == "new_permissions_accepted"


def test_without_the_permission_to_read_it_an_app_hears_nothing_of_it(scene: Scene) -> None:
    scene.hub.allow(scene.installation, issues="none", pull_requests="none")
    before = len(scene.hub.deliveries)

    scene.repository.open_issue("It breaks", by="mona")

    assert len(scene.hub.deliveries) == before


def test_a_custom_role_is_named_and_counts_as_the_one_that_it_was_made_from(scene: Scene) -> None:
    scene.repository.define_role("gardener", "maintain")
    scene.repository.give_role("ada", "gardener")

    found = scene.bot().get(f"{REPO}/collaborators/ada/permission").json()

    assert (found["role_name"], found["permission"]) == ("gardener", "write")
    assert (
        scene.person("ada")
        .patch(f"{REPO}/issues/{scene.repository.open_issue('x', by='mona').number}", {"state": "closed"})
        .status_code
        == 200
    )


def test_a_deleted_repository_is_not_found(scene: Scene) -> None:
    bot = scene.bot()

    scene.repository.delete()

    assert bot.get(REPO).status_code == 404


def test_what_was_private_is_anybodys_to_read_once_it_is_public(scene: Scene) -> None:
    secret = scene.hub.create_repository("octo/secret", {"a": "b\n"}, private=True)
    before = scene.nobody().get("/repos/octo/secret").status_code

    secret.set_private(private=False)

    assert (before, scene.nobody().get("/repos/octo/secret").status_code) == (404, 200)
