"""Shell commands as words: read without a shell, written so that no name is taken for anything else. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

COMMANDS_AT_MOST = 200
_LINE_AT_MOST = 2000
_SEPARATORS = re.compile(r"&&|\|\||;|\n")
_NOT_PLAIN = re.compile(r"[`|<>*?]|\$\(|\$\{\{|\$[A-Za-z_{]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_IN_DOUBLE_QUOTES = re.compile(r"(?=[^']*')[\w \t'.,;:<>=~()\[\]*/+@%&|-]+", re.ASCII)
"""Text with a single quote and nothing that a shell reads inside double ones: a marker, `a; python_version < '3'`."""
_BEFORE = frozenset({"sudo", "exec", "time", "command", "then", "do", "-E", "-H", "!"})


def simple_commands(script: str) -> Iterator[tuple[str, ...]]:
    """The words of those commands of a script that stand for themselves: no variables, pipes, patterns or redirects.

    What comes before a program (`sudo`, assignments) is left out.
    """
    joined = script.replace("\\\r\n", " ").replace("\\\n", " ")
    for line in _SEPARATORS.split(joined)[:COMMANDS_AT_MOST]:
        if len(line) > _LINE_AT_MOST or _NOT_PLAIN.search(_QUOTED.sub("", line)):
            continue
        words = split(line)
        while words and (words[0] in _BEFORE or _ASSIGNMENT.fullmatch(words[0])):
            words = words[1:]
        if words:
            yield words


def split(line: str) -> tuple[str, ...]:
    """A command's words; none where its quotes don't close, or it is too long to be one."""
    if len(line) > 2 * _LINE_AT_MOST:
        return ()
    try:
        return tuple(shlex.split(line, comments=True))
    except ValueError:
        return ()


def quoted(words: Iterable[str]) -> str:
    """The words as a command that a shell takes apart into these very words."""
    return " ".join(f'"{word}"' if _IN_DOUBLE_QUOTES.fullmatch(word) else shlex.quote(word) for word in words)


def with_variables(command: str, variables: Sequence[tuple[str, str]]) -> str:
    """The command with variables of its own. A value may hold `$PWD`, which the shell fills in."""
    return "".join(f"{name}={_value(value)} " for name, value in variables) + command


def _value(text: str) -> str:
    return f'"{text}"' if re.fullmatch(r"(\$PWD/)?[A-Za-z0-9_./:-]*", text) and "$" in text else shlex.quote(text)
