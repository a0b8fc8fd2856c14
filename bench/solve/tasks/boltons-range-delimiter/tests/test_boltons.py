from boltons import strutils


def test_a_list_is_parsed():
    assert strutils.parse_int_list("1,3,5-8") == [1, 3, 5, 6, 7, 8]


def test_a_list_is_written():
    assert strutils.format_int_list([1, 2, 3, 7]) == "1-3,7"


def test_ranges():
    assert strutils.int_ranges_from_int_list("1,3,5-8") == ((1, 1), (3, 3), (5, 8))


def test_ranges_with_another_delimiter():
    assert strutils.int_ranges_from_int_list("1;3-5", delim=";") == ((1, 1), (3, 5))


def test_what_is_not_in_a_list():
    assert strutils.complement_int_list("1,3,5-8") == "0,2,4"


def test_names():
    assert strutils.camel2under("BasicParseTest") == "basic_parse_test"
    assert strutils.under2camel("complex_tokenizer") == "ComplexTokenizer"
    assert strutils.slugify("First post! Hi!!!!1") == "first_post_hi_1"


def test_plurals():
    assert (strutils.cardinalize("post", 2), strutils.singularize("records")) == ("posts", "record")
