"""Who may ask, and what strangers can make us do."""

from pathlib import Path

import pytest

from bot.errors import Gone, Refused, Unavailable
from bot.records import Person, Trigger, TriggerKind
from bot.runs.admission import (
    HOUR_S,
    REFUSALS_IN_A_REPOSITORY,
    REFUSALS_OF_A_PERSON,
    RESERVE,
    Gate,
    Verdict,
    admit_who_asked,
    asked_now,
)
from bot.runs.errands import FRESH_S
from bot.runs.known import Known
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import BOT, MAINTAINER, STRANGER, a_house, a_trigger
from tests.runs.desk import Desk

RETRY, DOCTOR = TriggerKind.RETRY, TriggerKind.DOCTOR


def gate_of(desk: Desk, *trusted: str) -> Gate:
    return Gate(desk.store, asked_now(desk.github), "write", frozenset(trusted), desk.now)


def asks(desk: Desk, by: Person = MAINTAINER) -> Trigger:
    return a_trigger(RETRY, issue=desk.issue, sender=by)


def lookups(desk: Desk) -> int:
    return desk.github.calls.count("permission")


@pytest.mark.parametrize(
    ("role", "verdict"),
    [
        ("admin", Verdict.LET_IN),
        ("maintain", Verdict.LET_IN),
        ("write", Verdict.LET_IN),
        ("triage", Verdict.REFUSED),
        ("read", Verdict.REFUSED),
        ("none", Verdict.REFUSED),
        ("something-new", Verdict.REFUSED),
    ],
)
def test_a_person_may_ask_with_enough_access(desk: Desk, role: str, verdict: Verdict) -> None:
    desk.repository.roles[STRANGER.login] = role

    assert gate_of(desk).verdict_on(asks(desk, STRANGER)) is verdict


def test_a_request_is_looked_up_once_and_again_when_it_has_waited(desk: Desk) -> None:
    gate, trigger = gate_of(desk), asks(desk)

    gate.verdict_on(trigger)
    gate.verdict_on(trigger)
    at_first = lookups(desk)
    desk.repository.roles[MAINTAINER.login] = "read"
    desk.now.now += FRESH_S
    verdict = gate.verdict_on(trigger)

    assert (at_first, lookups(desk), verdict) == (1, 2, Verdict.REFUSED)


@pytest.mark.parametrize("error", [Gone("deleted"), Refused("no"), Unavailable("no answer")])
def test_nobody_is_let_in_whose_permission_can_not_be_looked_up(desk: Desk, error: Exception) -> None:
    trigger = asks(desk)
    desk.github.fail_next("permission", error)

    with pytest.raises(type(error)):
        gate_of(desk).verdict_on(trigger)

    assert desk.store.talk.asked(trigger.key) is None


def test_while_github_does_not_answer_whom_it_let_in_lately_may_stop_and_nothing_else(desk: Desk) -> None:
    gate, stop = gate_of(desk), a_trigger(TriggerKind.STOP, issue=desk.issue, sender=MAINTAINER)
    gate.verdict_on(asks(desk))
    for _ in range(2):
        desk.github.fail_next("permission", Unavailable("no answer"))

    assert gate.verdict_on(stop) is Verdict.LET_IN
    with pytest.raises(Unavailable):
        gate.verdict_on(asks(desk))


def test_what_github_said_more_than_an_hour_ago_lets_nobody_stop_anything(desk: Desk) -> None:
    gate = gate_of(desk)
    gate.verdict_on(asks(desk))
    desk.now.now += HOUR_S / 2
    desk.github.fail_next("permission", Unavailable("no answer"))
    gate.verdict_on(a_trigger(TriggerKind.STOP, issue=desk.issue, sender=MAINTAINER))
    desk.now.now += HOUR_S / 2
    desk.github.fail_next("permission", Unavailable("no answer"))

    with pytest.raises(Unavailable):
        gate.verdict_on(a_trigger(TriggerKind.STOP, issue=desk.issue, sender=MAINTAINER))


# --- Bots


