"""`.github/selfcode.yml`: what a repository says of itself. It chooses and lowers; it never raises a limit."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from bot.errors import Refused
from bot.records import Caps, Reproduce, TestPlan, joined
from bot.repository.yaml_lines import lines_of, parsed

PATHS = (".github/selfcode.yml", ".github/selfcode.yaml")
BYTES_AT_MOST = 65_536
PROBLEMS_AT_MOST = 20
"""How many are told of a configuration at once: looking for what was meant takes its time for each."""

_LONG = 1000

N = TypeVar("N", int, float)

_WORDS = {
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
    "model_type": "must be keys with values",
    "string_pattern_mismatch": "holds something that is no login",
    "string_too_short": "is empty",
    "string_type": "must be text; put it in quotes",
    "tuple_type": "must be a list",
}


class Update(StrEnum):
    """How a branch of ours is brought up to its base before it is worked on again."""

    MERGE = "merge"
    REBASE = "rebase"
    OFF = "off"


class OnFailedChecks(StrEnum):
    """What is done where the repository's own checks fail on a proven change: said, or one run tries to mend it."""

    TELL = "tell"
    FIX = "fix"


class CommitStyle(StrEnum):
    """How a commit's subject is written: the issue's title, or with a Conventional Commits type before it.

    Source: https://www.conventionalcommits.org/en/v1.0.0/
    """

    PLAIN = "plain"
    CONVENTIONAL = "conventional"


class OnUnsolved(StrEnum):
    """What a run that solved nothing leaves."""

    COMMENT = "comment"
    DRAFT = "draft"


def _one_command(value: Any) -> Any:
    """A list of commands, each of which must succeed, is one command."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return value
    return joined(value)


def _off(value: Any) -> Any:
    """YAML 1.1 reads a bare `off` as false."""
    return "off" if value is False else value


def _several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _inside(value: str) -> str:
    path = value.removeprefix("./").rstrip("/")
    if value.startswith("/") or ".." in path.split("/") or "\\" in path:
        raise ValueError("must be a path inside the repository")
    return path or "."


def _login(value: str) -> str:
    return value.removeprefix("@")


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds a NUL character")
    return value


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000), AfterValidator(_without_nul)
]
Command = Annotated[Text, BeforeValidator(_one_command)]
Setup = Annotated[
    str,
    BeforeValidator(_one_command),
    StringConstraints(strip_whitespace=True, max_length=4000),
    AfterValidator(_without_nul),
]
Inside = Annotated[Text, BeforeValidator(lambda value: _inside(value) if isinstance(value, str) else value)]
Login = Annotated[
    str,
    BeforeValidator(lambda value: _login(value) if isinstance(value, str) else value),
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"),
]
Many = BeforeValidator(_several)


class RepositoryLimits(BaseModel):
    """The repository's own limits; None leaves the operator's."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    iterations: Annotated[int, Field(ge=1)] | None = Field(None, description="tries at the change")
    calls_per_iteration: Annotated[int, Field(ge=1)] | None = Field(None, description="model calls in one iteration")
    tokens: Annotated[int, Field(ge=1)] | None = Field(None, description="tokens of a run, prompt and completion")
    cost_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(None, description="money of a run")
    minutes: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(None, description="time of a run")
    patch_lines: Annotated[int, Field(ge=1)] | None = Field(None, description="lines of a change, added and removed")
    patch_files: Annotated[int, Field(ge=1)] | None = Field(None, description="files of a change")
    candidates: Annotated[int, Field(ge=1)] | None = Field(None, description="candidates that an iteration draws")


