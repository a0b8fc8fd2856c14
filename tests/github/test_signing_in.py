"""What GitHub says of somebody who has signed in, and what it means where it does not."""

from collections.abc import Iterator

import pytest
import requests

from bot.demo.hub import Hub
from bot.errors import Gone, Unavailable
from bot.github.signing_in import GitHubSigningIn
from bot.records import Grant, Person, Reach
from bot.web.pages.sealing import challenge_for
from tests.demo.keys import Keys

BACK = "http://127.0.0.1:9/auth/callback"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub(keys=Keys()) as running:
        yield running


def github_of(hub: Hub, *, client_secret: str = "") -> GitHubSigningIn:
    app = next(iter(hub.world.apps.values()), None) or hub.create_app(owner="octo")
    return GitHubSigningIn(
        web_url=hub.base_url,
        api_url=hub.api_url,
        client_id=app.client_id,
        client_secret=client_secret or app.client_secret,
    )


def code_of(github: GitHubSigningIn, login: str) -> str:
    address = github.address(state="s", challenge=challenge_for("v" * 43), back=BACK)
    said = requests.post(address, {"login": login}, timeout=10, allow_redirects=False)
    return said.headers["Location"].partition("code=")[2].partition("&")[0]


def granted(hub: Hub, login: str = "mona") -> Grant:
    github = github_of(hub)
    return github.redeem(code_of(github, login), verifier="v" * 43, back=BACK)


def test_somebody_reaches_what_the_app_sees_of_every_account_by_pages(hub: Hub) -> None:
    names = [f"octo/r{number:03}" for number in range(103)]
    ids = [hub.create_repository(name, roles={"mona": "triage"}).id for name in names[:1]]
    first = hub.world.repositories[ids[0]]
    with hub.world.lock:
        for name in names[1:]:
            number = hub.world.new_id()
            copy = type(first)(
                id=number,
                owner=first.owner,
                name=name.partition("/")[2],
                directory=first.directory,
                private=True,
                default_branch="main",
                created_at=first.created_at,
                roles={"mona": "triage"},
            )
            hub.world.repositories[number] = copy
            ids.append(number)
    other = hub.create_repository("corp/app", private=True, roles={"mona": "maintain"})
    github = github_of(hub)
    app = next(iter(hub.world.apps.values()))
    hub.install(app, "octo")
    hub.install(app, "corp")

    reach = github.reach(granted(hub))

    assert reach == Reach(Person("mona"), {**dict.fromkeys(ids, "triage"), other.id: "maintain"})


def test_the_permission_in_one_repository_is_the_one_of_now(hub: Hub) -> None:
    home = hub.create_repository("octo/adder", private=True, roles={"mona": "write"})
    github = github_of(hub)
    hub.install(next(iter(hub.world.apps.values())), "octo")
    grant = granted(hub)

    before = github.permission(grant, home.id)
    home.give_role("mona", "read")

    assert [before, github.permission(grant, home.id), github.permission(grant, 999)] == ["write", "read", "none"]


def test_a_token_that_is_revoked_is_good_for_nothing_and_may_be_revoked_again(hub: Hub) -> None:
    hub.create_user("mona")
    github, grant, other = github_of(hub), granted(hub), granted(hub)

    github.revoke(grant)
    github.revoke(grant)

    with pytest.raises(Gone):
        github.person(grant)
    assert github.person(other) == Person("mona")


@pytest.mark.parametrize("status", [0, 302, 403, 429, 500])
def test_a_token_that_may_be_good_still_is_not_taken_for_revoked(hub: Hub, status: int) -> None:
    hub.create_user("mona")
    github, grant = github_of(hub), granted(hub)
    hub.fail_next("DELETE", "/applications/.*/token", status, {"message": grant.token})

    with pytest.raises(Unavailable) as problem:
        github.revoke(grant)

    assert grant.token not in str(problem.value)
    assert github.person(grant) == Person("mona")


def test_a_secret_that_is_not_ours_revokes_nothing_and_shows_nowhere(hub: Hub) -> None:
    hub.create_user("mona")
    grant = granted(hub)

    with pytest.raises(Unavailable) as problem:
        github_of(hub, client_secret="another secret").revoke(grant)

    assert not any(secret in str(problem.value) for secret in ("another secret", grant.token))
    assert github_of(hub).person(grant) == Person("mona")


def test_a_code_or_token_that_is_no_good_is_gone(hub: Hub) -> None:
    hub.create_user("mona")
    github, grant = github_of(hub), granted(hub)
    github.renew(grant)

    with pytest.raises(Gone):
        github.renew(grant)
    with pytest.raises(Gone):
        github.renew(Grant("ghu_x"))
    with pytest.raises(Gone):
        github.redeem("x", verifier="v", back=BACK)
    with pytest.raises(Gone):
        github.reach(grant)
    with pytest.raises(Gone):
        github.permission(grant, 1)


def test_what_is_wrong_with_us_is_not_the_persons_to_mend(hub: Hub) -> None:
    hub.create_user("mona")
    github = github_of(hub)
    code = code_of(github, "mona")

    with pytest.raises(Unavailable, match="SELFCODE_CLIENT_SECRET") as problem:
        github_of(hub, client_secret="another secret").redeem(code, verifier="v" * 43, back=BACK)

    assert "another secret" not in str(problem.value)
    assert code not in str(problem.value)


@pytest.mark.parametrize("status", [0, 403, 429, 500])
def test_a_server_that_is_away_or_wants_less_is_unavailable(hub: Hub, status: int) -> None:
    hub.create_user("mona")
    github, grant = github_of(hub), granted(hub)
    limited = {"message": "You have exceeded a secondary rate limit"}
    hub.fail_next("GET", "/user", status, limited, headers={"Retry-After": "7"})

    with pytest.raises(Unavailable):
        github.reach(grant)


def test_an_answer_that_is_none_is_unavailable() -> None:
    away = GitHubSigningIn(
        web_url="http://127.0.0.1:9", api_url="http://127.0.0.1:9", client_id="i", client_secret="its secret"
    )

    with pytest.raises(Unavailable) as problem:
        away.redeem("a code", verifier="a verifier", back=BACK)

    assert not any(secret in str(problem.value) for secret in ("its secret", "a code", "a verifier"))
