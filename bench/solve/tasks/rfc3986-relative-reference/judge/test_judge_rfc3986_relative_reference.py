import pytest
from rfc3986 import uri_reference

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"),
        ("/g", "http://a/g"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("//g", "http://g"),
    ],
)
def test_references_are_resolved_as_the_standard_shows(reference, expected):
    assert uri_reference(reference).resolve_with(BASE).unsplit() == expected


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("https://example.org/docs/guide/index.html", "https://example.org/docs/guide/install.html"),
        ("https://example.org/docs/", "https://example.org/docs/install.html"),
        ("https://example.org", "https://example.org/install.html"),
    ],
)
def test_a_sibling_is_beside_the_base(base, expected):
    assert uri_reference("install.html").resolve_with(base).unsplit() == expected
