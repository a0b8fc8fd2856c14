"""Source that can't work: a fault of ours in each file, which whoever compiles or imports it must notice. Pure."""

import io
import itertools
import re
import shlex
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from bot.proof import FileKind, kind_of
from sandbox.contract import CACHES, File

SAYS = "planted by selfcode: this must not work"

_PYTHON = f"raise RuntimeError({SAYS!r})\n"
_SCRIPT = f'(() => {{ throw new Error("{SAYS}"); }})();\n'
"""An expression, not a bare `throw`: what follows a `throw` is unreachable, which linters would say of it."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ASIDE = frozenset(
    {"docs", "doc", "examples", "example", "benchmarks", "bench", "scripts", "tools", "ci", "node_modules", "vendor"}
    | set(CACHES)
)
"""Folders whose files are no part of what is tested, or are others' code."""


def faulty(files: Iterable[tuple[str, File]], *, directory: str = ".", commands: str = "") -> Mapping[str, File]:
    """Every source file of the project with a fault in it: no test, configuration, documentation or setup file.

    `directory` is the project's; where it holds no source, all of it counts. What `commands` name is left as it is:
    a runner that breaks would say nothing of the code that it tests.
    """
    named = _words(commands)
    planted = {
        path: File(made, executable=file.executable)
        for path, file in files
        if not file.symlink and _is_source(path) and path not in named and (made := with_fault(path, file.data))
    }
    inside = {path: file for path, file in planted.items() if directory == "." or path.startswith(f"{directory}/")}
    return inside or planted


def that_compile(planted: Mapping[str, File]) -> Mapping[str, File]:
    """Those in which the fault shows only when they run: with the others a build ends before there is any test."""
    return {path: file for path, file in planted.items() if PurePosixPath(path).suffix not in _COMPILED}


def with_fault(path: str, source: bytes) -> bytes | None:
    """The source with a fault; None for a language that is not known, or text that can't take one."""
    plant = _PLANTS.get(PurePosixPath(path).suffix)
    if plant is None or path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return None
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return (mark + plant(text.removeprefix(mark))).encode()


def _is_source(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return kind_of(path) is FileKind.SOURCE and not _ASIDE.intersection(parts[:-1]) and not parts[0].startswith(".")


def _words(commands: str) -> frozenset[str]:
    try:
        words = shlex.split(commands, comments=False)
    except ValueError:
        words = commands.split()
    return frozenset(word.removeprefix("./") for word in words)


def _in_python(text: str) -> str:
    """Before the first statement that does anything; nothing may stand before the docstring and `__future__`."""
    place = 0
    with suppress(SyntaxError, tokenize.TokenError):  # broken already: it fails wherever the fault stands
        for number, words in _statements(text):
            if not (_is_docstring(words, is_first=place == 0) or words[:2] == ["from", "__future__"]):
                break
            place = number
    lines = _LINES.findall(text)
    head = "".join(lines[:place]) if place else _opening_comments(lines)
    return head + ("" if not head or head[-1] in "\r\n" else "\n") + _PYTHON + text[len(head) :]


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each statement's last line and its words, in turn: a file's beginning is all that is read of it."""
    words: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            yield token.start[0], words
            words = []
        elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            words.append(token.string)


def _is_docstring(words: Sequence[str], *, is_first: bool) -> bool:
    return is_first and bool(words) and all(word.endswith(("'", '"')) for word in words)


def _opening_comments(lines: Sequence[str]) -> str:
    """The comments that a file opens with: a shebang and an encoding must stay there."""
    return "".join(itertools.takewhile(lambda line: line.startswith("#"), lines))


def _below_comments(fault: str) -> Callable[[str], str]:
    """Above all that does anything, for languages whose files open with comments that mean something."""

    def planted(text: str) -> str:
        head = _opening_comments(_LINES.findall(text))
        return head + ("" if not head or head[-1] in "\r\n" else "\n") + fault + text[len(head) :]

    return planted


def _in_script(text: str) -> str:
    first, newline, rest = text.partition("\n")
    return f"{first}\n{_SCRIPT}{rest}" if first.startswith("#!") and newline else _SCRIPT + text


def _at_the_end(fault: str) -> Callable[[str], str]:
    """Below all else: what decides whether a file is compiled at all stands at its top."""
    return lambda text: text + ("" if not text or text.endswith("\n") else "\n") + fault


_NONSENSE = f'}} }} ) "{SAYS}" (\n'
_C = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".m", ".mm")
_OTHERS = (".go", ".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift", ".dart")
_COMPILED = frozenset({".rs", *_C, *_OTHERS})
_BY_SUFFIXES: Mapping[tuple[str, ...], Callable[[str], str]] = {
    (".py",): _in_python,
    (".pyx",): _at_the_end(_PYTHON),
    (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"): _in_script,
    (".rs",): _at_the_end(f'compile_error!("{SAYS}");\n'),
    _C: _at_the_end(f'#error "{SAYS}"\n'),
    (".rb",): _below_comments(f'raise "{SAYS}"\n'),
    (*_OTHERS, ".php", ".ex"): _at_the_end(_NONSENSE),
    (".sh", ".bash"): _below_comments(f"echo '{SAYS}' >&2; exit 97\n"),
}
_PLANTS = {suffix: plant for suffixes, plant in _BY_SUFFIXES.items() for suffix in suffixes}
