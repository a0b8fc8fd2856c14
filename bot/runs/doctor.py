"""An examination of a repository, step by step: how its tests are run, whether they can be, what they tell.

Each step takes what is known and returns it with more. A step that comes to nothing leaves the `trouble` that it met.
`examine` takes all of them in turn; a durable examination takes one at a time.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bot.errors import Refused, Stopped
from bot.records import Examination, Fault, Finding, SandboxFacts, StopCheck, TestPlan, TestReport, TestStatus
from bot.repository import Findings, Mirror, RepositoryConfig, find, read_config
from bot.repository.config import PATHS
from bot.runs.diagnosis import diagnosed
from bot.runs.faults import faulty, that_compile
from bot.runs.ground import Ground
from bot.runs.house import PrepareImage, SetupBroken, is_allowed, setup_for
from bot.runs.lanes import Places
from bot.runs.offline import offline_in
from bot.writing.safe import clean
from sandbox import Guarantee, Limits, Sandbox
from sandbox.contract import clipped, files_of

TIMES = 3
"""How often the tests are run: what passes once and fails once is flaky."""

OUTPUT_KEPT = 20_000
MESSAGE_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Given:
    """What whoever asks says in place of what the repository says; "" for nothing. A `build` of "" is none at all."""

    test: str = ""
    directory: str = ""
    image: str = ""
    build: str | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """What an examination is made with. `images` may be named by the repository, beside `image`.

    With `any_image` others are taken too, and it is noted. Without `has_images` the sandbox runs no set-up.
    """

    sandbox: Sandbox
    prepare_image: PrepareImage
    image: str
    images: tuple[str, ...]
    limits: Limits
    places: Places
    stop: StopCheck
    any_image: bool = False
    has_images: bool = True


@dataclass(frozen=True, slots=True)
class Patient:
    """What is examined: a commit, or a plain folder's tree, in a mirror. `key` stands for the repository in images."""

    mirror: Mirror
    treeish: str
    key: int
    name: str = ""


def examine(
    means: Means, patient: Patient, begun: Examination, given: Given, *, tell: Callable[[str], None]
) -> Examination:
    """All steps, one after the other. Raises `Unavailable`; a stop is a trouble."""
    last = begun
    try:
        for known in _steps(means, patient, begun, given, lambda text: tell(clean(text))):
            last = known
    except Stopped:
        return interrupted(last)
    return diagnosed(last)


def interrupted(known: Examination) -> Examination:
    """What is known by the time that a person ended it: no verdict."""
    return replace(known, is_interrupted=True)


def _steps(
    means: Means, patient: Patient, known: Examination, given: Given, tell: Callable[[str], None]
) -> Iterator[Examination]:
    tell("looking how the tests are run")
    yield (known := look(patient, known, given, means))
    if wants_environment(known):
        if means.has_images:
            tell("preparing the environment")
            for command in (each.value for each in known.found if each.key == "setup"):
                tell(f"  {command}")
        elif known.plan and known.plan.setup:
            tell("`setup` is not run: this sandbox has no images")
        yield (known := prepare(means, patient, known))
    while wants_run(known):
        tell(f"run {len(known.runs) + 1} of {TIMES}: {known.plan.test if known.plan else ''}")
        yield (known := run_tests(means, patient, known))
        tell(f"  {known.runs[-1].counts}" if known.runs else f"  {known.trouble}")
    if wants_fault(known):
        tell("planting a fault in every source file, to see whether the tests notice")
        yield plant_fault(means, patient, known)


def sandbox_facts(sandbox: Sandbox, about: str = "") -> SandboxFacts:
    """What is to be said of a sandbox; `about` is what its `check` said."""
    return SandboxFacts(
        name=sandbox.name,
        about=about,
        unheld=tuple((str(guarantee), reason) for guarantee, reason in sandbox.unheld.items()),
        has_network=Guarantee.NETWORK in sandbox.unheld,
    )


# --- The steps


