"""Which files and definitions matter for a task, by what the issue, the failing tests and the code itself say."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.agent.texts import read_source
from bot.agent.viewing.imports import imported
from bot.agent.viewing.mentions import Frame, frames, identifiers, is_test, named_paths, parts_of, tests_of, words
from bot.agent.viewing.reading import symbols_in
from bot.agent.viewing.symbols import Definition, Symbols, language_of
from bot.records import Readable, Task, TestReport

T = TypeVar("T")

SEARCHED_CHARS = 40_000
READ_FIRST = 24
LONG = 80
READ_THEN = 12
WITHIN_FRAME = 100
NAMED_EXACTLY = 90
NAMED = 60
FAILING = 70
CALLEES = (50, 28, 18)
"""What the named definitions call, what that calls, and once more."""
CALLER, TESTING = 25, 35
TELLING = 2
"""A name that more definitions have says little of which one is called."""
FILE_NAMED, FILE_IMPORTED, FILE_TESTS, FILE_SPOKEN_OF = 70, 30, 20, 15

_KEYWORDS = "def|class|function|func|fn|const|let|var|type|struct|interface|trait|enum|module|void|int|public|static"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file that may matter, its text as a model sees it, and how much each of its definitions does."""

    path: str
    text: str
    symbols: Symbols
    score: int
    wanted: Mapping[Definition, int] = field(default_factory=dict)
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """What issue and failing tests name."""

    frames: tuple[Frame, ...]
    names: tuple[str, ...]
    text: str
    failing: tuple[str, ...]


def ranked(
    task: Task,
    bench: Readable,
    *,
    paths: Sequence[str],
    baseline: TestReport | None,
    known: Sequence[str] = (),
    pointed: Sequence[Frame] = (),
) -> tuple[Ranked, ...]:
    """The files that may matter, the most likely first. `known` are left out, `pointed` are places to begin with."""
    said, scores = _first_scores(task, bench, paths=paths, baseline=baseline, pointed=pointed)
    chosen = _best(scores, READ_FIRST)
    texts = _texts(bench, chosen)
    symbols = symbols_in(texts)
    for path in chosen:
        reason = FILE_IMPORTED if is_test(path) else FILE_SPOKEN_OF
        for other in imported(path, symbols[path].imports, paths) if path in symbols else ():
            _raise(scores, other, reason)
    more = _texts(bench, [path for path in _best(scores, READ_FIRST + READ_THEN) if path not in texts][:READ_THEN])
    texts |= more
    symbols |= symbols_in(more)
    files = _with_neighbours([_file(path, texts[path], symbols[path], scores[path], said) for path in texts])
    left = [one for one in files if one.path not in known]
    return tuple(sorted(left, key=lambda one: (-one.score, is_test(one.path), one.path)))


