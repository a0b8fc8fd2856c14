"""Jest, wherever in the command it is started. Pure."""

from collections.abc import Iterator

from bot.proof.plant import Plant
from bot.proof.readers.node import recorded, recorder
from bot.proof.readers.reader import Left, Preparation, Scene
from bot.proof.readers.script_plants import plants_beside
from bot.proof.results import Results
from bot.records import TestReport

TEST = """\
test("zz selfcode {token}", () => {
  throw new Error("planted by selfcode: {token}");
});
"""


class _Jest:
    name = "jest"
    reads_output = False
    takes_plants = True

    def prepare(self, scene: Scene) -> Preparation:
        return recorder(scene)

    def read(self, left: Left) -> Results | None:
        return recorded(left, self.name)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        return plants_beside(baseline, token, TEST)


JEST = _Jest()
