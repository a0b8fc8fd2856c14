"""What a change does to the existing tests of a Python file, by its syntax tree. Pure."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bot.proof.languages import parsed
from bot.proof.python_cases import Definition, case_tables, is_extended, is_extended_table

_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORT = (ast.Import, ast.ImportFrom)
_CONTROLS = re.compile(
    r"pytestmark|pytest_plugins|collect_ignore(_glob)?|load_tests|__\w+__|run|id|skipTest|(async)?(setup|teardown)"
    r"(_?(module|function|class|method))?",
    re.IGNORECASE,
)


def python_alterations(before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    """Each existing definition that is no longer what it was, as (name, what happened); name "" is the file itself.

    New functions, classes, imports, plain constants and cases of `parametrize` are fine, unless they take over a name
    that is used already or steer what the existing tests do.
    """
    old, new = parsed(before), parsed(after)
    if old is None or new is None:
        yield "", "can't be compared: it is not valid Python on one side, or nested too deeply"
        return
    yield from _body_alterations(old.body, new.body, prefix="", used=_used(old), tables=case_tables(old))


def defined_names(source: bytes) -> frozenset[str]:
    """The functions and classes at a file's top; none where it is not valid Python."""
    tree = parsed(source)
    return frozenset(node.name for node in (tree.body if tree else ()) if isinstance(node, _DEFINITION))


def outermost(test_id: str, path: str) -> str:
    """The function or class at the top of the file `path` that a test is in, by its id."""
    return test_id.removeprefix(f"{path}::").partition("::")[0].partition("[")[0]


def _body_alterations(
    old: Sequence[ast.stmt],
    new: Sequence[ast.stmt],
    *,
    prefix: str,
    used: frozenset[str],
    tables: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, str]]:
    yield from _definitions(old, new, prefix=prefix, used=used)
    yield from (("", what) for what in _imports(old, new, used=used))
    yield from ((prefix.rstrip("."), what) for what in _statements(old, new, used=used, tables=tables))


def _definitions(
    old: Sequence[ast.stmt], new: Sequence[ast.stmt], *, prefix: str, used: frozenset[str]
) -> Iterator[tuple[str, str]]:
    were = [node for node in old if isinstance(node, _DEFINITION)]
    are = [node for node in new if isinstance(node, _DEFINITION)]
    counts = Counter(node.name for node in are)
    known = Counter(node.name for node in were)
    by_name = {node.name: node for node in are}
    for node in were:
        now, name = by_name.get(node.name), prefix + node.name
        if now is None:
            yield name, "removed"
        elif counts[node.name] != known[node.name]:
            yield name, "defined again"
        elif isinstance(node, ast.ClassDef) and isinstance(now, ast.ClassDef) and known[node.name] == 1:
            yield from _class_alterations(node, now, prefix=name, used=used)
        elif not any(is_extended(node, other) for other in are if other.name == node.name):
            yield name, "changed"
    for node in are:
        if node.name not in known and (why := _steers(node, used)):
            yield prefix + node.name, why


def _class_alterations(
    old: ast.ClassDef, new: ast.ClassDef, *, prefix: str, used: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if _head(old) != _head(new):
        yield prefix, "changed"
    yield from _body_alterations(old.body, new.body, prefix=prefix + ".", used=used)


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in (*node.bases, *node.keywords, *node.decorator_list)]


def _steers(node: Definition, used: frozenset[str]) -> str:
    """Why a new definition has a say in the existing tests, or ""."""
    if _CONTROLS.fullmatch(node.name) or node.name.startswith("pytest_"):
        return "added, which steers the existing tests"
    if node.name in used or hasattr(builtins, node.name):
        return "added, which takes over a name that is used already"
    if any(_is_autouse(decorator) for decorator in node.decorator_list):
        return "added, a fixture that every test gets"
    if any(_renames_fixture(decorator, used) for decorator in node.decorator_list):
        return "added, a fixture that takes over a name that is used already"
    return ""


def _is_autouse(decorator: ast.expr) -> bool:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    return any(
        keyword.arg is None
        or (keyword.arg == "autouse" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value))
        for keyword in keywords
    )


def _renames_fixture(decorator: ast.expr, used: frozenset[str]) -> bool:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    names = [keyword.value for keyword in keywords if keyword.arg == "name"]
    return any(not isinstance(name, ast.Constant) or name.value in used for name in names)


def _imports(old: Sequence[ast.stmt], new: Sequence[ast.stmt], *, used: frozenset[str]) -> Iterator[str]:
    were, are = _imported(old), _imported(new)
    yield from (f"no longer imports {name}" for name in sorted(were.keys() - are.keys()))
    yield from (
        f"imports {name} from elsewhere" for name in sorted(were.keys() & are.keys()) if were[name] != are[name]
    )
    yield from (
        f"imports {name}, a name that is used already"
        for name in sorted(are.keys() - were.keys())
        if name in used or name == "*" or _CONTROLS.fullmatch(name) or hasattr(builtins, name)
    )


def _imported(body: Sequence[ast.stmt]) -> dict[str, str]:
    """The names that imports bind, and where each comes from."""
    found: dict[str, str] = {}
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{alias.name} as {alias.asname}"
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}:{alias.name}"
    return found


def _statements(
    old: Sequence[ast.stmt], new: Sequence[ast.stmt], *, used: frozenset[str], tables: frozenset[str]
) -> Iterator[str]:
    """What else stands at this level: all of it must stay, in its order; only plain new constants may come."""
    rest = iter([node for node in old if not isinstance(node, (*_DEFINITION, *_IMPORT))])
    expected = next(rest, None)
    for node in new:
        if isinstance(node, (*_DEFINITION, *_IMPORT)):
            continue
        if expected and (ast.dump(node) == ast.dump(expected) or is_extended_table(expected, node, tables)):
            expected = next(rest, None)
        elif not _is_new_constant(node, used):
            yield f"new or changed statement {ast.unparse(node).splitlines()[0][:80]!r}"
    if expected is not None:
        yield "a statement outside of the tests was removed or changed"


def _is_new_constant(node: ast.stmt, used: frozenset[str]) -> bool:
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            free = name not in used and not _CONTROLS.fullmatch(name) and not hasattr(builtins, name)
            effects = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
            return free and not any(isinstance(part, effects) for part in (ast.walk(value) if value else ()))
        case _:
            return False


def _used(tree: ast.Module) -> frozenset[str]:
    """Every name that the file reads, binds or takes as an argument (fixtures), or names in a string (usefixtures)."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                names.add(text)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                names.add(name)
            case _:
                pass
    return frozenset(names)
