"""What a file in JavaScript, TypeScript or Go imports at its top, and what of that a change alters. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.languages import JAVASCRIPT

_TEXT = r"""(?:'(?P<single>[^'\n]{0,500})'|"(?P<double>[^"\n]{0,500})")"""
_END = r"[ \t]{0,50};?[ \t]{0,50}(?://[^\n]{0,500})?(?:\n|\Z)"
_SPACE = r"\s{0,50}"
_REMARK = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
_PASSED_OVER = re.compile(
    rf"[ \t]{{0,200}}(?:{_REMARK}|['\"]use strict['\"];?|(?:jest|vi)\.\w+\([^`\n]*\);?)?[ \t]{{0,50}}\n"
)
_REQUIRED = rf"require\({_SPACE}{_TEXT}{_SPACE}\)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"import\b(?P<clause>[^'\"();=]{{1,4000}})\bfrom{_SPACE}{_TEXT}{_END}",
        rf"import{_SPACE}{_TEXT}{_END}",
        rf"import\s+(?P<whole>[\w$]+){_SPACE}={_SPACE}{_REQUIRED}{_END}",
        rf"(?:const|let|var)\b(?P<pattern>[^'\"();=]{{1,4000}})={_SPACE}{_REQUIRED}(?P<part>\.[\w$]+)?{_END}",
        rf"{_REQUIRED}{_END}",
    )
)
_CLAUSE = re.compile(
    r"(?:type\s+(?!from\b|,))?(?:(?P<default>[\w$]+)\s*,?\s*)?(?:\*\s*as\s+(?P<space>[\w$]+)|\{(?P<named>[^{}]*)\})?"
)
_NAMED = re.compile(r"(?:type\s+)?(?P<name>[\w$]+)(?:(?:\s+as\s+|\s*:\s*)(?P<bound>[\w$]+))?")
_COMMENT = re.compile(_REMARK)
_GO_PASSED_OVER = re.compile(rf"[ \t]{{0,200}}(?:{_REMARK}|package \w+[^\n]*)?[ \t]{{0,50}}\n")
_GO_FORMS = (
    re.compile(rf'import[ \t]{{1,50}}(?P<one>(?:[\w.]{{1,200}}[ \t]{{1,50}})?["`][^"`\n]{{1,500}}["`]){_END}'),
    re.compile(rf"import[ \t]{{0,50}}\((?P<many>[^()]{{0,20000}})\){_END}"),
)
_GO_IMPORT = re.compile(r'(?:(?P<name>[\w.]+)\s+)?["`](?P<path>[^"`]+)["`]')
_GO_VERSION = re.compile(r"v\d+")
_WORD = re.compile(r"(?<![\w$])(?:(?<!\.)|(?<=\.\.\.))[A-Za-z_$][\w$]*")
_SAID = re.compile(rf""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|{_REMARK}""")
_DEFINED = re.compile(
    r"^(?:export\s+)?(?:async\s+)?(?:const|let|var|func|function|class|type)\b\s*\*?\s*(?P<name>[\w$]+)", re.MULTILINE
)
_KEY = re.compile(r"(?<=[{,])\s{0,200}[\w$]+(?=\s{0,50}:)")
_DECLARED = tuple(
    re.compile(form)
    for form in (
        r"\b(?:const|let|var|func|function|class|type)\b\s{0,50}\*?\s{0,50}([\w$]+)",
        r"\b(?:const|let|var)\b\s{0,50}[{\[]([^{}\[\]]{0,500})[}\]]\s{0,50}(?:=|of\b|in\b)",
        r",\s{0,50}([\w$]+)\s{0,50}=(?![=>])",
        r"\b(?:function|func)\b[^(\n]{0,200}\(([^()]{0,500})\)",
        r"\(([^()]{0,500})\)\s{0,50}=>",
        r"(?<![\w$.])([\w$]+)\s{0,50}=>",
        r"(?m)^[ \t]{0,200}(?:if |for |switch )?([\w, \t]{1,200}):=",
    )
)
"""What a file itself calls something: variables and parameters, a list of them each."""

_STATEMENT = re.compile(r"^(?=import\b|(?:const|let|var)\b.*\brequire\()", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Imports:
    """Where each imported name is from, and what is imported for what it does alone. `rest` is the file without."""

    names: Mapping[str, str]
    effects: Counter[str]
    rest: Sequence[str]


def imports_of(path: str, text: str) -> Imports:
    """The imports at the top of a file; in other languages all of the file is the rest.

    The top ends at the first statement that is no import: further down, a line that looks like one may be a text.
    """
    is_go = path.endswith(".go")
    if not is_go and PurePosixPath(path).suffix not in JAVASCRIPT:
        return Imports({}, Counter(), text.splitlines())
    forms, passed_over = (_GO_FORMS, _GO_PASSED_OVER) if is_go else (_FORMS, _PASSED_OVER)
    place = 0
    names: dict[str, str] = {}
    effects: Counter[str] = Counter()
    kept: list[str] = []
    while place < len(text):
        statement = next((found for form in forms if (found := form.match(text, place))), None)
        bound = _bound(statement) if statement else None
        if statement and bound is not None and not (bound.keys() & names.keys()):
            names |= {name: origin for name, origin in bound.items() if name.isidentifier() or "$" in name}
            effects.update(origin for name, origin in bound.items() if name not in names)
        elif not (statement := passed_over.match(text, place)):
            break
        elif statement[0].strip():
            kept += statement[0].splitlines()
        place = statement.end()
    return Imports(names, effects, [*kept, *text[place:].splitlines()])


def import_alterations(old: Imports, new: Imports, *, is_all_there: bool = False) -> Iterator[str]:
    """In words: an import that is gone or comes from elsewhere, or a new one that has a say in what was there.

    A new name has one where it was used, and is none that the file itself gives to something.

    `is_all_there`: each old line is still in the file, so that an import is gone from its top and no further.
    """
    used = _free(old.rest)
    if not is_all_there:
        yield from (f"no longer imports {name}" for name in sorted(old.names.keys() - new.names.keys()))
        yield from (f"no longer imports {path!r}" for path in sorted((old.effects - new.effects).keys()))
    both = old.names.keys() & new.names.keys()
    yield from (f"imports {name} from elsewhere" for name in sorted(both) if old.names[name] != new.names[name])
    added = new.names.keys() - old.names.keys()
    yield from (f"imports {name}, a name that is used already" for name in sorted(added & used))
    yield from (f"imports {path!r} for what it does alone" for path in sorted((new.effects - old.effects).keys()))


def taken_over(path: str, old: Sequence[str], added: str) -> Iterator[str]:
    """The names that added lines define or import at the top level, and that what was there uses without defining."""
    if PurePosixPath(path).suffix not in (*JAVASCRIPT, ".go"):
        return
    free = _free(old)
    defined = {found["name"] for found in _DEFINED.finditer(added)}
    for place in _STATEMENT.finditer(added):
        statement = next((found for form in _FORMS if (found := form.match(added, place.start()))), None)
        defined |= (_bound(statement) or {}).keys() if statement else set()
    yield from sorted(defined & free)


def _free(lines: Sequence[str]) -> frozenset[str]:
    """The names that code uses, without those of properties and what it declares itself."""
    code = _KEY.sub("", _SAID.sub("", "\n".join(lines)))
    lists = [found for form in _DECLARED for found in form.findall(code)]
    return frozenset(_WORD.findall(code)) - frozenset(name for each in lists for name in _WORD.findall(each))


def _bound(statement: re.Match[str]) -> Mapping[str, str] | None:
    """The names that a statement binds, by where they are from; one that is no name for what binds none. None where it
    is not understood.
    """
    found = statement.groupdict()
    if "one" in found or "many" in found:
        return _bound_in_go(found.get("one") or found.get("many") or "")
    module = found["single"] if found["single"] is not None else found["double"]
    if found.get("whole"):
        return {found["whole"]: f"{module}:*"}
    clause = found.get("clause") or found.get("pattern")
    if clause is None:
        return {"": module}
    parts = _CLAUSE.fullmatch(_COMMENT.sub("", clause).strip())
    if parts is None or not any(parts.groupdict().values()):
        return {"": module} if parts and parts["named"] is not None else None
    module += found.get("part") or ""
    whole = "*" if found.get("pattern") else "default"
    bound = {parts["default"]: f"{module}:{whole}"} if parts["default"] else {}
    bound |= {parts["space"]: f"{module}:*"} if parts["space"] else {}
    for each in (part.strip() for part in (parts["named"] or "").split(",")):
        named = _NAMED.fullmatch(each)
        if named is None and each:
            return None
        if named:
            bound[named["bound"] or named["name"]] = f"{module}:{named['name']}"
    return bound


def _bound_in_go(text: str) -> Mapping[str, str] | None:
    """A package that is imported for what it does, or for all of its names (`_`, `.`), is bound by its path."""
    bound: dict[str, str] = {}
    for line in (part.strip() for part in re.split(r"[\n;]", _COMMENT.sub("", text))):
        found = _GO_IMPORT.fullmatch(line)
        if found is None and line:
            return None
        if found:
            bound[_go_name(found["name"], found["path"])] = found["path"]
    return bound


def _go_name(name: str | None, path: str) -> str:
    if name in ("_", "."):
        return f"{name} {path}"
    *above, last = path.split("/")
    return name or (above[-1] if above and _GO_VERSION.fullmatch(last) else last)
