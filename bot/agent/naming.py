"""Which file a fenced block names: on its fence, on the line before it, or in its first line's comment. Pure.

A block that is taken for a file which it is not destroys that file. So words name a file only where they can mean
nothing else: “Input/Output”, `calc.add` and “the updated function in `calc.py`” name none.
"""

import re
from collections.abc import Sequence

SHELLS = frozenset({"sh", "bash", "shell", "zsh", "console", "shell-session"})
SHELL_FILES = (".sh", ".bash", ".zsh")
DIFFS = frozenset({"diff", "patch", "udiff"})
WITHOUT_PATH = frozenset({"read", "search", "list", "delete", "finish", "ask", "answer", "json"})
PATH_LINE_CHARS = 300

_ATTRIBUTE = re.compile(
    r"(?:^|[\s{,])(path|file|file[_-]?name|file[_-]?path|title|name)\s*[=:]\s*"
    r"""(?:"([^"]+)"|'([^']+)'|`([^`]+)`|([^\s"'},]+))""",
    re.IGNORECASE,
)
_TITLES = frozenset({"title", "name"})
_EXCERPT = re.compile(r"[:#]L?\d+(?:-L?\d+)?(?=[\s\"'},]|$)|\b(?:lines?|start_?line|range)\s*[=:]", re.IGNORECASE)
"""What says of a block that it is some lines of its file. `startline` alone may as well number a listing."""

_BESIDE = frozenset({"#", "//", "|", "-", "@", "--", "in", ":"})
"""What may stand between a language and a path."""
_NOTED = re.compile(r"\(?(?:new|updated|modified|complete|full)?(?: ?file)?\)?", re.IGNORECASE)
_LANGUAGES = frozenset({"node.js", "vue.js", "next.js", "d3.js"})

_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+\[\]()-]+)*")
_EXTENSIONS = (
    "adoc|bash|bat|c|cc|cfg|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|el|erl|ex|exs|feature|fish|gleam|go|gradle|graphql|h"
    "|hpp|hrl|hs|html|ini|ipynb|java|jl|js|json|jsx|kt|kts|less|lock|lua|m|md|mdx|mjs|ml|mm|nim|nix|php|pl|pm|po|proto"
    "|ps1|py|pyi|pyx|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift|tex|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig|zsh"
)
_NAMES = re.compile(
    r"[BCDGJMPRV]\w*file|justfile|makefile|CODEOWNERS|COPYING|LICENSE|MANIFEST\.in|NOTICE|\.(?:env|gitignore|editorconfig)"
)
_FILE_NAME = re.compile(rf"(?:[\w.@+-]*[\w-])?\.(?:{_EXTENSIONS})", re.IGNORECASE)
_IN_FOLDER = re.compile(r".*\.(?=\w*[A-Za-z])\w{1,12}")

_PART = re.compile(
    r"\b(?:function|method|class|part|section|lines?|snippet|block|excerpt|portion|passage|import|constant|body|loop|"
    r"definition|signature|condition|statement|call)s?\b",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"^[^`]*\b(?:complete|corrected|create|entire|final|fixed|full|modified|new|revised|updated|whole)\b"
    r"[^`]*`([^`\s]+)`[^`]*:\**\s*$",
    re.IGNORECASE,
)
_KEY = r"(?:(?:new )?file(?:[ _-]?(?:name|path))?|path)"
_NOTE = r"(?:\s*\((?:new|updated|modified|complete|corrected|fixed|full|whole)[\w ]*\))?"
_COMMENT = re.compile(
    rf"^(?:#+|//|--|;|%|/\*|<!--|\{{#|\(\*|\"\"\"|''')\s*(?:{_KEY}\s*[:=]\s*)?[`\"']?([^\s:`\"']+?)[`\"']?:?{_NOTE}"
    r"\s*(?:\*/|-->|#\}|\*\)|\"\"\"|''')?\s*$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"^[#>*\s]*(?:(?:\d+[.)]|[-+])\s+)?(?:\*\*)?(?:{_KEY}\s*:\s*)?"
    rf"[*_`\"'\[]*([^\s*`\"'\]]+?)[*_`\"':]*(?:\]\([^\s)]*\))?:?{_NOTE}[*_`:]*\s*$",
    re.IGNORECASE,
)


def read_info(info: str) -> tuple[str, str | None]:
    """The language and the path of an info string.

    `python path=a.py`, `python title="a.py"`, `python:a.py`, `python a.py`, `src/a.py`; without a path: `c++`, `.env`,
    `text/x-python`, and what names lines of a file.
    """
    words = info.split()
    language = words[0] if words else ""
    attribute = _ATTRIBUTE.search(info)
    if attribute and (path := _attributed(attribute)):
        name = re.split(r"[=:{]", language, maxsplit=1)[0]
        return "" if attribute.start() == 0 else name.lower(), None if _EXCERPT.search(info) else path
    name, colon, rest = language.partition(":")
    if colon and looks_like_a_path(rest):
        return name.lower(), rest
    beside = [word for word in words[1:] if word not in _BESIDE]
    bare = beside[0].strip("`\"'()[],") if beside else ""
    if (looks_like_a_path(bare) or is_surely_a_path(bare)) and _NOTED.fullmatch(" ".join(beside[1:])):
        return language.strip(",").lower(), bare
    if len(words) == 1 and _is_a_file(language):
        return "", language
    return language.lower(), None


def looks_like_a_path(word: str) -> bool:
    """Whether a word can be a path: it has a slash or a dot, and is no number."""
    return bool(_PATH.fullmatch(word)) and ("/" in word or "." in word.strip(".")) and not re.fullmatch(r"[\d.]+", word)


def is_surely_a_path(words: str) -> bool:
    """Whether words are a file's path, and no version, dotted name or “Input/Output”."""
    if not _PATH.fullmatch(words):
        return False
    folder, _, name = words.rpartition("/")
    return bool(_NAMES.fullmatch(name) or _FILE_NAME.fullmatch(name) or (folder and _IN_FOLDER.fullmatch(name)))


def path_before(lines: Sequence[str], language: str) -> str | None:
    """A path on the line before the fence, one blank line allowed between: alone, or in words that announce a file.

    Other words may stand before an excerpt, which must not become the file.
    """
    above = [line for line in lines[-2:] if line.strip() and len(line) <= PATH_LINE_CHARS]
    if not above or language in WITHOUT_PATH:
        return None
    found = _ALONE.match(above[-1])
    if found is None and not _PART.search(re.sub(r"`[^`]*`", "", above[-1])):
        found = _ANNOUNCED.match(above[-1])
    if not found or not is_surely_a_path(found[1]):
        return None
    return None if language in SHELLS and not found[1].endswith(SHELL_FILES) else found[1]


def path_inside(content: str, language: str) -> str | None:
    """A path that is the first line's comment."""
    if not language or language in WITHOUT_PATH | SHELLS | DIFFS:
        return None
    found = _COMMENT.match(content.partition("\n")[0])
    return found[1] if found and is_surely_a_path(found[1]) else None


def _attributed(attribute: re.Match[str]) -> str | None:
    """The path that an attribute gives; a title is one only where it looks like it."""
    key, *values = attribute.groups()
    path = next(value for value in values if value)
    return None if key.lower() in _TITLES and not is_surely_a_path(path) else path


def _is_a_file(word: str) -> bool:
    """Whether a word that stands where the language does is a file's path."""
    if _FILE_NAME.fullmatch(word):
        return not word.startswith(".") and word.lower() not in _LANGUAGES
    return "/" in word and "." in word.rsplit("/", maxsplit=1)[-1] and ":" not in word
