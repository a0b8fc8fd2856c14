"""The short answers to people: help, and single lines."""

from bot.writing.document import Section, compose, marker
from bot.writing.progress import last_line, progress_marker
from bot.writing.safe import code, paragraphs, sentence

COMMANDS = (
    ("/selfcode retry [hint]", "work on it again; everything below the command is the hint"),
    ("/selfcode note <text>", "tell the model something while it works; it has it at its next call"),
    ("/selfcode status", "how it stands: what is at work, what it has cost, what came of it"),
    ("/selfcode stop", "end the run; its work is kept"),
    ("/selfcode accept-tests", "let stand what the change does to existing tests; its proof is then taken again"),
    ("/selfcode doctor", "examine the repository: do its tests run here, and what is missing; the model is not asked"),
    ("/selfcode help", "this list"),
)


def reply_marker(key: str) -> str:
    """The hidden line that makes one answer of each trigger: `key` is the trigger's."""
    return marker("reply", key)


def one_line(text: str, *, key: str) -> str:
    """An answer in a sentence of ours; what stands between single backticks in it stays code."""
    return compose([Section(sentence(text))], end=reply_marker(key))


def help_comment(*, key: str, label: str = "selfcode", complaint: str = "") -> str:
    """The answer to `/selfcode help`, or to a command that was not understood: then it opens with the complaint."""
    commands = "\n".join(f"- {code(command)}: {meaning}" for command, meaning in COMMANDS)
    sections = [
        Section(paragraphs(complaint, 500)),
        Section(
            f"To start a run on an issue, put the label {code(label)} on it. Commands, by people with write access, "
            "on the issue or on its pull request, in a review of it too:"
        ),
        Section(commands),
        Section("A review that requests changes starts a run as well, and so does the answer to a question of mine."),
    ]
    return compose([section for section in sections if section.text], end=reply_marker(key))


def not_begun(why: str, run_id: str, *, examines: bool = False, pages: str = "") -> str:
    """The comment of a run, or of an examination, that waited for its turn and never began."""
    again = "/selfcode doctor" if examines else "/selfcode retry"
    sections = [
        Section(f"⏹️ **Not begun**: {sentence(why, 200).rstrip('.')}. Nothing was spent."),
        Section(f"To ask for it again: comment {code(again)}."),
        Section(last_line(run_id, pages)),
    ]
    return compose(sections, end=progress_marker(run_id))
