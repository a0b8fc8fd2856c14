"""What an examination found, as people read it: the comment while it goes on, the report, the same for a terminal."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bot.records import Examination, Fault, Health, Offline, TestCase
from bot.writing.configuration import is_complete, recommended
from bot.writing.document import Section, compose, details, table
from bot.writing.evidence import SHOWN_AT_ONCE, bullets
from bot.writing.figures import counts, duration, plural
from bot.writing.mending import PLACE, mending
from bot.writing.nearness import last_words
from bot.writing.progress import last_line, plan_in_words, progress_marker
from bot.writing.safe import code, code_in_cell, fenced, inline, sentence

T = TypeVar("T")

NAMES_AT_MOST = 100


def examining_comment(known: Examination, *, run_id: str, doing: str, pages: str = "") -> str:
    """The comment while the examination goes on. `doing` says in a few words what is under way."""
    facts = [f"- Tests: {plan_in_words(known.plan)}"] if known.plan else []
    facts += [f"- Run {number}: {counts(report)}" for number, report in enumerate(known.runs, 1)]
    sections = [
        Section(f"🩺 **selfcode examines this repository**: {sentence(doing, 200)}."),
        Section("\n".join(facts)),
        Section("This comment becomes the report. To stop: comment `/selfcode stop`."),
        Section(last_line(run_id, pages)),
    ]
    return compose([section for section in sections if section.text], end=progress_marker(run_id))


def report_comment(known: Examination, *, run_id: str, pages: str = "") -> str:
    """The report on an issue."""
    return compose([*_sections(known), Section(last_line(run_id, pages))], end=progress_marker(run_id))


def unfinished_comment(known: Examination | None, *, run_id: str, ended: str, pages: str = "") -> str:
    """The comment of an examination that did not come to its end; `ended` says how, in a sentence for people."""
    known_so_far = [Section(f"**As far as it came:**\n\n{_runs(known)}")] if known is not None and known.runs else []
    sections = [
        Section(f"🩺 **The examination has ended early**: {sentence(ended)}"),
        *known_so_far,
        Section("To examine again: comment `/selfcode doctor`."),
        Section(last_line(run_id, pages)),
    ]
    return compose(sections, end=progress_marker(run_id))


def report_text(known: Examination) -> str:
    """The report as a Markdown document of its own."""
    return compose(_sections(known), limit=1_000_000) + "\n"


def headline(known: Examination) -> str:
    """How it is, in one sentence; what stands between backticks in it is code."""
    if known.health is Health.INTERRUPTED:
        return "it was ended before there was a verdict."
    if known.health is Health.UNHEALTHY:
        return (known.obstacles or (known.trouble.partition("\n")[0],))[0]
    if not known.runs:
        return "the sandbox answers."
    where = "with the network at hand" if known.sandbox.has_network else "offline"
    shows = ", and a fault in the source shows in them" if known.fault is not None else ""
    came = f"{counts(known.runs[0])}, {len(known.runs)} times"
    if known.flaky or len({counts(report) for report in known.runs}) > 1:
        came = "the runs differ" + (f": {len(known.flaky):,} flaky" if known.flaky else "")
    return f"the tests run {where} ({came}){shows}."


def _sections(known: Examination) -> list[Section]:
    sections = [
        Section(f"{_MARKS[known.health]}: {sentence(headline(known))}"),
        Section(_list("**What keeps selfcode from working here**", known.obstacles[1:])),
        Section(_list("**Worth knowing**", known.remarks), 90),
        *_what_went_wrong(known),
        Section(_how(known), 85),
        Section(_runs(known), 85),
        *_tests(known),
        Section(_fault(known), 80),
        Section(_list("**Setup asked for hosts that are not open to it**", known.blocked), 75),
        *_configuration(known),
        Section(_sandbox(known), 50),
        Section(_elsewhere(known), 40),
        Section(_times(known), 45),
    ]
    return [section for section in sections if section.text]


_MARKS = {
    Health.HEALTHY: "✅ **Healthy**",
    Health.UNHEALTHY: "❌ **Unhealthy**",
    Health.INTERRUPTED: "⏹️ **Interrupted**",
}


# --- Part by part


def _what_went_wrong(known: Examination) -> list[Section]:
    """The output that shows it: of a set-up that failed, or of a test command that can't run."""
    _, _, more = known.trouble.partition("\n")
    if more.strip():
        lines = more.strip().split("\n")
        if all(line.startswith("- ") for line in lines):
            return [Section("\n".join(f"- {sentence(line[2:])}" for line in lines[:50]))]
        return [Section(fenced(more, "text", tail=6000), 70, (fenced(more, "text", tail=1500),))]
    report = known.runs[-1] if known.runs else None
    if report is None or report.could_run:
        return []
    cause = sentence(mending(known.plan, report).cause)
    output = report.output or "(no output)"
    return [
        Section(f"{code(report.command)} ended with: {report.state}. {cause} Its output:"),
        Section(fenced(output, "text", head=1000, tail=6000), 70, (fenced(output, "text", tail=1500),)),
    ]


def _how(known: Examination) -> str:
    rows = [(code_in_cell(each.key), code_in_cell(each.value, 300), inline(each.reason, 300)) for each in known.found]
    if known.image and all(each.key != "image" for each in known.found):
        rows.insert(0, ("`image`", code_in_cell(known.image), "the operator's"))
    if not rows:
        return ""
    wishes = (
        f"\n\nThe repository seems to want: {', '.join(inline(each, 60) for each in known.wishes)}."
        if (known.wishes)
        else ""
    )
    commit = f" at {code(known.commit[:12])}" if known.commit else ""
    return f"**How {inline(known.repository)}{commit} is tested**\n\n{table(('key', 'what', 'why'), rows)}{wishes}"


