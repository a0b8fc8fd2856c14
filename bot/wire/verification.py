"""What `selfcode verify` judges, and with what."""

import re
from collections.abc import Callable

from bot.errors import Gone, Refused
from bot.records import StopCheck
from bot.repository.revisions import range_of, span_of
from bot.runs.doctor import Given
from bot.runs.judgement import newest_judgement
from bot.runs.provenance import staleness
from bot.runs.solving import outcome_of_proof
from bot.runs.sources import FULL_NAME, folder_of
from bot.runs.store import Store
from bot.runs.subjects import PullSource, from_pull, from_span, mirror_for_once
from bot.runs.verifying import verify
from bot.settings import Settings
from bot.wire.database import database_of, has_database
from bot.wire.doctor import means_of, remote_of
from bot.writing.comparison import StoredProof
from bot.writing.verification import Verification

_PULL = re.compile(rf"(?P<repository>{FULL_NAME})(?:#|/pull/)(?P<number>[1-9]\d{{0,8}})(?:/(?:files|commits|checks)?)?")
_HOW = "Say PATH BASE..HEAD, or OWNER/REPO#NUMBER or the address of a pull request."


def verify_range(
    settings: Settings,
    path: str,
    span: str,
    given: Given,
    *,
    accepted_by: str,
    stop: StopCheck,
    tell: Callable[[str], None],
) -> Verification:
    """The proof of a range in a repository on this machine.

    Raises `ConfigError` where the sandbox does not answer, `Refused` where the range can't be had or can't be judged.
    """
    wanted = range_of(span)
    found = span_of(folder_of(path), wanted)
    notes = () if found.is_ahead else (_PARTED.format(base=wanted.base, head=wanted.head),)
    means = means_of(settings, stop=stop, any_image=True)
    with mirror_for_once() as mirror:
        result = verify(means, from_span(found, mirror, stop=stop), given, accepted_by=accepted_by, tell=tell)
    return Verification(f"{path} {wanted}", result, notes)


_PARTED = (
    "note: {head} does not hold all of {base}, and what it lacks counts as taken away. {base}...{head} is what {head} "
    "has since they parted."
)


def verify_pull(
    settings: Settings,
    target: str,
    given: Given,
    *,
    accepted_by: str,
    stop: StopCheck,
    tell: Callable[[str], None],
) -> Verification:
    """The proof of a pull request, beside the one that is kept of it. Raises as `verify_range`, and `Unavailable`."""
    full_name, number = pull_named(target, settings.web_address)
    source = pull_of(settings, full_name, number)
    notes = () if source.pull else (_AS_EVERYBODY,)
    means = means_of(settings, stop=stop, any_image=False)
    tell(f"fetching {source} from {source.remote.clone_url}")
    with mirror_for_once() as mirror:
        result = verify(means, from_pull(source, mirror, stop=stop), given, accepted_by=accepted_by, tell=tell)
    return Verification(str(source), result, notes, stored=stored_proof(settings, source))


_AS_EVERYBODY = (
    "note: without the App's credentials it is not known which branch this is to go into; taken is the default branch."
)


def pull_named(target: str, web_address: str) -> tuple[str, int]:
    """The repository and the number of `OWNER/REPO#N`, or of a pull request's address. Raises `Refused`."""
    named = target.removeprefix(f"{web_address.rstrip('/')}/")
    found = _PULL.fullmatch(named)
    if found is None:
        elsewhere = f" Addresses begin with {web_address}." if "://" in target else ""
        raise Refused(f"`{target}` names nothing that can be verified. {_HOW}{elsewhere}")
    return found["repository"], int(found["number"])


def pull_of(settings: Settings, full_name: str, number: int) -> PullSource:
    """The pull request: through the App where it is set up, else as everybody sees it."""
    remote = remote_of(settings, full_name)
    if settings.app_id is None:
        return PullSource(remote, number)
    from bot.wire.app import github_of  # noqa: PLC0415 - not needed where nothing is asked of GitHub

    github = github_of(settings)
    try:
        pull = github.pull_request_numbered(github.find(full_name).ref, number)
    except Gone as gone:
        raise Refused(f"{full_name} has no pull request {number}: {gone}") from gone
    return PullSource(remote, number, pull)


def stored_proof(settings: Settings, source: PullSource) -> StoredProof | None:
    """The newest proof of the pull request that is kept here; None without one, or without a database."""
    if source.pull is None or source.remote.key is None or not has_database(settings):
        return None
    kept = newest_judgement(Store(database_of(settings)), source.remote.key, source.number)
    if kept is None:
        return None
    outcome, _ = outcome_of_proof(kept.proof)
    made = kept.proof.provenance
    stale = staleness(made, source.pull.head_sha) if made else ""
    return StoredProof(kept.run_id, outcome, kept.proof, kept.base, kept.head, stale)
