"""Node's own test runner: `node --test`, and files that use `node:test` by themselves. Pure."""

from bot.proof.readers.node import NodeReader
from bot.proof.readers.script_plants import Texts

TEST = """\
import("node:test").then(({ test }) => {
  test("zz selfcode {token}", () => {
    throw new Error("planted by selfcode: {token}");
  });
});
"""
"""`import()` is there in both kinds of modules, whatever package.json says of this folder."""

NODE_TEST = NodeReader("node", Texts(TEST))
