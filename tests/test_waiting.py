"""What a terminal shows while something takes long."""

import io
import threading

from bot.cli.waiting import shown


class Terminal(io.StringIO):
    """Tells when something has been shown."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.written.set()


def test_what_takes_long_is_shown_with_its_seconds_on_a_line_that_vanishes() -> None:
    terminal, said = Terminal(), list[str]()

    with shown(said.append, "asking the sandbox", terminal, soon_s=0.0, every_s=0.01) as say:
        assert terminal.written.wait(20)
        say("run 1 of 3")

    assert "… asking the sandbox (0 s)" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert said == ["run 1 of 3"]


def test_where_there_is_no_terminal_nothing_is_added() -> None:
    log, said = io.StringIO(), list[str]()

    with shown(said.append, "asking", log, soon_s=0.0, every_s=0.001) as say:
        say("run 1 of 3")

    assert (log.getvalue(), said) == ("", ["run 1 of 3"])


def test_nothing_is_shown_while_somebody_is_asked() -> None:
    terminal, said = Terminal(), list[str]()

    with shown(said.append, "working", terminal, soon_s=0.0, every_s=0.001) as say:
        assert terminal.written.wait(20)
        with say.paused():
            asked = terminal.getvalue()
            terminal.write("y or n? ")
            assert not threading.Event().wait(0.05)
        terminal.written.clear()
        assert terminal.written.wait(20)

    assert asked.endswith("\r\x1b[K")
    assert terminal.getvalue().startswith(f"{asked}y or n? \r\x1b[K… working (0 s)")
