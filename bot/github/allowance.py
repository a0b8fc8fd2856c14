"""What an answer of GitHub's says of how much more it allows. Pure."""

from collections.abc import Mapping

from bot.seen.counting import Allowance


def allowance_in(headers: Mapping[str, str]) -> Allowance | None:
    """The limit that the request counted against; None where the headers, lower case, name none that can be read.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    try:
        return Allowance(
            resource=_known(headers.get("x-ratelimit-resource", "")),
            limit=int(headers["x-ratelimit-limit"]),
            left=int(headers["x-ratelimit-remaining"]),
            resets_at=float(headers["x-ratelimit-reset"]),
        )
    except (KeyError, ValueError):
        return None


def _known(resource: str) -> str:
    """The resource, where it is a word: a server does not choose our series."""
    return resource if resource.isidentifier() and len(resource) <= _LONGEST else "other"


_LONGEST = 40
