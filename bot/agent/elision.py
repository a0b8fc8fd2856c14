"""Text that stands for code which was left out: “the rest stays as it is”, in whatever comment. Pure.

A line is taken for such a placeholder by its form (dots, brackets, a comment that says nothing else), never for single
words: a comment may well speak of “the rest of the arguments”.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from bot.agent.texts import Unplaced

PLACEHOLDER_CHARS = 200
UNPARSEABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for a text that is no Python, or too deep for its parser."""

_DOTS = r"(?:\.\.\.+|…)"
_FREE_DOTS = r"(?:\.\.\.(?![\w$])|…)"
"""Dots that are not JavaScript's spread operator."""
_COMMENT = (
    r"(?:#+\||#+|//+|/\*+|<!--+|--+|;+|%|!(?!\[)|\"\"\"|'''|\{-|\(\*|\{#|\{\{!-*|\{\{/\*|<%[-#]*|@\*|\|#|(?:rem|dnl)\b)"
)
_WORDS = r"\b(?:rest|remaining|remainder|unchanged|existing|same|previous|other|omitted|as before|stays?|goes here)\b"
_STRONG = r"\b(?:rest|remaining|remainder|unchanged|existing|omitted|as before)\b"
_WITH_DOTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:{_COMMENT}|\*|\.\.)\s*\(?{_DOTS}.*{_WORDS}",
        rf"^{_COMMENT}.*{_STRONG}.*{_DOTS}\W*$",
        rf"^[\[(<{{].*(?:{_FREE_DOTS}.*{_WORDS}|{_WORDS}.*{_FREE_DOTS}).*[\])>}}]$",
        rf"^{_FREE_DOTS}\s*\(?.*{_WORDS}",
        rf"^{_DOTS}(?:the )?(?:rest|remaining|remainder)\b",
        rf"^{_COMMENT}\s*(?:other|existing|remaining) [\w ]+{_DOTS}\W*$",
        rf"^(?:{_COMMENT}\s*)?{_DOTS}\s*[\[(<]?(?:\d+ (?:more )?lines|snip(?:ped)?)\b",
    )
)
_ONLY_DOTS = re.compile(
    rf"^(?:{_COMMENT}\s*[\[(<]?{_DOTS}[\])>]?\s*(?:\*/|--+>|[-#*%]*[\])}}>|]*)|[\[(<]{_DOTS}[\])>])$", re.IGNORECASE
)
_BETWEEN_DOTS = re.compile(rf"^{_COMMENT}\s*{_DOTS}\s*\w.*{_DOTS}\W*$", re.IGNORECASE)

_THING = (
    r"(?:(?:file|code|class|function|method|module|implementation|import|test|test case|content|component|page|template"
    r"|document|program|script|query|body|logic|definition|it)(?:e?s)?)"
)
_CODE = r"(?:code|class|functions?|methods?|module|implementation|imports?|content|component)"
_OF = rf"(?: of (?:the |your |this )?(?:\w+ )?{_THING}(?: code)?)"
_UNTOUCHED = (
    r"(?:unchanged|(?:exactly )?the same|same|as(?: it)? is|as it was|as they are|as before|untouched|intact|omitted|"
    r"snipped|left out)"
)
_STAY = r"(?:(?:is|are|remains?|stays?) )"
_STAYS = rf"(?:(?:is|are|remains?|stays?|kept) )?{_UNTOUCHED}|(?:goe?s? |continues? )?here|continues?|below"
_ELSE = rf"(?:(?:the |your |all |all the |any )?(?:other|existing|remaining|previous|original|same) {_THING})"
_SAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:keep |leave |see )?(?:the )?(?:rest|remainder)(?:{_OF}\b.*| (?:is |are |stays? |remains? )?{_UNTOUCHED})",
        rf"(?:keep |leave )?{_ELSE}(?: code)? (?:{_STAYS})",
        rf"(?:keep|leave) (?:the |your )?(?:rest\b.*|remainder\b.*|(?:existing|previous) {_CODE}\b.*)",
        rf"(?:keep|leave) (?:everything else|all other {_THING}|it|this|that)? ?{_UNTOUCHED}",
        rf"(?:keep|leave) {_UNTOUCHED}",
        rf"(?:add|include|insert|copy|put) (?:the |your )?(?:rest{_OF}|(?:existing|remaining) {_THING})(?: here)?",
        rf"(?:the |your )?(?:existing {_CODE}|(?:remaining|previous|original) code)",
        rf"(?:your|original|existing) {_THING}(?: goes)? here",
        rf"(?:the )?(?:same )?(?:original |existing |previous )?code (?:{_STAYS}|as (?:the )?original|continues here)",
        r"(?:unchanged|same as before|as before|remains? (?:the same|unchanged)|snip(?:ped)?|omitted)",
        r"no (?:other |further )?changes?(?: (?:needed|below|above|here))*",
        rf"(?:the )?(?:{_THING}|everything(?: else)?|code (?:above|below)) {_STAY}?(?:unchanged|the same|as before)",
        rf"(?:lines? )?\d+(?: ?(?:-|–|to) ?\d+)?(?: more)?(?: lines)? (?:are )?{_UNTOUCHED}",
        r"\d+ more lines",
        rf"(?:{_ELSE}|existing implementation|imports?) ?(?:code )?(?:omitted|snipped|left out)?(?: for brevity)",
        r".*\b(?:omitted|snipped|left out) for brevity",
        r"(?:其余|剩余|其他).*(?:不变|代码)|.*(?:保持不变|省略).*|.*без изменений|остальн\w+ код.*",
        r"rest(?:licher)? code.*|.*unverändert.*|(?:el )?resto del código.*|.*sin cambios",
        r"(?:le )?reste du code.*|.*inchangée?s?",
    )
)
_BRACKETED = re.compile(r"^(?:\[.*\]|\(.*\)|<[^/].*>|\{.*\})$")
_PROSE = re.compile(
    rf"(?:the )?(?:rest|remainder){_OF} (?:is |remains? |stays? )?(?:unchanged|the same|as before)", re.IGNORECASE
)
_IN_PASSING = re.compile(r"^(?:pass|return(?: None)?|raise NotImplementedError(?:\(\))?|\.\.\.|…);?\s*(?:#|//)\s*(.*)$")
_LEADER = re.compile(rf"^{_COMMENT}", re.IGNORECASE)
_QUOTE_COMMENTS: Mapping[str, str] = {".vim": '"', ".vb": "'", ".bas": "'", ".vbs": "'"}
_DOTS_ARE_TEXT = frozenset({".md", ".rst", ".txt", ".yml", ".yaml", ".html", ".adoc"})


