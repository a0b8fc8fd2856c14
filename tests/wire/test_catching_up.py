from pathlib import Path

from bot.demo.hub import Hub
from bot.settings import read_settings
from bot.wire.app import github_of
from bot.wire.catching_up import catching_up_of
from bot.wire.database import database_of


def test_a_worker_without_a_public_address_fetches_everything_and_needs_no_secret(tmp_path: Path) -> None:
    with Hub() as hub:
        app = hub.create_app(webhook_url="https://selfcode.invalid/webhook")
        settings = read_settings(
            {
                "SELFCODE_HOME": str(tmp_path),
                "SELFCODE_APP_ID": str(app.id),
                "SELFCODE_PRIVATE_KEY": app.private_key,
                "SELFCODE_GITHUB_API_URL": hub.api_url,
                "SELFCODE_POLL_SECONDS": "30",
                "SELFCODE_RETENTION_DAYS": "7",
            }
        )

        made = catching_up_of(settings, github_of(settings), database_of(settings), frozenset({"octo"}))

        assert made.turn() == 30
        assert made.deliveries.everything
        assert made.labels.longest_look_s == 7 * 86_400
