"""What a dry run would have opened: the pull request's text, folded, in a comment that opens nothing."""

import re

from bot.records import PullRequestText
from bot.writing.document import Section, details
from bot.writing.safe import ZERO_WIDTH, inline

_MARKER = re.compile(r"\n*<!-- selfcode:[^<>]{1,300}-->")
_CLOSES = re.compile(r"^(Closes )#(?=\d)", re.MULTILINE)

RANK = 65


def would_have_opened(text: PullRequestText) -> Section:
    """The title, and below it the body as it would stand. It closes no issue, and is found for no pull request."""
    kind = "As a draft" if text.draft else "Ready for review"
    beside = [f"labels: {', '.join(map(inline, text.labels))}"] if text.labels else []
    beside += [f"reviewers: {', '.join(map(inline, text.reviewers))}"] if text.reviewers else []
    more = f" ({'; '.join(beside)})" if beside else ""
    heading = f"**What would have been opened:** “{inline(text.title)}”. {kind}{more}."
    body = _CLOSES.sub(rf"\1#{ZERO_WIDTH}", _MARKER.sub("", text.body))
    return Section(f"{heading}\n\n{details('The pull request as it would stand', body)}", RANK, (heading,))