def look(patient: Patient, known: Examination, given: Given, means: Means) -> Examination:
    """Find out how the tests are run: what is given, what the repository says, what its files show."""
    mirror, treeish = patient.mirror, patient.treeish
    text = next((data for path in PATHS if (data := mirror.read(treeish, path)) is not None), b"")
    known = replace(known, configured=clipped(text.decode("utf-8", "replace"), OUTPUT_KEPT))
    try:
        config = read_config(lambda path: mirror.read(treeish, path))
    except Refused as wrong:
        return replace(known, trouble=str(wrong))
    given = replace(given, directory=_inside(given.directory))
    directory = given.directory or config.directory
    entries = mirror.entries(treeish)
    if directory != "." and not any(path.startswith(f"{directory}/") for path in entries):
        if given.directory:
            raise Refused(f"--directory {directory} is not a folder of the repository.")
        return replace(known, trouble=f"`{PATHS[0]}` names the directory `{directory}`, which is not there.")
    findings = find(lambda path: mirror.read(treeish, path), entries, directory=directory)
    plan = plan_of(config, findings, given)
    known = replace(known, elsewhere=findings.elsewhere, wishes=findings.wishes, plan=plan)
    if plan is None:
        return replace(known, trouble=_NOTHING_FOUND)
    known = replace(known, found=_found(plan, config, findings, given), image=plan.image or means.image)
    if plan.image and not is_allowed(plan.image, (means.image, *means.images)):
        allow = f"`SELFCODE_IMAGES={plan.image}` (or a pattern) in the operator's settings would allow it."
        not_allowed = f"The image `{plan.image}` is not among those that the operator allows"
        if given.image or means.any_image:
            note = f"{not_allowed}: a server with these settings would refuse it in `{PATHS[0]}`. {allow}"
            return replace(known, notes=(*known.notes, note))
        return replace(known, trouble=f"{not_allowed}. {allow}")
    return known


_NOTHING_FOUND = (
    f"There is no test command, and none could be found out. Say `test:` in `{PATHS[0]}`. What is looked for: a Python "
    "project or Python tests, package.json with a test script, go.mod, Cargo.toml, a Makefile with a target for tests, "
    "CMakeLists.txt, meson.build, a configure script; at the top and in folders one or two levels down."
)


def wants_environment(known: Examination) -> bool:
    """Whether there is something to prepare."""
    return known.plan is not None and not known.trouble and not known.runs


def prepare(means: Means, patient: Patient, known: Examination) -> Examination:
    """Find or make the image that the tests run in: set-up, with its way to the network."""
    began, plan = time.monotonic(), _known_plan(known)
    setup = setup_for(
        plan, patient.mirror, patient.treeish, image=known.image, repository_id=patient.key, repository=patient.name
    )
    try:
        prepared = means.prepare_image(setup, means.stop)
    except SetupBroken as broken:
        known = replace(known, trouble=_bounded(str(broken)), blocked=broken.blocked)
        return _timed(known, "environment", began)
    image = known.image if prepared.image is not None else ""
    known = replace(known, prepared=prepared.image, blocked=prepared.blocked, image=image)
    return _timed(known, "environment", began)


def wants_run(known: Examination) -> bool:
    """Whether the tests are to be run once more: what can't run the first time is not run again."""
    return known.plan is not None and not known.trouble and _goes_on(known.runs) and len(known.runs) < TIMES


def run_tests(means: Means, patient: Patient, known: Examination) -> Examination:
    """Run the tests once more, in a clean workspace."""
    began = time.monotonic()
    try:
        report = _ground(means, patient, known).test(patient.treeish)
    except Refused as refusal:
        return replace(known, trouble=str(refusal))
    offline = tuple({each.test: each for each in (*offline_in([report]), *known.offline)}.values())
    known = replace(known, runs=(*known.runs, _kept(report)), offline=offline)
    return _timed(known, f"tests, run {len(known.runs)}", began)


def wants_fault(known: Examination) -> bool:
    """Whether there is something that a fault could turn red."""
    by_exit_code = all(report.is_green for report in known.runs)
    return not known.trouble and known.could_run and bool(known.steady or by_exit_code)


