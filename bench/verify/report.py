"""The tables of a measurement, as Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from bench.verify.records import Break, Collection, Fix, Project, Spot, Verified
from bench.verify.running import NOTHING

_PROVEN = "proven"
_BREAKS = (Break.TEST_DELETED, Break.TEST_LOOSENED, Break.HUNK_REVERTED)
_REASON_AT_MOST = 260


class Verdict(StrEnum):
    """What became of a broken fix."""

    CAUGHT = "caught"
    NAMED = "proven, and the fix's own report names the hunk as unnoticed"
    FOOLED = "proven"
    NOT_BROKEN = "nothing to break"
    NOT_PROVEN = "not proven as it is"
    NOT_RUN = "–"


_Found = Mapping[tuple[str, str, Break], Verified]


def verdict(broken: Verified | None, whole: Verified | None) -> Verdict:
    """What the verification of a broken fix came to, beside that of the fix as it is."""
    if whole is not None and whole.outcome != _PROVEN:
        return Verdict.NOT_PROVEN
    if broken is None:
        return Verdict.NOT_RUN
    if broken.answer is None:
        return Verdict.NOT_BROKEN if broken.trouble == NOTHING else Verdict.NOT_RUN
    if broken.outcome != _PROVEN:
        return Verdict.CAUGHT
    hunks = (whole.answer or {}).get("hunks") if whole else None
    unnoticed = [Spot.model_validate(hunk) for hunk in (hunks or {}).get("unnoticed", ())]
    is_named = broken.spot is not None and any(broken.spot.touches(hunk) for hunk in unnoticed)
    return Verdict.NAMED if is_named else Verdict.FOOLED


def report(collection: Collection, verified: Sequence[Verified]) -> str:
    """All tables."""
    found = {(each.project, each.head, each.how): each for each in verified}
    lines = [*_summary(collection, found), "", *_by_fix(collection, found), "", *_unproven(collection, found)]
    return "\n".join([*lines, "", *_not_caught(collection, found)])


def _summary(collection: Collection, found: _Found) -> Iterator[str]:
    yield "| project | language | reader | fixes | proven | " + " | ".join(_BREAKS) + " |"
    yield "|---|---|---|---|---|---|---|---|"
    for project in collection.project:
        whole = [found.get((project.name, fix.head, Break.NONE)) for fix in project.fix]
        done = [each for each in whole if each is not None]
        readers = sorted({reader for each in done if (reader := _reader(each))})
        caught = [_caught(project, found, how) for how in _BREAKS]
        proven = sum(each.outcome == _PROVEN for each in done)
        cells = [project.name, str(project.language), ", ".join(readers), str(len(done)), str(proven), *caught]
        yield f"| {' | '.join(cells)} |"


def _caught(project: Project, found: _Found, how: Break) -> str:
    counts = Counter(_verdict(project, fix, how, found) for fix in project.fix)
    tried = counts[Verdict.CAUGHT] + counts[Verdict.NAMED] + counts[Verdict.FOOLED]
    named = f", {counts[Verdict.NAMED]} named" if counts[Verdict.NAMED] else ""
    return f"{counts[Verdict.CAUGHT]} of {tried} caught{named}" if tried else "–"


def _verdict(project: Project, fix: Fix, how: Break, found: _Found) -> Verdict:
    return verdict(found.get((project.name, fix.head, how)), found.get((project.name, fix.head, Break.NONE)))


def _reader(verified: Verified) -> str:
    runs = (verified.answer or {}).get("runs") or {}
    return str((runs.get("b") or runs.get("baseline") or {}).get("reader", ""))


def _by_fix(collection: Collection, found: _Found) -> Iterator[str]:
    yield "| project | commit | what it mends | as it is | red | hunks noticed | s | " + " | ".join(_BREAKS) + " |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for project in collection.project:
        for fix in project.fix:
            whole = found.get((project.name, fix.head, Break.NONE))
            told = _told(whole) if whole else ("–", "", "", "")
            broken = [_verdict(project, fix, how, found).partition(",")[0] for how in _BREAKS]
            yield f"| {' | '.join([project.name, f'`{fix.head[:10]}`', fix.about, *told, *broken])} |"


def _told(whole: Verified) -> tuple[str, str, str, str]:
    answer = whole.answer or {}
    red = len((answer.get("evidence") or {}).get("red", ()))
    hunks = answer.get("hunks") or {}
    noticed, unnoticed = len(hunks.get("noticed", ())), len(hunks.get("unnoticed", ()))
    tried = f"{noticed} of {noticed + unnoticed}" if hunks else ""
    untried = len(hunks.get("untried", ()))
    return (
        whole.outcome or "no answer",
        str(red),
        tried + (f", {untried} untried" if untried else ""),
        f"{whole.seconds:.0f}",
    )


def _unproven(collection: Collection, found: _Found) -> Iterator[str]:
    for project in collection.project:
        for fix in project.fix:
            whole = found.get((project.name, fix.head, Break.NONE))
            if whole is not None and whole.outcome != _PROVEN:
                yield f"- {project.name} `{fix.head[:10]}`: {_reason(whole)}"


def _not_caught(collection: Collection, found: _Found) -> Iterator[str]:
    for project in collection.project:
        for fix in project.fix:
            for how in _BREAKS:
                if _verdict(project, fix, how, found) in (Verdict.NAMED, Verdict.FOOLED):
                    broken = found[project.name, fix.head, how]
                    red = ((broken.answer or {}).get("evidence") or {}).get("red", [])
                    spot = f", {broken.spot.path}:{broken.spot.start}" if broken.spot else ""
                    said = _verdict(project, fix, how, found)
                    yield f"- {project.name} `{fix.head[:10]}`, {how}{spot}: {said}; red: {', '.join(red[:3])}"


def _reason(verified: Verified) -> str:
    reason = str((verified.answer or {}).get("reason") or verified.trouble)
    return reason if len(reason) <= _REASON_AT_MOST else reason[: _REASON_AT_MOST - 1] + "…"
