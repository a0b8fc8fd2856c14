"""tape, wherever in the command it is started, and whatever its output is piped into. Pure."""

from bot.proof.readers.node import NodeReader
from bot.proof.readers.script_plants import Texts

_BODY = """\
("zz selfcode {token}", () => {
  throw new Error("planted by selfcode: {token}");
});
"""

TAPE = NodeReader(
    "tape",
    Texts(
        script=f'require("tape"){_BODY}',
        typed=f'import test = require("tape");\n\ntest{_BODY}',
        module=f'import test from "tape";\n\ntest{_BODY}',
    ),
)
