"""What a backtest came to: for a terminal in plain lines, and for programs as one object."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from bot.records import Backtest, CheckedFix, Replay
from bot.writing.columns import aligned
from bot.writing.figures import cost, duration, plural, tokens
from bot.writing.masking import mask_secrets
from bot.writing.safe import on_screen
from bot.writing.shares import Share
from bot.writing.standing import Pair, Standing, Standings, by_reason, in_words, standings_of, verdict

WIDTH = 80
FIXES_SHOWN = 60
NAME_LIMIT = 26

MARKS = {"solved, proven": "P", "solved": "S", "falsely proven": "!", "void": "?", "not done yet": "-"}
"""What stands for a fix in the table of a terminal; “x” for all others."""

KEY = "P solved and proven, S solved, ! proven but not solved, x not solved, ? void, - not done yet"


def headline(backtest: Backtest) -> str:
    """In one sentence what there is to be seen."""
    looked_at, fit = len(backtest.fixes), sum(each.is_fit for each in backtest.fixes)
    return f"of {plural_of_fixes(looked_at)} looked at, {fit:,} can be asked for again"


def plural_of_fixes(count: int) -> str:
    """“1 fix”, “2 fixes”."""
    return "1 fix" if count == 1 else f"{count:,} fixes"


def terminal_text(backtest: Backtest) -> str:
    """All figures, each fix, and why others were left out; safe for a terminal of 80 columns."""
    known = standings_of(backtest)
    lines = [*_wrapped(f"{on_screen(backtest.repository, 60)}: {headline(backtest)}", "")]
    if known.bots:
        lines += ["", *_table(known.bots)]
        for each in known.bots:
            lines += ["", *_bot(each, known)]
        lines += _pairs(known.pairs)
    lines += _fixes(known)
    lines += _unfit(known.unfit, each_one=not known.bots)
    lines += ["", *_wrapped(f"stopped: {on_screen(backtest.stopped, 600)}", "")] if backtest.stopped else []
    return "\n".join(lines)


def _table(bots: Sequence[Standing]) -> list[str]:
    rows = [("bot", "solved", "", "95 %", "proven", "wrongly", "cost each")]
    for each in bots:
        proofs = each.agreement.proofs
        solved = f"{each.solved.part} of {each.solved.whole}"
        wrongly = str(each.agreement.proven_alone)
        name = on_screen(in_words(each.bot), NAME_LIMIT)
        rows.append((name, solved, str(each.solved), each.solved.range, str(proofs.whole), wrongly, _cost_each(each)))
    return aligned(rows)


def _cost_each(each: Standing) -> str:
    if each.cost_usd is None:
        return cost(None)
    return "–" if each.cost_each_usd is None else cost(each.cost_each_usd)


def _bot(each: Standing, known: Standings) -> Iterator[str]:
    yield on_screen(in_words(each.bot), WIDTH)
    for line in facts(each):
        yield from _wrapped(line)
    for fix in known.fit:
        if fix.fix.id in each.falsely_proven:
            yield from _wrapped(f"FALSELY PROVEN: {on_screen(fix.fix.name, 60)} “{on_screen(fix.fix.title, 80)}”")


def facts(each: Standing) -> Iterator[str]:
    """One bot's figures, a line each; nothing foreign is in them."""
    if each.solved.is_of_something:
        yield f"solved within {_counted(len(each.curve))}: {', '.join(_curve(each))}"
        said = each.agreement
        yield (
            f"by its own proof: {said.both} solved and proven, {said.solved_alone} solved but not proven, "
            f"{said.proven_alone} proven but not solved, {said.neither} neither"
        )
        if said.proofs.is_of_something:
            yield f"of what it calls proven, {said.proofs} is solved (95 %: {said.proofs.range})"
        yield f"used: {used(each)}"
    if each.by_failure:
        yield "not solved: " + ", ".join(f"{kind} {len(fixes)}" for kind, fixes in each.by_failure)
    if each.void:
        yield f"void, and counted nowhere: {len(each.void)}; the same command does them again"
    if each.open:
        yield f"not done yet: {len(each.open)}"


def _counted(iterations: int) -> str:
    return (
        "1 iteration" if iterations == 1 else f"{', '.join(map(str, range(1, iterations)))} and {iterations} iterations"
    )


def _curve(each: Standing) -> Iterator[str]:
    return (str(Share(solved, each.solved.whole)) for solved in each.curve)


def used(each: Standing) -> str:
    """“34 model calls, 120,000 tokens, USD 1.23, 40 min; for each solved one 8,600 tokens, USD 0.09, 3 min”."""
    whole = (
        f"{plural(each.calls, 'model call')}, {tokens(each.tokens)} tokens, {cost(each.cost_usd)}, "
        f"{duration(each.seconds)}"
    )
    return f"{whole}; for each solved one {used_each(each)}" if each.solved.part else whole


def used_each(each: Standing) -> str:
    """What a solved one took; a dash where none is."""
    if each.tokens_each is None or each.seconds_each is None:
        return "–"
    return f"{tokens(round(each.tokens_each))} tokens, {cost(each.cost_each_usd)}, {duration(each.seconds_each)}"


def _pairs(pairs: Sequence[Pair]) -> list[str]:
    compared = [each for each in pairs if each.fixes]
    if not compared:
        return []
    lines = ["", "side by side on the same fixes"]
    for each in compared:
        one, other = on_screen(in_words(each.one), 60), on_screen(in_words(each.other), 60)
        lines += _wrapped(
            f"{one} and {other}, {plural_of_fixes(each.fixes)}: both {each.both}, only the first {each.only_one}, "
            f"only the second {each.only_other}, neither {each.neither}; p {each.p_in_words}"
        )
    return lines


