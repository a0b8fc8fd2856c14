"""Where we are, as browsers see it: by the operator's word, as whoever asks can write anything into a Host header."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Request, Response

from bot.triggers.manifest import SIGNED_IN
from bot.web.loopback import is_local

HOME = "/"
LONGEST = 500


@dataclass(frozen=True, slots=True)
class Place:
    """Our public address, without a slash at its end; None where there is none, and browsers are on this machine."""

    public_url: str | None = None

    @property
    def is_secure(self) -> bool:
        return (self.public_url or "").startswith("https:")

    def back(self, request: Request) -> str | None:
        """Where GitHub sends the browser back to; None where that can't be known."""
        if self.public_url is not None:
            return f"{self.public_url}{SIGNED_IN}"
        return f"http://{request.host}{SIGNED_IN}" if is_local(request) else None

    def is_own(self, origin: str, request: Request) -> bool:
        """Whether a page of this origin is one of ours."""
        if self.public_url is not None and origin == self._origin:
            return True
        is_here = self.public_url is None or is_local(request)
        return is_here and origin in (f"http://{request.host}", f"https://{request.host}")

    @property
    def _origin(self) -> str:
        parts = urlsplit(self.public_url or "")
        return f"{parts.scheme}://{parts.netloc}"

    # --- Cookies

    def cookie(self, name: str) -> str:
        """The cookie's whole name. Over TLS nothing but this very host can set or read it, other ports apart.

        Source: https://www.rfc-editor.org/rfc/rfc6265bis, “Cookie Name Prefixes”
        """
        return f"__Host-selfcode-{name}" if self.is_secure else f"selfcode-{name}"

    def given(self, request: Request, name: str) -> str:
        """What a browser has in a cookie of ours; "" for nothing."""
        return request.cookies.get(self.cookie(name), "")

    def give(self, answer: Response, name: str, value: str, *, lasts_s: int | None = None) -> None:
        """Have the browser keep it: no script reads it, and no other site has it sent with a form."""
        answer.set_cookie(
            self.cookie(name),
            value,
            max_age=lasts_s,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="Lax",
        )

    def take(self, answer: Response, name: str) -> None:
        """Have the browser forget it."""
        answer.delete_cookie(self.cookie(name), path="/", secure=self.is_secure, httponly=True, samesite="Lax")


def own_path(wanted: str) -> str:
    """The page that is wanted after signing in, where it is one of ours; else the first one. Never another host."""
    is_path = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    is_plain = wanted.isascii() and wanted.isprintable() and "\\" not in wanted and " " not in wanted
    return wanted if is_path and is_plain and len(wanted) <= LONGEST else HOME