class RepositoryConfig(BaseModel):
    """What `.github/selfcode.yml` says. A key that is None was not given; `setup` may be given as nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    test: Command | None = Field(
        None,
        description="the test command, without the network; of a list each must succeed",
        json_schema_extra={"unset": "found in the repository's files"},
    )
    setup: Setup | None = Field(
        None,
        description='prepares the image, with the network (package hosts alone), and is kept; `""` for nothing',
        json_schema_extra={"unset": "found in the repository's files"},
    )
    build: Command | None = Field(
        None,
        description="a command before each run of the tests, without the network",
        json_schema_extra={"unset": "found in the repository's files"},
    )
    image: Text | None = Field(
        None,
        description="the image that commands run in, among those that the operator allows",
        json_schema_extra={"unset": "the operator's"},
    )
    directory: Inside = Field(
        ".",
        description="where commands run, relative to the repository",
        json_schema_extra={"unset": "found in the repository's files"},
    )
    protect: Annotated[tuple[Text, ...], Many] = Field(
        (), description="what no change may touch, as in .gitignore; `.github/workflows/` always is"
    )
    report: Inside | None = Field(
        None,
        description="JUnit XML that the test command writes by itself: a file, folder or pattern below `directory`",
    )
    limits: RepositoryLimits = Field(RepositoryLimits(), description="keys of their own, below")
    model: Text | None = Field(
        None,
        description="the model, among those that the operator allows",
        json_schema_extra={"unset": "the operator's"},
    )
    critic: Annotated[Text, BeforeValidator(_off)] | None = Field(
        None,
        description="the critic, among those that the operator allows, or `off` for none",
        json_schema_extra={"unset": "the operator's"},
    )
    reproduce: Annotated[Reproduce, BeforeValidator(_off)] = Field(
        Reproduce.FIRST,
        description="what is asked of the test that shows the issue ([below](#the-test-that-shows-the-issue))",
    )
    require_proof: Annotated[bool, Field(strict=True)] = Field(
        False, description="an unproven change opens no pull request"
    )
    on_unsolved: OnUnsolved = Field(
        OnUnsolved.COMMENT, description="what a run that solved nothing leaves. `draft` is reserved: it is refused"
    )
    reviewers: Annotated[tuple[Login, ...], Many] = Field(
        (), description="who is asked for a review of the pull request"
    )
    labels: Annotated[tuple[Text, ...], Many] = Field((), description="labels of the pull request")
    draft: Annotated[bool, Field(strict=True)] = Field(
        False,
        description="a proven change, too, is a draft until a person marks it as ready; `accept-tests` leaves it one",
    )
    update: Annotated[Update, BeforeValidator(_off)] = Field(
        Update.MERGE,
        description="how the branch is brought up to its base before it is worked on again "
        "([below](#the-branch-once-it-is-there))",
    )
    on_failed_checks: OnFailedChecks = Field(
        OnFailedChecks.TELL,
        description="where your own checks fail on a proven change: it is said, or one run tries to mend it",
    )
    commit_style: CommitStyle = Field(
        CommitStyle.PLAIN, description="`conventional`: “fix: …”, “test: …” before the subject"
    )
    sign_off: Annotated[bool, Field(strict=True)] = Field(False, description="commits carry the bot's Signed-off-by")
    verified_commits: Annotated[bool, Field(strict=True)] = Field(
        True, description="commits are written by GitHub, which signs them ([below](#commits-that-github-verifies))"
    )

    def lowered(self, caps: Caps) -> Caps:
        """The operator's limits, lowered where the repository asks for less."""
        own = self.limits
        return replace(
            caps,
            iterations=_lower(caps.iterations, own.iterations),
            calls_per_iteration=_lower(caps.calls_per_iteration, own.calls_per_iteration),
            tokens=_lower(caps.tokens, own.tokens),
            cost_usd=own.cost_usd if caps.cost_usd is None else _lower(caps.cost_usd, own.cost_usd),
            minutes=_lower(caps.minutes, own.minutes),
            patch_lines=_lower(caps.patch_lines, own.patch_lines),
            patch_files=_lower(caps.patch_files, own.patch_files),
        )

    def candidates(self, most: int) -> int:
        """How many candidates an iteration draws: the operator's number, or fewer."""
        return _lower(most, self.limits.candidates)

    @property
    def critic_or_none(self) -> str:
        """The critic that is asked for; "" for none."""
        return "" if self.critic in (None, "off") else self.critic

    def unheeded(self) -> tuple[str, ...]:
        """What was asked for that this version does not do: better refused than silently left undone."""
        return (f"on_unsolved: {self.on_unsolved}",) if self.on_unsolved is not OnUnsolved.COMMENT else ()

    def plan(self, guessed: TestPlan | None) -> TestPlan | None:
        """How the tests are run: as configured, the gaps filled by the guess; None where neither knows a test command.

        A guessed set-up goes with a configured test command too, unless `setup` is given, if only as nothing. The guess
        is one for the configured `directory`, where that is given.
        """
        test = self.test or (guessed.test if guessed else None)
        if test is None:
            return None
        guess = guessed or TestPlan(test=test)
        is_given = "directory" in self.model_fields_set
        if self.test and not is_given and guess.directory != ".":
            guess = TestPlan(test=test)  # a command that is said to run at the top, and a guess for a folder below
        return TestPlan(
            test=test,
            setup=guess.setup if self.setup is None else self.setup,
            build=self.build or guess.build,
            image=self.image or "",
            directory=self.directory if is_given else guess.directory,
            report=self.report or ("" if self.test else guess.report),
            guessed_from="" if self.test else guess.guessed_from,
        )


