"""Backtests with good defaults, so that a test states only the difference that matters."""

from collections.abc import Sequence
from typing import Any

from bot.records import Backtest, CheckedFix, Failure, FixSource, Outcome, PastFix, Replay, Spend

BOT = "small-model"
TITLES = (
    "Empty input is read as one row",
    "parse() loses the last line without a newline at its end",
    "Rounding of halves differs between columns",
    "A header that stands twice hides the first one",
    "Quoted separators split a cell",
    "to_csv writes a byte order mark that nobody asked for",
    "Dates before 1970 are refused on Windows",
    "A column named `count` can't be selected",
)
REASONS = (
    "nothing fails on the base",
    "nothing fails on the base",
    "too large: 1,204 lines of source",
    "the set-up fails: No matching distribution found for numpy<1.20",
    "its message says too little, without what gives the answer away",
)


def a_fix(number: int = 1, *, reason: str = "", **changed: Any) -> CheckedFix:
    sha = f"{number:02x}" * 20
    given: dict[str, Any] = {
        "id": sha[:12],
        "name": sha[:12],
        "base": "ba" * 20,
        "head": sha,
        "title": TITLES[number % len(TITLES)],
        "body": "It should not.",
        "source": FixSource.COMMIT,
        "at": 1_760_000_000.0 + number,
    } | changed
    judges = () if reason else ("tests/test_reading.py::test_that",)
    return CheckedFix(PastFix(**given), judges=judges, reason=reason, seconds=12.0)


def a_replay(fix: CheckedFix, *steps: bool, bot: str = BOT, proven: bool = False, **changed: Any) -> Replay:
    solved = bool(steps) and steps[-1]
    given: dict[str, Any] = {
        "outcome": Outcome.PROVEN if proven else Outcome.UNPROVEN if solved else Outcome.UNSOLVED,
        "reason": "the tests fail",
        "is_solved": solved,
        "steps": steps,
        "failure": None if solved else Failure.WRONG_FIX,
        "spend": Spend(calls=4, prompt_tokens=9_000, completion_tokens=1_000, cost_usd=0.02),
        "seconds": 60.0,
        "at": 1_796_000_000.0,
    } | changed
    return Replay(fix=fix.fix.id, bot=bot, **given)


def a_backtest(fixes: Sequence[CheckedFix], replays: Sequence[Replay] = (), *bots: str, stopped: str = "") -> Backtest:
    return Backtest("octo/tables", "1.2.3", bots or (BOT,), tuple(fixes), tuple(replays), stopped)


def a_large_one() -> Backtest:
    """Four bots on twenty fixes, with everything in it that a report tells of."""
    fit = [a_fix(number) for number in range(1, 21)]
    unfit = [a_fix(30 + number, reason=reason) for number, reason in enumerate(REASONS)]
    small, large = "small-model", "large-model;reproduce=before;iterations=3"
    replays = [a_replay(fix, True, bot="oracle", proven=True, spend=Spend(calls=2), seconds=20.0) for fix in fit]
    replays += [
        a_replay(
            fix,
            bot="saboteur:nothing",
            outcome=Outcome.NOTHING_TO_DO,
            failure=Failure.NO_CHANGE,
            spend=Spend(calls=1),
            seconds=9.0,
        )
        for fix in fit
    ]
    ways = ((False, True), (True,), (False, False, True), (False, False, False))
    for number, fix in enumerate(fit):
        solved = ways[number % 4][-1]
        failure = None if solved else (Failure.WRONG_FIX, Failure.LIMIT, Failure.ENVIRONMENT)[number % 3]
        replays.append(a_replay(fix, *ways[number % 4], bot=large, proven=solved or number == 7, failure=failure))
    for number, fix in enumerate(fit[:17]):
        solved = number % 3 == 0
        failure = None if solved else (Failure.NOT_REPRODUCED, Failure.WRONG_FIX)[number % 2]
        spoilt = number == 16
        replays.append(
            a_replay(fix, False, solved, bot=small, proven=solved, failure=failure, is_void=spoilt, seconds=95.0)
        )
    stopped = "the budget is spent: of USD 1.00, 0.98 are"
    return a_backtest([*fit, *unfit], replays, "oracle", "saboteur:nothing", large, small, stopped=stopped)
