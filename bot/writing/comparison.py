"""Two proofs of one pull request side by side: the one that is kept, and one that was taken now; why they differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.records import Outcome, Proof, Provenance, RunResult

NAMED = 5


@dataclass(frozen=True, slots=True)
class StoredProof:
    """A proof as it is kept: of which commits, by which run. `stale` says that the head has moved since, or is ""."""

    run_id: str
    outcome: Outcome
    proof: Proof
    base: str
    head: str
    stale: str = ""


def verdict(stored: StoredProof, now: RunResult) -> str:
    """Whether both come to the same, in a sentence that the reasons follow where there are any."""
    because = reasons(stored, now)
    if stored.outcome is now.outcome:
        return "It comes to the same, with these differences:" if because else "It comes to the same, of the same."
    if because:
        return f"It was {stored.outcome} and is {now.outcome} now. What differs:"
    return (
        f"It was {stored.outcome} and is {now.outcome} now, though it was made of the same: a test that is not steady, "
        "or something outside of the repository."
    )


def reasons(stored: StoredProof, now: RunResult) -> tuple[str, ...]:
    """What differs between the two, a line each: what they were made of, then what they found."""
    made, proof = stored.proof.provenance, now.proof
    lines = [
        *_changed("base commit", stored.base[:12], now.base_sha[:12]),
        *_changed("head commit", stored.head[:12], now.head_sha[:12]),
    ]
    if proof is None:
        return tuple(lines)
    if made is None:
        lines.append("the stored proof does not say which image, command and versions it was made of")
    elif proof.provenance is not None:
        lines += _made_otherwise(made, proof.provenance)
    return (*lines, *_judged_otherwise(stored.proof, proof))


def _made_otherwise(then: Provenance, now: Provenance) -> Iterator[str]:
    yield from _changed("test command", then.command, now.command)
    yield from _changed("build command", then.build, now.build)
    yield from _changed("directory", then.directory, now.directory)
    yield from _changed("sandbox", then.sandbox, now.sandbox)
    yield from _changed("base image", then.base_image, now.base_image)
    if then.base_image_digest != now.base_image_digest:
        yield from _changed(
            "base image's digest", short_digest(then.base_image_digest), short_digest(now.base_image_digest)
        )
    elif then.image_digest != now.image_digest:
        yield (
            f"the environment was prepared anew from the same base image: {short_digest(now.image_digest)}, "
            f"was {short_digest(then.image_digest)}"
        )
    for name in sorted({*then.versions, *now.versions}):
        yield from _changed(name, then.versions.get(name, ""), now.versions.get(name, ""))


def _judged_otherwise(then: Proof, now: Proof) -> Iterator[str]:
    for what, before, after in (
        ("fails without the change and passes with it", then.evidence.red, now.evidence.red),
        ("broke", then.evidence.broke, now.evidence.broke),
        ("is flaky", then.evidence.flaky, now.evidence.flaky),
    ):
        if gone := sorted(set(before) - set(after)):
            yield f"{what}, as it was, but not now: {_named(gone)}"
        if new := sorted(set(after) - set(before)):
            yield f"{what} now, but not as it was: {_named(new)}"
    if then.accepted_by and not now.accepted_by:
        yield f"{then.accepted_by} accepted what the change does to existing tests; --accept-tests does so here"
    if then.acceptance_passed is not None:
        yield "the operator's acceptance tests, which are not in the repository, are in the stored proof alone"


def short_digest(digest: str) -> str:
    """An image's digest as people write it."""
    return digest[:19] if digest.startswith("sha256:") else digest[:12]


def _changed(what: str, then: str, now: str) -> list[str]:
    return [] if then == now else [f"{what}: {now or 'none'}, was {then or 'none'}"]


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more
