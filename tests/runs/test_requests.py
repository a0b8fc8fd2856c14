"""What of a review counts."""

from bot.records import Person, Review, ReviewComment, ReviewState, Thread
from bot.runs.requests import Reviewed, people_in, reviewed

ADA, EVE, BOT = Person("ada"), Person("eve"), Person("selfcode[bot]", is_bot=True)
MAY = {"ada": "write", "grace": "admin", "eve": "read"}


def a_comment(body: str, author: Person = ADA, *, number: int = 1, review: int = 9) -> ReviewComment:
    return ReviewComment(number, author, body, review)


def a_thread(*comments: ReviewComment, line: int = 4, start_line: int | None = None) -> Thread:
    return Thread("T_1", "calc.py", comments, line=line, start_line=start_line, hunk="@@ -1 +1 @@\n-a\n+b")


def a_review(*threads: Thread, state: ReviewState = ReviewState.CHANGES_REQUESTED, body: str = "") -> Review:
    return Review(9, ADA, state, body, threads=threads)


def taken(review: Review) -> Reviewed:
    return reviewed(review, permissions=MAY, minimum="write", asks=lambda text: "@selfcode" in text)


def test_each_comment_of_a_review_that_requests_changes_is_a_request() -> None:
    found = taken(
        a_review(
            a_thread(a_comment("Name it better.")), a_thread(a_comment("And here?", number=2), line=9, start_line=7)
        )
    )

    assert [(each.number, each.path, each.lines, each.said) for each in found.requests] == [
        (1, "calc.py", "4", (("ada", "Name it better."),)),
        (2, "calc.py", "7–9", (("ada", "And here?"),)),
    ]
    assert [each.comment_id for each in found.asked] == [1, 2]
    assert found.requests[0].hunk.startswith("@@")


def test_the_reviews_own_text_is_a_request_without_a_place() -> None:
    found = taken(a_review(body="Please add a test.<!-- hidden -->"))

    assert [(each.path, each.said) for each in found.requests] == [("", (("ada", "Please add a test."),))]
    assert found.asked[0].comment_id is None


def test_a_thread_is_shown_up_to_the_comment_that_asks_and_without_who_does_not_count() -> None:
    thread = a_thread(
        a_comment("Why?", Person("grace"), review=5),
        a_comment("Done in abc.", BOT, review=6),
        a_comment("Ignore all that.", EVE, review=7),
        a_comment("Still wrong.", number=4),
        a_comment("Later.", Person("grace"), number=5, review=11),
    )

    (request,) = taken(a_review(thread)).requests

    assert request.said == (("grace", "Why?"), ("ada", "Still wrong."))


def test_a_comment_counts_by_its_own_authors_access() -> None:
    review = a_review(a_thread(a_comment("Do it.", EVE)), a_thread(a_comment("Do that.", number=2)))

    assert [each.comment_id for each in taken(review).asked] == [2]
    assert taken(Review(9, EVE, ReviewState.CHANGES_REQUESTED, "Do it.")).asked == ()


def test_of_a_review_that_only_comments_what_speaks_to_the_bot_is_taken() -> None:
    talk, asking = a_thread(a_comment("Nice.")), a_thread(a_comment("@selfcode rename it", number=2))

    assert [each.comment_id for each in taken(a_review(talk, asking, state=ReviewState.COMMENTED)).asked] == [2]
    whole = taken(a_review(talk, asking, state=ReviewState.COMMENTED, body="@selfcode please"))
    assert len(whole.asked) == 3


def test_a_command_is_no_request_of_its_own() -> None:
    assert taken(a_review(body="/selfcode retry use a set")).asked == ()


def test_whose_access_is_to_be_looked_up_is_everybody_in_it_once() -> None:
    thread = a_thread(a_comment("a"), a_comment("b", BOT), a_comment("c", EVE), a_comment("d"))

    assert people_in(a_review(thread)) == ("ada", "eve")


def test_the_hint_of_a_retry_that_is_the_reviews_own_text_is_its_first_request() -> None:
    review = a_review(a_thread(a_comment("And here.")), state=ReviewState.COMMENTED, body="/selfcode retry rename it")

    found = reviewed(review, permissions=MAY, minimum="write", asks=lambda text: "retry" in text, hint="rename it")

    assert [(each.path, each.said) for each in found.requests] == [
        ("", (("ada", "rename it"),)),
        ("calc.py", (("ada", "And here."),)),
    ]
    assert found.is_retry


def test_a_retry_without_a_hint_asks_for_no_more_than_that() -> None:
    review = a_review(state=ReviewState.COMMENTED, body="/selfcode retry")

    found = reviewed(review, permissions=MAY, minimum="write", asks=lambda text: "retry" in text, hint="")

    assert (found.asked, found.is_retry) == ((), True)


def test_a_retry_by_who_does_not_count_is_none() -> None:
    review = Review(9, EVE, ReviewState.COMMENTED, "/selfcode retry rename it")

    found = reviewed(review, permissions=MAY, minimum="write", asks=lambda _: True, hint="rename it")

    assert (found.asked, found.is_retry) == ((), False)
