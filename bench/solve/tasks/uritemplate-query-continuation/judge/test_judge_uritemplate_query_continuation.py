import pytest
from uritemplate import URITemplate, expand


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["red", "blue"], "/f?m=1&tag=red&tag=blue"),
        (["a b", "c&d", "e"], "/f?m=1&tag=a%20b&tag=c%26d&tag=e"),
        (["one"], "/f?m=1&tag=one"),
        ([], "/f?m=1"),
    ],
)
def test_a_list_is_continued_with_ampersands(values, expected):
    assert expand("/f?m=1{&tag*}", tag=values) == expected


def test_a_mapping_is_continued_with_ampersands():
    assert expand("/f?m=1{&keys*}", keys={"x": "1", "y": "2"}) == "/f?m=1&x=1&y=2"


def test_several_variables_are_continued_with_ampersands():
    assert expand("/f?m=1{&x,y,z}", x="1", y="", z="3") == "/f?m=1&x=1&y=&z=3"


def test_a_list_that_is_not_exploded_keeps_its_commas():
    assert URITemplate("/f?m=1{&tag,n}").expand(tag=["red", "blue"], n="2") == "/f?m=1&tag=red,blue&n=2"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{?l*}", "?l=a&l=b"),
        ("{;l*}", ";l=a;l=b"),
        ("{.l*}", ".a.b"),
        ("{/l*}", "/a/b"),
        ("{+l*}", "a,b"),
        ("{#l*}", "#a,b"),
    ],
)
def test_the_other_operators_keep_their_separators(template, expected):
    assert expand(template, l=["a", "b"]) == expected
