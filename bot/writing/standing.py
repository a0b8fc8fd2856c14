"""What a backtest comes to: by bot, and bots side by side on the same fixes."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bot.records import Backtest, CheckedFix, Failure, Replay
from bot.writing.shares import Share, sign_test

SMALLEST_P = 0.001

UNSAID = "not said"
"""Why a fix was not solved where nothing says it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The hidden tests' word beside the bot's own: how many are solved and called proven, one of both, or neither."""

    both: int
    solved_alone: int
    proven_alone: int
    neither: int

    @property
    def proofs(self) -> Share:
        """Of what is called proven, what is solved."""
        return Share(self.both, self.both + self.proven_alone)


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot on the fixes that can be asked for again. Fixes are told by their ids.

    `open` are those that it was not asked for yet, `void` those that something else than it has spoilt; no figure
    counts them. `curve` holds how many were solved within 1, 2, … iterations. `cost_usd` is None where a price is not
    known. `by_failure` is in the order of `Failure`, and has those alone that there are; UNSAID is the last.
    """

    bot: str
    solved: Share
    curve: tuple[int, ...]
    agreement: Agreement
    falsely_proven: tuple[str, ...]
    by_failure: tuple[tuple[str, tuple[str, ...]], ...]
    open: tuple[str, ...]
    void: tuple[str, ...]
    calls: int
    tokens: int
    cost_usd: float | None
    seconds: float
    median_s: float | None

    @property
    def tokens_each(self) -> float | None:
        """Of all that was used, what each solved one comes to; None where none is, as of the next two."""
        return self.tokens / self.solved.part if self.solved.part else None

    @property
    def cost_each_usd(self) -> float | None:
        return self.cost_usd / self.solved.part if self.cost_usd is not None and self.solved.part else None

    @property
    def seconds_each(self) -> float | None:
        return self.seconds / self.solved.part if self.solved.part else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models on the fixes that both were asked for: how many both solved, one alone, the other alone, neither."""

    one: str
    other: str
    both: int
    only_one: int
    only_other: int
    neither: int

    @property
    def p(self) -> float:
        """How probable so uneven a split is where neither is better."""
        return sign_test(self.only_one, self.only_other)

    @property
    def p_in_words(self) -> str:
        return f"{self.p:.3f}" if self.p >= SMALLEST_P else f"below {SMALLEST_P}"

    @property
    def fixes(self) -> int:
        return self.both + self.only_one + self.only_other + self.neither


@dataclass(frozen=True, slots=True)
class Standings:
    """A backtest in figures. `fit` are the fixes that can be asked for again, `unfit` the others, which say why not."""

    bots: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    fit: tuple[CheckedFix, ...]
    unfit: tuple[CheckedFix, ...]
    results: Mapping[tuple[str, str], Replay]
    """By the ids of fix and bot; a void one only where there is no other."""

    @property
    def iterations(self) -> int:
        return max((len(each.curve) for each in self.bots), default=0)


def standings_of(backtest: Backtest) -> Standings:
    """All figures of a backtest, as far as it has come."""
    fit = tuple(each for each in backtest.fixes if each.is_fit)
    results = _newest(backtest.replays, {each.fix.id for each in fit}, set(backtest.bots))
    iterations = max((len(each.steps) for each in results.values() if not each.is_void), default=0)
    ids = [each.fix.id for each in fit]
    models = [bot for bot in backtest.bots if not is_player(bot)]
    return Standings(
        bots=tuple(_standing(bot, ids, results, max(iterations, 1)) for bot in backtest.bots),
        pairs=tuple(_pair(one, other, ids, results) for one, other in combinations(models, 2)),
        fit=fit,
        unfit=tuple(each for each in backtest.fixes if not each.is_fit),
        results=results,
    )


def is_player(bot: str) -> bool:
    """Whether this is no model, but one of those that know the fix: there is nothing to compare them in."""
    name = bot.partition(";")[0]
    return name == "oracle" or name.startswith("saboteur:")


def in_words(bot: str) -> str:
    """A bot's name with room between its settings, where a line may break."""
    return bot.replace(";", "; ")


def by_reason(unfit: Sequence[CheckedFix]) -> Sequence[tuple[str, Sequence[CheckedFix]]]:
    """Fixes that can't be asked for again, by the beginning of the reason why; what is most frequent first."""
    found: dict[str, list[CheckedFix]] = {}
    for each in unfit:
        found.setdefault(each.reason.partition("\n")[0].partition(":")[0].strip(), []).append(each)
    return sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))


def verdict(replay: Replay | None) -> str:
    """What became of a fix, in a few words."""
    match replay:
        case None:
            return "not done yet"
        case Replay(is_void=True):
            return "void"
        case Replay(is_solved=True):
            return "solved, proven" if replay.is_proven else "solved"
        case Replay(is_falsely_proven=True):
            return "falsely proven"
        case Replay():
            return str(replay.failure or UNSAID)


def _newest(replays: Iterable[Replay], fixes: set[str], bots: set[str]) -> dict[tuple[str, str], Replay]:
    """The last replay of each; one that counts goes before one that is void."""
    found: dict[tuple[str, str], Replay] = {}
    for each in replays:
        key = (each.fix, each.bot)
        if each.fix in fixes and each.bot in bots and (key not in found or found[key].is_void or not each.is_void):
            found[key] = each
    return found


def _standing(bot: str, ids: Sequence[str], results: Mapping[tuple[str, str], Replay], iterations: int) -> Standing:
    there = [results[fix, bot] for fix in ids if (fix, bot) in results]
    made = [each for each in there if not each.is_void]
    unsolved = [each for each in made if not each.is_solved]
    costs = [each.spend.cost_usd for each in made]
    return Standing(
        bot=bot,
        solved=Share(len(made) - len(unsolved), len(made)),
        curve=tuple(sum(each.is_solved_at(number) for each in made) for number in range(1, iterations + 1)),
        agreement=_agreement(made),
        falsely_proven=tuple(each.fix for each in made if each.is_falsely_proven),
        by_failure=tuple(
            (str(kind or UNSAID), failed)
            for kind in (*Failure, None)
            if (failed := tuple(each.fix for each in unsolved if each.failure is kind))
        ),
        open=tuple(fix for fix in ids if (fix, bot) not in results),
        void=tuple(each.fix for each in there if each.is_void),
        calls=sum(each.spend.calls for each in made),
        tokens=sum(each.spend.tokens for each in made),
        cost_usd=sum(cost for cost in costs if cost is not None) if None not in costs else None,
        seconds=sum(each.seconds for each in made),
        median_s=statistics.median(each.seconds for each in made) if made else None,
    )


def _agreement(made: Sequence[Replay]) -> Agreement:
    return Agreement(
        both=sum(each.is_solved and each.is_proven for each in made),
        solved_alone=sum(each.is_solved and not each.is_proven for each in made),
        proven_alone=sum(each.is_falsely_proven for each in made),
        neither=sum(not each.is_solved and not each.is_proven for each in made),
    )


def _pair(one: str, other: str, ids: Sequence[str], results: Mapping[tuple[str, str], Replay]) -> Pair:
    counts = {(mine, theirs): 0 for mine in (True, False) for theirs in (True, False)}
    for fix in ids:
        first, second = results.get((fix, one)), results.get((fix, other))
        if first is not None and second is not None and not first.is_void and not second.is_void:
            counts[first.is_solved, second.is_solved] += 1
    return Pair(one, other, counts[True, True], counts[True, False], counts[False, True], counts[False, False])
