"""A page as it is read: its text, its parts, its forms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr", "rect", "line"})


@dataclass
class Page(HTMLParser):
    """What a page holds. Raises where an element is closed that is not open."""

    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, tag
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The elements of this tag that have these attributes."""
        found = (attributes for name, attributes in self.elements if name == tag)
        return [each for each in found if wanted.items() <= each.items()]

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def read(answer: TestResponse) -> Page:
    """The page of an answer, closed as it was opened."""
    page = Page()
    page.feed(answer.text)
    page.close()
    assert page._open == []
    return page


def look(client: FlaskClient, address: str, **headers: str) -> Page:
    """A page that is there."""
    answer = client.get(address, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert answer.status_code == 200, answer.text
    return read(answer)


def send(client: FlaskClient, page: Page, action: str, **fields: str) -> TestResponse:
    """Send the form of a page that goes to this address."""
    assert page.all("form", method="post", action=action)
    [hidden, *_] = page.all("input", type="hidden")
    sent: Mapping[str, str] = {hidden["name"]: hidden["value"], **fields}
    return client.post(action, data=sent)
