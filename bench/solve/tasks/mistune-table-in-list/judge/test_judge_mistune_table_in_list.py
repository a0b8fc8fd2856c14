import mistune
import pytest
from mistune.plugins.table import table, table_in_list, table_in_quote

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
PLAIN = "a | b\n--|--\n1 | 2\n"


def html(text, *plugins):
    return mistune.create_markdown(plugins=[table, *plugins])(text)


def inside(text, first, rest):
    lines = text.splitlines()
    return "".join(f"{rest if number else first}{line}\n" for number, line in enumerate(lines))


@pytest.mark.parametrize("text", [TABLE, PLAIN])
@pytest.mark.parametrize(("first", "rest"), [("- ", "  "), ("* ", "  "), ("1. ", "   ")])
def test_a_table_in_a_list_item(text, first, rest):
    rendered = html(inside(text, first, rest), table_in_list)

    assert "<table>" in rendered
    assert "<td>1</td>" in rendered
    assert "|" not in rendered


def test_a_table_after_text_in_an_item():
    assert "<table>" in html("- text\n\n" + inside(TABLE, "  ", "  "), table_in_list)


def test_lists_do_not_touch_quotes():
    assert "<table>" not in html(inside(TABLE, "> ", "> "), table_in_list)


def test_quotes_do_not_touch_lists():
    rendered = html(inside(TABLE, "- ", "  "), table_in_quote)

    assert "<table>" not in rendered


def test_both_together():
    both = inside(TABLE, "- ", "  ") + "\ntext\n\n" + inside(TABLE, "> ", "> ")

    assert html(both, table_in_list, table_in_quote).count("<table>") == 2
