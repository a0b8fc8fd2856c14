"""Assertions of tests in JavaScript and TypeScript, found by their syntax tree and loosened. Pure."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node, Parser
from tree_sitter_language_pack import SupportedLanguage, get_language

GRAMMARS: dict[str, SupportedLanguage] = {
    ".js": "javascript",
    ".cjs": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_OBJECT = re.compile(r"assert(\.strict)?|s?\d?t\d?|tap|test")
_SAYS = re.compile(
    r"(not|is|isNot)?(deep|loose|strict|deepLoose|deepStrict)?(equals?|same)|is|isNot|not|ok|notOk|true|false"
    r"|error|ifError|fail|(doesNot)?(throws?|rejects?|match)",
    re.IGNORECASE,
)


def loosened_script(path: str, source: bytes, lines: frozenset[int]) -> bytes | None:
    """The file with every assertion that begins on one of these lines (from 0 on) loosened; None where there is none.

    Where none does, all of the file are: what was added is a row of a table, or the call of a helper that asserts.
    """
    tree = Parser(get_language(GRAMMARS[PurePosixPath(path).suffix])).parse(source)
    every = list(_assertions(tree.root_node))
    kept = source
    for node, words in reversed([each for each in every if each[0].start_point[0] in lines] or every):
        kept = kept[: node.start_byte] + words + kept[node.end_byte :]
    return kept if kept != source else None


def _assertions(node: Node) -> Iterator[tuple[Node, bytes]]:
    """Outermost first, in the order of the file."""
    if node.type == "call_expression" and (words := _loosened(node)) is not None:
        yield node, words
        return
    for child in node.children:
        yield from _assertions(child)


def _loosened(call: Node) -> bytes | None:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return None
    inside = _inside(arguments)
    if _text(function) == "assert":
        return b"assert(true || [" + inside + b"])"
    expected = _expected(function)
    if expected is not None:
        return b"expect(true || [" + expected + b"]).toBeDefined()"
    named, said = function.child_by_field_name("object"), function.child_by_field_name("property")
    if named is None or said is None or not _OBJECT.fullmatch(_text(named)) or not _SAYS.fullmatch(_text(said)):
        return None
    return _text(named).encode() + b".ok(true || [" + inside + b"])"


def _expected(function: Node) -> bytes | None:
    """What `expect` is asked of in `expect(…).not.toBe`; None where it is something else."""
    within = function.child_by_field_name("object")
    if function.type != "member_expression" or within is None:
        return None
    if within.type == "call_expression":
        asked, arguments = within.child_by_field_name("function"), within.child_by_field_name("arguments")
        if asked is not None and arguments is not None and _text(asked) == "expect":
            return _inside(arguments)
        return None
    return _expected(within)


def _inside(arguments: Node) -> bytes:
    """The arguments without their brackets; a comment at the end must not hide what comes behind."""
    inside = (arguments.text or b"")[1:-1]
    return inside + b"\n" if b"//" in inside else inside


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
