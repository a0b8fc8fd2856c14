"""What an examination found, for a terminal in plain lines, and for programs as one object."""

from collections.abc import Sequence

from bot.records import Examination, Fault, Offline, TestCase, TestReport
from bot.writing.configuration import recommended
from bot.writing.doctor import headline, sandbox_lines, what_it_said, what_noticed
from bot.writing.figures import counts, duration, figures, plural
from bot.writing.masking import mask_secrets
from bot.writing.safe import on_screen

SAME_AT_MOST = 5


def terminal_report(known: Examination) -> str:
    """The same in plain lines without Markdown, safe for a terminal; the configuration is not in it."""
    lines = [f"{known.health.upper()}: {on_screen(headline(known), 600)}"]
    lines += [f"  obstacle: {on_screen(each, 500)}" for each in known.obstacles[1:]]
    lines += [f"  note: {on_screen(each, 500)}" for each in known.remarks]
    lines += [
        f"  {on_screen(each.key):<10} {on_screen(each.value, 300)}  ({on_screen(each.reason, 200)})"
        for each in known.found
    ]
    lines += (
        [f"  {'image':<10} {on_screen(known.image)}  (the operator's)"]
        if known.image and not _names_image(known)
        else []
    )
    lines += [f"  wants      {on_screen(each)}" for each in known.wishes]
    lines += [_run_line(f"run {number}", report) for number, report in enumerate(known.runs, 1)]
    lines += [_fault_line(known.fault)] if known.fault else []
    lines += _named_lines(known)
    lines += [f"  blocked: {on_screen(each, 300)}" for each in known.blocked]
    more = [f"… and {len(known.elsewhere) - 20:,} more"] if len(known.elsewhere) > 20 else []
    elsewhere = ", ".join([*map(on_screen, known.elsewhere[:20]), *more])
    lines += [f"  projects elsewhere: {elsewhere}"] if elsewhere else []
    lines += [f"  left out: {on_screen(each)}" for each in known.left_out[:10]]
    times = "; ".join(f"{on_screen(phase)} {duration(seconds)}" for phase, seconds in known.seconds)
    lines += [f"  time: {times}"] if times else []
    lines += [f"  sandbox: {on_screen(each, 300)}" for each in sandbox_lines(known)]
    return "\n".join([*lines, *_output_lines(known)])


def _names_image(known: Examination) -> bool:
    return any(each.key == "image" for each in known.found)


def _run_line(name: str, report: TestReport) -> str:
    return f"  {name:<18} {counts(report)} ({duration(report.duration_s)})"


def _fault_line(fault: Fault) -> str:
    where = f"fault in {plural(fault.files, 'file')}"
    return f"  {where:<18} {what_noticed(fault)} ({duration(fault.report.duration_s)})"


def _named_lines(known: Examination) -> list[str]:
    lines = _failing_lines(known.failing)
    lines = [*lines[:20], f"  fails: … and {len(lines) - 20:,} more"] if len(lines) > 20 else lines
    lines += [f"  flaky: {on_screen(each)}" for each in known.flaky[:20]]
    return lines + [_offline_line(each) for each in known.offline[:20]]


def _failing_lines(failing: Sequence[TestCase]) -> list[str]:
    """A line for each test that fails; but one for all of which the same is said, where these are many."""
    said: dict[str, list[TestCase]] = {}
    for each in failing:
        said.setdefault(on_screen(what_it_said(each), 160), []).append(each)
    lines: list[str] = []
    for words, cases in said.items():
        if len(cases) > SAME_AT_MOST:
            lines.append(f"  fails: {len(cases):,} tests, such as {on_screen(cases[0].id)}: {words}")
        else:
            lines += [f"  fails: {on_screen(each.id)}: {words}" for each in cases]
    return lines


def _offline_line(each: Offline) -> str:
    hosts = on_screen(", ".join(each.hosts)) or "no host named"
    return f"  wanted the network: {on_screen(each.test) or 'the command'} ({hosts})"


def _output_lines(known: Examination) -> list[str]:
    return [f"  | {on_screen(line, 400)}" for line in _output(known).strip().splitlines()[-30:]]


def _output(known: Examination) -> str:
    """The output of what failed: the set-up, or a test command that can't run."""
    _, _, output = known.trouble.partition("\n")
    if not output and known.runs and not known.runs[-1].could_run:
        return known.runs[-1].output
    return output


def summary(known: Examination) -> dict[str, object]:
    """What `selfcode doctor --json` prints."""
    plan, fault = known.plan, known.fault
    return {
        "outcome": str(known.health),
        "reason": mask_secrets(headline(known)),
        "repository": known.repository,
        "commit": known.commit or None,
        "obstacles": list(known.obstacles),
        "remarks": list(known.remarks),
        "test": plan.test if plan else None,
        "found": [{"key": each.key, "value": each.value, "reason": each.reason} for each in known.found],
        "wishes": list(known.wishes),
        "elsewhere": list(known.elsewhere),
        "left_out": list(known.left_out),
        "image": known.image or None,
        "runs": [_run(report) for report in known.runs],
        "failing": [case.id for case in known.failing],
        "flaky": list(known.flaky),
        "wanted_network": [{"test": each.test or None, "hosts": list(each.hosts)} for each in known.offline],
        "fault": None
        if fault is None
        else {
            "files": fault.files,
            "noticed": fault.is_noticed,
            "tests_that_noticed": fault.noticed if fault.asked else None,
            "of": fault.asked or None,
        },
        "blocked": list(known.blocked),
        "output": mask_secrets(_output(known)) or None,
        "seconds": dict(known.seconds),
        "sandbox": {
            "name": known.sandbox.name,
            "about": known.sandbox.about,
            "not_held": None
            if known.sandbox.unheld is None
            else [{"guarantee": guarantee, "reason": reason} for guarantee, reason in known.sandbox.unheld],
        },
        "configuration": mask_secrets(recommended(known)) or None,
    }


def _run(report: TestReport) -> dict[str, object]:
    return {
        **figures(report),
        "by_name": bool(report.cases),
    }
