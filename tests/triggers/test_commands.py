import pytest

from bot.triggers.commands import (
    TEXT_LIMIT,
    AcceptTests,
    Doctor,
    Help,
    Note,
    Retry,
    Status,
    Stop,
    mentions,
    read_command,
    talks_of_commands,
)
from bot.triggers.rendered import READ_CHARS, said_in

ONLY_TALKED_ABOUT = {
    "fenced": "```\n/selfcode retry\n```",
    "fenced with tildes": "~~~\n/selfcode retry\n~~~",
    "fenced and never closed": "```\n/selfcode retry",
    "inline code": "`/selfcode retry`",
    "inline code over lines": "as in `x\n/selfcode retry\ny` here",
    "indented": "    /selfcode retry",
    "indented by a tab": "\t/selfcode retry",
    "quoted": "> /selfcode retry\n\nDid that work?",
    "quoted in HTML": "<blockquote>\n\n/selfcode retry\n\n</blockquote>",
    "code in HTML": "as in <code>\n/selfcode retry\n</code>",
    "HTML comment": "<!-- /selfcode retry -->",
    "HTML comment over lines": "<!--\n\n/selfcode retry\n\n-->",
    "HTML comment inside a paragraph": "Hello <!--\n/selfcode retry\n--> there",
    "list": "- /selfcode retry",
    "heading": "# /selfcode retry",
    "bold": "**/selfcode retry**",
    "escaped": "\\/selfcode retry",
    "link": "[/selfcode retry](https://example.com)",
    "in a sentence": "Could not run. Comment /selfcode retry to try again.",
    "another word": "/selfcode-bot retry",
    "a longer word": "/selfcodes retry",
    "a path": "/selfcode/retry",
    "nothing": "",
}


@pytest.mark.parametrize("body", ONLY_TALKED_ABOUT.values(), ids=ONLY_TALKED_ABOUT.keys())
def test_a_command_that_is_only_talked_about_is_none(body: str) -> None:
    assert read_command(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "> Someone wrote\n/selfcode stop",
        "- an item\n/selfcode stop",
        "/selfcode stop\n---",
        "/selfcode stop | x\n--- | ---\na | b",
        "<br>\n/selfcode stop",
        "<p>Enough.</p>\n/selfcode stop",
    ],
)
def test_a_line_that_markdown_makes_part_of_something_else_is_no_command_and_gets_an_answer(body: str) -> None:
    answer = read_command(body)

    assert isinstance(answer, Help)
    assert "empty line" in answer.complaint


def test_a_command_behind_what_is_read_of_a_long_comment_gets_an_answer() -> None:
    log = "a line of a log\n" * 1100

    answer = read_command(f"{log}\n/selfcode stop")

    assert read_command(f"/selfcode stop\n\n{log}") == Stop()
    assert isinstance(answer, Help)
    assert "too long" in answer.complaint


@pytest.mark.parametrize("beyond", [-40, -12, 0, 1, 12])
def test_no_command_at_the_very_end_of_what_is_read_is_lost_without_a_word(beyond: int) -> None:
    log = "x\n" * READ_CHARS

    assert read_command(f"{log[: READ_CHARS - 16 + beyond]}\n\n/selfcode stop") is not None


@pytest.mark.parametrize(
    "piece", ["<a", "[", "<!--", "> ", "- ", "`", "*a ", "&a", "![", "x <!", " ", "\x0b", "/selfcode retry\n", "<a '"]
)
def test_of_what_strangers_write_no_more_than_the_beginning_is_read(piece: str) -> None:
    """Held by what comes out: the parser never sees more than it is given, however long the comment is."""
    long, short = "<div " + piece * 30_000, ("<div " + piece * 30_000)[:READ_CHARS]

    assert [said.text for said in said_in(long)] == [said.text for said in said_in(short)]


@pytest.mark.parametrize(
    "body",
    [
        "/selfcode stop",
        "/selfcode stop?",
        "/selfcode stop…",
        "/selfcode stop\u200b",
        "\ufeff/selfcode stop",
        "\u200b/selfcode\u200b stop",
        "It should return a List<b\n\n/selfcode stop",
        "It should return a List<b> here.\n\n/selfcode stop",
        "   /selfcode stop",
        "/Selfcode STOP",
        "/selfcode stop, please!",
        "Enough.\n/selfcode stop",
        "Enough.\n\n/selfcode stop\n\nThank you.",
        "> Try again?\n\n/selfcode stop",
        "<details>\n\nlog\n\n</details>\n\n/selfcode stop",
        "<!-- a note -->\n\n/selfcode stop",
        "Line<br>\n/selfcode stop",
        "It should return a List<String>.\n\n/selfcode stop",
        "```\n/selfcode retry\n```\n/selfcode stop",
    ],
)
def test_a_command_stands_at_the_start_of_a_line_of_a_paragraph(body: str) -> None:
    assert read_command(body) == Stop()


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("/selfcode retry", ""),
        ("/selfcode retry\r\nPlease keep the API.\r\n", "Please keep the API."),
        ("/selfcode retry keep the API", "keep the API"),
        ("/selfcode\tretry\tkeep it", "keep it"),
        ("Sorry!\r/selfcode retry keep\rthe API", "keep\nthe API"),
        ("/selfcode retry use `a`\n\n```py\nx = 1\n```\n", "use `a`\n\n```py\nx = 1\n```"),
        ("/selfcode retry\n\n> /selfcode stop", "> /selfcode stop"),
        ("/selfcode retry\u2028naïve 😊", "naïve 😊"),
    ],
)
def test_the_rest_of_the_comment_is_the_hint(body: str, hint: str) -> None:
    assert read_command(body) == Retry(hint)