def _fixes(known: Standings) -> Iterator[str]:
    if not known.fit:
        return
    yield ""
    if known.bots:
        yield from _wrapped(f"fixes: {KEY}", "")
    else:
        yield "fixes that can be asked for again"
    if len(known.bots) > 1:
        letters = (f"{number} {on_screen(in_words(each.bot), 60)}" for number, each in enumerate(known.bots, 1))
        yield from _wrapped("columns: " + ", ".join(letters))
    shown = known.fit if not known.bots else known.fit[:FIXES_SHOWN]
    width = max(len(on_screen(each.fix.name, 20)) for each in shown)
    for each in shown:
        marks = " ".join(mark(known.results.get((each.fix.id, bot.bot))) for bot in known.bots)
        start = f"  {marks}  " if marks else "  "
        start += f"{on_screen(each.fix.name, 20):<{width}}  "
        yield start + on_screen(each.fix.title, max(WIDTH - len(start), 20))
    if len(known.fit) > len(shown):
        yield f"  … and {len(known.fit) - len(shown):,} more, all of them in the report"


def mark(replay: Replay | None) -> str:
    """One letter for what became of a fix; see `KEY`."""
    return MARKS.get(verdict(replay), "x")


def _unfit(unfit: Sequence[CheckedFix], *, each_one: bool) -> Iterator[str]:
    if not unfit:
        return
    yield ""
    yield f"left out: {plural_of_fixes(len(unfit))}"
    if each_one:
        width = max(len(on_screen(each.fix.name, 20)) for each in unfit)
        for each in unfit:
            name = f"{on_screen(each.fix.name, 20):<{width}}"
            yield from _wrapped(f"{name}  {on_screen(each.reason.partition(chr(10))[0], 300)}", hanging=width + 2)
        return
    for reason, fixes in by_reason(unfit):
        yield from _wrapped(f"{len(fixes):>4}  {on_screen(reason, 300)}", hanging=6)


def _wrapped(text: str, indent: str = "  ", *, hanging: int = 2) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + " " * hanging,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def outcome_of(backtest: Backtest) -> str:
    """One word: `done`, `checked` where no bot was asked for, `nothing_fit`, or `stopped`."""
    if backtest.stopped:
        return "stopped"
    if not any(each.is_fit for each in backtest.fixes):
        return "nothing_fit"
    return "done" if backtest.bots else "checked"


def summary(backtest: Backtest, files: Mapping[str, str]) -> dict[str, object]:
    """What `selfcode backtest --json` prints. `files` are the paths of what was written, by what it is."""
    known = standings_of(backtest)
    return {
        "outcome": outcome_of(backtest),
        "reason": mask_secrets(backtest.stopped) or headline(backtest),
        "repository": backtest.repository,
        "version": backtest.version,
        "fit": len(known.fit),
        "looked_at": len(backtest.fixes),
        "bots": [_bot_summary(each) for each in known.bots],
        "pairs": [{**asdict(each), "p": each.p} for each in known.pairs],
        "fixes": [_fix_summary(each, known) for each in backtest.fixes],
        **files,
    }


def _bot_summary(each: Standing) -> dict[str, object]:
    low, high = each.solved.interval
    return {
        "bot": each.bot,
        "solved": each.solved.part,
        "of": each.solved.whole,
        "share": each.solved.value if each.solved.is_of_something else None,
        "share_95": [low, high],
        "solved_by_iteration": list(each.curve),
        "solved_and_proven": each.agreement.both,
        "solved_not_proven": each.agreement.solved_alone,
        "proven_not_solved": each.agreement.proven_alone,
        "neither": each.agreement.neither,
        "falsely_proven": list(each.falsely_proven),
        "not_solved": {kind: list(fixes) for kind, fixes in each.by_failure},
        "not_done_yet": list(each.open),
        "void": list(each.void),
        "calls": each.calls,
        "tokens": each.tokens,
        "cost_usd": each.cost_usd,
        "seconds": each.seconds,
        "tokens_each": each.tokens_each,
        "cost_each_usd": each.cost_each_usd,
        "seconds_each": each.seconds_each,
        "median_seconds": each.median_s,
    }


def _fix_summary(each: CheckedFix, known: Standings) -> dict[str, object]:
    fix = each.fix
    replays = {bot.bot: known.results.get((fix.id, bot.bot)) for bot in known.bots}
    return {
        "id": fix.id,
        "name": fix.name,
        "title": mask_secrets(fix.title),
        "base": fix.base,
        "head": fix.head,
        "from": str(fix.source),
        "url": fix.url or None,
        "at": fix.at,
        "left_out": [mask_secrets(each) for each in fix.left_out],
        "is_fit": each.is_fit,
        "reason": mask_secrets(each.reason) or None,
        "judges": list(each.judges),
        "seconds": each.seconds,
        "replays": {bot: _replay_summary(replay) for bot, replay in replays.items() if replay is not None},
    }


def _replay_summary(replay: Replay) -> dict[str, object]:
    return {
        "outcome": str(replay.outcome),
        "reason": mask_secrets(replay.reason),
        "is_solved": replay.is_solved,
        "is_proven": replay.is_proven,
        "is_void": replay.is_void,
        "failure": str(replay.failure) if replay.failure else None,
        "steps": list(replay.steps),
        "calls": replay.spend.calls,
        "tokens": replay.spend.tokens,
        "cost_usd": replay.spend.cost_usd,
        "seconds": replay.seconds,
        "trace": replay.trace or None,
    }
