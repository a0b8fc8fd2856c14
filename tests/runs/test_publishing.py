"""Whether a pull request is ready for review or a draft, run after run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine as Database

from bot.errors import Refused
from bot.records import Outcome, Proof, RunResult, TriggerKind, dump
from bot.runs.publishing import PEOPLES_DRAFT, WANTED_DRAFT, Publishing
from bot.runs.store import RunRow
from bot.writing.result import where_it_is
from tests.runs.builders import a_database
from tests.runs.test_renewal import HELD, UNPROVEN
from tests.runs.workshop import BRANCH, FILES, Turn, Workshop
from tests.writing.builders import a_provenance

THREE = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 33")}
BETTER = {"calc.py": FILES["calc.py"].replace(b"three = 3", b"three = 30 + 3")}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with a_database(tmp_path) as opened:
        yield opened


@pytest.fixture
def workshop(tmp_path: Path, database: Database) -> Workshop:
    made = Workshop(tmp_path, database)
    opened(made)
    return made


def opened(workshop: Workshop, proof: Proof = HELD) -> None:
    """A pull request that is ready for review, with this proof."""
    head = workshop.worked(THREE)
    first = workshop.store.runs_of(workshop.repository.ref.id, workshop.issue.number)[0]
    workshop.store.learn(first.id, proof=dump(replace(proof, provenance=a_provenance(head=head))))
    workshop.pull.is_draft = False


def followed_up(workshop: Workshop) -> RunRow:
    """A run after it, whose change is not proven."""
    run = workshop.run(Turn(BETTER), kind=TriggerKind.RETRY)
    assert run.outcome is Outcome.UNPROVEN, run.reason
    return run


def test_what_was_ready_by_a_proof_is_a_draft_again_where_the_next_one_does_not_hold(workshop: Workshop) -> None:
    followed_up(workshop)

    assert workshop.pull.is_draft
    assert "**A draft again**: an earlier proof held, this one does not." in workshop.pull.text.body
    assert "A draft again: #2" in workshop.answer


def test_a_run_that_was_cut_off_behind_it_says_so_all_the_same(workshop: Workshop) -> None:
    run = followed_up(workshop)
    workshop.pull.text = replace(workshop.pull.text, body="")
    chapter = workshop.chapter(run.id)

    Publishing(chapter.known, chapter.stop).open(Outcome.UNPROVEN, "")

    assert "**A draft again**" in workshop.pull.text.body


def test_where_an_account_has_no_drafts_the_run_goes_on_and_says_so(workshop: Workshop) -> None:
    workshop.repository.has_drafts = False

    followed_up(workshop)

    assert not workshop.pull.is_draft
    assert "**Open for review, though unproven.** GitHub does not let the App" in workshop.pull.text.body
    assert "Open for review, though unproven: #2" in workshop.answer


def test_what_a_person_has_made_ready_without_a_proof_is_left_so(tmp_path: Path, database: Database) -> None:
    workshop = Workshop(tmp_path, database)
    opened(workshop, UNPROVEN)

    followed_up(workshop)

    assert not workshop.pull.is_draft
    assert "make_draft" not in workshop.hub.calls
    assert "Open for review, though unproven: #2. So it was before, and so it is left." in workshop.answer


def test_who_wants_drafts_makes_them_ready_and_nobody_else_undoes_that(tmp_path: Path, database: Database) -> None:
    wanting = FILES[".github/selfcode.yml"] + b"draft: true\n"
    workshop = Workshop(tmp_path, database, files={**FILES, ".github/selfcode.yml": wanting})
    opened(workshop)

    followed_up(workshop)

    assert not workshop.pull.is_draft


def test_a_first_result_that_is_unproven_opens_as_a_draft_or_says_that_there_are_none(
    tmp_path: Path, database: Database
) -> None:
    workshop = Workshop(tmp_path, database)
    workshop.repository.has_drafts = False

    run = workshop.run(Turn(THREE))

    assert run.outcome is Outcome.UNPROVEN, run.reason
    assert "Open for review, though unproven: #2. GitHub has no drafts for this repository." in workshop.answer
    assert "make_draft" not in workshop.hub.calls


def test_a_log_that_github_does_not_take_keeps_no_pull_request_from_being_opened(workshop: Workshop) -> None:
    workshop.hub.fail_next("post_comment", Refused("locked"))
    workshop.hub.fail_next("post_comment", Refused("locked"))

    followed_up(workshop)

    assert "**Attempts**" in workshop.pull.text.body


# --- What people have made of it


def test_what_people_changed_about_a_pull_request_stays_through_a_follow_up(workshop: Workshop) -> None:
    followed_up(workshop)
    pull = workshop.pull
    workshop.push({"x": b"y"}, branch="develop")
    pull.base, pull.labels, pull.reviewers = "develop", ("ours", "theirs"), ()
    body = f"Wait for 2.0.\n\n{pull.text.body}\n\n- [x] checked by hand by ada"
    pull.text = replace(pull.text, title="feat: keep the sign", body=body)

    workshop.run(Turn(THREE), kind=TriggerKind.RETRY)

    assert (pull.base, pull.text.title) == ("develop", "feat: keep the sign")
    assert (pull.labels, pull.reviewers) == (("ours", "theirs"), ())
    assert pull.text.body.startswith("Wait for 2.0.\n\n<!-- selfcode:begins here -->\n\n⚠️ **Unproven**")
    assert pull.text.body.endswith("\n\n- [x] checked by hand by ada")
    assert pull.text.body.count("**Attempts**") == 1


def test_a_word_in_the_middle_of_it_stands_behind_it_afterwards(workshop: Workshop) -> None:
    followed_up(workshop)
    pull = workshop.pull
    pull.text = replace(pull.text, body=pull.text.body.replace("Closes #1", "Part of #1"))

    workshop.run(Turn(THREE), kind=TriggerKind.RETRY)

    assert "Closes #1" not in pull.text.body
    assert pull.text.body.endswith("-->\n\nPart of #1")


def published(workshop: Workshop, outcome: Outcome = Outcome.PROVEN) -> str:
    """A run to which the branch says nothing new is told once more. Returns why its pull request stays a draft."""
    known = workshop.settled()
    known.learn(head_sha=workshop.head(), branch=BRANCH)
    Publishing(known, workshop.chapter(known.run_id).stop).open(outcome, "")
    workshop.store.finish(known.run_id, outcome, "")
    return str(known.facts.get("not_ready"))


def test_a_draft_of_ours_is_made_ready_by_a_proof(tmp_path: Path, database: Database) -> None:
    workshop = Workshop(tmp_path, database)
    workshop.worked(THREE)
    assert workshop.pull.is_draft

    assert published(workshop) == ""
    assert not workshop.pull.is_draft


def test_a_draft_that_a_person_made_stays_one_and_the_words_say_so(workshop: Workshop) -> None:
    published(workshop)
    workshop.pull.is_draft = True
    said = [published(workshop, outcome) for outcome in (Outcome.PROVEN, Outcome.UNPROVEN, Outcome.PROVEN)]

    assert said[0] == said[2] == PEOPLES_DRAFT
    assert workshop.pull.is_draft


def test_a_draft_that_we_made_again_is_ready_by_the_next_proof(workshop: Workshop) -> None:
    published(workshop)
    (*_, newest) = workshop.store.runs_of(workshop.repository.ref.id, workshop.issue.number)
    workshop.store.learn(newest.id, proof=dump(replace(HELD, provenance=a_provenance(head=workshop.head()))))
    published(workshop, Outcome.UNPROVEN)
    is_draft_again = workshop.pull.is_draft

    assert published(workshop) == ""
    assert (is_draft_again, workshop.pull.is_draft) == (True, False)


def test_where_drafts_are_wanted_nothing_says_that_it_is_ready(tmp_path: Path, database: Database) -> None:
    wanting = FILES[".github/selfcode.yml"] + b"draft: true\n"
    workshop = Workshop(tmp_path, database, files={**FILES, ".github/selfcode.yml": wanting})
    workshop.worked(THREE)

    why = published(workshop)

    assert (why, workshop.pull.is_draft) == (WANTED_DRAFT, True)
    result = RunResult(Outcome.PROVEN, "", pull_request=2, not_ready=why)
    assert where_it_is(result).startswith("Proven, and a draft still: #2. This repository's settings want drafts")
