"""The short answer to people: help."""

from bot.writing.document import Section, compose, marker
from bot.writing.safe import code, paragraphs

COMMANDS = (
    ("/selfcode retry [hint]", "start again; everything below the command is the hint"),
    ("/selfcode stop", "end the run; its work is kept"),
    ("/selfcode accept-tests", "let stand what the change does to existing tests; its proof is then taken again"),
    ("/selfcode doctor", "examine the repository: do its tests run here, and what is missing; the model is not asked"),
    ("/selfcode help", "this list"),
)


def reply_marker(key: str) -> str:
    """The hidden line that makes one answer of each trigger: `key` is the trigger's."""
    return marker("reply", key)


def help_comment(*, key: str, label: str = "selfcode", complaint: str = "") -> str:
    """The answer to `/selfcode help`, or to a command that was not understood: then it opens with the complaint."""
    commands = "\n".join(f"- {code(command)}: {meaning}" for command, meaning in COMMANDS)
    sections = [
        Section(paragraphs(complaint, 500)),
        Section(
            f"To start a run on an issue, put the label {code(label)} on it. Commands, by people with write access, "
            "on the issue or on its pull request:"
        ),
        Section(commands),
    ]
    return compose([section for section in sections if section.text], end=reply_marker(key))
