"""Verification after verification, each by the command `selfcode verify`, a line written at each one's end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.verify.breaking import broken
from bench.verify.places import Places
from bench.verify.records import Break, Case, Spot, Verified
from bot.repository import Mirror
from sandbox.contract import File

RESULTS = "verified.jsonl"
NOTHING = "nothing to break"
_AGAIN = ("error", "stopped")
_AT_MOST_S = 900.0
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """Where everything is. `over` says when to stop between two verifications."""

    places: Places
    results: Path
    sandbox: str
    tell: Callable[[str], None]
    over: Callable[[], bool] = lambda: False


def go(run: Run, cases: Sequence[Case]) -> bool:
    """Verify what was not verified yet; say whether that is all of it now. Raises `ConfigError` before `setup`.

    A fix that is not proven as it is, is not broken: that it is not proven then either would say nothing.
    """
    done = {(each.project, each.head, each.how) for each in verified_in(run.results) if _counts(each)}
    left = [case for case in cases if (case.project.name, case.fix.head, case.how) not in done]
    run.tell(f"{len(cases)} verifications, at most {len(left)} of them to be done")
    for number, case in enumerate(left, 1):
        if case.how is not Break.NONE and _is_unproven(run.results, case):
            continue
        if run.over():
            run.tell(f"the time is over: {len(left) - number + 1} are left; run the same again to go on")
            return False
        verified = verify(run, case)
        _write(run.results / RESULTS, verified)
        run.tell(f"{number}/{len(left)} {_line(verified)}")
    return True


def verified_in(folder: Path) -> tuple[Verified, ...]:
    """Every verification so far, the last one of each case."""
    try:
        lines = (folder / RESULTS).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return ()
    found = [Verified.model_validate_json(line) for line in lines if line.endswith("}")]
    return tuple({(each.project, each.head, each.how): each for each in found}.values())


def verify(run: Run, case: Case) -> Verified:
    """Break the fix, if it is to be broken, and verify what comes of it. Raises `ConfigError` before `setup`."""
    run.places.require(case.project)
    repository, environment = run.places.repository(case.project), run.places.environment(case.project)
    ends = _ends(Mirror(repository), case, environment)
    began = time.monotonic()
    if ends is None:
        return _result(case, 0.0, trouble=NOTHING)
    words = [sys.executable, "-m", "bot.cli", "verify", str(repository), f"{ends.base}..{ends.head}", "--json"]
    words += ["--sandbox", run.sandbox]
    if not case.project.build:
        words += ["--test", _command(case.project.test, environment)]
    variables = {**os.environ, "SELFCODE_SANDBOX_PATHS": str(environment)}
    spot = ends.spot
    try:
        done = subprocess.run(
            words, env=variables, capture_output=True, text=True, timeout=_AT_MOST_S, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return _result(case, time.monotonic() - began, trouble=f"no answer within {_AT_MOST_S:g} s", spot=spot)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return _result(case, time.monotonic() - began, trouble=done.stderr.strip()[-2000:] or "no answer", spot=spot)
    return _result(case, time.monotonic() - began, answer=answer, spot=spot)


def _is_unproven(results: Path, case: Case) -> bool:
    return any(
        (each.project, each.head, each.how) == (case.project.name, case.fix.head, Break.NONE)
        and each.outcome != "proven"
        for each in verified_in(results)
    )


def _counts(verified: Verified) -> bool:
    """Whether it says something of the fix; what failed for the machine's reasons is done again."""
    return verified.trouble == NOTHING or (verified.answer is not None and verified.outcome not in _AGAIN)


@dataclass(frozen=True, slots=True)
class _Ends:
    """The two commits to verify, and which hunk was reverted."""

    base: str
    head: str
    spot: Spot | None = None


def _ends(mirror: Mirror, case: Case, environment: Path) -> _Ends | None:
    """The fix, broken as asked, on its base; None where there is nothing to break."""
    fix, project = case.fix, case.project
    done = broken(mirror.changed_files(fix.base, fix.head), case.how, project)
    if done is None:
        return None
    told: dict[str, File | None] = {}
    if project.build:
        said = {"test": _command(project.test, environment), "build": _command(project.build, environment)}
        told = {".github/selfcode.yml": File(json.dumps(said).encode())}
    if not (done.files or told):
        return _Ends(fix.base, fix.head)
    base = _commit(mirror, mirror.tree_with(fix.base, told), fix.base) if told else fix.base
    return _Ends(base, _commit(mirror, mirror.tree_with(fix.head, {**done.files, **told}), base), done.spot)


def _commit(mirror: Mirror, tree: str, parent: str) -> str:
    who = {"author_name": "bench", "author_email": "bench@localhost"}
    return mirror.commit(tree, parents=[parent], message="as it is measured", when=_WHEN, **who)


def _command(command: str, environment: Path) -> str:
    return command.replace("{environment}", str(environment))


def _result(
    case: Case, seconds: float, *, answer: dict[str, object] | None = None, trouble: str = "", spot: Spot | None = None
) -> Verified:
    return Verified(
        project=case.project.name,
        head=case.fix.head,
        how=case.how,
        seconds=round(seconds, 1),
        answer=answer,
        trouble=trouble,
        spot=spot,
    )


def _write(path: Path, verified: Verified) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as opened:
        opened.write(verified.model_dump_json() + "\n")


def _line(verified: Verified) -> str:
    reason = (verified.answer or {}).get("reason") or verified.trouble
    what = f"{verified.project} {verified.head[:10]}, {verified.how}"
    return f"{what}: {verified.outcome or 'nothing'} ({verified.seconds:.0f} s) {str(reason)[:200]}"
