import io

from dotenv import dotenv_values, get_key, set_key, unset_key


def values(text, **options):
    return dict(dotenv_values(stream=io.StringIO(text), **options))


def test_plain_values():
    assert values("A=1\nexport B='two words'\n# a comment\nC=\nD") == {"A": "1", "B": "two words", "C": "", "D": None}


def test_a_comment_ends_a_value():
    assert values("A=1 # one") == {"A": "1"}


def test_values_are_expanded():
    assert values("DOTENV_TEST_A=1\nB=${DOTENV_TEST_A}2") == {"DOTENV_TEST_A": "1", "B": "12"}


def test_a_default_stands_in():
    assert values("B=${DOTENV_TEST_MISSING:-none}") == {"B": "none"}


def test_expansion_can_be_switched_off():
    assert values("A=1\nB=${A}", interpolate=False)["B"] == "${A}"


def test_a_key_is_set_and_unset(tmp_path):
    path = tmp_path / ".env"
    path.write_text("A=1\n")
    set_key(path, "B", "x")
    unset_key(path, "A")

    assert (get_key(path, "B"), "A" in dotenv_values(path)) == ("x", False)
