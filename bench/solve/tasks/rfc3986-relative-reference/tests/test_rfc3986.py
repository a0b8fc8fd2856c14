import pytest
import rfc3986
from rfc3986 import uri_reference
from rfc3986.exceptions import ResolutionError


def test_a_reference_is_taken_apart():
    uri = uri_reference("https://user@example.org:8080/a?b#c")

    assert (uri.scheme, uri.host, uri.port, uri.path, uri.query, uri.fragment) == (
        "https",
        "example.org",
        "8080",
        "/a",
        "b",
        "c",
    )


def test_an_absolute_path_replaces_the_path():
    assert uri_reference("/b").resolve_with("https://example.org/a").unsplit() == "https://example.org/b"


def test_a_file_in_the_root_has_siblings():
    assert uri_reference("b").resolve_with("https://example.org/a").unsplit() == "https://example.org/b"


def test_a_query_alone_keeps_the_path():
    assert uri_reference("?x=1").resolve_with("https://example.org/a/b").unsplit() == "https://example.org/a/b?x=1"


def test_a_base_needs_a_scheme():
    with pytest.raises(ResolutionError):
        uri_reference("b").resolve_with("/a")


def test_normalizing_lowers_scheme_and_host():
    assert rfc3986.normalize_uri("HTTPS://Example.ORG/%7ea") == "https://example.org/%7Ea"
