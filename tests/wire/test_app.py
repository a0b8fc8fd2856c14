import pytest

from bot.errors import ConfigError
from bot.settings import read_settings
from bot.wire.app import github_of
from bot.wire.usable import require_usable
from tests.demo.keys import Keys


def test_the_webhooks_secret_is_for_the_service_and_not_for_who_only_asks_github() -> None:
    app = {"SELFCODE_APP_ID": "1", "SELFCODE_PRIVATE_KEY": Keys()()[0], "OPENAI_API_KEY": "sk-a-key"}

    github_of(read_settings(app))

    with pytest.raises(ConfigError, match="SELFCODE_WEBHOOK_SECRET"):
        require_usable(read_settings(app))
    require_usable(read_settings(app | {"SELFCODE_POLL_SECONDS": "30"}))
    require_usable(read_settings(app | {"SELFCODE_WEBHOOK_SECRET": "hush"}))
