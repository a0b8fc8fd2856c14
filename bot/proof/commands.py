"""What a test command starts. Pure."""

import re
from collections.abc import Iterator, Sequence

_COMMANDS = re.compile(r"[;&|(){}\n]+")
_BEFORE_A_PROGRAM = re.compile(
    r"\w+=.*|env|exec|time|timeout|nice|command|source|export|if|then|!|\.|[\d.]+[smh]?|-.*"
    r"|uv|poetry|pdm|pipenv|rye|hatch|coverage|npx|xvfb-run|run"
)
_INTERPRETER = re.compile(r"(.*/)?(python|pypy|sh|bash|dash|zsh|node|ruby|perl)[\d.]*")
_BY_TASK = dict.fromkeys(("inv", "invoke"), ("tasks.py", "tasks/__init__.py"))
"""Where programs that run tasks look for them, if the name of the file says nothing by itself."""


def programs(command: str) -> Iterator[str]:
    """The files that a shell command may start, as they are named in it; a module by each of its possible files."""
    for one in _COMMANDS.split(command):
        words = [word.strip("'\"") for word in one.split()]
        while words and _BEFORE_A_PROGRAM.fullmatch(words[0]):
            words.pop(0)
        if words and _INTERPRETER.fullmatch(words[0]):
            yield from _interpreted(words[1:])
        elif words:
            yield from _BY_TASK.get(words[0], (words[0].removeprefix("./"),))


def _interpreted(words: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word == "-m" and place + 1 < len(words):
            module = words[place + 1].replace(".", "/")
            yield from (f"{module}.py", f"{module}/__init__.py", f"{module}/__main__.py")
            return
        if not word.startswith("-"):
            yield word.removeprefix("./")
            return
