import pytest
import validators


@pytest.mark.parametrize(
    "value",
    [
        "http://api.example.com.:8080/v1",
        "https://example.com.:443",
        "https://user@example.org.:1/",
        "http://a.b.example.co.uk.:65535/x?y=z",
    ],
)
def test_an_address_with_dot_and_port(value):
    assert validators.url(value, rfc_1034=True)
    assert not validators.url(value)


@pytest.mark.parametrize("value", ["example.com.:80", "a.example.com.:65535", "xn----gtbspbbmkef.xn--p1ai.:1"])
def test_a_host_name_with_dot_and_port(value):
    assert validators.hostname(value, rfc_1034=True)
    assert not validators.hostname(value)


def test_an_address_with_a_dot_and_no_port():
    assert validators.url("http://example.com./", rfc_1034=True)


@pytest.mark.parametrize("value", ["http://example.com..:80/", "http://example.com.:70000/", "http://.:80/"])
def test_what_is_wrong_stays_wrong(value):
    assert not validators.url(value, rfc_1034=True)


@pytest.mark.parametrize("value", ["http://example.com:80/", "http://example.org:8080/", "http://10.0.0.1:80/"])
def test_what_has_no_dot_stays_right(value):
    assert validators.url(value, rfc_1034=True)
