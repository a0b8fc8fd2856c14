"""What a setup may ask of its proxy."""

import ipaddress
from collections.abc import Sequence

import pytest

from sandbox.setup.addresses import objection
from sandbox.setup.egress import Denial, Failure, Target, decide, objection_to, refusal

HOSTS = ("packages.example", "*.hosted.example", "Registry.example:8081")


def verdict(request_line: str, *headers: str) -> Target | Denial | Failure:
    return decide("\r\n".join((request_line, *headers)).encode(), allowed_hosts=HOSTS)


def test_a_tunnel_to_an_allowed_host_is_made() -> None:
    assert verdict("CONNECT packages.example:443 HTTP/1.1", "Host: anything") == Target("packages.example", 443, b"")
    assert verdict("CONNECT FILES.hosted.example.:443 HTTP/1.1") == Target("files.hosted.example", 443, b"")


def test_an_entry_with_a_port_opens_this_port_and_no_other() -> None:
    assert verdict("CONNECT registry.example:8081 HTTP/1.1") == Target("registry.example", 8081, b"")
    assert isinstance(verdict("CONNECT registry.example:443 HTTP/1.1"), Denial)
    assert isinstance(verdict("CONNECT registry.example:8082 HTTP/1.1"), Denial)


def test_a_plain_request_goes_on_with_its_own_host_and_for_one_answer() -> None:
    found = verdict(
        "GET http://packages.example/simple/?a=b HTTP/1.1",
        "Host: evil.example",
        "User-Agent: apt",
        "Authorization: Basic x",
        "Proxy-Authorization: x",
        "Connection: keep-alive",
        "Content-Length: 5",
    )

    head = b"GET /simple/?a=b HTTP/1.1\r\nHost: packages.example\r\nConnection: close\r\nUser-Agent: apt\r\n\r\n"
    assert found == Target("packages.example", 80, head)


@pytest.mark.parametrize(
    ("request_line", "remedy"),
    [
        ("CONNECT evil.example:443 HTTP/1.1", "SELFCODE_SETUP_HOSTS=evil.example"),
        (
            "CONNECT packages.example.evil.example:443 HTTP/1.1",
            "SELFCODE_SETUP_HOSTS=packages.example.evil.example",
        ),
        ("CONNECT notpackages.example:443 HTTP/1.1", "SELFCODE_SETUP_HOSTS=notpackages.example"),
        ("CONNECT packages.example:22 HTTP/1.1", "SELFCODE_SETUP_HOSTS=packages.example:22"),
        ("GET http://packages.example:8080/ HTTP/1.1", "SELFCODE_SETUP_HOSTS=packages.example:8080"),
        ("CONNECT 8.8.8.8:443 HTTP/1.1", "SELFCODE_SETUP_HOSTS=8.8.8.8"),
        ("CONNECT 10.1.2.3:443 HTTP/1.1", "SELFCODE_SETUP_HOSTS=10.1.2.3 SELFCODE_SETUP_NETWORKS=10.1.2.3/32"),
        ("CONNECT 127.0.0.1:443 HTTP/1.1", None),
        ("CONNECT [::1]:443 HTTP/1.1", None),
        ("GET http://169.254.169.254/latest/meta-data/ HTTP/1.1", None),
    ],
)
def test_what_is_not_on_the_list_is_refused_with_the_line_that_would_allow_it(
    request_line: str, remedy: str | None
) -> None:
    found = verdict(request_line)

    assert isinstance(found, Denial)
    assert found.reason
    assert found.remedy == remedy


@pytest.mark.parametrize(
    "request_line",
    [
        "",
        "GET / HTTP/1.1",
        "GET https://packages.example/ HTTP/1.1",
        "GET ftp://packages.example/ HTTP/1.1",
        "POST http://packages.example/ HTTP/1.1",
        "CONNECT packages.example HTTP/1.1",
        "CONNECT packages.example:443/path HTTP/1.1",
        "CONNECT packages.example:99999 HTTP/1.1",
        "CONNECT packages.example:0 HTTP/1.1",
        f"CONNECT {'x.' * 127}example:443 HTTP/1.1",
        "CONNECT user@packages.example:443 HTTP/1.1",
        "CONNECT packages.example%00.evil.example:443 HTTP/1.1",
        "CONNECT packages.example:443 HTTP/2",
        "CONNECT packages.example:443 HTTP/1.1 more",
        "CONNECT p\u00fdpi.org:443 HTTP/1.1",
        "GET http://packages.example/ HTTP/1.1\r\nUser-Agent: x\nHost: evil.example",
        "GET http://packages.example/ HTTP/1.1\r\nUser-Agent: x\0",
        "GET http://packages.example/\nHost:x HTTP/1.1",
    ],
)
def test_what_no_package_manager_asks_is_no_request(request_line: str) -> None:
    assert verdict(request_line) == Failure(400, "not a proxy request")


def led_to(*addresses: str) -> Denial:
    found = [ipaddress.ip_address(address) for address in addresses]
    against = [(address, why) for address in found if (why := objection(address)) is not None]
    return objection_to(Target("packages.example", 443, b""), against)


@pytest.mark.parametrize(
    ("addresses", "remedy"),
    [
        (["10.1.2.3"], "SELFCODE_SETUP_NETWORKS=10.1.2.3/32"),
        (["fd12::1"], "SELFCODE_SETUP_NETWORKS=fd12::1/128"),
        (["127.0.0.1", "10.1.2.3"], "SELFCODE_SETUP_NETWORKS=10.1.2.3/32"),
        (["127.0.0.1", "::1"], None),
        (["169.254.169.254"], None),
    ],
)
def test_an_allowed_host_with_a_private_address_is_refused_with_the_network_that_would_allow_it(
    addresses: Sequence[str], remedy: str | None
) -> None:
    found = led_to(*addresses)

    assert "packages.example leads where no setup may go" in found.reason
    assert found.remedy == remedy


def test_a_denial_reads_as_a_sentence_that_tells_the_operator_what_to_set() -> None:
    assert str(led_to("10.1.2.3")) == (
        "packages.example leads where no setup may go: 10.1.2.3 is not a public address "
        "(the operator's SELFCODE_SETUP_NETWORKS=10.1.2.3/32 would allow it)"
    )


def test_a_refusal_says_why_in_its_status_line_and_in_its_body() -> None:
    assert refusal(Failure(502, "packages.example does not answer")) == (
        b"HTTP/1.1 502 packages.example does not answer\r\nConnection: close\r\nContent-Length: 43\r\n\r\n"
        b"selfcode: packages.example does not answer\n"
    )