def _first_scores(
    task: Task, bench: Readable, *, paths: Sequence[str], baseline: TestReport | None, pointed: Sequence[Frame]
) -> tuple[_Said, dict[str, int]]:
    asked = [words for request in task.requests for _, words in request.said[-1:]]
    answered = [note.text for note in task.answered]
    said_of_it = [*asked, task.title, task.body, task.hint, *answered, *(comment.body for comment in task.comments)]
    text = "\n".join(said_of_it)[:SEARCHED_CHARS]
    failed = [case for case in baseline.cases if case.id in baseline.failed] if baseline else []
    failing = "\n".join(f"{case.file or ''} {case.id} {case.message}" for case in failed)[:SEARCHED_CHARS]
    names = identifiers(text)
    said = _Said(
        tuple(dict.fromkeys([*pointed, *frames(text, paths), *frames(failing, paths)])),
        tuple(names),
        text,
        tuple(re.split(r"[.:\[]+", case.id.split("[")[0])[-1] for case in failed[:20]),
    )
    scores: dict[str, int] = {}
    for at, frame in enumerate(said.frames):
        _raise(scores, frame.path, max(WITHIN_FRAME - 4 * at, FAILING))
    for path in named_paths(text, paths):
        _raise(scores, path, FILE_NAMED)
    for path in named_paths(failing, paths):
        _raise(scores, path, FAILING - 10)
    for path, score in _defining(names, bench).items():
        _raise(scores, path, score)
    for path, score in _spoken_of(words(text), bench, paths).items():
        _raise(scores, path, score)
    for path in _best(scores, READ_FIRST // 2):
        for test in tests_of(path, paths):
            _raise(scores, test, scores[path] * 2 // 3 if scores[path] > FILE_IMPORTED else FILE_TESTS)
    return said, scores


def _defining(names: Sequence[str], bench: Readable) -> dict[str, int]:
    """The files in which the names are defined; a name that many files define says less. Source before tests."""
    if not names:
        return {}
    wanted = "|".join(names)
    found = dict(_definitions(names, bench))
    share = max(len(found) // 6, 1)
    defining = {path: max((NAMED if not is_test(path) else FILE_TESTS) // share, FILE_TESTS) for path in found}
    uses = bench.search(rf"(^|[^A-Za-z0-9_])({wanted})[[:space:]]*\(")
    counted = Counter(line.split(":", 1)[0].removeprefix("./") for line in uses)
    for path, count in counted.most_common(10):
        defining.setdefault(path, FILE_TESTS + min(count, 9))
    return defining


def _definitions(names: Sequence[str], bench: Readable) -> list[tuple[str, str]]:
    """The files and lines that look like definitions of the names."""
    if not names:
        return []
    wanted = "|".join(names)
    pattern = rf"({_KEYWORDS})[[:space:]]+({wanted})([^A-Za-z0-9_]|$)|^({wanted})[[:space:]]*="
    return [(line.split(":", 1)[0].removeprefix("./"), line) for line in bench.search(pattern)]


def _spoken_of(spoken: Sequence[str], bench: Readable, paths: Sequence[str]) -> dict[str, int]:
    """The files whose paths or definitions hold words of the issue, for issues that name no code."""
    if not spoken:
        return {}
    either = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in spoken)
    found = bench.search(rf"(def|class|function|func|fn|struct|interface)[[:space:]]+[A-Za-z0-9_]*({either})")
    held: dict[str, set[str]] = {}
    for line in found:
        path, *rest = line.split(":", 2)
        held.setdefault(path.removeprefix("./"), set()).update(word for word in spoken if word in rest[-1].lower())
    for path in paths:
        in_path = {word for word in spoken if word in path.lower()}
        if in_path:
            held.setdefault(path, set()).update(in_path)
    rarity = Counter(word for holding in held.values() for word in holding)
    return {
        path: int(FILE_SPOKEN_OF * sum(2 / (1 + rarity[word] // 4) for word in holding))
        // (1 if _is_source(path) else 3)
        for path, holding in held.items()
    }


def _file(path: str, text: str, symbols: Symbols, score: int, said: _Said) -> Ranked:
    """The file with what it is wanted for: frames' lines, definitions of names, tests that fail."""
    wanted: dict[Definition, int] = {}
    spoken = frozenset(words(said.text))
    lines = tuple(frame.line for frame in said.frames if frame.path == path)
    for at, frame in enumerate(said.frames):
        around = symbols.innermost(frame.line) if frame.path == path else None
        if around is not None:
            _raise(wanted, around, max(WITHIN_FRAME - 4 * at, FAILING))
    for one in symbols.definitions:
        if one.owner and re.search(rf"\b{re.escape(one.qualified)}\b", said.text):
            _raise(wanted, one, NAMED_EXACTLY)
        elif one.name in said.names:
            _raise(wanted, one, min(NAMED, max(score, CALLER)))
        elif one.name in said.failing and is_test(path):
            _raise(wanted, one, FAILING)
        elif spoken & parts_of(one.name):
            _raise(wanted, one, FILE_SPOKEN_OF + 5 * len(spoken & parts_of(one.name)) - 10 * is_test(path))
    return Ranked(path, text, symbols, max([score, *wanted.values()]), _without_large(wanted), lines)


def _without_large(wanted: Mapping[Definition, int]) -> Mapping[Definition, int]:
    """Of a long class of which a part is wanted as much, that part alone."""
    return {
        one: score
        for one, score in wanted.items()
        if one.lines <= LONG or not any(_is_part(other, one) and wanted[other] >= score for other in wanted)
    }


def _is_part(one: Definition, whole: Definition) -> bool:
    return one != whole and whole.first <= one.first and one.last <= whole.last


def _with_neighbours(files: Sequence[Ranked]) -> list[Ranked]:
    """What the wanted definitions call, directly and by way of others, and what calls them, in any of the files."""
    strong = {one: file for file in files for one, score in file.wanted.items() if score >= NAMED}
    defined = Counter(one.name for file in files for one in file.symbols.definitions)
    called: dict[str, int] = {}
    reached: Mapping[Definition, Ranked] = strong
    for score in CALLEES:
        names = frozenset(name for one, file in reached.items() for name in file.symbols.called_in(one)) - called.keys()
        called |= {name: score // max(defined[name] - TELLING + 1, 1) for name in names}
        reached = {
            one: file
            for file in files
            for one in file.symbols.definitions
            if one.name in names and defined[one.name] <= TELLING
        }
    names = frozenset(one.name for one in strong)
    found = []
    for file in files:
        wanted = dict(file.wanted)
        for one in file.symbols.definitions:
            if one.name in called:
                _raise(wanted, one, called[one.name])
        for one in file.symbols.callers_of(names):
            _raise(wanted, one, TESTING if is_test(file.path) else CALLER)
        found.append(replace(file, wanted=wanted, score=max([file.score, *wanted.values()])))
    return found


def _texts(bench: Readable, paths: Sequence[str]) -> dict[str, str]:
    read = bench.read_many(paths)
    sources = {path: read_source(read[path]) for path in paths if path in read}
    return {path: source.text for path, source in sources.items() if source is not None}


def _is_source(path: str) -> bool:
    """Whether a path is code that is not a test."""
    return language_of(path) is not None and not is_test(path) and not path.startswith(("docs/", "examples/"))


def _best(scores: Mapping[str, int], count: int) -> list[str]:
    return sorted(scores, key=lambda path: (-scores[path], is_test(path), path))[:count]


def _raise(scores: dict[T, int], key: T, score: int) -> None:
    scores[key] = max(scores.get(key, 0), score)
