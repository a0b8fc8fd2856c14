"""Web and worker may be started before their database and GitHub are there."""

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import requests

from bot.demo.hub import Hub
from bot.demo.recorded import RecordedModel
from tests.ports import held_port
from tests.story import recordings
from tests.story.town import PATIENCE_S, Bot, answers, environment_of

SOCKET = ".s.PGSQL.5432"


def test_web_and_worker_wait_for_database_and_github_and_say_so(tmp_path: Path, new_postgres_url: str) -> None:
    real = Path(parse_qs(urlsplit(new_postgres_url).query)["host"][0])
    url = new_postgres_url.replace(quoted(real), quoted(tmp_path))
    with Hub(tmp_path / "hub") as hub, RecordedModel(recordings.right_at_once()) as model, held_port() as port:
        app = hub.create_app(owner="octo", webhook_secret="a secret of the tests")
        repository = hub.create_repository("octo/calc", recordings.files(), roles={"ada": "write"})
        environment = environment_of(hub, app, model, tmp_path / "home", port=port, sandbox="process")
        bot = Bot(environment | {"SELFCODE_DATABASE_URL": url}, tmp_path / "bot.log")
        hub.fail_next("GET", "/app$", 502, times=3)
        try:
            bot.start("web")
            bot.start("worker")
            wait_for(lambda: says(bot, "not started yet: the database", times=2) and answers(port))
            early = requests.get(f"http://127.0.0.1:{port}/readyz", timeout=10)
            delivered = requests.post(f"http://127.0.0.1:{port}/webhook", data=b"{" * 4096, timeout=10)
            (tmp_path / SOCKET).symlink_to(real / SOCKET)
            wait_for(lambda: says(bot, "the worker is ready") and is_ready(port))
            hub.set_webhook(app, f"http://127.0.0.1:{port}/webhook")
            hub.install(app, "octo", (repository,))
            hub.wait_for_deliveries()
        finally:
            bot.end()

    assert early.status_code == 503
    assert "does not answer" in early.json()["problems"][0]
    assert (delivered.status_code, "Retry-After" in delivered.headers) == (503, True)
    assert "not started yet: GitHub failed" in bot.log.read_text()
    assert [each.status_code for each in hub.deliveries if each.event == "installation"] == [202]


def says(bot: Bot, words: str, *, times: int = 1) -> bool:
    """Whether the bot, which is to live, has said so in its log."""
    said = bot.log.read_text()
    assert all(each.poll() is None for each in bot.processes.values()), said[-4000:]
    return said.count(words) >= times


def is_ready(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=10).ok
    except requests.ConnectionError:
        return False


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.2)


def quoted(folder: Path) -> str:
    """As it stands in an address."""
    return str(folder).replace("/", "%2F")