def read_config(read: Callable[[str], bytes | None]) -> RepositoryConfig:
    """The configuration of a repository whose files `read` gives; the defaults where it has none.

    Raises: `Refused` with every problem, each with its line.
    """
    found = {path: data for path in PATHS if (data := read(path)) is not None}
    if len(found) > 1:
        raise Refused(f"There are two configurations, `{PATHS[0]}` and `{PATHS[1]}`. Keep one.")
    return next((parse_config(data, name=path) for path, data in found.items()), RepositoryConfig())


def parse_config(data: bytes, *, name: str = PATHS[0]) -> RepositoryConfig:
    """Read a configuration. Raises: `Refused` with every problem, each with its line."""
    if len(data) > BYTES_AT_MOST:
        raise Refused(f"`{name}` is larger than {BYTES_AT_MOST:,} bytes.")
    try:
        value, node = parsed(data)
    except ValueError as broken:
        raise Refused(f"`{name}` is not valid YAML: {broken}") from broken
    if value is None:
        return RepositoryConfig()
    if not isinstance(value, dict):
        raise Refused(f"`{name}` must be a list of keys with values, such as `test: pytest`.")
    problems: list[tuple[int | None, str]] = list(_repeated(node))
    try:
        config = RepositoryConfig.model_validate(value)
    except ValidationError as invalid:
        lines, errors = dict(lines_of(node)), invalid.errors(include_url=False, include_input=False)
        problems += [_problem(error, lines) for error in errors[:PROBLEMS_AT_MOST]]
        config = RepositoryConfig()
    problems += [(None, f"`{key}` is not available in this version") for key in config.unheeded()]
    if problems:
        raise Refused(_refusal(name, problems))
    return config


def _lower(cap: N, own: N | None) -> N:
    return cap if own is None else min(cap, own)


def _repeated(node: yaml.Node) -> Sequence[tuple[int | None, str]]:
    seen: set[tuple[str, ...]] = set()
    problems: list[tuple[int | None, str]] = []
    for path, line in lines_of(node):
        if path in seen:
            problems.append((line, f"`{'.'.join(path)}` is given twice"))
        seen.add(path)
    return problems


def _problem(error: Mapping[str, Any], lines: Mapping[tuple[str, ...], int]) -> tuple[int | None, str]:
    keys = tuple(str(part) for part in error["loc"])
    known = next((keys[:length] for length in range(len(keys), 0, -1) if keys[:length] in lines), None)
    line = lines[known] if known else None
    if error["type"] == "extra_forbidden":
        return line, f"`{'.'.join(keys)}` is not a key{_suggestion(keys)}"
    shown = ".".join(known or keys[:1])
    return line, f"`{shown}`: {_in_words(error)}"


def _suggestion(keys: tuple[str, ...]) -> str:
    model = RepositoryLimits if len(keys) > 1 else RepositoryConfig
    near = difflib.get_close_matches(keys[-1], list(model.model_fields), n=1, cutoff=0.5)
    return f"; did you mean `{near[0]}`?" if near else f" (keys: {', '.join(model.model_fields)})"


def _in_words(error: Mapping[str, Any]) -> str:
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    message = str(error["msg"])
    return _WORDS.get(error["type"], message[:1].lower() + message[1:])


def _refusal(name: str, problems: Sequence[tuple[int | None, str]]) -> str:
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: (problem[0] or 0, problem[1]))
    shown = ordered[:PROBLEMS_AT_MOST]
    rows = [f"- line {line}: {text[:_LONG]}" if line else f"- {text[:_LONG]}" for line, text in shown]
    rows += ["- … and more"] if len(ordered) >= PROBLEMS_AT_MOST else []
    return "\n".join([f"`{name}` can't be used:", *rows])