def elided(old: str, new: str, *, path: str) -> Unplaced | None:
    """Refuse a text that leaves code out behind a placeholder which was not there before."""
    known = {line.strip() for line in old.split("\n")}
    suffix = PurePosixPath(path).suffix.lower()
    quote = _QUOTE_COMMENTS.get(suffix)
    for number, line in enumerate(new.split("\n"), start=1):
        words = line.strip()
        if words in known:
            continue
        said = f"#{words[1:]}" if quote and words.startswith(quote) else words
        is_bare = bool(old) and suffix not in _DOTS_ARE_TEXT and line.rstrip() in ("...", "…")
        if is_bare or is_placeholder(said, may_be_dots=bool(old)):
            return _refused(path, f"line {number} ({words!r})")
    emptied = next(_emptied(old, new), None) if suffix in (".py", ".pyi") else None
    return _refused(path, f"the body of {emptied}, which is `...` now,") if emptied else None


def is_placeholder(words: str, *, may_be_dots: bool) -> bool:
    """Whether a line says “the rest stays as it is” in place of the rest.

    `may_be_dots`: whether dots alone are one, as they are where there was something before.
    """
    if len(words) > PLACEHOLDER_CHARS:
        return False
    if words.startswith("{/*") and words.endswith("*/}"):
        words = words[1:-1]
    if may_be_dots and (_ONLY_DOTS.match(words) or _BETWEEN_DOTS.match(words)):
        return True
    if any(pattern.search(words) for pattern in _WITH_DOTS):
        return True
    in_passing = _IN_PASSING.match(words)
    if in_passing:
        return any(pattern.search(f"# {in_passing[1]}") for pattern in _WITH_DOTS) or _says_so(in_passing[1])
    leader = _LEADER.match(words)
    if leader:
        return _says_so(words[leader.end() :])
    return (bool(_BRACKETED.match(words)) and _says_so(words)) or bool(_PROSE.fullmatch(_bare(words)))


def _says_so(words: str) -> bool:
    bare = _bare(words)
    return any(pattern.fullmatch(bare) for pattern in _SAYS)


def _bare(words: str) -> str:
    """The words without the signs around them."""
    return re.sub(r"^\W+|\W+$", "", words.removesuffix("-%>")).replace("(", "").replace(")", "")


def _emptied(old: str, new: str) -> Iterator[str]:
    """The functions that had a body, and have three dots for one now."""
    if "..." not in new:
        return
    try:
        before, after = dict(_functions(ast.parse(old))), dict(_functions(ast.parse(new)))
    except UNPARSEABLE:
        return
    yield from (name for name, is_empty in after.items() if is_empty and before.get(name) is False)


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, bool]]:
    """Every function by its qualified name, and whether its body is three dots, a docstring aside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                said = [one.value for one in child.body if isinstance(one, ast.Expr) and len(child.body) <= 2]
                constants = [one.value for one in said if isinstance(one, ast.Constant)]
                yield name, len(constants) == len(child.body) and ... in constants
            yield from _functions(child, f"{name}.")


def _refused(path: str, what: str) -> Unplaced:
    return Unplaced(
        f"{path}: {what} stands for code that was left out. Nothing was written. "
        "Write every line, or change only the lines concerned with SEARCH and REPLACE"
    )
