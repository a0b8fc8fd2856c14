"""Mocha, wherever in the command it is started. Pure."""

from bot.proof.readers.node import NodeReader
from bot.proof.readers.script_plants import Texts

TEST = """\
(globalThis.it || globalThis.test)("zz selfcode {token}", function () {
  throw new Error("planted by selfcode: {token}");
});
"""
"""`it` of the interface bdd, `test` of tdd and qunit."""

TYPED_TEST = TEST.replace("(globalThis.it || globalThis.test)", "it")

MOCHA = NodeReader("mocha", Texts(TEST, typed=TYPED_TEST))
