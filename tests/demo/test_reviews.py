"""Reviews and their threads as GitHub keeps them."""

import pytest

from bot.demo.handles import PullHandle, Remark
from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"
LONG = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def pull(scene: Scene) -> PullHandle:
    scene.repository.commit({"long.txt": LONG})
    scene.repository.commit(
        {"long.txt": LONG.replace("line 9\n", "line nine\n")}, branch="nine", parent=scene.repository.head()
    )
    return scene.repository.open_pull("nine", by="mona")


@pytest.fixture
def ada(scene: Scene) -> Client:
    scene.repository.give_role("ada", "write")
    return scene.person("ada")


def told(scene: Scene) -> list[str]:
    """What was told since the pull request was opened."""
    names = [f"{sent.event}.{sent.action}" for sent in scene.hub.deliveries]
    return names[names.index("pull_request.opened") + 1 :]


def test_a_review_is_told_once_and_each_of_its_comments(scene: Scene, pull: PullHandle, ada: Client) -> None:
    comments = [{"path": "long.txt", "line": line, "body": f"About {line}"} for line in (8, 9)]
    wanted = {"event": "REQUEST_CHANGES", "body": "Not yet.", "comments": comments}

    answer = ada.post(f"{REPO}/pulls/{pull.number}/reviews", wanted)

    assert answer.json()["state"] == "CHANGES_REQUESTED"
    assert told(scene) == ["pull_request_review.submitted", *["pull_request_review_comment.created"] * 2]
    sent = scene.hub.deliveries[-1].payload
    assert sent["comment"]["pull_request_review_id"] == answer.json()["id"]
    assert scene.hub.deliveries[-3].payload["review"]["state"] == "changes_requested"


def test_an_answer_in_a_thread_is_a_review_of_its_own_without_a_text(scene: Scene, pull: PullHandle) -> None:
    thread = pull.remark("long.txt", 9, "Why?", by="ada")
    before = len(scene.hub.deliveries)

    thread.reply("So.", by="mona")

    review, comment = (sent.payload for sent in scene.hub.deliveries[before:])
    assert (review["review"]["state"], review["review"]["body"]) == ("commented", None)
    assert comment["comment"]["in_reply_to_id"] == thread.comments[0].id
    assert thread.said == [("ada", "Why?"), ("mona", "So.")]


def test_an_answer_names_what_it_was_given_to_though_that_is_deleted_and_is_no_beginning(
    scene: Scene, pull: PullHandle, ada: Client
) -> None:
    thread = pull.remark("long.txt", 9, "Why?", by="ada")
    first, answer = thread.comments[0], thread.reply("So.", by="mona")
    thread.delete(first, by="ada")
    comments = f"{REPO}/pulls/{pull.number}/comments"

    refused = ada.post(f"{comments}/{answer.id}/replies", {"body": "I see."})
    taken = ada.post(comments, {"body": "I see.", "in_reply_to": answer.id})

    assert (refused.status_code, taken.status_code) == (422, 201)
    assert [found["in_reply_to_id"] for found in ada.get(comments).json()] == [first.id, first.id]
    assert thread.said == [("mona", "So."), ("ada", "I see.")]


def test_a_pending_review_is_its_authors_to_see_alone_until_it_is_submitted(
    scene: Scene, pull: PullHandle, ada: Client
) -> None:
    wanted = {"body": "Soon.", "comments": [{"path": "long.txt", "line": 9, "body": "Hm."}]}
    review = ada.post(f"{REPO}/pulls/{pull.number}/reviews", wanted).json()
    path = f"{REPO}/pulls/{pull.number}"

    assert review["state"] == "PENDING"
    assert scene.bot().get(f"{path}/reviews").json() == []
    assert scene.bot().get(f"{path}/comments").json() == []
    assert scene.bot().get(f"{path}/reviews/{review['id']}").status_code == 404
    assert told(scene) == []

    ada.post(f"{path}/reviews/{review['id']}/events", {"event": "COMMENT"})

    assert [found["state"] for found in scene.bot().get(f"{path}/reviews").json()] == ["COMMENTED"]
    assert len(scene.bot().get(f"{path}/comments").json()) == 1


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"event": "COMMENT", "body": ""}, "blank"),
        ({"event": "SHOUT", "body": "No"}, "SHOUT"),
        ({"event": "COMMENT", "comments": [{"path": "long.txt", "line": 29, "body": "Hm"}]}, "Line could not be"),
        ({"event": "COMMENT", "comments": [{"path": "none.txt", "line": 1, "body": "Hm"}]}, "Path could not be"),
    ],
)
def test_a_review_that_says_nothing_or_of_lines_that_are_not_there_is_422(
    scene: Scene, pull: PullHandle, ada: Client, wanted: dict[str, object], words: str
) -> None:
    answer = ada.post(f"{REPO}/pulls/{pull.number}/reviews", wanted)

    assert answer.status_code == 422
    assert words in answer.text
    assert pull.reviews == ()
    assert pull.threads == ()


