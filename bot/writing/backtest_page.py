"""A backtest as one page that asks nobody for anything: no script, no address but those of the fixes."""

import html
from collections.abc import Iterable, Iterator, Sequence

from bot.records import Backtest, CheckedFix, Failure
from bot.writing.backtest import facts, headline, plural_of_fixes
from bot.writing.backtest_pictures import pictures_of
from bot.writing.backtest_report import WHAT_IT_CANNOT_TELL, WHAT_IT_IS, caption_of, figures_of, made
from bot.writing.safe import on_screen
from bot.writing.standing import UNSAID, Standing, Standings, by_reason, in_words, standings_of, verdict

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; --back: #fff; --raised: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --quiet: #59636e;
  --link: #0858c4; --good: #14692f; --bad: #b3192b; --note: #7a4b00 }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --raised: #161b22; --line: #3d444d; --text: #f0f6fc;
  --quiet: #9ea7b3; --link: #6cb0ff; --good: #5ccf78; --bad: #ff8a85; --note: #e8b84a } }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: break-word;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif }
main { max-width: 70rem; margin: 0 auto; padding: 1rem clamp(1rem, 4vw, 2rem) 4rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .6rem 0; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; overflow-wrap: anywhere }
p, ul, table { margin: 0 0 .8rem } ul { padding-left: 1.2rem } a { color: var(--link) }
.quiet { color: var(--quiet) } .good { color: var(--good) } .bad { color: var(--bad) } .note { color: var(--note) }
.stopped { border: 1px solid var(--line); border-left: 4px solid var(--note); border-radius: 6px; padding: .6rem .9rem }
.scroll { overflow-x: auto; max-width: 100%; margin-bottom: .8rem } .scroll table { margin: 0 }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top }
thead th { font-size: .85rem; font-weight: 500; color: var(--quiet) }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 11rem }
.number, .figures td { font-variant-numeric: tabular-nums; white-space: nowrap }
.asked { min-width: 13rem; overflow-wrap: anywhere; unicode-bidi: isolate } .verdict { white-space: nowrap }
.fix { white-space: nowrap } code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: .5rem 1.5rem }
figure { margin: 0; overflow-x: auto } .picture { display: block; width: 100%; min-width: 19rem; height: auto }
.wide.picture { min-width: 31rem }
details { margin: .3rem 0 } summary { cursor: pointer } footer { margin-top: 2.5rem; max-width: 48rem }
"""

COLOURED = {
    "solved, proven": "good",
    "solved": "good",
    "falsely proven": "bad",
    "void": "note",
    "not done yet": "quiet",
}


def page(backtest: Backtest) -> str:
    """The whole page. Nothing of a repository, an issue or a model is anything but text in it."""
    known = standings_of(backtest)
    parts = [
        f"<h1>Backtest of {_text(backtest.repository)}</h1>",
        f"<p>{headline(backtest).capitalize()}. <span class=quiet>{_text(made(backtest))}</span></p>",
        f'<p class="stopped">It was stopped: {_text(backtest.stopped, 600)}</p>' if backtest.stopped else "",
        f'<p class="quiet">{WHAT_IT_IS}</p>' if known.bots else "",
        *_figures(known.bots),
        *_pictures(backtest),
        *_proofs(known),
        *_failures(known.bots),
        *_pairs(known),
        *_fixes(known),
        *_left_out(known.unfit),
        f"<footer><h2>What this can't tell</h2><p>{WHAT_IT_CANNOT_TELL}</p></footer>" if known.bots else "",
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Backtest of {_text(backtest.repository)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _text(text: str, limit: int = 200) -> str:
    return html.escape(on_screen(text, limit))


def _figures(bots: Sequence[Standing]) -> Iterator[str]:
    if not bots:
        return
    yield "<h2>Solved</h2>"
    head = ["bot", "solved", "95 %", "proven", "of these wrongly", "tokens each", "cost each", "time each", "median"]
    rows = ([_head(in_words(each.bot)), *(f"<td>{_text(cell)}</td>" for cell in figures_of(each))] for each in bots)
    yield _table(head, rows, kind="figures")


def _pictures(backtest: Backtest) -> Iterator[str]:
    pictures = pictures_of(backtest)
    if pictures:
        drawn = "".join(
            f'<figure aria-label="{html.escape(caption_of(name))}">{picture}</figure>'
            for name, picture in pictures.items()
        )
        yield f'<div class="pictures">{drawn}</div>'


def _proofs(known: Standings) -> Iterator[str]:
    asked = [each for each in known.bots if each.solved.is_of_something]
    if not asked:
        return
    yield "<h2>The bot's word beside that of the hidden tests</h2>"
    head = ["bot", "solved and proven", "solved, not proven", "proven, not solved", "neither", "of “proven” is solved"]
    rows = []
    for each in asked:
        said = each.agreement
        proofs = f"{said.proofs} ({said.proofs.range})" if said.proofs.is_of_something else "–"
        cells = (said.both, said.solved_alone, said.proven_alone, said.neither, proofs)
        rows.append([_head(in_words(each.bot)), *(f"<td>{html.escape(str(cell))}</td>" for cell in cells)])
    yield _table(head, rows, kind="figures")
    names = {each.fix.id: each for each in known.fit}
    for each in asked:
        if each.falsely_proven:
            listed = "".join(f"<li>{_named(names[fix])}</li>" for fix in each.falsely_proven)
            yield f"<h3>Falsely proven by {_text(in_words(each.bot))}</h3><ul>{listed}</ul>"


def _failures(bots: Sequence[Standing]) -> Iterator[str]:
    found = {each.bot: {kind: len(fixes) for kind, fixes in each.by_failure} for each in bots}
    kinds = [kind for kind in (*map(str, Failure), UNSAID) if any(kind in counts for counts in found.values())]
    if not kinds:
        return
    yield "<h2>What was not solved, and why</h2>"
    rows = (
        [_head(in_words(bot)), *(f"<td>{counts.get(kind, 0)}</td>" for kind in kinds)] for bot, counts in found.items()
    )
    yield _table(["bot", *kinds], rows, kind="figures")
    for each in bots:
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in facts(each))
        yield f"<details><summary>{_text(in_words(each.bot))} in words</summary><ul>{lines}</ul></details>"


def _pairs(known: Standings) -> Iterator[str]:
    compared = [each for each in known.pairs if each.fixes]
    if not compared:
        return
    yield "<h2>Side by side on the same fixes</h2>"
    head = ["first", "second", "fixes", "both", "only the first", "only the second", "neither", "p (exact McNemar)"]
    rows = []
    for each in compared:
        counts = (each.fixes, each.both, each.only_one, each.only_other, each.neither, each.p_in_words)
        rows.append([_head(in_words(each.one)), _head(in_words(each.other)), *(f"<td>{cell}</td>" for cell in counts)])
    yield _table(head, rows, kind="figures")


def _fixes(known: Standings) -> Iterator[str]:
    if not known.fit:
        return
    yield "<h2>Fixes</h2>"
    rows = (
        [
            f'<td class="fix">{_linked(each)}</td>',
            f'<td class="asked">{_text(each.fix.title)}</td>',
            *(_verdict(verdict(known.results.get((each.fix.id, bot.bot)))) for bot in known.bots),
        ]
        for each in known.fit
    )
    yield _table(["fix", "asked for as", *(in_words(bot.bot) for bot in known.bots)], rows)


def _verdict(words: str) -> str:
    return f'<td class="verdict {COLOURED.get(words, "")}">{html.escape(words)}</td>'


def _left_out(unfit: Sequence[CheckedFix]) -> Iterator[str]:
    if not unfit:
        return
    yield f"<h2>Left out: {plural_of_fixes(len(unfit))}</h2>"
    for reason, fixes in by_reason(unfit):
        said = (f"<li>{_named(each)}<br><span class=quiet>{_text(each.reason, 400)}</span></li>" for each in fixes)
        yield f"<details><summary>{_text(reason)} ({len(fixes)})</summary><ul>{''.join(said)}</ul></details>"


def _named(each: CheckedFix) -> str:
    return f'{_linked(each)} <span class="asked">{_text(each.fix.title)}</span>'


def _linked(each: CheckedFix) -> str:
    """The fix's name, and its address where it has one on the web."""
    name = f"<code>{_text(each.fix.name, 60)}</code>"
    if not each.fix.url.startswith(("https://", "http://")):
        return name
    return f'<a href="{html.escape(each.fix.url)}" rel="noreferrer nofollow">{name}</a>'


def _head(text: str) -> str:
    return f'<th scope="row">{_text(text)}</th>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "") -> str:
    """A table that is moved sideways where there is too little room; the rows' cells are HTML."""
    named = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f'<div class="scroll" tabindex="0"><table class="{kind}"><thead><tr>{named}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
