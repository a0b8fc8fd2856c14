"""Which deliveries can ask for anything, by what a list of them tells: event and action. Pure."""

from collections.abc import Mapping

MATTERING: Mapping[str, frozenset[str]] = {
    "issues": frozenset({"labeled", "opened", "unlabeled", "closed", "deleted", "transferred"}),
    "issue_comment": frozenset({"created"}),
    "pull_request": frozenset({"closed", "reopened", "synchronize"}),
    "pull_request_review": frozenset({"submitted"}),
    "pull_request_review_comment": frozenset({"created"}),
    "check_run": frozenset({"rerequested", "completed"}),
    "check_suite": frozenset({"rerequested", "completed"}),
    "github_app_authorization": frozenset({"revoked"}),
    "installation": frozenset({"created", "deleted", "suspend", "unsuspend"}),
    "installation_repositories": frozenset({"added", "removed"}),
}
"""What `decide` ever acts on. Everything else it ignores, whatever the payload says."""


def can_matter(event: str, action: str) -> bool:
    """Whether such a delivery is worth reading."""
    return action in MATTERING.get(event, ())


def is_said_by_machines(event: str, action: str) -> bool:
    """Whether such deliveries come in great numbers, and can wait for what people ask."""
    return event in ("check_run", "check_suite") and action == "completed"
