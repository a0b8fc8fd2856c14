import pytest

from bot.errors import ConfigError
from bot.settings import read_settings
from bot.wire.sandboxes import answering_sandbox
from sandbox.bubblewrap import BubblewrapSandbox


@pytest.mark.usefixtures("bubblewrap_sandbox")
def test_a_folder_that_can_not_be_shown_is_told_by_the_setting_that_names_it() -> None:
    settings = read_settings({"SELFCODE_SANDBOX": "bubblewrap", "SELFCODE_SANDBOX_PATHS": "/"})

    with pytest.raises(ConfigError, match=r"^SELFCODE_SANDBOX_PATHS: / can't be shown"):
        answering_sandbox(settings)


def test_one_that_can_be_shown_is_no_hindrance(bubblewrap_sandbox: BubblewrapSandbox) -> None:
    settings = read_settings({"SELFCODE_SANDBOX": bubblewrap_sandbox.name, "SELFCODE_SANDBOX_PATHS": "/usr"})

    sandbox = answering_sandbox(settings)

    assert sandbox.name == bubblewrap_sandbox.name
