"""Behind a firewall: GitHub can send nothing here, and everything works."""

import subprocess
import time
from pathlib import Path

from bot.demo.hub import Hub
from bot.demo.recorded import RecordedModel
from bot.records import Outcome
from bot.runs.database import connect
from bot.runs.store import Store
from bot.serving import COMMAND
from tests.runs.lookout import NOWHERE
from tests.story import recordings
from tests.story.town import PATIENCE_S, environment_of


def test_without_a_public_address_a_label_becomes_a_pull_request_by_a_worker_alone(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "bot.log"
    home.mkdir()
    with Hub(tmp_path / "hub") as hub, RecordedModel(recordings.right_at_once()) as model, log.open("wb") as out:
        app = hub.create_app(owner="octo", webhook_url=NOWHERE)
        repository = hub.create_repository("octo/calc", recordings.files(), roles={"ada": "write"})
        hub.install(app, "octo", (repository,))
        environment = environment_of(hub, app, model, home, port=1, sandbox="process")
        del environment["SELFCODE_WEBHOOK_SECRET"]
        environment["SELFCODE_POLL_SECONDS"] = "5"
        worker = subprocess.Popen([*COMMAND, "worker"], env=environment, stdout=out, stderr=out)
        issue = repository.open_issue(recordings.TITLE, recordings.BODY, by="ada")
        issue.label("selfcode", by="ada")

        try:
            until = time.monotonic() + PATIENCE_S
            while not repository.pulls and time.monotonic() < until and worker.poll() is None:
                time.sleep(0.2)
            issue.comment("/selfcode status", by="ada")
            while len(issue.comments_by("selfcode[bot]")) < 2:
                assert time.monotonic() < until, log.read_text()[-4000:]
                time.sleep(0.2)
        finally:
            worker.kill()
            worker.wait()

        [run] = Store(connect(f"sqlite:///{home / 'selfcode.sqlite'}")).runs_of(repository.id, issue.number)
        assert run.outcome is Outcome.PROVEN
        assert len(repository.pulls) == 1
