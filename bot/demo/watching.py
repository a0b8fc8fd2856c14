"""Seeing on the stand-in what the bot does: what is new since the last look, and whether the run has ended."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.demo.handles import IssueHandle, PullHandle, RepositoryHandle
from bot.demo.hub import Hub
from bot.demo.state import App

_WIDTH = 120
_CELLS = 3
"""What is told of a table's row: the iteration, the change, the tests."""

_RUN = re.compile(r"<sub>run `([0-9a-f]+)`</sub>")
"""The last line of a comment of a run."""

_TABLE_RULE = re.compile(r"^\|[\s:|-]+\|?$")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: the outcome's name, and the line that the bot gave as its result."""

    outcome: str
    line: str


@dataclass(slots=True)
class Watch:
    """Looks at one issue of the hub again and again. `new` tells each thing once."""

    hub: Hub
    app: App
    repository: RepositoryHandle
    issue: IssueHandle
    titles: Mapping[str, str]
    _deliveries: set[int] = field(default_factory=set)
    _lines: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)

    def new(self) -> Iterator[str]:
        """What has happened since the last look, in words."""
        yield from self._new_deliveries()
        for _, content in self.issue.reactions:
            yield from self._once(f"reaction {content}", f"the bot reacts to the issue: {content}")
        for comment in self.issue.comments_by(self.app.bot.login):
            for body in (*comment.earlier, comment.body):  # one that was edited between two looks is told as well
                yield from self._new_lines(body)
        for branch in self.repository.branches:
            if branch != self.repository.state_of.default_branch:
                yield from self._once(f"branch {branch}", f"the bot pushed {branch}")
        for pull in self.repository.pulls:
            kind = "draft pull request" if pull.is_draft else "pull request"
            yield from self._once(f"pull {pull.number}", f"{kind} #{pull.number}: {pull.title}")
        for check in self.repository.check_runs:
            yield from self._once(f"check {check.id} {check.conclusion}", f"check {check.name}: {check.conclusion}")

    def ending(self) -> Ending | None:
        """The run's end, once one of the bot's comments says it in its first line."""
        for comment in reversed(self.issue.comments_by(self.app.bot.login)):
            first = _first_line(comment.body)
            for title, outcome in self.titles.items():
                if f"**{title}**" in first:
                    return Ending(outcome, plain(first))
        return None

    @property
    def run_id(self) -> str:
        """The run that the bot's newest comment on the issue names; "" where none does."""
        bodies = [comment.body for comment in self.issue.comments_by(self.app.bot.login)]
        return next((found[1] for body in reversed(bodies) if (found := _RUN.search(body))), "")

    @property
    def pull(self) -> PullHandle | None:
        """The bot's newest pull request."""
        return next(iter(reversed(self.repository.pulls)), None)

    def _new_deliveries(self) -> Iterator[str]:
        for delivery in self.hub.deliveries:
            if delivery.status_code is None or delivery.id in self._deliveries:
                continue
            self._deliveries.add(delivery.id)
            if delivery.payload.get("sender", {}).get("type") != "Bot" or delivery.status_code not in (200, 202):
                name = f"{delivery.event}.{delivery.action}" if delivery.action else delivery.event
                yield f"webhook {name}: answered {delivery.status_code or delivery.status}"

    def _new_lines(self, body: str) -> Iterator[str]:
        """Rows of a comment's tables, and its first line, where they are new."""
        first = _first_line(body)
        rows = [line for line in body.splitlines() if line.startswith("|") and not _TABLE_RULE.match(line)]
        for line in (*rows[1:], first):
            told = shorten(plain(line, cells=_CELLS), _WIDTH)
            if told and told not in self._lines:
                self._lines.add(told)
                yield told

    def _once(self, key: str, text: str) -> Iterator[str]:
        if key not in self._seen:
            self._seen.add(key)
            yield text


def plain(markdown: str, *, cells: int | None = None) -> str:
    """One line of Markdown as plain text; of a table's row so many cells, or all."""
    parts = markdown.strip().strip("|").split(" | ")[:cells] if markdown.startswith("|") else [markdown]
    return re.sub(r"\*\*|`|<[^>]+>", "", " · ".join(part.strip() for part in parts if part.strip())).strip()


def shorten(text: str, width: int) -> str:
    """The text's beginning, with a mark where it was cut."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _first_line(body: str) -> str:
    return next((line for line in body.splitlines() if line.strip()), "")
