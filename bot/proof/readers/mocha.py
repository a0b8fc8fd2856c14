"""Mocha, wherever in the command it is started. Pure."""

from collections.abc import Iterator

from bot.proof.plant import Plant
from bot.proof.readers.node import recorded, recorder
from bot.proof.readers.reader import Left, Preparation, Scene
from bot.proof.readers.script_plants import plants_beside
from bot.proof.results import Results
from bot.records import TestReport

TEST = """\
(globalThis.it || globalThis.test)("zz selfcode {token}", function () {
  throw new Error("planted by selfcode: {token}");
});
"""
"""`it` of the interface bdd, `test` of tdd and qunit."""

TYPED_TEST = TEST.replace("(globalThis.it || globalThis.test)", "it")


class _Mocha:
    name = "mocha"
    reads_output = False
    takes_plants = True

    def prepare(self, scene: Scene) -> Preparation:
        return recorder(scene)

    def read(self, left: Left) -> Results | None:
        return recorded(left, self.name)

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        return plants_beside(baseline, token, TEST, TYPED_TEST)


MOCHA = _Mocha()
