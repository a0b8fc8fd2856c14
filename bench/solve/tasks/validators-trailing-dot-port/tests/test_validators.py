import pytest
import validators


@pytest.mark.parametrize(
    "value",
    ["http://example.com/a?b=c#d", "https://user:pass@example.com:8080", "ftp://192.168.0.1/x", "http://[::1]:80/"],
)
def test_good_addresses(value):
    assert validators.url(value)


@pytest.mark.parametrize("value", ["", "example.com", "http://", "http://example.com:70000/", "http://exa mple.com"])
def test_bad_addresses(value):
    assert not validators.url(value)


def test_a_dot_at_the_end_is_taken_on_request():
    assert validators.domain("example.com.", rfc_1034=True)
    assert not validators.domain("example.com.")


def test_host_names():
    assert validators.hostname("this-pc:443")
    assert not validators.hostname("_example.com")


def test_mail():
    assert validators.email("me@example.org")
    assert not validators.email("me@@example.org")


def test_what_is_wrong_is_said():
    assert validators.ipv4("900.1.1.1").func.__name__ == "ipv4"