@pytest.mark.parametrize("event", ["APPROVE", "REQUEST_CHANGES"])
def test_nobody_judges_their_own_pull_request(scene: Scene, pull: PullHandle, event: str) -> None:
    wanted = {"event": event, "body": "Mine!"}

    assert scene.person("mona").post(f"{REPO}/pulls/{pull.number}/reviews", wanted).status_code == 422


def test_who_has_reviewed_is_asked_no_longer_until_asked_again(scene: Scene, pull: PullHandle, ada: Client) -> None:
    pull.request_review("ada", by="mona")

    pull.review(by="ada", body="Not yet.")
    before = list(pull.reviewers)
    pull.request_review("ada", by="mona")

    assert (before, list(pull.reviewers)) == ([], ["ada"])


def test_a_line_that_a_push_leaves_alone_moves_with_it(scene: Scene, pull: PullHandle, ada: Client) -> None:
    thread = pull.review(by="ada", comments=[("long.txt", 9, "Why?")]).threads[0]

    scene.repository.commit({"long.txt": "line 0\n" + LONG.replace("line 9\n", "line nine\n")}, branch="nine")

    shown = ada.get(f"{REPO}/pulls/{pull.number}/comments").json()[0]
    assert (shown["line"], shown["original_line"], thread.is_outdated) == (10, 9, False)


def test_a_line_that_a_push_changes_is_outdated(scene: Scene, pull: PullHandle, ada: Client) -> None:
    thread = pull.review(by="ada", comments=[("long.txt", 9, "Why?")]).threads[0]

    scene.repository.commit({"long.txt": LONG.replace("line 9\n", "line NINE\n")}, branch="nine")

    shown = ada.get(f"{REPO}/pulls/{pull.number}/comments").json()[0]
    assert (shown["line"], shown["original_line"], thread.is_outdated) == (None, 9, True)
    assert shown["commit_id"] == shown["original_commit_id"] != pull.head_sha


def test_a_comment_can_be_on_several_lines_or_on_those_of_the_base(pull: PullHandle) -> None:
    remarks = [
        Remark("long.txt", "These", line=9, start_line=7),
        Remark("long.txt", "Before", line=9, side="LEFT"),
        Remark("long.txt", "All"),
    ]

    threads = pull.review(by="ada", state="commented", comments=remarks).threads

    assert [thread.state_of.hunk.splitlines()[-1] for thread in threads] == [
        "+line nine",
        "-line 9",
        "@@ -6,7 +6,7 @@ line 5",
    ]


def test_a_dismissed_review_counts_no_longer(scene: Scene, pull: PullHandle) -> None:
    review = pull.review(by="ada", body="Not yet.")

    review.dismiss(by="mona")

    assert review.state == "dismissed"
    assert told(scene)[-1] == "pull_request_review.dismissed"


def test_a_thread_without_comments_is_gone(pull: PullHandle) -> None:
    thread = pull.remark("long.txt", 9, "Why?", by="ada")

    thread.delete(thread.comments[0], by="ada")

    assert pull.threads == ()


def test_a_locked_pull_request_takes_no_answers_of_an_app(scene: Scene, pull: PullHandle) -> None:
    comment = pull.remark("long.txt", 9, "Why?", by="ada").comments[0]
    pull.lock()

    answer = scene.bot().post(f"{REPO}/pulls/{pull.number}/comments/{comment.id}/replies", {"body": "So."})

    assert answer.status_code == 403


def test_the_page_of_a_pull_request_shows_reviews_threads_and_checks(scene: Scene, pull: PullHandle) -> None:
    thread = pull.review(by="ada", body="Not *yet*.", comments=[("long.txt", 9, "Why?")]).threads[0]
    thread.reply("So.", by="mona")
    thread.resolve(by="mona")
    scene.repository.check(pull.head_sha, "tests", "failure")

    page = Client(scene.hub.base_url, "").get(pull.url.removeprefix(scene.hub.base_url)).text

    assert "requested changes" in page
    assert "Not <em>yet</em>" in page
    assert '<code>long.txt:9</code> <span class="label">resolved</span>' in page
    assert page.index("Why?") < page.index("So.") < page.index("<b>tests</b>")
