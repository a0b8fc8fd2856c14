"""Settings of the models that work."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from bot.records import DEFAULT_MODEL
from bot.settings.forms import Names, Tariff, Url


class ModelSettings(BaseModel):
    """The models, and the service that has them."""

    model: str = Field(DEFAULT_MODEL, validation_alias="SELFCODE_MODEL", description="the model's name")
    dialect: Literal["auto", "native", "json", "fenced"] = Field(
        "auto",
        validation_alias="SELFCODE_DIALECT",
        description="how the model acts: `native` tool calls, `json` by a schema, `fenced` blocks; `auto` finds out by "
        "asking once, which the worker keeps for 30 days",
    )
    models: Names = Field(
        (),
        validation_alias="SELFCODE_MODELS",
        description="further models that a repository may choose, as its model or its critic",
    )
    window_tokens: int | None = Field(
        None,
        ge=1024,
        validation_alias="SELFCODE_WINDOW_TOKENS",
        description="how many tokens prompt and reply of `SELFCODE_MODEL` may have together. Needed for Ollama, which "
        "does not say",
        json_schema_extra={"unset": "what the server says"},
    )
    prices: Tariff = Field(
        (),
        validation_alias="SELFCODE_PRICES",
        description="`MODEL=INPUT/OUTPUT` or `MODEL=INPUT/OUTPUT/CACHED` in USD for a million tokens, comma-separated; "
        "`=0/0` for a model of your own",
        json_schema_extra={"unset": "list prices"},
    )
    critic_model: str = Field(
        "",
        validation_alias="SELFCODE_CRITIC_MODEL",
        description="a second model, the critic, at the same service: it suggests a fix after a failed iteration, "
        "reads a new test and the final change against the issue; its doubts stand in the pull request, its tokens "
        "are counted apart. Off where it is not set",
    )
    candidates: int | None = Field(
        None,
        ge=1,
        le=16,
        validation_alias="SELFCODE_CANDIDATES",
        description="the most candidates that an iteration draws: each is tested in a fresh copy, and the best goes "
        "on; in `solve` until one passes. Worth it with a cheap model",
        json_schema_extra={"unset": "1; for `solve` 2"},
    )
    candidates_at_once: int = Field(
        1,
        ge=1,
        le=16,
        validation_alias="SELFCODE_CANDIDATES_AT_ONCE",
        description="how many of them the model's server is asked for at the same time",
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="the key of the service"
    )
    openai_base_url: Url | None = Field(
        None,
        validation_alias="OPENAI_BASE_URL",
        description="any server that speaks OpenAI's chat completions, such as `http://127.0.0.1:8080/v1`",
        json_schema_extra={"unset": "OpenAI's"},
    )
