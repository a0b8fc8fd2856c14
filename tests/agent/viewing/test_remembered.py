"""What was parsed is not parsed again while it is remembered."""

from bot.agent.viewing.reading import symbols_in
from bot.agent.viewing.remembered import Remembered
from bot.agent.viewing.symbols import Symbols

ONE, OTHER = Symbols(imports=("one",)), Symbols(imports=("other",))


def test_a_text_that_was_parsed_is_not_parsed_again_under_whatever_name_it_comes() -> None:
    text = "def remembered():\n    pass\n"

    first, again = symbols_in({"a.py": text}), symbols_in({"b.py": text, "c.py": text + "x = remembered()\n"})

    assert again["b.py"] is first["a.py"]
    assert [call.name for call in again["c.py"].calls] == ["remembered"]


def test_the_same_text_in_another_language_is_another() -> None:
    remembered = Remembered(10)

    remembered.keep("python", "x", ONE)

    assert (remembered.of("python", "x"), remembered.of("ruby", "x")) == (ONE, None)


def test_what_was_not_asked_for_longest_is_forgotten_where_it_becomes_too_much() -> None:
    remembered = Remembered(10)
    remembered.keep("python", "aaaa", ONE)
    remembered.keep("python", "bbbb", ONE)
    remembered.of("python", "aaaa")

    remembered.keep("python", "cccc", OTHER)
    remembered.keep("python", "cccc", OTHER)

    assert [remembered.of("python", text) for text in ("aaaa", "bbbb", "cccc")] == [ONE, None, OTHER]


def test_what_is_more_than_all_that_may_be_kept_is_not_kept() -> None:
    remembered = Remembered(3)

    remembered.keep("python", "aaaa", ONE)

    assert remembered.of("python", "aaaa") is None
