"""What a proof was made of, so that another one's difference can be explained."""

from collections.abc import Callable
from dataclasses import replace

from bot.records import Provenance, RunResult
from bot.writing.document import Section, details, table
from bot.writing.safe import code_in_cell, inline

VERSIONS_AT_MOST = 30


def made_of(result: RunResult) -> Section:
    """Commits, command, image and versions, folded."""
    made = result.proof.provenance if result.proof else None
    if made is None:
        return Section("")
    known = facts(replace(made, head=made.head or result.head_sha))
    rows = [(name, code_in_cell(value, 400)) for name, value in known]
    versions = list(made.versions.items())[:VERSIONS_AT_MOST]
    rows += [(inline(name, 60), code_in_cell(version, 100)) for name, version in versions]
    return Section(details("What this proof was made of", table(("", ""), rows)), 35)


def facts(made: Provenance, *, digest: Callable[[str], str] = str) -> list[tuple[str, str]]:
    """All but the versions by name, in plain text, as far as it is known. `digest` writes the images' digests."""
    known = [
        ("base", made.base),
        ("head", made.head),
        ("tests", made.command),
        ("build", made.build),
        ("folder", made.directory if made.directory != "." else ""),
        ("sandbox", made.sandbox),
        ("image", _image(made, digest)),
    ]
    return [(name, value) for name, value in known if value]


def _image(made: Provenance, digest: Callable[[str], str]) -> str:
    """The image, and what it was prepared from where that is another: two machines can compare that alone."""
    image = _named(made.image, digest(made.image_digest))
    if made.image == made.base_image or not made.base_image:
        return image
    return f"{image}, prepared from {_named(made.base_image, digest(made.base_image_digest))}"


def _named(name: str, digest: str) -> str:
    return f"{name} ({digest})" if name and digest else name
