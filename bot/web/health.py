"""`GET /healthz`: the process answers. `GET /readyz`: the whole works, or what does not. `GET /metrics`: figures."""

from collections.abc import Callable, Mapping

from flask import Blueprint, Response, jsonify, request

from bot.web.loopback import is_local, require_local


def health(*, problems: Callable[[], Mapping[str, str]], figures: Callable[[], tuple[bytes, str]]) -> Blueprint:
    """The pages that watch over us. What is wrong is told on this machine only; elsewhere, whether something is."""
    pages = Blueprint("health", __name__)

    @pages.get("/healthz")
    def healthz() -> Response:
        return jsonify(alive=True)

    @pages.get("/readyz")
    def readyz() -> tuple[Response, int]:
        found = [f"{part}: {problem}" for part, problem in problems().items() if problem]
        shown = {"problems": found} if is_local(request) else {}
        return jsonify(ready=not found, **shown), 503 if found else 200

    @pages.get("/metrics")
    def metrics() -> Response:
        require_local(request)
        text, content_type = figures()
        return Response(text, content_type=content_type)

    return pages
