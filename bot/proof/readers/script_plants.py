"""Where a failing test goes in a JavaScript or TypeScript project: beside the others, named as they are. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.plant import Plant, fullest
from bot.records import TestReport

_NAME = re.compile(r"(?P<stem>.*?)(?P<mark>[._-](?:test|spec|tests|specs))?(?P<suffix>\.[cm]?[jt]sx?)$")
_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class Texts:
    """A failing test as text. `typed` is for TypeScript, `module` for what must import; "" where `script` does."""

    script: str
    typed: str = ""
    module: str = ""

    def of(self, suffix: str) -> Sequence[str]:
        """Those that may fit such a file, the likeliest first: what kind of module `.js` is, its name does not say."""
        script = self.typed if self.typed and "ts" in suffix else self.script
        if not self.module or suffix.startswith(".c"):
            return (script,)
        return (self.module,) if suffix.startswith(".m") else (script, self.module)


def plants_beside(baseline: TestReport, token: str, texts: Texts) -> Iterator[Plant]:
    """A plant for each way in which the project's tests are named (`a.test.ts`, `b.spec.js`, `test/c.js`), the most
    frequent first, in the folder that holds most tests named so.
    """
    files = [case.file for case in baseline.cases if case.file and _NAME.fullmatch(case.file)]
    folders: dict[tuple[str, str], Counter[str]] = {}
    for file in files:
        path = PurePosixPath(file)
        folders.setdefault(_way(path.name), Counter())[str(path.parent)] += 1
    ways = sorted(folders, key=lambda way: (-folders[way].total(), way))
    for mark, suffix in ways[:_AT_MOST]:
        folder = fullest(folders[mark, suffix])
        planted = str(PurePosixPath(folder) / f"{_stem(files, token)}{mark}{suffix}")
        yield from (Plant(planted, token, template=text) for text in texts.of(suffix))


def _way(name: str) -> tuple[str, str]:
    found = _NAME.fullmatch(name)
    return (found["mark"] or "", found["suffix"]) if found else ("", "")


def _stem(files: Sequence[str], token: str) -> str:
    """`test-` in front where that is how tests are known."""
    prefixed = sum(bool(re.match(r"tests?[-_]", PurePosixPath(file).name)) for file in files) * 2 > len(files)
    return f"test-zz-selfcode-{token}" if prefixed else f"zz-selfcode-{token}"