def test_a_hint_is_cut_before_it_fills_the_prompt() -> None:
    command = read_command("/selfcode retry " + "x" * 100_000)

    assert command == Retry("x" * TEXT_LIMIT)


@pytest.mark.parametrize("body", ["/selfcode", "/selfcode help", "/selfcode Help me"])
def test_help_is_for_the_asking(body: str) -> None:
    assert read_command(body) == Help()


@pytest.mark.parametrize("body", ["/selfcode doctor", "/Selfcode Doctor!", "It fails here.\n/selfcode doctor please"])
def test_an_examination_is_asked_for_in_one_word(body: str) -> None:
    assert read_command(body) == Doctor()


def test_an_unknown_command_is_answered_with_its_name() -> None:
    assert read_command("/selfcode frobnicate now") == Help("There is no command `frobnicate`.")


@pytest.mark.parametrize("word", ["`rm`", "@octocat", "x" * 31, "[a](b)", "é"])
def test_a_complaint_repeats_nothing_that_could_do_harm_in_a_comment(word: str) -> None:
    assert read_command(f"/selfcode {word}") == Help("There is no such command.")


def test_two_commands_in_one_comment_are_followed_by_none() -> None:
    command = read_command("/selfcode retry\n/selfcode stop")

    assert command == Help("One command a comment, please: there were several, and none was followed.")


def test_a_comment_can_not_forge_where_a_command_stands() -> None:
    assert read_command("/selfcode\ue0000\ue000 retry `\n/selfcode stop\n`") is None


@pytest.mark.parametrize("body", ["/selfcode accept-tests", "Fine.\n\n/selfcode Accept-Tests."])
def test_altered_tests_are_accepted_by_a_word_of_their_own(body: str) -> None:
    assert read_command(body) == AcceptTests()


# --- Steering and asking


@pytest.mark.parametrize("body", ["/selfcode status", "/selfcode Status!\n", "Well?\n\n/selfcode status please"])
def test_how_it_stands_is_asked_for_in_one_word(body: str) -> None:
    assert read_command(body) == Status()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("/selfcode note keep the API", "keep the API"),
        ("/selfcode note: keep the API\r\n\r\n- and the tests\r\n", "keep the API\n\n- and the tests"),
        ("/selfcode note\nkeep the API", "keep the API"),
    ],
)
def test_a_note_is_the_rest_of_the_comment(body: str, text: str) -> None:
    assert read_command(body) == Note(text)


@pytest.mark.parametrize("body", ["/selfcode note", "/selfcode note   \n\n", "Hm.\n/selfcode note."])
def test_a_note_without_a_word_is_complained_about(body: str) -> None:
    assert read_command(body) == Help("There was nothing in the note: `/selfcode note <text>`.")


def test_a_note_is_cut_before_it_fills_the_prompt() -> None:
    assert read_command("/selfcode note " + "x" * 100_000) == Note("x" * TEXT_LIMIT)


# --- Mentions


@pytest.mark.parametrize(
    "body",
    [
        "@selfcode please rename it",
        "@selfcode[bot] please rename it",
        "Please rename it, @SelfCode.",
        "- a list\n- @selfcode: this one too",
        "**@selfcode** rename it",
        "(@selfcode)",
        "> why?\n\n@selfcode because",
        "see `x`, @selfcode",
    ],
)
def test_the_bot_is_spoken_to_by_its_name(body: str) -> None:
    assert mentions(body, "selfcode[bot]")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "selfcode does it",
        "`@selfcode` starts it",
        "```\n@selfcode\n```",
        "    @selfcode indented",
        "> @selfcode please rename it",
        "> a quote\n@selfcode lazily continued",
        "<!-- @selfcode -->",
        "<!--\n\n@selfcode\n\n-->",
        "<blockquote>\n\n@selfcode\n\n</blockquote>",
        "<code>@selfcode</code>",
        "[@selfcode](https://example.com)",
        "![@selfcode](https://example.com/x.png)",
        "<https://example.com/@selfcode>",
        "https://example.com/@selfcode",
        "mail me@selfcode now",
        "@selfcode-other is another one",
        "@selfcodes",
        "@selfcode/team is a team",
        "\\@selfcode escaped",
        "@other-selfcode",
    ],
)
def test_a_name_that_is_only_shown_speaks_to_nobody(body: str) -> None:
    assert not mentions(body, "selfcode[bot]")


@pytest.mark.parametrize("body", ["`/selfcode retry`", "> /Selfcode retry\n\nDid that work?", "Use /selfcode retry."])
def test_a_text_that_talks_of_commands_is_seen_to(body: str) -> None:
    assert talks_of_commands(body)
    assert not talks_of_commands("selfcode, keep it")
