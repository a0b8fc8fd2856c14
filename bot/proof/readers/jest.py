"""Jest, wherever in the command it is started. Pure."""

from bot.proof.readers.node import NodeReader
from bot.proof.readers.script_plants import Texts

TEST = """\
test("zz selfcode {token}", () => {
  throw new Error("planted by selfcode: {token}");
});
"""

JEST = NodeReader("jest", Texts(TEST))
