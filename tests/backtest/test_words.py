"""What is left of a commit's message, and of an issue, when the answer is taken out of them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.backtest.words import (
    Given,
    answers,
    is_of_a_pull,
    is_taking_back,
    leaving_out,
    telling,
    told_by_issue,
    told_by_message,
    traces,
)
from tests.backtest.fixes import a_file, a_fix, told
from tests.writing.foreign import foreign_text, patiently

LINE = "return first + second"
PROSE = "Sums come out as differences"

# --- The fix's own lines


@pytest.mark.parametrize(
    "body",
    [
        f"```python\n{LINE}\n```",
        f"~~~~\ndef add():\n    {LINE}\n~~~~",
        f"```\n{LINE}",
        f"    {LINE}",
        f"> {LINE}",
        f"> > - {LINE}",
        f"+    {LINE}",
        f"1. `{LINE}`",
        f"* {LINE}",
        f"It has to be `{LINE}` there.",
        f"So {LINE}, as everybody knows",
        "return   first +\tsecond",
        f"One.\r\n{LINE}\r\nTwo.",
        f"One.\r{LINE}\rTwo.",
        f"--- a/calc/core.py\n+++ b/calc/core.py\n@@ -1 +1 @@\n-    return 1\n+    {LINE}",
        f"diff --git a/x b/x\nindex 1..2\n {LINE}",
    ],
)
def test_no_line_of_the_fix_is_left(body: str) -> None:
    left = told(f"{PROSE}\n\nOne and two make minus one.\n\n{body}\n\nThat is all.", LINE)

    assert "first + second" not in " ".join(f"{left.title} {left.body}".split())
    assert left.body.startswith("One and two make minus one.")
    assert left.left_out


def test_a_title_that_is_the_fix_is_not_left() -> None:
    left = told(f"{LINE}\n\nOne and two make minus one.\n\nThree is right.", LINE)

    assert (left.title, left.body) == ("One and two make minus one.", "Three is right.")


@pytest.mark.parametrize("prose", ["they continue to fail", "It is to return None where nothing is", "1 is not 2"])
def test_prose_with_words_of_a_line_in_it_stays(prose: str) -> None:
    assert told(f"{PROSE}\n\n{prose}", "continue\nreturn None\nis not 2").body == prose


def test_what_the_documentation_says_is_no_answer() -> None:
    fix = Given([a_file("CHANGES.md", "", f"# News\n\n{PROSE}\n"), a_file("a.py", "", f"{LINE}\n")], lambda _: False)

    assert told_by_message(f"{PROSE}\n\nThey should not.", fix).title == PROSE


def test_a_block_that_only_shows_the_fault_stays_as_it_is() -> None:
    block = "```\nTraceback (most recent call last):\n}\n\n\n\nZeroDivisionError: division by zero\n```"

    assert told(f"{PROSE}\n\n{block}", LINE).body == block


def test_a_line_that_was_there_before_is_no_answer() -> None:
    fix = Given([a_file("a.py", f"{LINE}\n", f"{LINE}  \nreturn 12345\n")], lambda _: False)

    assert told_by_message(f"{PROSE}\n\nIt says `{LINE}` now.", fix).body == f"It says `{LINE}` now."


code_lines = st.lists(
    st.text(alphabet=st.sampled_from("abxyz_(=)[]+. \t`>-*"), min_size=8, max_size=300)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda line: len(line) >= 8 and answers.LINE_IS_CODE.search(line) is not None),
    min_size=1,
    max_size=4,
)
surroundings = st.sampled_from(["{}", "    {}", "> {}", "`{}`", "so {} it is", "```\n{}\n```", "+ {}", "- {}", "({})"])


@patiently
@given(code_lines, st.lists(st.tuples(surroundings, st.integers(0, 3), foreign_text), max_size=5))
def test_no_line_of_the_source_is_left_however_it_is_written(
    lines: Sequence[str], written: Sequence[tuple[str, int, str]]
) -> None:
    said = [f"{around.format(lines[number % len(lines)])}\n\n{noise}" for around, number, noise in written]

    left = told(f"{PROSE}\n\n" + "\n\n".join(said), "\n".join(lines))

    whole = [" ".join(line.split()) for line in left.body.split("\n")]
    assert not [line for line in lines if line in whole or f"so {line} it is" in whole or f"({line})" in whole]


@patiently
@given(foreign_text, foreign_text)
def test_whatever_is_written_words_come_out(message: str, source: str) -> None:
    left = told(message, source, source[:40])

    assert len(left.title) <= telling.TITLE_CHARS
    assert len(left.left_out) <= leaving_out.NAMED_AT_MOST + 1
    assert left.is_enough in (True, False)


# --- Names


def test_a_name_that_only_the_fix_brings_is_not_told() -> None:
    left = told(
        "Sums overflow\n\nUse _wide_sum or wideSum, see `addend`, and widen() too.", "_wide_sum, wideSum, addend, widen"
    )

    assert left.body == "Use […] or […], see `[…]`, and […]() too."
    assert left.left_out == ("the name _wide_sum", "the name wideSum", "the name addend", "the name widen")


def test_a_name_that_the_tests_ask_by_stays() -> None:
    assert told("There is no `half_of`", "def half_of(a):", "assert half_of(4) == 2").title == "There is no `half_of`"


def test_a_name_that_the_base_knows_stays() -> None:
    assert told("wide_sum overflows", "wide_sum(a)", known={"wide_sum": True}).title == "wide_sum overflows"


def test_an_ordinary_word_is_no_name() -> None:
    assert told("The widths are wrong", "widths = 3").title == "The widths are wrong"


def test_a_name_in_another_script_is_taken_out_whole() -> None:
    assert (
        told("Summen laufen über\n\nDafür gibt es über_lauf jetzt.", "über_lauf = 1").body == "Dafür gibt es […] jetzt."
    )


def test_each_name_is_asked_about_once_and_of_very_many_no_more_than_some() -> None:
    asked: list[str] = []
    names = [f"new_{number}" for number in range(3 * traces.NAMES_ASKED_AT_MOST)]

    def is_known(name: str) -> bool:
        asked.append(name)
        return False

    fix = a_fix("\n".join(names), is_known=is_known)

    left = told_by_message(f"{PROSE}\n\n{' '.join([*names, *names])}", fix)

    assert asked == names[: traces.NAMES_ASKED_AT_MOST]
    assert "new_" not in left.body


# --- Paths


@pytest.mark.parametrize(
    "said",
    [
        "calc/core.py",
        "./calc/core.py",
        "core.py",
        "calc\\core.py",
        "/home/ada/sums/calc/core.py",
        "calc/core.py:12",
        '"calc/core.py"',
        "`core.py`",
        "core.py.",
        "tests/test_core.py",
    ],
)
def test_a_path_of_the_fix_is_not_told(said: str) -> None:
    left = told(f"{PROSE}\n\nIt is in {said} and nowhere else", "x = 12345", "assert True")

    assert "core" not in left.body
    assert left.body.startswith("It is in ")
    assert left.body.endswith("and nowhere else")


@pytest.mark.parametrize("said", ["calc/other.py", "score.py", "core.pyc", "calc", "core"])
def test_another_path_stays(said: str) -> None:
    assert told(f"{PROSE}\n\nIt is in {said} too").body == f"It is in {said} too"


def test_a_path_with_spaces_or_bytes_that_are_no_text_is_taken_out() -> None:
    fix = Given([a_file("a folder/my file.py", "", "1\n"), a_file("caf\udce9/x.py", "", "1\n")], lambda _: False)

    left = told_by_message(f"{PROSE}\n\nSee a folder/my file.py and caf\udce9/x.py there.", fix)

    assert left.body == "See […] and […] there."
    assert left.left_out == ("the path a folder/my file.py", r"the path caf\xe9/x.py")


# --- Links, ids, numbers, trailers


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("See https://example.org/x?y=1#z for it", "See  for it"),
        ('See [the words](https://example.org/x "title") for it', "See the words for it"),
        ("Since 1f0c9a7b it does", "Since […] it does"),
        (f"Since {'1f0c9a7b' * 5} it does", "Since […] it does"),
        ("Sums overflow (fixes #12)", "Sums overflow"),
        ("Sums overflow, closes: octo/calc#12, #13 and #14", "Sums overflow,"),
        ("Sums overflow (#12)", "Sums overflow"),
        ("Sums overflow, see octo/calc#12 there", "Sums overflow,  there"),
        ("Sums overflow, GH-12", "Sums overflow,"),
        ("Sums overflow, fixes#12", "Sums overflow,"),
        ("Sums overflow !1234", "Sums overflow"),
    ],
)  # fmt: skip
def test_what_leads_elsewhere_is_not_told(said: str, left: str) -> None:
    assert told(f"{PROSE}\n\n{said}").body == left


@pytest.mark.parametrize("said", ["C# and F#", "a&#39;b", "colour #fff", "abc1234-x", "550e8400-e29b-41d4", "1234567"])
def test_what_only_looks_like_it_stays(said: str) -> None:
    assert told(f"{PROSE}\n\nIt is {said} then").body == f"It is {said} then"


@pytest.mark.parametrize(
    "line",
    [
        "Signed-off-by: Ada <ada@example.org>",
        "co-authored-by: Ada <ada@example.org>",
        "Reviewed By: ada",
        "Change-Id: I1f0c",
        "Cc: ada@example.org",
        "Bug: 1234",
        "BUG=chromium:1234",
        "R=ada@example.org",
        "Issue: https://example.org/1",
        'Fixes: 54a4f0239f2e ("Make sums wide")',
        "Fixes: #12",
        "Link: https://example.org/x",
        "(cherry picked from commit 1f0c9a7b)",
        "git-svn-id: https://example.org/trunk@1 1f0c",
        "Differential Revision: https://example.org/D1",
        "Gerrit-Change-Number: 12",
        "Some-Other: trailer",
    ],
)
def test_trailers_are_taken_out(line: str) -> None:
    left = told(f"{PROSE}\n\nThey should not.\n\n{line}\n")

    assert (left.body, left.left_out) == ("They should not.", ("trailers",))


@pytest.mark.parametrize(
    "line",
    [
        "Bugs in the parser hide it",
        "Issue: rows get lost",
        "Issue: 3 rows get lost",
        "Linking two of them fails",
        "This is caused by: an empty row",
        "Ticket prices are summed up",
        "PR people sum up differently",
        "Test: it fails",
    ],
)
def test_a_sentence_that_begins_like_a_trailer_stays(line: str) -> None:
    assert told(f"{PROSE}\n\n{line}\n\nEnd").body == f"{line}\n\nEnd"


@pytest.mark.parametrize(
    "prefix", ["fix: ", "fix(core)!: ", "Fix: ", "[fix] ", "bugfix: ", "[BUG]: ", "feat(a/b): ", "test: "]
)
def test_the_kind_of_a_commit_is_no_part_of_its_title(prefix: str) -> None:
    assert told(f"{prefix}{PROSE}").title == PROSE


# --- Who merged what


@pytest.mark.parametrize(
    "message",
    [
        f"Merge pull request #12 from ada/mend\n\n{PROSE}",
        f"Merged in mend (pull request #12)\n\n{PROSE}\n\nApproved-by: Ada",
        f"Merge branch 'mend' into 'main'\n\n{PROSE}\n\nSee merge request octo/calc!12",
        f"Merge pull request '{PROSE}' (#12) from mend into main",
        f"Merged PR 12: {PROSE}",
        f"Pull request #12: {PROSE}\n\nMerge in CALC/calc from mend to main",
        f"Merge pull request #12 in CALC/calc from mend to main\n\n{PROSE}",
        f"Auto merge of #12 - ada:mend, r=bob\n\n{PROSE}",
    ],
)
def test_a_merged_pull_request_is_told_by_its_own_words(message: str) -> None:
    assert is_of_a_pull(message)
    left = told(message)
    assert (left.title, left.body, left.left_out[0]) == (PROSE, "", "who merged what")


@pytest.mark.parametrize("message", ["Merge branch 'main'", "Merge branch 'a' into b", "Merge tag 'v1'", "", PROSE])
def test_another_merge_is_none_of_a_pull_request(message: str) -> None:
    assert not is_of_a_pull(message)


def test_a_commit_that_takes_another_one_back_is_known() -> None:
    assert is_taking_back('Revert "Make sums wide"\n\nThis reverts commit 1f0c.')
    assert is_taking_back("Sums\n\nThis reverts commit 1f0c9a7b.")
    assert not is_taking_back("Revert the order of rows where asked for")


# --- Whether it is enough


@pytest.mark.parametrize(
    ("message", "is_enough"),
    [
        ("Fix bug", False),
        ("fix: fixes #12", False),
        ("Update core.py", False),
        ("", False),
        ("[…] […] […] […]", False),
        (PROSE, True),
        ("Rows get lost", True),
        ("修复空输入时的崩溃", True),
        ("空の入力で落ちる", True),
        ("修复", False),
    ],
)
def test_too_few_words_are_no_issue(message: str, is_enough: bool) -> None:
    assert told(message).is_enough == is_enough


def test_of_much_that_is_left_out_some_is_said() -> None:
    left = told(f"{PROSE}\n\n{' '.join(f'#{number}' for number in range(1, 40))}")

    assert len(left.left_out) == leaving_out.NAMED_AT_MOST + 1
    assert left.left_out[-1] == "and 19 more"


# --- Hostile text: what takes time by the square of its length would not end here

LONG = 1_000_000


@pytest.mark.parametrize(
    "piece",
    [
        "[", "](http://", "[](http://x ", "a.", "re.", "fix ", "fix\t", "fix:", " ", "a/", "a/b#", "#1 ", "R: 1,1,",
        "A-", "a-b ", "1f0c", "`", "x_y ", "x_y(", "> ", "-", "\u202e", "\x00", "\n", "\r", "return x",
        "(see #1, ", "core.py/", "https://", "Merge pull request '", "```\n", "É",
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_one_go(piece: str) -> None:
    many = (piece * (LONG // len(piece) + 1))[:LONG]
    source = "\n".join(["x_y", *(f"return x{'y' * number}()" for number in range(60))])

    for message in (many, f"{PROSE}\n\nFixes: {many}"):
        assert len(told(message, source).body) <= 2 * telling.CHARS_AT_MOST
    hints = ["https://github.com/o/r/pull/7", "1f0c9a7b" * 5]
    assert len(told_by_issue(PROSE, many, a_fix(source), hints=hints).body) <= 2 * telling.CHARS_AT_MOST


# --- An issue


PULL = "https://github.com/octo/calc/pull/7"
SHA = "1f0c9a7b" * 5


@pytest.mark.parametrize(
    "said",
    [
        PULL, f"{PULL}/files", f"[it]({PULL}#x)", "octo/calc#7", "#7", SHA, SHA[:7], SHA[:12],
        f"https://github.com/octo/calc/commit/{SHA}", f"https://github.com/octo/calc/commit/{SHA[:10]}?diff=split",
    ],
)  # fmt: skip
def test_an_issue_leads_to_no_fix(said: str) -> None:
    left = told_by_issue(PROSE, f"Mended by {said} there", a_fix(LINE), hints=[PULL, SHA])

    assert left.body.replace("[it]", "").replace("(", "").replace(")", "") == "Mended by […] there"
    assert left.left_out == ("a link to the fix",)


@pytest.mark.parametrize("said", ["#70", "octo/other#8", f"{PULL}0", "https://example.org", "deadbee1", "calc/core.py"])
def test_else_an_issue_is_as_it_was(said: str) -> None:
    body = f"Mended by {said} there\n\nSigned-off-by: a\n\n```\nassert add(1, 2) == 3\n```"

    left = told_by_issue(f"fix: {PROSE}", body, a_fix(LINE, "assert add(1, 2) == 3"), hints=[PULL, SHA])

    assert (left.title, left.body, left.left_out) == (f"fix: {PROSE}", body, ())


def test_an_issue_does_not_hold_the_fix() -> None:
    left = told_by_issue(PROSE, f"I think it has to be `{LINE}`.", a_fix(LINE), hints=[])

    assert (left.body, left.left_out) == ("I think it has to be `[…]`.", ("a line of the fix",))
