"""Settings in, connected objects out: the only place that knows every room."""

from bot.wire.commands import local_of, local_summary, solve, trace_named
from bot.wire.connections import database_of
from bot.wire.demonstration import demo
from bot.wire.doctor import doctor_of, remote_of
from bot.wire.sandboxes import answering_sandbox, sandbox_options
from bot.wire.service import require_usable, web_app, worker_of
from bot.wire.verification import verify_pull, verify_range

__all__ = [
    "answering_sandbox",
    "database_of",
    "demo",
    "doctor_of",
    "local_of",
    "local_summary",
    "remote_of",
    "require_usable",
    "sandbox_options",
    "solve",
    "trace_named",
    "verify_pull",
    "verify_range",
    "web_app",
    "worker_of",
]
