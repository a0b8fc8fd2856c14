import mistune
import pytest
from mistune.plugins.table import table, table_in_quote

TABLE = "| a | b |\n|---|--:|\n| 1 | 2 |\n"


def test_a_table():
    html = mistune.create_markdown(plugins=[table])(TABLE)

    assert "<th>a</th>" in html
    assert '<td style="text-align:right">2</td>' in html


def test_a_table_without_outer_pipes():
    assert "<td>1</td>" in mistune.create_markdown(plugins=["table"])("a | b\n--|--\n1 | 2\n")


def test_without_the_plugin_a_table_is_text():
    assert "<table>" not in mistune.create_markdown()(TABLE)


def test_a_table_in_a_quote():
    quoted = "".join(f"> {line}\n" for line in TABLE.splitlines())

    assert "<table>" in mistune.create_markdown(plugins=[table, table_in_quote])(quoted)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# a", "<h1>a</h1>\n"),
        ("*a* **b**", "<p><em>a</em> <strong>b</strong></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
    ],
)
def test_plain_markdown(text, html):
    assert mistune.html(text) == html
