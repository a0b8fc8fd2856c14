"""The headers that every page for people has."""

import base64
import hashlib
from collections.abc import Sequence

from flask import Response

OWN = "'self'"


def guard(answer: Response, *, styles: str = OWN, scripts: str = OWN, forms: Sequence[str] = (OWN,)) -> Response:
    """Let a page load and send nothing but to us, be framed by nobody, and tell nobody where one came from.

    `forms` are where its forms may go, redirects included. Returns the answer itself.
    """
    policy = (
        "default-src 'none'",
        f"style-src {styles}",
        f"script-src {scripts}",
        "img-src 'self'",
        "connect-src 'self'",
        f"form-action {' '.join(forms)}",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
    answer.headers["Content-Security-Policy"] = "; ".join(policy)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["X-Frame-Options"] = "DENY"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    answer.headers.setdefault("Cache-Control", "no-store")
    return answer


def hashed(text: str) -> str:
    """What allows this very text to stand in a page, as a style or a script.

    Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
