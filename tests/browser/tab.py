"""A browser's tab with one of our pages, and what no page of ours may do or be: it is taken down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Locator, Page, Request

PATIENCE_MS = 60_000
"""How long anything is waited for that has to come by itself."""

SENTINEL = "hacked"
"""What text that is run as a script sets, a property of the window."""

_TELL_OF_SENTINEL = f"""
Object.defineProperty(window, "{SENTINEL}", {{ set() {{ console.error("a stranger's script ran"); }} }});
"""
_STATUS = "Failed to load resource: the server responded with a status of"
_CONTRAST = "color-contrast"
_AXE = resources.files("axe_playwright_python") / "axe.min.js"


@dataclass
class Tab:
    """What somebody has open. `own` are the servers that its pages may ask; whatever else they do is in `troubles`."""

    context: BrowserContext
    url: str
    own: Sequence[str]
    page: Page = field(init=False)
    troubles: list[str] = field(default_factory=list)
    _pages: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(_TELL_OF_SENTINEL)
        self.context.on("request", self._see_request)
        self.context.on("console", self._see_words)
        self.context.on("dialog", self._see_dialog)
        self.context.on("weberror", lambda error: self.troubles.append(f"error: {error.error}"))
        self.page = self.context.new_page()
        self.page.on("popup", lambda popup: self.troubles.append(f"another tab: {popup.url}"))

    def open(self, path: str, status: int = 200) -> "Tab":
        """Go to a page, which answers so."""
        answer = self.page.goto(f"{self.url}{path}")
        assert answer is not None
        assert answer.status == status, answer.text()
        return self

    @property
    def path(self) -> str:
        """Where one is, without the server."""
        return self.page.url.removeprefix(self.url)

    def text(self) -> str:
        """All that can be read."""
        return self.page.locator("body").inner_text()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    def unfold(self) -> None:
        """Open all that is folded, and have what is loaded then."""
        self.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        for place in self.page.locator(".loaded").all():
            place.locator("*").first.wait_for(state="attached")
        self.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

    def overflow_px(self) -> int:
        """By how much the page is wider than the window."""
        width: int = self.page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
        return width

    def barriers(self, *, of_colour: bool = True, of_all_else: bool = True) -> list[str]:
        """What keeps somebody from using the page, as axe finds it: in colours that are too much alike, or else."""
        told = {"runOnly": [_CONTRAST]} if not of_all_else else {"rules": {_CONTRAST: {"enabled": of_colour}}}
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("(told) => axe.run(document, told)", {"resultTypes": ["violations"], **told})[
            "violations"
        ]
        return [
            f"{each['help']} ({each['id']}): {node['html'][:200]} {node.get('failureSummary', '')}"
            for each in found
            for node in each["nodes"][:3]
        ]

    # --- What no page may do

    def _see_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if request.is_navigation_request():
            self._pages.add(request.url)
        if origin not in self.own:
            self.troubles.append(f"asks {request.url[:300]}")

    def _see_words(self, message: ConsoleMessage) -> None:
        at = message.location["url"]
        is_a_pages_status = message.text.startswith(_STATUS) and at in self._pages
        is_icon = at.endswith("/favicon.ico")  # browsers ask for one by themselves
        is_anothers = any(at.startswith(f"{each}/") for each in self.own if each != self.url)
        if message.type in ("error", "warning") and not (is_a_pages_status or is_icon or is_anothers):
            self.troubles.append(f"{message.type}: {message.text} ({at[:300]})")

    def _see_dialog(self, dialog: Dialog) -> None:
        self.troubles.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()


Opens = Callable[..., Tab]
"""Opens a tab of a site for somebody who has signed in, or for nobody ("")."""
