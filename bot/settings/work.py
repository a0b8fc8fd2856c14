"""Settings of what is done, and for whom."""

from typing import Literal

from pydantic import BaseModel, DirectoryPath, Field

from bot.settings.forms import Names


class WorkSettings(BaseModel):
    """Whom it listens to, by which label, and what comes of it."""

    operators: Names = Field(
        (),
        validation_alias="SELFCODE_OPERATORS",
        description="logins of people who see, stop and retry every run once they have signed in",
    )
    allowed_owners: Names = Field(
        (),
        validation_alias="SELFCODE_ALLOWED_OWNERS",
        description="accounts whose repositories are served; others are ignored, and the log says so",
        json_schema_extra={"unset": "the App's owner"},
    )
    label: str = Field(
        "selfcode",
        min_length=1,
        max_length=50,
        validation_alias="SELFCODE_LABEL",
        description="the label that starts runs",
    )
    min_permission: Literal["read", "triage", "write", "maintain", "admin"] = Field(
        "write",
        validation_alias="SELFCODE_MIN_PERMISSION",
        description="what a person needs to start, stop and be listened to",
    )
    trusted_bots: Names = Field(
        (),
        validation_alias="SELFCODE_TRUSTED_BOTS",
        description="bots that may ask like people with enough access, by login, with or without `[bot]`: `renovate, "
        "my-triage[bot]`. All others are ignored, whatever access they have",
    )
    dry_run: bool = Field(
        False,
        validation_alias="SELFCODE_DRY_RUN",
        description="comment only: nothing is pushed, no pull request is opened",
    )
    acceptance_tests: DirectoryPath | None = Field(
        None,
        validation_alias="SELFCODE_ACCEPTANCE_TESTS",
        description="a folder with hidden tests: what lies in its `OWNER/REPO` must pass in that repository "
        "([below](#acceptance-tests))",
    )
