"""The native dialect: what tools the model is offered, and what its calls ask for. Pure.

The arguments of a call are a stranger's bytes: they may be empty, cut off, or no object at all. What is wrong with them
goes back as that call's own result.
"""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bot.agent.actions import (
    Action,
    AnswerIssue,
    Ask,
    Delete,
    Edit,
    Finish,
    ListFolder,
    Read,
    Request,
    Run,
    Search,
    Write,
    bounded,
)
from bot.agent.answers import answers_of
from bot.agent.llm import ToolSpec
from bot.records import Answer

PREVIEW_CHARS = 200


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="ignore", str_max_length=2_000_000)

    @field_validator("*")
    @classmethod
    def _no_nul(cls, value: object) -> object:
        """No path, command or text holds a NUL, and no program could be given one."""
        if isinstance(value, str) and "\0" in value:
            raise ValueError("it holds a NUL character")
        return value


class _Read(_Arguments):
    path: str = Field(min_length=1, description="path of the file, relative to the repository")
    first: int | None = Field(default=None, ge=1, description="first line to show, from 1")
    last: int | None = Field(default=None, ge=1, description="last line to show")


class _Search(_Arguments):
    pattern: str = Field(min_length=1, description="a POSIX extended regular expression")
    path: str = Field(default=".", description="file or folder to search in")


class _List(_Arguments):
    path: str = Field(default=".", description="folder to list")


class _Edit(_Arguments):
    path: str = Field(min_length=1, description="path of an existing file")
    search: str = Field(description="the text to replace, exactly as it is in the file, found there once")
    replace: str = Field(description="the text to put in its place")


class _Write(_Arguments):
    path: str = Field(min_length=1, description="path of the file")
    content: str = Field(description="the whole content, every line of it")


class _Delete(_Arguments):
    path: str = Field(min_length=1, description="path of the file")


class _Run(_Arguments):
    command: str = Field(min_length=1, description="a shell command, run in the repository's folder, without network")


class _Finish(_Arguments):
    summary: str = Field(default="", description="one sentence: what was wrong and what the change does")
    answers: tuple[Answer, ...] = Field(
        default=(), description="an answer to each request of the review: number, is_done, and in a sentence or two why"
    )

    @field_validator("answers", mode="before")
    @classmethod
    def _lenient(cls, value: object) -> object:
        """An answer that can't be read is none; the work is finished all the same."""
        return answers_of(value)


class _Ask(_Arguments):
    question: str = Field(min_length=1, description="one precise question, with the readings to choose from")


class _AnswerIssue(_Arguments):
    text: str = Field(min_length=1, description="the answer, in Markdown, with where in the code it can be seen")


_ASK = (
    "End the work with a question that only a person can decide. Rarely right: only if two readings of the issue lead "
    "to different code, and neither the issue nor the repository decides. Look there first. Not after a change."
)
_ANSWER = (
    "End the work with an answer to the issue. Only if it needs no code: it asks a question, or describes what works "
    "as it was made to. Look into the code first. Not after a change."
)
_TOOLS: dict[str, tuple[str, type[_Arguments]]] = {
    "read": ("Show a file, or some lines of it.", _Read),
    "search": ("Show the lines that match, as path:line: text.", _Search),
    "list": ("Show the files below a folder.", _List),
    "edit": ("Replace a text that occurs exactly once in a file.", _Edit),
    "write": ("Write a file whole: a new one, or a small one anew.", _Write),
    "delete": ("Delete a file.", _Delete),
    "run": ("Run a shell command, such as one test file.", _Run),
    "finish": ("Say that the work is done. The whole test command is run then.", _Finish),
    "ask": (_ASK, _Ask),
    "answer": (_ANSWER, _AnswerIssue),
}

_OF_A_REVIEW = "answers"
"""What `finish` takes where a review asks for something, and not elsewhere."""

_ACTIONS: dict[type[_Arguments], Callable[..., Action]] = {
    _Read: Read,
    _Search: Search,
    _List: ListFolder,
    _Edit: Edit,
    _Write: Write,
    _Delete: Delete,
    _Run: Run,
    _Finish: Finish,
    _Ask: Ask,
    _AnswerIssue: AnswerIssue,
}


def specs(*, with_answers: bool = False) -> tuple[ToolSpec, ...]:
    """The tools as the model is offered them; `with_answers` where a review asks for something."""
    return tuple(
        ToolSpec(name, words, _schema(arguments, with_answers=with_answers))
        for name, (words, arguments) in _TOOLS.items()
    )


def action_schema(*, with_answers: bool = False) -> dict[str, object]:
    """The JSON schema of a reply in the JSON dialect: a thought, then the actions; `with_answers` as in `specs`.

    It keeps to what servers that constrain replies take: every property required, none added, no limits on values.
    Source: https://platform.openai.com/docs/guides/structured-outputs (supported schemas)
    """
    shapes = [(name, arguments) for name, (_, arguments) in _TOOLS.items()]
    actions = [_action_schema(name, arguments, with_answers=with_answers) for name, arguments in shapes]
    return _strict({"thought": {"type": "string"}, "actions": {"type": "array", "items": {"anyOf": actions}}})


def request_of(name: str, arguments: str) -> Request:
    """What one call asks for, or what is wrong with it."""
    found = _TOOLS.get(name)
    preview = bounded(arguments)
    if found is None:
        return Request(name, preview, None, f"there is no tool {name[:80]!r}; the tools are {', '.join(_TOOLS)}")
    _, shape = found
    try:
        values = shape.model_validate_json(arguments or "{}")
    except ValidationError as error:
        return Request(name, preview, None, _said(name, arguments, error))
    return Request(name, preview, _ACTIONS[shape](**dict(values)))


def _said(name: str, arguments: str, error: ValidationError) -> str:
    """What is wrong, with the start of what was sent, so that the model can mend it."""
    wrong = "; ".join(
        f"{'.'.join(str(part) for part in found['loc']) or 'arguments'}: {found['msg']}" for found in error.errors()[:5]
    )
    return f"{name} was not run: {wrong}. Its arguments were {arguments[:PREVIEW_CHARS]!r}; send one JSON object"


def _schema(arguments: type[_Arguments], *, with_answers: bool) -> dict[str, object]:
    """The JSON schema of a tool's arguments, without the titles that pydantic adds for people."""
    schema = arguments.model_json_schema()
    properties = {
        name: {key: value for key, value in shape.items() if key != "title"}
        for name, shape in schema.get("properties", {}).items()
        if name != _OF_A_REVIEW
    }
    required = list(schema.get("required", []))
    if with_answers and _OF_A_REVIEW in arguments.model_fields:
        described = arguments.model_fields[_OF_A_REVIEW].description
        properties[_OF_A_REVIEW] = {"description": described, **_answers()}
        required.append(_OF_A_REVIEW)
    return {"type": "object", "properties": properties, "required": required}


def _action_schema(name: str, arguments: type[_Arguments], *, with_answers: bool) -> dict[str, object]:
    fields: dict[str, dict[str, object]] = {
        key: {"type": "string" if field.annotation is str else ["integer", "null"]}
        for key, field in arguments.model_fields.items()
        if key != _OF_A_REVIEW
    }
    if with_answers and _OF_A_REVIEW in arguments.model_fields:
        fields[_OF_A_REVIEW] = _answers()
    return _strict({"action": {"type": "string", "enum": [name]}, **fields})


def _answers() -> dict[str, object]:
    one = _strict({"number": {"type": "integer"}, "is_done": {"type": "boolean"}, "text": {"type": "string"}})
    return {"type": "array", "items": one}


def _strict(properties: dict[str, Any]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