@pytest.mark.parametrize("login", ["evil[bot]", "evil", "other-ai[bot]", "selfcode[bot]"])
def test_a_bot_is_not_listened_to_and_nothing_is_looked_up(desk: Desk, login: str) -> None:
    desk.repository.roles[login] = "admin"

    verdict = gate_of(desk, "renovate").verdict_on(asks(desk, Person(login, is_bot=True)))

    assert (verdict, desk.github.calls) == (Verdict.UNHEARD, [])


@pytest.mark.parametrize("listed", ["other-ai", "other-ai[bot]", " Other-AI "])
def test_a_bot_that_the_operator_lists_is_let_in_without_a_lookup(desk: Desk, listed: str) -> None:
    assert gate_of(desk, listed).verdict_on(asks(desk, BOT)) is Verdict.LET_IN
    assert desk.github.calls == []


def test_a_person_with_the_name_of_a_listed_bot_is_looked_up(desk: Desk) -> None:
    assert gate_of(desk, "other-ai").verdict_on(asks(desk, Person("other-ai"))) is Verdict.REFUSED
    assert lookups(desk) == 1


# --- Strangers


def refused(desk: Desk, count: int, *, each_another: bool = False) -> list[Verdict]:
    """So many requests by strangers."""
    gate = gate_of(desk)
    people = [Person(f"mallory-{number}") if each_another else STRANGER for number in range(count)]
    return [gate.verdict_on(asks(desk, person)) for person in people]


def test_of_a_stranger_only_so_many_requests_an_hour_are_looked_up(desk: Desk) -> None:
    verdicts = refused(desk, REFUSALS_OF_A_PERSON + 3)

    assert verdicts == [Verdict.REFUSED] * REFUSALS_OF_A_PERSON + [Verdict.UNHEARD] * 3
    assert lookups(desk) == REFUSALS_OF_A_PERSON


def test_a_stranger_is_heard_again_an_hour_later(desk: Desk) -> None:
    refused(desk, REFUSALS_OF_A_PERSON)
    desk.now.now += HOUR_S

    assert refused(desk, 1) == [Verdict.REFUSED]


def test_letters_in_another_case_make_no_other_stranger(desk: Desk) -> None:
    refused(desk, REFUSALS_OF_A_PERSON)

    assert gate_of(desk).verdict_on(asks(desk, Person("MALLORY"))) is Verdict.UNHEARD


def test_a_stranger_is_counted_in_each_repository_by_itself(desk: Desk) -> None:
    refused(desk, REFUSALS_OF_A_PERSON)
    other = desk.github.add_repository("octo/dog")
    there = a_trigger(RETRY, issue=desk.github.open_issue(other.ref), sender=STRANGER)

    assert gate_of(desk).verdict_on(there) is Verdict.REFUSED


def test_many_strangers_are_not_looked_up_without_end_either(desk: Desk) -> None:
    verdicts = refused(desk, REFUSALS_IN_A_REPOSITORY + 2, each_another=True)

    assert verdicts[-3:] == [Verdict.REFUSED, Verdict.UNHEARD, Verdict.UNHEARD]
    assert lookups(desk) == REFUSALS_IN_A_REPOSITORY


def test_a_flood_of_strangers_locks_nobody_out_who_had_access_before(desk: Desk) -> None:
    gate_of(desk).verdict_on(asks(desk))
    refused(desk, REFUSALS_IN_A_REPOSITORY, each_another=True)

    assert gate_of(desk).verdict_on(asks(desk)) is Verdict.LET_IN


@pytest.mark.parametrize("kind", [RETRY, TriggerKind.STOP, TriggerKind.HELP])
def test_a_flood_of_strangers_takes_no_command_away_from_who_belongs_to_the_repository(
    desk: Desk, kind: TriggerKind
) -> None:
    refused(desk, REFUSALS_IN_A_REPOSITORY, each_another=True)

    command = a_trigger(kind, issue=desk.issue, sender=MAINTAINER, is_insider=True)

    assert gate_of(desk).verdict_on(command) is Verdict.LET_IN


def test_that_somebody_belongs_to_the_repository_admits_nobody_and_does_not_count_for_ever(desk: Desk) -> None:
    refused(desk, REFUSALS_IN_A_REPOSITORY, each_another=True)
    gate = gate_of(desk)
    people = [Person(f"member-{number}") for number in range(RESERVE + 1)]

    verdicts = [
        gate.verdict_on(a_trigger(RETRY, issue=desk.issue, sender=person, is_insider=True)) for person in people
    ]

    assert verdicts == [Verdict.REFUSED] * RESERVE + [Verdict.UNHEARD]


