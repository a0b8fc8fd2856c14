"""What a proof was made of, so that another one's difference can be explained."""

from bot.records import RunResult
from bot.writing.document import Section, details, table
from bot.writing.safe import code_in_cell, inline


def made_of(result: RunResult) -> Section:
    """Commits, command, image and versions, folded."""
    made = result.proof.provenance if result.proof else None
    if made is None:
        return Section("")
    facts = [
        ("base", made.base),
        ("head", made.head or result.head_sha),
        ("test command", made.command),
        ("build", made.build),
        ("directory", made.directory if made.directory != "." else ""),
        ("image", made.image),
        ("image digest", made.image_digest),
        ("base image", made.base_image if made.base_image != made.image else ""),
        ("base image digest", made.base_image_digest if made.base_image_digest != made.image_digest else ""),
    ]
    rows = [(name, code_in_cell(value, 300)) for name, value in facts if value]
    rows += [("sandbox", inline(made.sandbox, 60))] if made.sandbox else []
    rows += [(inline(name, 60), code_in_cell(version, 100)) for name, version in list(made.versions.items())[:30]]
    return Section(details("What this proof was made of", table(("", ""), rows)), 35)
