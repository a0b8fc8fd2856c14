"""Node's own test runner: `node --test`, and files that use `node:test` by themselves. Pure."""

from collections.abc import Iterator

from bot.proof.plant import Plant
from bot.proof.readers.node import recorded, recorder
from bot.proof.readers.reader import Left, Preparation, Scene
from bot.proof.readers.script_plants import plants_beside
from bot.proof.results import Results
from bot.records import TestReport

TEST = """\
import("node:test").then(({ test }) => {
  test("zz selfcode {token}", () => {
    throw new Error("planted by selfcode: {token}");
  });
});
"""
"""`import()` is there in both kinds of modules, whatever package.json says of this folder."""


class _NodeTest:
    name = "node"
    reads_output = False
    takes_plants = True

    def prepare(self, scene: Scene) -> Preparation:
        return recorder(scene)

    def read(self, left: Left) -> Results | None:
        return recorded(left, self.name)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        return plants_beside(baseline, token, TEST)


NODE_TEST = _NodeTest()
