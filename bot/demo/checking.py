"""What can happen to the checks on a commit: suites that pushes ask for, runs that Apps report, and asking again."""

from collections.abc import Mapping
from typing import Any

from bot.demo import git, shapes_checks
from bot.demo.answers import ApiError, invalid
from bot.demo.changes import Changes
from bot.demo.state import Account, App, CheckRun, CheckSuite, Repository

_TEXT_LIMIT = 65_535
_ANNOTATION_LIMIT = 50
_ANNOTATION_LEVELS = ("notice", "warning", "failure")
_MESSAGE_LIMIT, _TITLE_LIMIT = 64 * 1024, 255
_TOO_MUCH = "Invalid request.\n\nOnly {} {} are allowed; {} were supplied."
_CONCLUSIONS = ("success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required")


def request_suites(changes: Changes, repository: Repository, head_sha: str, by: Account) -> None:
    """What a push does: each App that may write checks gets a suite on the new commit, and is asked for it."""
    for installation in changes.world.installations_on(repository):
        if installation.permissions.get("checks") == "write":
            suite = suite_for(changes, repository, installation.app, head_sha)
            _tell_suite(changes, repository, suite, "requested", by, to=installation.app)


def suite_for(changes: Changes, repository: Repository, app: App, head_sha: str) -> CheckSuite:
    """The App's suite on the commit, made where there is none."""
    found = next((each for each in repository.check_suites if (each.app, each.head_sha) == (app, head_sha)), None)
    if found is None:
        now = changes.world.now()
        branch = next((name for name, sha in git.heads(repository.directory).items() if sha == head_sha), None)
        found = CheckSuite(changes.world.new_id(), app, head_sha, branch, now, now)
        repository.check_suites.append(found)
    return found


def create_run(
    changes: Changes, repository: Repository, app: App, fields: Mapping[str, Any], *, head_sha: str, name: str
) -> CheckRun:
    """A new check run. Raises 422 for a commit that is not there, or for what GitHub does not take."""
    if git.resolve(repository.directory, head_sha) is None:
        raise ApiError(422, f"No commit found for SHA: {head_sha}")
    run = CheckRun(
        id=changes.world.new_id(),
        suite=suite_for(changes, repository, app, head_sha),
        app=app,
        head_sha=head_sha,
        name=name,
        status="queued",
        conclusion=None,
        started_at=changes.world.now(),
        completed_at=None,
        details_url=None,
        external_id="",
        title=None,
        summary=None,
        text=None,
    )
    _set(changes, run, fields)
    repository.check_runs.append(run)
    _tell_run(changes, repository, run, "created", app.bot)
    _completed(changes, repository, run)
    return run


def update_run(changes: Changes, repository: Repository, run: CheckRun, fields: Mapping[str, Any]) -> None:
    """Let a check run say something else; annotations are added to those that are there."""
    was_completed = run.status == "completed"
    _set(changes, run, fields)
    if not was_completed:
        _completed(changes, repository, run)


def ask_again(changes: Changes, repository: Repository, run: CheckRun, by: Account) -> None:
    """Press “Re-run” on a check run: its App is told, and nothing else happens."""
    fields = {"check_run": shapes_checks.check_run_told(changes.world, run, repository)}
    changes.courier.tell_repository(repository, "check_run", "rerequested", fields, sender=by, app=run.app)


def ask_all_again(changes: Changes, repository: Repository, suite: CheckSuite, by: Account) -> None:
    """Press “Re-run all checks” of an App."""
    _tell_suite(changes, repository, suite, "rerequested", by, to=suite.app)


def _completed(changes: Changes, repository: Repository, run: CheckRun) -> None:
    """Tell that a run has ended, and its suite with the last one of it."""
    if run.status != "completed":
        return
    run.suite.updated_at = changes.world.now()
    _tell_run(changes, repository, run, "completed", run.app.bot)
    if all(each.status == "completed" for each in shapes_checks.latest(repository, run.suite)):
        _tell_suite(changes, repository, run.suite, "completed", run.app.bot)


def _tell_run(changes: Changes, repository: Repository, run: CheckRun, action: str, by: Account) -> None:
    fields = {"check_run": shapes_checks.check_run_told(changes.world, run, repository)}
    changes.courier.tell_repository(repository, "check_run", action, fields, sender=by)


def _tell_suite(
    changes: Changes, repository: Repository, suite: CheckSuite, action: str, by: Account, *, to: App | None = None
) -> None:
    fields = {"check_suite": shapes_checks.check_suite_told(changes.world, suite, repository)}
    changes.courier.tell_repository(repository, "check_suite", action, fields, sender=by, app=to)


def _set(changes: Changes, run: CheckRun, fields: Mapping[str, Any]) -> None:
    output = fields.get("output") or {}
    annotations = output.get("annotations") or []
    _check_output(output, annotations)
    conclusion = fields.get("conclusion")
    if conclusion is not None and conclusion not in _CONCLUSIONS:
        raise ApiError(422, f"Invalid request.\n\n{conclusion} is not a member of {list(_CONCLUSIONS)}.")
    run.status = "completed" if conclusion else fields.get("status", run.status)
    if run.status == "completed" and not (conclusion or run.conclusion):
        raise invalid("CheckRun", "missing_field", "conclusion")
    run.conclusion = conclusion or run.conclusion
    run.completed_at = changes.world.now() if run.conclusion else None
    run.name, run.details_url = fields.get("name", run.name), fields.get("details_url", run.details_url)
    run.external_id = str(fields.get("external_id") or run.external_id)
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.text = output.get("text", run.text)
    run.annotations.extend(annotations)


def _check_output(output: Mapping[str, Any], annotations: list[Mapping[str, Any]]) -> None:
    if len(annotations) > _ANNOTATION_LIMIT:
        raise ApiError(422, _TOO_MUCH.format(_ANNOTATION_LIMIT, "items", len(annotations)))
    for annotation in annotations:
        _check_annotation(annotation)
    for part in ("summary", "text"):
        if len(output.get(part) or "") > _TEXT_LIMIT:
            raise ApiError(422, _TOO_MUCH.format(_TEXT_LIMIT, "characters", len(output[part])))
    if output and not output.get("title"):
        raise invalid("CheckRun", "missing_field", "title")


def _check_annotation(annotation: Mapping[str, Any]) -> None:
    """Raise 422 for an annotation that lacks something, or says it at another length or level than GitHub takes."""
    required = ("path", "start_line", "end_line", "annotation_level", "message")
    missing = next((name for name in required if not annotation.get(name)), None)
    if missing:
        raise ApiError(422, f'Invalid request.\n\n"{missing}" wasn\'t supplied.')
    if annotation["annotation_level"] not in _ANNOTATION_LEVELS or annotation["start_line"] > annotation["end_line"]:
        raise invalid("CheckRun", "invalid", "annotations")
    if len(annotation["message"].encode()) > _MESSAGE_LIMIT or len(annotation.get("title") or "") > _TITLE_LIMIT:
        raise invalid("CheckRun", "invalid", "annotations")
