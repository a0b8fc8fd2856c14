"""Settings of what a run, and a day, may take."""

from pydantic import BaseModel, Field

from bot.records import Caps


class LimitSettings(BaseModel):
    """The limits."""

    max_iterations: int = Field(
        5,
        ge=1,
        validation_alias="SELFCODE_MAX_ITERATIONS",
        description="tries at the change in one run, each with the test command behind it; iterations in which the "
        "test is written before do not count",
    )
    max_calls: int = Field(20, ge=1, validation_alias="SELFCODE_MAX_CALLS", description="model calls in one iteration")
    max_tokens: int = Field(
        400_000, ge=1, validation_alias="SELFCODE_MAX_TOKENS", description="tokens of a run, prompt and completion"
    )
    max_usd: float = Field(
        3.0,
        ge=0,
        validation_alias="SELFCODE_MAX_USD",
        description="money of a run; without effect for a model whose price is not known",
    )
    max_minutes: float = Field(60.0, gt=0, validation_alias="SELFCODE_MAX_MINUTES", description="time of a run")
    max_patch_lines: int = Field(
        1500, ge=1, validation_alias="SELFCODE_MAX_PATCH_LINES", description="lines of a change, added and removed"
    )
    max_patch_files: int = Field(40, ge=1, validation_alias="SELFCODE_MAX_PATCH_FILES", description="files of a change")
    day_usd_repository: float = Field(
        20.0,
        ge=0,
        validation_alias="SELFCODE_DAY_USD_REPOSITORY",
        description="money of 24 hours for one repository; 0 for no limit",
    )
    day_usd_installation: float = Field(
        50.0,
        ge=0,
        validation_alias="SELFCODE_DAY_USD_INSTALLATION",
        description="money of 24 hours for one account; 0 for no limit",
    )
    test_seconds: float = Field(
        600.0,
        gt=0,
        validation_alias="SELFCODE_TEST_SECONDS",
        description="the time that one command in the sandbox may take, a run of the tests or of `setup`",
    )

    @property
    def caps(self) -> Caps:
        """The operator's limits of one run."""
        return Caps(
            iterations=self.max_iterations,
            calls_per_iteration=self.max_calls,
            tokens=self.max_tokens,
            cost_usd=self.max_usd,
            minutes=self.max_minutes,
            patch_lines=self.max_patch_lines,
            patch_files=self.max_patch_files,
        )
