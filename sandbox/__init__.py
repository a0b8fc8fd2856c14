"""Where code that nobody vouches for runs: a contract, and backends that hold it."""

from sandbox.contract import (
    Ending,
    ExecutionResult,
    Guarantee,
    Limits,
    Sandbox,
    SandboxError,
    SandboxUnavailable,
    Workspace,
    WorkspaceFull,
)

__all__ = [
    "Ending",
    "ExecutionResult",
    "Guarantee",
    "Limits",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Workspace",
    "WorkspaceFull",
]
