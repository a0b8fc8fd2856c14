"""The proof once more, of any two commits and from nothing but the repository: what `selfcode verify` does."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.errors import Refused, Stopped, Unavailable
from bot.proof import FileKind, kind_of, protected, what_is_broken
from bot.records import Examination, Outcome, RunResult
from bot.repository import Mirror, read_config
from bot.runs import solving
from bot.runs.doctor import Given, Means, Patient, look, sandbox_facts
from bot.runs.ground import Ground
from bot.runs.house import SetupBroken, setup_for
from bot.runs.provenance import with_head

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Subject:
    """Two commits in a mirror. `key` stands for the repository in images, `name` is its full name on a server.

    Configuration, environment and baseline are those of `base`: nothing of `head` says how it is judged.
    """

    mirror: Mirror
    base: str
    head: str
    key: int
    name: str = ""


def verify(
    means: Means, subject: Subject, given: Given, *, accepted_by: str = "", tell: Callable[[str], None]
) -> RunResult:
    """Do the proof, and say what it comes to; a stop and a failure of the sandbox are results.

    `accepted_by` is who lets stand what the change does to existing tests, or "". Raises `Refused` where it is not
    known how the tests are run.
    """
    known = _how(means, subject, given)
    so_far = RunResult(
        outcome=Outcome.ERROR,
        reason="",
        plan=known.plan,
        base_sha=subject.base,
        head_sha=subject.head,
        sandbox=means.sandbox.name,
    )
    try:
        for result in _steps(means, subject, known, so_far, accepted_by=accepted_by, tell=tell):
            so_far = result
    except Refused as refusal:
        return replace(so_far, outcome=Outcome.REFUSED, reason=str(refusal))
    except Stopped:
        return replace(so_far, outcome=Outcome.STOPPED, reason="it was interrupted")
    except Unavailable as away:
        return replace(so_far, outcome=Outcome.ERROR, reason=str(away))
    return so_far


def _how(means: Means, subject: Subject, given: Given) -> Examination:
    """How the base says that its tests are run. Raises `Refused` where it does not."""
    begun = Examination(repository=subject.name, sandbox=sandbox_facts(means.sandbox))
    known = look(_patient(subject), begun, given, means)
    if known.trouble:
        raise Refused(f"At the base commit {subject.base[:12]}: {known.trouble}")
    return known


def _patient(subject: Subject) -> Patient:
    return Patient(subject.mirror, subject.base, subject.key, name=subject.name)


def _steps(
    means: Means,
    subject: Subject,
    known: Examination,
    begun: RunResult,
    *,
    accepted_by: str,
    tell: Callable[[str], None],
) -> Iterator[RunResult]:
    """What is known after each step; the last one has the outcome."""
    if known.plan is None:
        raise AssertionError("nothing is run before it is known how")
    tell(f"tests: {known.plan.test}" + (f" (found in {known.plan.guessed_from})" if known.plan.guessed_from else ""))
    if known.plan.build:
        tell(f"built before each run by: {known.plan.build}")
    if known.plan.setup and not means.has_images:
        tell("setup is not run: this sandbox has no images, so what the tests need has to be installed here")
    elif known.plan.setup:
        tell("preparing the environment of the base")
    setup = setup_for(
        known.plan, subject.mirror, subject.base, image=known.image, repository_id=subject.key, repository=subject.name
    )
    try:
        prepared = means.prepare_image(setup, means.stop)
    except SetupBroken as broken:
        yield replace(begun, outcome=Outcome.BASELINE_BROKEN, reason=str(broken), blocked=broken.blocked)
        return
    ground = Ground(
        mirror=subject.mirror,
        base=subject.base,
        plan=known.plan,
        sandbox=means.sandbox,
        image=prepared.image,
        limits=means.limits,
        stop=means.stop,
        identity=prepared.identity,
        places=means.places,
    )
    yield (begun := replace(begun, blocked=prepared.blocked))
    baseline = solving.take_baseline(ground)
    begun = replace(begun, baseline=baseline.report)
    if unusable := what_is_broken(baseline.report, build=known.plan.build):
        tell(unusable)
        yield replace(begun, outcome=Outcome.BASELINE_BROKEN, reason=unusable)
        return
    tell(f"on the base: {baseline.report.counts}")
    yield begun
    tell("proving the change in clean workspaces")
    proof = with_head(solving.prove_tree(ground, subject.head, baseline, accepted_by=accepted_by), subject.head)
    patterns = read_config(lambda path: subject.mirror.read(subject.base, path)).protect
    touched = missing_of_protected(subject.mirror, subject.base, subject.head, patterns)
    proof = replace(proof, missing=(*proof.missing, *touched))
    outcome, reason = solving.outcome_of_proof(proof)
    yield replace(begun, outcome=outcome, reason=reason, proof=proof)


def missing_of_protected(mirror: Mirror, base: str, head: str, patterns: Sequence[str]) -> Iterator[str]:
    """What the base's configuration protects and the change touches; files of the CI lack in the proof already."""
    touched = protected(mirror.changed_files(base, head), patterns)
    named = [path for path in touched if kind_of(path) is not FileKind.CI]
    if named:
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        yield f"Protected paths were changed: {', '.join(named[:_NAMED])}{more}."