def test_no_flood_takes_the_label_away_from_who_may_put_it_on(desk: Desk) -> None:
    refused(desk, REFUSALS_IN_A_REPOSITORY, each_another=True)
    label = a_trigger(TriggerKind.START, issue=desk.issue, sender=MAINTAINER, is_insider=True)
    by_a_form = a_trigger(TriggerKind.START, issue=desk.issue, sender=Person("ann"))

    assert gate_of(desk).verdict_on(label) is Verdict.LET_IN
    assert gate_of(desk).verdict_on(by_a_form) is Verdict.UNHEARD


def test_plain_comments_of_strangers_are_counted_apart_and_take_no_command_away(desk: Desk) -> None:
    gate = gate_of(desk)
    said = [desk.asks(TriggerKind.ANSWER, sender=STRANGER) for _ in range(REFUSALS_OF_A_PERSON + 1)]

    verdicts = [gate.verdict_on(comment) for comment in said]

    assert verdicts == [Verdict.REFUSED] * REFUSALS_OF_A_PERSON + [Verdict.UNHEARD]
    assert gate.verdict_on(desk.asks(RETRY, sender=STRANGER)) is Verdict.REFUSED


def test_what_strangers_asked_is_counted_after_a_restart_too(desk: Desk) -> None:
    refused(desk, REFUSALS_OF_A_PERSON)

    assert refused(desk, 1) == [Verdict.UNHEARD]


def test_a_request_that_is_looked_into_twice_counts_once(desk: Desk) -> None:
    gate, trigger = gate_of(desk), asks(desk, STRANGER)
    for _ in range(2):
        gate.verdict_on(trigger)

    refused(desk, REFUSALS_OF_A_PERSON - 2)

    assert refused(desk, 1) == [Verdict.REFUSED]


# --- At the door of the dispatcher


@pytest.mark.parametrize(
    "kind", [RETRY, DOCTOR, TriggerKind.STOP, TriggerKind.NOTE, TriggerKind.STATUS, TriggerKind.HELP]
)
def test_a_stranger_gets_one_reaction_and_no_word(desk: Desk, kind: TriggerKind) -> None:
    command = desk.comments(kind, by=STRANGER, text="x")

    desk.turn(3)

    assert (desk.reactions_on(command), desk.answers, desk.started) == (["-1"], [], [])
    assert desk.store.waiting() == []


@pytest.mark.parametrize(
    "kind", [RETRY, DOCTOR, TriggerKind.STOP, TriggerKind.NOTE, TriggerKind.STATUS, TriggerKind.HELP]
)
def test_who_asks_too_often_is_settled_silently(desk: Desk, kind: TriggerKind) -> None:
    commands = [desk.comments(kind, by=STRANGER) for _ in range(REFUSALS_OF_A_PERSON + 2)]

    desk.turn(2 * len(commands))

    said = [desk.reactions_on(command) for command in commands]
    assert said == [["-1"]] * REFUSALS_OF_A_PERSON + [[], []]
    assert lookups(desk) == REFUSALS_OF_A_PERSON
    assert desk.store.waiting() == []


def test_a_label_put_on_by_a_form_in_a_strangers_name_starts_nothing_and_their_issue_gets_no_thumb_down(
    desk: Desk,
) -> None:
    label = desk.asks(TriggerKind.START, sender=STRANGER, because="opened with the label")

    desk.turn()

    assert (desk.started, desk.reactions_on(label), desk.answers) == ([], [], [])


def test_who_may_put_labels_on_and_not_ask_is_shown_so(desk: Desk) -> None:
    label = desk.asks(TriggerKind.START, sender=STRANGER, is_insider=True)

    desk.turn()

    assert (desk.started, desk.reactions_on(label), desk.answers) == ([], ["-1"], [])


def test_a_refused_request_is_no_run_and_leaves_the_newest_one_as_it_is(desk: Desk) -> None:
    desk.comments(RETRY, by=STRANGER)

    desk.turn()

    assert desk.store.runs_of(desk.issue.repository.id, desk.issue.number) == []


