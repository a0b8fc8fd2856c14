"""Source that reaches into the process which judges it: what makes results its own word, for people to look at. Pure.

By the text of what is new, so that a program which means to hide this can: docs/security.md says so.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.kinds import FileKind, kind_of, kind_of_change, of_kind
from bot.proof.languages import JAVASCRIPT, is_past_reading, parsed
from bot.records import ChangedFile

_REACHING = re.compile(
    r"sys\.(modules|_getframe|_current_frames|meta_path|path|path_hooks|path_importer_cache|settrace|setprofile"
    r"|monitoring|addaudithook|excepthook|unraisablehook)|threading\.(settrace|setprofile|excepthook)"
    r"|inspect\.(stack|trace|currentframe|getouterframes|getsource)|traceback\.(extract_stack|walk_stack)"
    r"|gc\.(get_objects|get_referrers|get_referents|callbacks)|os\.(_exit|fork|execv|execve|execl|execvp|register_at_fork)"
    r"|importlib\.(reload|abc|machinery)|(numpy\.)?random\.seed|weakref\.finalize|atexit|ctypes"
)
_BUILT_IN = frozenset({"exec", "eval", "compile", "__import__", "__builtins__"})
_PLACES = frozenset({"CI", "GITHUB_ACTIONS", "GITLAB_CI", "TOX_ENV_NAME", "NOX_CURRENT_SESSION"})
_PATH = re.compile(r"[\w.*/\\-]*test[\w.*/\\-]*")
_TEST_NAME = re.compile(r"test_\w{3,}|\w{3,}_test")
_IN_LINES = {
    "JavaScript": re.compile(
        r"\bprocess\.(exit|on|once|reallyExit|kill|abort)\b|\brequire\.(cache|main|extensions)\b|\bModule\._\w+"
        r"|\bNODE_ENV\b.*\btest\b|\b(globalThis|global|window)\.\w+\s*=[^=]|\beval\s*\("
        r"|\b(Object|Function|Array|String|Number|Promise|Map|Set|RegExp|Error)\.prototype\.\w+\s*=[^=]"
        r"|\bnew Function\s*\(|\bprocess\.env\.CI\b|\b(captureStackTrace|prepareStackTrace)\b|\bDate(\.now)?\s*=[^=]"
        r"|\bMath\.random\s*=[^=]"
    ),
    "Go": re.compile(r'\bflag\.Lookup\("test|\bos\.Args\b|\bos\.Exit\(|\bruntime\.Callers?\(|\bdebug\.Stack\('),
    "Rust": re.compile(r"\bcfg!\s*\(\s*test\b|cfg\(\s*not\(\s*test\b|\bprocess::(exit|abort)\b|\bset_hook\("),
}
_LANGUAGES = {
    ".go": "Go",
    ".rs": "Rust",
    **dict.fromkeys(JAVASCRIPT, "JavaScript"),
}


def reached(files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """“path: what” for all that the change's source newly reaches for and that programs seldom need."""
    tests = frozenset(
        stem for path in of_kind(files, FileKind.TEST) if _TEST_NAME.fullmatch(stem := PurePosixPath(path).stem)
    )
    source = (file for file in files if kind_of_change(file) is FileKind.SOURCE and file.after is not None)
    return tuple(
        f"{file.path}: {what}" for file in sorted(source, key=lambda file: file.path) for what in _of(file, tests)
    )


def _of(file: ChangedFile, tests: frozenset[str]) -> Sequence[str]:
    if file.path.endswith(".py"):
        if is_past_reading(file.after or b""):
            return ("what is nested too deeply, or too long, to be looked through",)
        return sorted(_in_python(file.after, tests) - _in_python(file.before, tests))
    language = _LANGUAGES.get(PurePosixPath(file.path).suffix)
    if language is None:
        return ()
    return sorted(_in_lines(file.after, language) - _in_lines(file.before, language))


def _in_lines(text: bytes | None, language: str) -> frozenset[str]:
    lines = (line.partition("//")[0].strip() for line in (text or b"").decode("utf-8", "replace").splitlines())
    return frozenset(line[:60] for line in lines if line[:1] != "*" and _IN_LINES[language].search(line))


def _in_python(source: bytes | None, tests: frozenset[str]) -> frozenset[str]:
    tree = parsed(source or b"")
    if tree is None:
        return frozenset()
    names = _names(tree)
    found = {what for node in ast.walk(tree) for what in (*_reaching(node, names), *_patching(node, names))}
    return frozenset(found | {what for node in ast.walk(tree) for what in _naming(node, tests)})


@dataclass(frozen=True, slots=True)
class _Names:
    """What stands behind the names that imports bind, by its dotted name: modules, and what was had from modules."""

    modules: Mapping[str, str]
    members: Mapping[str, str]

    def dotted(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self.modules.get(name) or self.members.get(name, "")
            case ast.Attribute(value=value, attr=attr) if below := self.dotted(value):
                return f"{below}.{attr}"
            case _:
                return ""

    def is_foreign(self, target: ast.expr) -> bool:
        """Whether this is a module, part of one, or a class had from one; setting up any other object is common."""
        root = target
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        return root.id in self.modules or self.members.get(root.id, "").rpartition(".")[2][:1].isupper()


def _names(tree: ast.Module) -> _Names:
    modules: dict[str, str] = {}
    members: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                modules[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                members[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
    return _Names(modules, members)


def _reaching(node: ast.AST, names: _Names) -> Iterator[str]:
    """What of the lists a node names."""
    match node:
        case ast.Import(names=aliases):
            yield from (name for alias in aliases if (name := _known(alias.name)))
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            yield from (name for alias in aliases if (name := _known(f"{module}.{alias.name}")))
        case ast.Name(id=name, ctx=ast.Load()) if name in _BUILT_IN and not names.dotted(node):
            yield name
        case ast.Attribute(ctx=ast.Load()) if name := _known(names.dotted(node)):
            yield name
        case ast.Constant(value=str(text)) if text in _PLACES:
            yield f"the variable {text} of the environment"
        case _:
            pass


def _patching(node: ast.AST, names: _Names) -> Iterator[str]:
    """What a node puts in the place of something that others use too."""
    match node:
        case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()) if names.is_foreign(value):
            yield f"puts something in the place of {ast.unparse(node)}"
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[target, *_]) if names.is_foreign(target):
            yield f"puts something in the place of what {ast.unparse(target)} holds"
        case _:
            pass


def _naming(node: ast.AST, tests: frozenset[str]) -> Iterator[str]:
    """Paths and names of tests in strings."""
    match node:
        case ast.Constant(value=str(text)) if _PATH.fullmatch(text):
            folders = PurePosixPath(text).parts
            if "tests" in folders or any(stem in text for stem in tests) or kind_of(text) is FileKind.TEST:
                yield f"names a test, {text!r}"
        case _:
            pass


def _known(dotted: str) -> str:
    """What of the list this is or belongs to, or ""."""
    parts = dotted.split(".")
    names = (".".join(parts[: end + 1]) for end in range(len(parts)))
    return next((name for name in names if _REACHING.fullmatch(name)), "")
