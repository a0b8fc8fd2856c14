"""What the issue asked and where the change answers it, by facts alone: changed places, and the tests that notice."""

from collections.abc import Sequence

from bot.records import Change, Hunk, HunkCheck, RunResult, Task
from bot.writing.document import Section, details, table
from bot.writing.figures import plural
from bot.writing.places import Place, places_of
from bot.writing.safe import code_in_cell, fenced, inline, quoted

QUOTED_AT_MOST = 600
PLACES_AT_MOST = 60
OPEN_AT_MOST = 6


def change_of(result: RunResult) -> Change:
    """The change that the result is about: the agent's own, or what its branch holds by now."""
    return result.branch_change if result.branch_change is not None else result.progress.change


def asked_and_answered(result: RunResult, task: Task) -> Section:
    """The issue's words, and below them each changed place of the source."""
    heading = "**What was asked, and where the change answers it**"
    asked = f"{heading}\n\n{_quoted(task)}"
    places = _source_places(result)
    if not places:
        return Section(asked, 65)
    answer = _table(places, result.proof.hunks if result.proof else None)
    if len(places) > OPEN_AT_MOST:
        files = len({place.hunk.path for place in places})
        answer = details(f"{len(places):,} changed places in {plural(files, 'file')}", answer)
    return Section(f"{asked}\n\n{answer}", 65, (asked,))


def unnoticed(result: RunResult) -> Section:
    """The places that no test notices, each with its lines folded; those that time did not allow to try are said."""
    checked = result.proof.hunks if result.proof else None
    if checked is None or not (checked.unnoticed or checked.untried):
        return Section("")
    places = places_of(change_of(result).patch)
    folded = [_folded(_placed(hunk, places)) for hunk in checked.unnoticed[:PLACES_AT_MOST]]
    more = len(checked.unnoticed) - len(folded)
    rest = [f"… and {plural(more, 'more place')}"] if more > 0 else []
    said = f"**{noticed_in_words(checked)}**"
    if checked.unnoticed:
        said += "\n\nEach was taken back alone, and the tests passed still:"
    return Section("\n\n".join([said, *folded, *rest]), 58, (said,))


def noticed_in_words(checked: HunkCheck) -> str:
    """“2 of 7 changed places are noticed by no test; 1 more was not tried: its time was up.”"""
    tried = len(checked.noticed) + len(checked.unnoticed)
    count = len(checked.unnoticed)
    words = []
    if count:
        words.append(
            f"{count:,} of {plural(tried, 'changed place')} {'is' if count == 1 else 'are'} noticed by no test"
        )
    if checked.untried:
        left = len(checked.untried)
        more = f"{left:,} more" if tried else plural(left, "changed place")
        words.append(f"{more} {'was' if left == 1 else 'were'} not tried: the time for it was up")
    return "; ".join(words)


def _quoted(task: Task) -> str:
    title = f"> **{inline(task.title, 200)}**" if task.title.strip() else ""
    first = _first_lines(task.body)
    body = quoted(first, QUOTED_AT_MOST) if first else ""
    return "\n>\n".join(part for part in (title, body) if part) or "> (the issue has no words)"


def _first_lines(body: str) -> str:
    """The first lines that say something; a code block's fence would stand there alone, so that it ends them."""
    lines = [line for line in body.strip().splitlines() if line.strip()]
    fence = next((at for at, line in enumerate(lines) if line.lstrip().startswith(("```", "~~~"))), len(lines))
    shown = lines[: min(6, fence)]
    return "\n".join(shown) + ("\n…" if shown and len(lines) > len(shown) else "")


def _source_places(result: RunResult) -> list[Place]:
    """The places that were tried, where they were; else all of the patch that are not in tests."""
    proof, found = result.proof, places_of(change_of(result).patch)
    if proof and proof.hunks:
        every = (*proof.hunks.noticed, *proof.hunks.unnoticed, *proof.hunks.untried)
        return [_placed(hunk, found) for hunk in sorted(every, key=lambda hunk: (hunk.path, hunk.start))]
    tests = set(proof.tests_changed if proof else ())
    return [place for place in found if place.hunk.path not in tests]


def _placed(hunk: Hunk, places: Sequence[Place]) -> Place:
    return Place(hunk, next((place.within for place in places if place.meets(hunk)), ""))


def _table(places: Sequence[Place], checked: HunkCheck | None) -> str:
    rows = [(code_in_cell(_where(place.hunk)), _inside(place)) for place in places[:PLACES_AT_MOST]]
    header: tuple[str, ...] = ("place", "in")
    shown: Sequence[tuple[str, ...]] = rows
    if checked is not None:
        header = (*header, "noticed by")
        shown = [(*row, _by(place.hunk, checked)) for row, place in zip(rows, places, strict=False)]
    more = len(places) - len(rows)
    return table(header, shown) + (f"\n\n… and {plural(more, 'more place')}" if more > 0 else "")


def _inside(place: Place) -> str:
    return code_in_cell(place.within, 120) if place.within else "–"


def _by(hunk: Hunk, checked: HunkCheck) -> str:
    if hunk in checked.unnoticed:
        return "⚠️ no test"
    if hunk in checked.untried:
        return "not tried"
    if not hunk.noticed_by:
        return "the tests"
    one, *others = (each.rpartition("::")[2] for each in hunk.noticed_by)
    return code_in_cell(one, 80) + (f" and {len(others):,} more" if others else "")


def _folded(place: Place) -> str:
    within = f", in {place.within}" if place.within else ""
    return details(f"{_where(place.hunk)}{within}", fenced(place.hunk.text, "diff", head=1500, tail=500))


def _where(hunk: Hunk) -> str:
    return f"{hunk.path}:{hunk.start}"
