"""A backtest as Markdown: the report that is kept beside its pictures."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.records import Backtest, CheckedFix
from bot.writing.backtest import facts, headline, plural_of_fixes
from bot.writing.backtest_pictures import pictures_of
from bot.writing.document import Section, compose, details, table
from bot.writing.figures import cost, duration
from bot.writing.safe import code, code_in_cell, inline, on_screen
from bot.writing.standing import Standing, Standings, by_reason, in_words, standings_of, verdict

LIMIT = 1_000_000
"""Characters of a report file: no server limits it, but an editor should open it."""

WHAT_IT_IS = (
    "Each fix was merged once. Its bot got the commit before it and the words that it was asked for with, and never "
    "the tests that came with it: these judge what the bot made. “Proven” is what the bot's own proof says of it."
)
WHAT_IT_CANNOT_TELL = (
    "A commit's message is no issue: it is written by who knows the fix. A model may have read the repository, the fix "
    "with it, when it was trained. Tests judge what they cover, and nothing else."
)


def markdown_report(backtest: Backtest) -> str:
    """The whole report. Its pictures are beside it, by the names that `pictures_of` gives them."""
    known = standings_of(backtest)
    sections = [
        f"# Backtest of {inline(backtest.repository, 200)}",
        f"{headline(backtest).capitalize()}. {inline(made(backtest))}",
        f"**It was stopped: {inline(backtest.stopped, 600)}**" if backtest.stopped else "",
        WHAT_IT_IS if known.bots else "",
        bots_table(known.bots),
        *(f"![{caption_of(name)}]({name})" for name in pictures_of(backtest)),
        *_by_bot(known),
        _pairs(known),
        _fixes(known),
        _left_out(known.unfit),
        f"## What this can't tell\n\n{WHAT_IT_CANNOT_TELL}" if known.bots else "",
    ]
    return compose([Section(text) for text in sections if text], limit=LIMIT) + "\n"


def caption_of(name: str) -> str:
    """What a picture shows, for who does not see it: the tables hold the same."""
    return {
        "solved.svg": "How many each bot solved",
        "iterations.svg": "How many were solved within how many iterations",
        "spent.svg": "What each solved fix cost",
        "time.svg": "How long each solved fix took",
    }[name]


def made(backtest: Backtest) -> str:
    """By which version, and when: plain text."""
    days = sorted({f"{datetime.fromtimestamp(each.at, UTC):%Y-%m-%d}" for each in backtest.replays if each.at})
    when = f", {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    return f"selfcode {on_screen(backtest.version, 60)}{when}."


def bots_table(bots: Sequence[Standing]) -> str:
    """One bot a row; "" without any."""
    if not bots:
        return ""
    head = ["bot", "solved", "95 %", "proven", "of these wrongly", "tokens each", "cost each", "time each", "median"]
    return table(head, [[code_in_cell(in_words(each.bot)), *figures_of(each)] for each in bots])


def figures_of(each: Standing) -> list[str]:
    """A row's figures; nothing foreign is in them."""
    return [
        f"{each.solved.part} of {each.solved.whole} ({each.solved})",
        each.solved.range,
        str(each.agreement.proofs.whole),
        str(each.agreement.proven_alone),
        "–" if each.tokens_each is None else f"{each.tokens_each:,.0f}",
        cost_each(each),
        "–" if each.seconds_each is None else duration(each.seconds_each),
        "–" if each.median_s is None else duration(each.median_s),
    ]


def cost_each(each: Standing) -> str:
    """Money for each solved one; a dash where none is, and said where a price is not known."""
    if each.cost_usd is None:
        return cost(None)
    return "–" if each.cost_each_usd is None else cost(each.cost_each_usd)


def _by_bot(known: Standings) -> Iterator[str]:
    names = {each.fix.id: each for each in known.fit}
    for bot in known.bots:
        lines = [f"## {code(in_words(bot.bot), 200)}", "", *(f"- {line[0].upper()}{line[1:]}" for line in facts(bot))]
        if bot.falsely_proven:
            lines += ["", "Falsely proven:", "", *(f"- {_named(names[fix])}" for fix in bot.falsely_proven)]
        yield "\n".join(lines)


def _named(each: CheckedFix) -> str:
    return f"{code(each.fix.name, 60)} {inline(each.fix.title, 200)}"


def _pairs(known: Standings) -> str:
    compared = [each for each in known.pairs if each.fixes]
    if not compared:
        return ""
    rows = [
        [
            code_in_cell(in_words(each.one)),
            code_in_cell(in_words(each.other)),
            *map(str, (each.fixes, each.both, each.only_one, each.only_other, each.neither)),
            each.p_in_words,
        ]
        for each in compared
    ]
    head = ["first", "second", "fixes", "both", "only the first", "only the second", "neither", "p (exact McNemar)"]
    return f"## Side by side\n\n{table(head, rows)}"


def _fixes(known: Standings) -> str:
    if not known.fit:
        return ""
    head = ["fix", "asked for as", *(code_in_cell(in_words(bot.bot)) for bot in known.bots)]
    rows = [
        [
            code_in_cell(each.fix.name, 60),
            inline(each.fix.title, 120),
            *(verdict(known.results.get((each.fix.id, bot.bot))) for bot in known.bots),
        ]
        for each in known.fit
    ]
    return f"## Fixes\n\n{table(head, rows)}"


def _left_out(unfit: Sequence[CheckedFix]) -> str:
    if not unfit:
        return ""
    parts = []
    for reason, fixes in by_reason(unfit):
        lines = (f"- {_named(each)}: {inline(each.reason.partition(chr(10))[0], 300)}" for each in fixes)
        parts.append(details(f"{reason} ({len(fixes)})", "\n".join(lines)))
    return f"## Left out: {plural_of_fixes(len(unfit))}\n\n" + "\n\n".join(parts)
