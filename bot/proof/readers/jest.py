"""Jest, wherever in the command it is started. Pure."""

from bot.proof.readers.node import NodeReader

TEST = """\
test("zz selfcode {token}", () => {
  throw new Error("planted by selfcode: {token}");
});
"""

JEST = NodeReader("jest", TEST)