def _runs(known: Examination) -> str:
    if not known.runs:
        return ""
    rows = [(str(number), counts(report), duration(report.duration_s)) for number, report in enumerate(known.runs, 1)]
    if known.fault is not None:
        rows.append(("with a fault", counts(known.fault.report), duration(known.fault.report.duration_s)))
    return f"**The test runs**, each in a clean workspace\n\n{table(('run', 'result', 'time'), rows)}"


def _tests(known: Examination) -> list[Section]:
    return [
        *_listing("Fail on the untouched source", known.failing, _failing, 65),
        *_listing("Wanted the network", known.offline, _offline, 68),
        *_listing("Flaky", known.flaky, lambda name: f"- {code(name, 200)}", 65),
    ]


def _listing(heading: str, items: Sequence[T], line: Callable[[T], str], rank: int) -> Iterator[Section]:
    """A line for each item, folded where there are many; the first ten alone where there is no room."""
    shown = [line(each) for each in items[:NAMES_AT_MOST]]
    if not shown:
        return
    if len(items) <= SHOWN_AT_ONCE:
        yield Section(f"**{heading}**\n\n" + "\n".join(shown), rank)
        return
    summary = f"{heading}: {len(items):,}"
    few = details(summary, _with_rest(shown[:10], len(items)))
    yield Section(details(summary, _with_rest(shown, len(items))), rank, (few,))


def _with_rest(lines: Sequence[str], of: int) -> str:
    rest = of - len(lines)
    return "\n".join([*lines, *([f"- … and {rest:,} more"] if rest else [])])


def _failing(case: TestCase) -> str:
    return f"- {code(case.id, 200)}: {inline(what_it_said(case), 200) or 'no message'}"


def what_it_said(case: TestCase) -> str:
    """The line of a failure that says what was wrong: pytest marks it with an E, elsewhere it is the last one."""
    message = case.message[-4000:]
    words = (line[1:].strip() for line in message.splitlines() if line.startswith("E  "))
    marked = [line for line in words if re.search(r"\w", line) and not line.startswith("+")]
    return marked[-1] if marked else last_words(message)


def _offline(each: Offline) -> str:
    hosts = f" ({', '.join(code(host, 100) for host in each.hosts)})" if each.hosts else ""
    return f"- {code(each.test, 200) if each.test else 'the test command'}{hosts}: {inline(each.words, 200)}"


def _fault(known: Examination) -> str:
    fault = known.fault
    if fault is None:
        return ""
    answer = "Yes" if fault.is_noticed else "No"
    where = f"a fault was planted in {plural(fault.files, 'source file')}"
    return f"**Is the workspace's own code tested?** {answer}: {where}, and {what_noticed(fault)}."


def what_noticed(fault: Fault) -> str:
    """Which tests noticed a fault, in words."""
    if not fault.is_noticed:
        return "no test noticed"
    if not fault.asked:
        return f"the command came to: {fault.report.state}"
    if fault.noticed == fault.asked:
        return "the one test noticed" if fault.asked == 1 else f"all {fault.asked:,} tests noticed"
    return f"{fault.noticed:,} of {fault.asked:,} tests noticed"


def _configuration(known: Examination) -> list[Section]:
    text = recommended(known)
    if is_complete(known):
        return [Section(f"`{PLACE}` says all of this already; there is nothing to commit.", 70)]
    if not text:
        return []
    return [Section(f"**To commit as `{PLACE}`**\n\n{fenced(text, 'yaml', head=20_000, tail=0)}", 95)]


def _sandbox(known: Examination) -> str:
    lines = sandbox_lines(known)
    return "\n".join(
        [f"**The sandbox**: {inline(lines[0], 200)}", "", *(f"- {inline(each, 300)}" for each in lines[1:])]
    )


def sandbox_lines(known: Examination) -> list[str]:
    """What the sandbox is, then a line for each thing that it does not hold."""
    sandbox = known.sandbox
    first = f"{sandbox.name}, {sandbox.about}" if sandbox.about else sandbox.name
    words = sandbox.about.split()
    if known.image and "image" in words and not {known.image, f"{known.image}:latest"} & set(words):
        first += f"; here the image is {known.image}"
    if sandbox.unheld is None:
        return [first, "It does not answer: what it holds is not known."]
    if not sandbox.unheld:
        return [first, "It holds all that the contract of sandboxes asks for."]
    return [first, *(f"not held: {guarantee} ({reason})" for guarantee, reason in sandbox.unheld)]


def _elsewhere(known: Examination) -> str:
    parts = []
    if known.elsewhere:
        parts.append("Projects with tests of their own are also in:\n\n" + bullets(known.elsewhere, 20))
    if known.left_out:
        parts.append(
            details(f"Not looked at: {len(known.left_out)}", "\n".join(f"- {inline(each)}" for each in known.left_out))
        )
    return "\n\n".join(parts)


def _times(known: Examination) -> str:
    return (
        "Time: " + "; ".join(f"{inline(phase, 60)} {duration(seconds)}" for phase, seconds in known.seconds)
        if (known.seconds)
        else ""
    )


def _list(heading: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = [f"- … and {len(lines) - 20:,} more"] if len(lines) > 20 else []
    return "\n".join([f"{heading}\n", *(f"- {sentence(each, 500)}" for each in lines[:20]), *more])
