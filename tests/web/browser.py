"""A browser without JavaScript: it follows redirects, keeps cookies, and sends the forms that it sees."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import requests


@dataclass
class Form:
    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._silent = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self._silent = tag == "style" or (self._silent and tag != "body")
        if tag == "form":
            self.forms.append(Form(given.get("method", "get"), given.get("action", "")))
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag == "input" and self.forms and (given.get("type") != "radio" or "checked" in given):
            self.forms[-1].fields[given.get("name", "")] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)


class Browser:
    """What is open in it now: `status`, `words`, `forms`, `links`, `address`."""

    def __init__(self) -> None:
        self.session = requests.Session()
        self.session.trust_env = False
        self.status = 0
        self.page = _Reader()
        self.answer: requests.Response

    def open(self, address: str) -> "Browser":
        return self._show(self.session.get(address, timeout=20))

    def send(self, **fields: str) -> "Browser":
        """Send the first form of the page, with these fields filled in."""
        form = self.page.forms[0]
        target = urljoin(self.answer.url, form.action)
        return self._show(self.session.request(form.method, target, data=form.fields | fields, timeout=20))

    @property
    def words(self) -> str:
        return " ".join("".join(self.page.words).split())

    def _show(self, answer: requests.Response) -> "Browser":
        self.answer, self.status, self.page = answer, answer.status_code, _Reader()
        self.page.feed(answer.text)
        return self
