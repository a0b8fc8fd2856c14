"""What leads to a fix from its words: links, numbers, ids, paths, names. Pure."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.backtest.words.answers import IDENTIFIER, PATH, Answer
from bot.backtest.words.leaving_out import OMITTED, LeftOut, gone
from bot.repository.changes import printable

NAMES_ASKED_AT_MOST = 200
"""Of so many names it is asked whether the base knows them; of a message with more, the others are taken as new."""
_PATH_CHARS = 4_096

_LOOKS_LIKE_CODE = re.compile(r"_|[a-z0-9][A-Z]|^[A-Z]{3,}$")
_CALLED = re.compile(r"`((?:[^\W\d]|\$)[\w$]*)`|(?<![\w$])((?:[^\W\d]|\$)[\w$]*)\(")
_NUMBERED = (
    r"(?:(?<![\w./-])[\w.-]{1,100}/[\w.-]{1,100}[#!]|(?<![\w&/#])#|(?<![\w&/!])!(?=\d{2})|(?<![\w-])GH-)"
    r"\d{1,12}\b(?!\.\d)"
)
_CLOSED = (
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|see(?: also)?|refs?|references?|re|issues?|part of"
    rf"|tickets?|bugs?|gh|pr|pull request)(?:[ \t]{{0,4}}:?\s{{0,4}}{_NUMBERED}|#\d{{1,12}}\b)"
    rf"(?:\s{{0,4}}(?:,|and|&|\+)\s{{0,4}}{_NUMBERED})*"
)
_CLOSING = re.compile(rf"\({_CLOSED}\)|{_CLOSED}", re.IGNORECASE)
_NUMBER = re.compile(rf"\({_NUMBERED}\)|{_NUMBERED}")
_LINK = re.compile(
    r"\[([^\[\]\n]*)\]\([ \t]{0,4}https?://[^()\[\]\s]*(?:[ \t][^()\[\]\n]{0,200})?\)|<?\bhttps?://[^\s<>)\]]+>?"
)
_SHA = re.compile(r"(?<![\w./#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-])")
_ID = re.compile(r"[0-9a-f]{7,40}")
TRACE = re.compile(r"https?://[^\s<>)\]]+|(?<![\w/])[\w.-]{1,100}/[\w.-]{1,100}#\d+|(?<![\w&/])#\d+|\b[0-9a-f]{7,40}\b")
_PULL_ADDRESS = re.compile(r"([\w.-]+/[\w.-]+)/(?:pull|-/merge_requests)/(\d+)$")


def names_of_the_fix(texts: Sequence[str], answer: Answer, is_known: Callable[[str], bool]) -> frozenset[str]:
    """The names in the texts that are code, and that only the fix's source brings."""
    called = {name for text in texts for found in _CALLED.findall(text) for name in found}
    said = dict.fromkeys(name for text in texts for name in IDENTIFIER.findall(text))
    asked = [
        name
        for name in said
        if name in answer.names and name not in answer.asked and (name in called or _LOOKS_LIKE_CODE.search(name))
    ]
    rest = asked[NAMES_ASKED_AT_MOST:]
    return frozenset([*(name for name in asked[:NAMES_ASKED_AT_MOST] if not is_known(name)), *rest])


def plain(text: str, answer: Answer, names: Collection[str], out: LeftOut) -> str:
    """A message's words without links, ids, paths of the fix, and names that only the fix brings."""
    text = gone(_LINK, text, lambda found: (found[1] or "", "a link"), out)
    for pattern in (_CLOSING, _NUMBER):
        text = gone(pattern, text, lambda found: ("", f"“{found[0].strip('() ')}”"), out)
    text = gone(_SHA, text, lambda _: (OMITTED, "a commit's id"), out)
    for path in answer.odd_paths:
        if path in text:
            out.note(f"the path {printable(path)}")
            text = text.replace(path, OMITTED)
    text = gone(PATH, text, lambda found: _without_path(found[0], answer), out)
    return gone(IDENTIFIER, text, lambda found: _without_name(found[0], names), out)


def _without_path(said: str, answer: Answer) -> tuple[str, str]:
    """What stands in the place of what may be a path of the fix, or end with one."""
    bare = said.rstrip(".").removeprefix("./").replace("\\", "/")
    if len(bare) > _PATH_CHARS:
        return said, ""
    path = answer.paths.get(bare)
    at = bare.find("/")
    while path is None and at >= 0:
        rest = bare[at + 1 :]
        path = answer.paths.get(rest) if "/" in rest else None
        at = bare.find("/", at + 1)
    if path is None:
        return said, ""
    return OMITTED + said[len(said.rstrip(".")) :], f"the path {printable(path)}"


def _without_name(name: str, names: Collection[str]) -> tuple[str, str]:
    return (OMITTED, f"the name {name}") if name in names else (name, "")


@dataclass(frozen=True, slots=True)
class Traces:
    """What leads to the fix: addresses, short names of pull requests, and beginnings of commits' ids."""

    names: tuple[str, ...]
    ids: frozenset[str]

    @staticmethod
    def of(hints: Collection[str]) -> "Traces":
        ids = frozenset(hint[:7] for hint in hints if _ID.fullmatch(hint))
        addresses = [hint for hint in hints if hint and not _ID.fullmatch(hint)]
        short = [
            name for each in addresses if (found := _PULL_ADDRESS.search(each)) for name in _short(*found.groups())
        ]
        return Traces((*addresses, *short), ids)

    def omitted(self, found: re.Match[str]) -> tuple[str, str]:
        said = found[0]
        leads = any(said.startswith(name) and not said[len(name) :][:1].isalnum() for name in self.names)
        if leads or any(each[:7] in self.ids for each in _ID.findall(said)):
            return OMITTED, "a link to the fix"
        return said, ""


def _short(repository: str, number: str) -> tuple[str, str]:
    return f"{repository}#{number}", f"#{number}"