def plant_fault(means: Means, patient: Patient, known: Examination) -> Examination:
    """Build and test with a fault in every source file: tests of the workspace's own code must notice.

    Where the build notices, no test has run: the code that is not compiled is then looked at alone.
    """
    began, plan = time.monotonic(), _known_plan(known)
    archive = patient.mirror.archive(patient.treeish)
    commands = f"{plan.build}\n{plan.test}"
    planted = faulty(files_of(archive), directory=plan.directory, commands=commands)
    if not planted:
        return known
    ground = _ground(means, patient, known)
    try:
        report = ground.test(patient.treeish, planted)
        rest = that_compile(planted)
        if report.command == plan.build and rest and len(rest) < len(planted):
            alone = ground.test(patient.treeish, rest)
            planted, report = (rest, alone) if alone.command != plan.build else (planted, report)
    except Refused as refusal:
        return replace(known, trouble=str(refusal))
    steady = known.steady
    fault = Fault(len(planted), _kept(report), noticed=len(steady - report.passed), asked=len(steady))
    return _timed(replace(known, fault=fault), "tests with a fault", began)


# --- How the tests are run


def _inside(directory: str) -> str:
    """The folder as a path in the repository. Raises `Refused` for one outside."""
    path = PurePosixPath(directory)
    if path.is_absolute() or ".." in path.parts:
        raise Refused(f"--directory {directory} is not a folder inside the repository.")
    return str(path) if directory else ""


def plan_of(config: RepositoryConfig, findings: Findings, given: Given) -> TestPlan | None:
    """How the tests are run: as given, else as the repository says, else as its files show; None where nobody knows."""
    said = {"test": given.test, "directory": given.directory, "image": given.image}
    plan = config.model_copy(update={key: value for key, value in said.items() if value}).plan(findings.plan)
    return plan if plan is None or given.build is None else replace(plan, build=given.build.strip())


def _found(plan: TestPlan, config: RepositoryConfig, findings: Findings, given: Given) -> tuple[Finding, ...]:
    """Each part of the plan with where it is from."""
    found = [Finding(key, value, _reason(key, config, given)) for key, value in _parts(plan) if value]
    found = [each for each in found if each.reason]
    said = {each.key for each in found} | ({"build"} if given.build is not None else set())
    found += [each for each in findings.findings if each.key not in said]
    order = [key for key, _ in _parts(plan)]
    return tuple(sorted(found, key=lambda each: order.index(each.key) if each.key in order else len(order)))


def _parts(plan: TestPlan) -> Sequence[tuple[str, str]]:
    directory = "" if plan.directory == "." else plan.directory
    return (
        ("image", plan.image),
        ("directory", directory),
        ("setup", plan.setup),
        ("build", plan.build),
        ("test", plan.test),
        ("report", plan.report),
    )


def _reason(key: str, config: RepositoryConfig, given: Given) -> str:
    """Who said it, where somebody did."""
    if key in ("test", "directory", "image", "build") and getattr(given, key):
        return f"given by --{key}"
    return f"said in {PATHS[0]}" if key in config.model_fields_set else ""


# --- One run


def _ground(means: Means, patient: Patient, known: Examination) -> Ground:
    return Ground(
        mirror=patient.mirror,
        base=patient.treeish,
        plan=_known_plan(known),
        sandbox=means.sandbox,
        image=known.prepared,
        limits=means.limits,
        stop=means.stop,
        places=means.places,
    )


def _known_plan(known: Examination) -> TestPlan:
    if known.plan is None:
        raise AssertionError("nothing is run before it is known how")
    return known.plan


def _goes_on(runs: Sequence[TestReport]) -> bool:
    return all(report.could_run for report in runs)


def _kept(report: TestReport) -> TestReport:
    """The report without what nobody reads: it is kept for each run, and some suites have ten thousand tests."""
    bad = (TestStatus.FAILED, TestStatus.ERROR)
    cases = tuple(
        replace(case, message=clipped(case.message, MESSAGE_KEPT) if case.status in bad else "")
        for case in report.cases
    )
    return replace(report, cases=cases, output=clipped(report.output, OUTPUT_KEPT))


def _bounded(text: str) -> str:
    """Its first line and its end: what failed, and why."""
    first, newline, rest = text.partition("\n")
    return first + newline + rest[-OUTPUT_KEPT:]


def _timed(known: Examination, phase: str, began: float) -> Examination:
    """With what a phase took: the last time, where a restart has had it done again."""
    seconds = {**dict(known.seconds), phase: round(time.monotonic() - began, 2)}
    return replace(known, seconds=tuple(seconds.items()))
