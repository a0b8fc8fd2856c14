"""What GitHub published, for holding answers, requests and deliveries against it.

The pydantic models of `githubkit-schemas` are made from GitHub's own OpenAPI description. Which model belongs to which
operation is read from the source of githubkit's own client methods. Validation is strict, and unknown fields are
refused: a field that GitHub does not have is as wrong as one that is missing.
"""

import ast
import importlib
import importlib.util
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

DEFAULT_VERSION = "2026-03-10"
_MODULES = (
    "actions",
    "apps",
    "checks",
    "git",
    "issues",
    "meta",
    "pulls",
    "rate_limit",
    "reactions",
    "repos",
    "search",
    "users",
)
_UNEVEN = re.compile(
    r"labels\.\d+\.archived_(at|by)$|^\.pull_request\.assignee$"
    r"|^\.pull_request\.(head|base)\.repo\.(has_discussions|web_commit_signoff_required)$"
)
"""Fields of one object that GitHub's description has in some places and lacks in others."""
_OPERATION = re.compile(r"^(GET|POST|PATCH|PUT|DELETE) (/\S*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the REST API. Models are source text, evaluated when needed; "" where there is none."""

    method: str
    template: str
    module: str
    request: str
    answer: str
    errors: Mapping[str, str]

    @property
    def pattern(self) -> re.Pattern[str]:
        inner = re.sub(r"\\\{(path|ref|basehead)\\\}", ".+", re.escape(self.template))
        return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", inner) + "$")

    @property
    def literals(self) -> int:
        return len(re.sub(r"\{\w+\}", "", self.template))


class Asked(Protocol):
    """A recorded request; the hub's `Recorded`."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def json(self) -> Any: ...
    @property
    def status(self) -> int: ...
    @property
    def answer(self) -> Any: ...
    @property
    def version(self) -> str: ...
    @property
    def faulty(self) -> bool: ...


class Sent(Protocol):
    """A delivery; the hub's `Delivery`."""

    @property
    def event(self) -> str: ...
    @property
    def payload(self) -> dict[str, Any]: ...


class Server(Protocol):
    """What remembers requests and deliveries; the `Hub`."""

    @property
    def requests(self) -> Iterable[Asked]: ...
    @property
    def deliveries(self) -> Iterable[Sent]: ...


def check_all(hub: Server) -> None:
    """Hold everything that a hub was asked, answered and delivered against what GitHub published."""
    found: list[str] = []
    for asked in hub.requests:
        if asked.path == "/api/graphql":  # published in another form
            continue
        found.extend(_complaint(check_request, asked.method, asked.path, asked.json, asked.version))
        if not asked.faulty:
            found.extend(_complaint(check_answer, asked.method, asked.path, asked.status, asked.answer, asked.version))
    for sent in hub.deliveries:
        found.extend(_complaint(check_delivery, sent.event, sent.payload))
    assert not found, "\n".join(dict.fromkeys(found))


def check_answer(method: str, path: str, status: int, answer: Any, version: str = DEFAULT_VERSION) -> None:
    """Fail where GitHub would not answer so."""
    operation = operation_for(method, path, version)
    model = operation.answer if status < 300 else operation.errors.get(str(status), "BasicError")
    where = f"answer {status} to {method} {operation.template}"
    if status in (204, 302, 304) or (not model and not answer):
        assert not answer, f"{where}: a body where there is none"
        return
    assert status != 500, f"{where}: {answer}"
    assert model, f"{where}: GitHub answers nothing, and this: {answer}"
    _validate(model, operation.module, answer, where, version)


def check_request(method: str, path: str, body: Any, version: str = DEFAULT_VERSION) -> None:
    """Fail where GitHub does not know the operation, or a field of the body."""
    operation = operation_for(method, path, version)
    if body in (None, {}):
        return
    where = f"request {method} {operation.template}"
    assert operation.request, f"{where}: takes no body, and got {body}"
    _validate(operation.request, operation.module, body, where, version)


def check_delivery(event: str, payload: dict[str, Any]) -> None:
    """Fail where GitHub would not deliver such a payload."""
    action = payload.get("action")
    models = _models_delivered(event)
    model = models.get(action) or models.get(None)
    assert model, f"delivery {event}: no action {action!r}"
    package = _package(DEFAULT_VERSION)
    _hold(_adapter(model, f"{package}.models", package), payload, f"delivery {event}.{action}")


def operation_for(method: str, path: str, version: str = DEFAULT_VERSION) -> Operation:
    """The published operation that a path belongs to."""
    named = re.sub(r"^/repositories/\d+", "/repos/octo/repository", path.partition("?")[0])
    fitting = [found for found in operations(version) if found.method == method and found.pattern.match(named)]
    assert fitting, f"{method} {path}: GitHub has published no such operation"
    return max(fitting, key=lambda found: found.literals)


@cache
def operations(version: str = DEFAULT_VERSION) -> tuple[Operation, ...]:
    """Every operation of the parts of the API that the bot and the hub speak."""
    return tuple(found for name in _MODULES for found in _operations_of(f"{_package(version)}.rest.{name}"))


@cache
def _models_delivered(event: str) -> Mapping[str | None, str]:
    """The name of the model of each of an event's actions, or by None of the event itself, which has one or none.

    It is read from the source: to import the event's module makes the models of all actions, which takes seconds.
    """
    for node in _tree_of(f"{_package(DEFAULT_VERSION)}.webhooks.{event}").body:
        match node:
            case ast.AnnAssign(target=ast.Name("action_types"), value=ast.Dict(keys, models)):
                pairs = zip(keys, models, strict=True)
                return {str(key.value): ast.unparse(model) for key, model in pairs if isinstance(key, ast.Constant)}
            case ast.Assign(targets=[ast.Name("action_types")], value=ast.Name(model)):
                return {None: model}
    raise AssertionError(f"delivery {event}: GitHub has published no such event")


def _package(version: str) -> str:
    return f"githubkit_schemas.v{version.replace('-', '_')}"


def _operations_of(module: str) -> Iterable[Operation]:
    client = next(
        node for node in _tree_of(module).body if isinstance(node, ast.ClassDef) and node.name.endswith("Client")
    )
    for method in client.body:
        named = isinstance(method, ast.FunctionDef) and _OPERATION.search(ast.get_docstring(method) or "")
        if named and isinstance(method, ast.FunctionDef):
            yield _operation(method, named[1], named[2], module)


def _tree_of(module: str) -> ast.Module:
    spec = importlib.util.find_spec(module)
    assert spec
    assert spec.origin
    return ast.parse(Path(spec.origin).read_text())


def _operation(method: ast.FunctionDef, verb: str, template: str, module: str) -> Operation:
    request, answer, errors = "", "", {}
    for node in ast.walk(method):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "type_validate_python":
            request = ast.unparse(node.args[0])
        for keyword in node.keywords:
            if keyword.arg == "response_model":
                answer = ast.unparse(keyword.value)
            if keyword.arg == "error_models" and isinstance(keyword.value, ast.Dict):
                pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
                errors = {str(key.value): ast.unparse(value) for key, value in pairs if isinstance(key, ast.Constant)}
    return Operation(verb, template, module, request, answer, errors)


def _validate(model: str, module: str, value: Any, where: str, version: str) -> None:
    _hold(_adapter(model, module, _package(version)), value, where)


@cache
def _adapter(model: str, module: str, package: str) -> TypeAdapter[Any]:
    models = importlib.import_module(f"{package}.models")
    names = {name: _model(models, name) for name in re.findall(r"\w+", model)}
    scope = vars(importlib.import_module("typing")) | vars(importlib.import_module(module)) | {"PYDANTIC_V2": True}
    fields = vars(importlib.import_module("pydantic"))
    known = {name: found for name, found in names.items() if found is not None}
    return TypeAdapter(eval(model, {**fields, **scope, "Field": importlib.import_module("pydantic").Field}, known))


def _model(models: ModuleType, name: str) -> Any:
    return getattr(models, name, None)


def _hold(adapter: TypeAdapter[Any], value: Any, where: str) -> None:
    try:
        understood = adapter.validate_json(json.dumps(value), strict=True)
    except ValidationError as problem:
        told = (f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in problem.errors()[:12])
        raise AssertionError(f"{where}: " + "; ".join(told)) from None
    lost = _lost(value, adapter.dump_python(understood, by_alias=True, exclude_unset=True))
    unknown = [field for field in lost if not _UNEVEN.search(field)]
    assert not unknown, f"{where}: GitHub has no {', '.join(unknown)}"


def _lost(value: Any, understood: Any, at: str = "") -> Iterable[str]:
    """The fields that validation passed over, because the schema does not have them."""
    match value, understood:
        case dict(), dict():
            for key, inner in value.items():
                yield from _lost(inner, understood[key], f"{at}.{key}") if key in understood else (f"{at}.{key}",)
        case list(), list():
            for index, (inner, known) in enumerate(zip(value, understood, strict=True)):
                yield from _lost(inner, known, f"{at}.{index}")
        case _:
            return


def _complaint(check: Callable[..., None], *given: Any) -> Iterable[str]:
    try:
        check(*given)
    except AssertionError as complaint:
        yield str(complaint)
