from dataclasses import replace

from bot.records import Failure, Outcome, Spend
from bot.writing.standing import Agreement, by_reason, standings_of, verdict
from tests.writing.backtests import BOT, a_backtest, a_fix, a_replay

ONE, TWO, THREE = (a_fix(number) for number in (1, 2, 3))
OTHER = "large-model"


def test_a_bot_is_counted_on_the_fixes_that_can_be_asked_for_again() -> None:
    unfit = a_fix(4, reason="too large")
    replays = [a_replay(ONE, True), a_replay(TWO, False), a_replay(unfit, True)]

    (found,) = standings_of(a_backtest([ONE, TWO, unfit], replays)).bots

    assert (found.solved.part, found.solved.whole) == (1, 2)


def test_the_curve_counts_what_was_solved_within_so_many_iterations() -> None:
    replays = [a_replay(ONE, True), a_replay(TWO, False, False, True), a_replay(THREE, False)]

    (found,) = standings_of(a_backtest([ONE, TWO, THREE], replays)).bots

    assert found.curve == (1, 1, 2)


def test_the_curve_ends_with_what_was_left_whatever_the_last_iteration_was() -> None:
    gone_back = a_replay(ONE, True, False, is_solved=True)

    (found,) = standings_of(a_backtest([ONE], [gone_back])).bots

    assert (found.curve, found.solved.part) == ((1, 1), 1)


def test_the_curves_of_all_bots_are_equally_long() -> None:
    replays = [a_replay(ONE, True), a_replay(ONE, False, True, bot=OTHER)]

    found = standings_of(a_backtest([ONE], replays, BOT, OTHER))

    assert [each.curve for each in found.bots] == [(1, 1), (0, 1)]


def test_the_hidden_tests_word_stands_beside_the_bots_own() -> None:
    fixes = [a_fix(number) for number in range(1, 5)]
    replays = [
        a_replay(fixes[0], True, proven=True),
        a_replay(fixes[1], True),
        a_replay(fixes[2], False, proven=True),
        a_replay(fixes[3], False),
    ]

    (found,) = standings_of(a_backtest(fixes, replays)).bots

    assert found.agreement == Agreement(both=1, solved_alone=1, proven_alone=1, neither=1)
    assert str(found.agreement.proofs) == "50 %"
    assert found.falsely_proven == (fixes[2].fix.id,)


def test_what_is_void_counts_for_nothing_and_is_said() -> None:
    replays = [a_replay(ONE, True), a_replay(TWO, is_void=True, outcome=Outcome.ERROR)]

    (found,) = standings_of(a_backtest([ONE, TWO, THREE], replays)).bots

    assert (found.solved.whole, found.void, found.open) == (1, (TWO.fix.id,), (THREE.fix.id,))


def test_the_last_try_counts_and_one_that_counts_goes_before_a_void_one() -> None:
    replays = [a_replay(ONE, False), a_replay(ONE, True), a_replay(ONE, is_void=True)]

    (found,) = standings_of(a_backtest([ONE], replays)).bots

    assert (found.solved.part, found.void) == (1, ())


def test_tokens_money_and_time_are_shared_among_what_was_solved() -> None:
    replays = [a_replay(ONE, True), a_replay(TWO, False), a_replay(THREE, True)]

    (found,) = standings_of(a_backtest([ONE, TWO, THREE], replays)).bots

    assert (found.tokens_each, found.seconds_each, found.median_s) == (15_000, 90.0, 60.0)
    assert found.cost_each_usd is not None
    assert round(found.cost_each_usd, 6) == 0.03


def test_nothing_is_shared_where_nothing_was_solved_nor_money_where_a_price_is_unknown() -> None:
    (none,) = standings_of(a_backtest([ONE], [a_replay(ONE, False)])).bots
    (unknown,) = standings_of(a_backtest([ONE], [a_replay(ONE, True, spend=Spend(cost_usd=None))])).bots

    assert (none.tokens_each, none.cost_each_usd, none.seconds_each) == (None, None, None)
    assert (unknown.cost_usd, unknown.cost_each_usd) == (None, None)


def test_what_was_not_solved_is_sorted_by_why() -> None:
    replays = [
        a_replay(ONE, False, failure=Failure.LIMIT),
        a_replay(TWO, failure=Failure.ENVIRONMENT),
        a_replay(THREE, failure=None),
    ]

    (found,) = standings_of(a_backtest([ONE, TWO, THREE], replays)).bots

    assert found.by_failure == (
        ("environment", (TWO.fix.id,)),
        ("limit", (ONE.fix.id,)),
        ("not said", (THREE.fix.id,)),
    )


def test_two_models_are_compared_on_the_fixes_that_both_were_asked_for() -> None:
    replays = [
        a_replay(ONE, True),
        a_replay(TWO, True),
        a_replay(THREE, True),
        a_replay(ONE, True, bot=OTHER),
        a_replay(TWO, False, bot=OTHER),
        a_replay(THREE, is_void=True, bot=OTHER),
    ]

    (pair,) = standings_of(a_backtest([ONE, TWO, THREE], replays, BOT, OTHER)).pairs

    assert (pair.both, pair.only_one, pair.only_other, pair.neither, pair.p) == (1, 1, 0, 0, 1.0)


def test_players_that_know_the_fix_are_compared_with_nobody() -> None:
    replays = [a_replay(ONE, True, bot=bot) for bot in ("oracle", "saboteur:tests", BOT)]

    assert not standings_of(a_backtest([ONE], replays, "oracle", "saboteur:tests", BOT)).pairs


def test_reasons_that_begin_alike_are_one_the_most_frequent_first() -> None:
    fixes = [a_fix(n, reason=each) for n, each in enumerate(("too large: 9 files", "no tests", "too large: 8 files"))]

    assert [(reason, len(found)) for reason, found in by_reason(fixes)] == [("too large", 2), ("no tests", 1)]


def test_what_became_of_a_fix_is_said_in_a_few_words() -> None:
    replay = a_replay(ONE, False, failure=Failure.LIMIT)

    assert [verdict(each) for each in (None, replay, replace(replay, outcome=Outcome.PROVEN))] == [
        "not done yet",
        "limit",
        "falsely proven",
    ]
    assert verdict(a_replay(ONE, True, proven=True)) == "solved, proven"
    assert verdict(a_replay(ONE, True, is_void=True)) == "void"