def test_a_strangers_plain_comment_gets_no_word_even_where_a_question_is_open(desk: Desk) -> None:
    (run,) = desk.runs()
    desk.asks_a_question(run)
    before = len(desk.started)

    comment = desk.comments(TriggerKind.ANSWER, by=STRANGER, text="UTF-8", occurred_at=desk.today())
    desk.turn()

    assert (desk.reactions_on(comment), desk.answers, len(desk.started)) == ([], [], before)


def test_one_refusal_after_the_other_keeps_no_stop_waiting(desk: Desk) -> None:
    for _ in range(4):
        desk.comments(RETRY, by=STRANGER)

    desk.turn()

    assert lookups(desk) == 1


@pytest.mark.parametrize("places", [0, 2])
def test_those_who_are_not_listened_to_keep_nobody_waiting(
    inbox: SqlInbox, store: Store, tmp_path: Path, places: int
) -> None:
    desk = Desk(inbox, store, tmp_path, places=places)
    for _ in range(REFUSALS_OF_A_PERSON + 20):
        desk.comments(RETRY, by=STRANGER)
    heard = desk.comments(RETRY)

    desk.turn(times=REFUSALS_OF_A_PERSON + 1)

    assert desk.reactions_on(heard) == ["eyes"]


def test_a_listed_bot_starts_stops_and_is_answered(desk: Desk) -> None:
    desk.trusted_bots = frozenset({"other-ai"})
    desk.dispatcher = desk.new_dispatcher()
    retry = desk.comments(RETRY, by=BOT)
    desk.turn()
    stop = desk.comments(TriggerKind.STOP, by=BOT)
    desk.turn()

    assert desk.store.stop_because(desk.started[0]) == "/selfcode stop"
    assert (desk.reactions_on(retry), desk.reactions_on(stop)) == (["eyes"], ["eyes"])
    assert lookups(desk) == 0


@pytest.mark.parametrize("kind", [TriggerKind.START, RETRY, TriggerKind.STOP, TriggerKind.HELP, TriggerKind.NOTE])
def test_a_bot_that_got_this_far_is_still_not_listened_to(desk: Desk, kind: TriggerKind) -> None:
    desk.repository.roles[BOT.login] = "admin"
    (run,) = desk.runs()
    before = list(desk.github.calls)
    desk.comments(kind, by=BOT, text="x")

    desk.turn()

    assert (desk.github.calls, desk.started, desk.store.stop_because(run)) == (before, [run], None)


# --- In the run itself


def begun(desk: Desk, by: Person = MAINTAINER) -> tuple[Known, Trigger]:
    """A run that the dispatcher did not let in."""
    command = desk.comments(RETRY, by=by)
    run_id = desk.store.begin_run(desk.store.waiting()[-1])
    house = a_house(desk.store, desk.github, desk.home)
    return Known(house, run_id), command


def test_a_run_looks_its_sender_up_by_itself_and_says_that_it_was_seen(desk: Desk) -> None:
    known, command = begun(desk)

    admit_who_asked(known)

    assert (lookups(desk), desk.reactions_on(command)) == (1, ["eyes"])


def test_what_the_dispatcher_looked_up_just_now_is_not_asked_again(desk: Desk, store: Store) -> None:
    command = desk.comments(RETRY)
    desk.now.now = desk.real_time()
    desk.turn()
    before = list(desk.github.calls)

    admit_who_asked(Known(a_house(store, desk.github, desk.home), desk.started[0]))

    assert desk.github.calls == before
    assert desk.reactions_on(command) == ["eyes"]


def test_a_run_of_a_stranger_is_refused(desk: Desk) -> None:
    known, command = begun(desk, STRANGER)

    with pytest.raises(Refused, match="mallory has less than write access"):
        admit_who_asked(known)

    assert desk.reactions_on(command) == ["-1"]


def test_a_run_of_a_bot_is_refused_without_a_word(desk: Desk) -> None:
    known, command = begun(desk, BOT)

    with pytest.raises(Refused, match="not listened to"):
        admit_who_asked(known)

    assert (lookups(desk), desk.reactions_on(command)) == (0, [])
