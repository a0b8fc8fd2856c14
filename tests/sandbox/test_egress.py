"""Where a setup may go, and where it may not."""

import http.server
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from sandbox.egress import DEFAULT_HOSTS, Denied, EgressProxy, Target, decide, is_public

HOSTS = ("packages.example", "*.hosted.example")


def verdict(request_line: str, *headers: str) -> Target | Denied:
    return decide("\r\n".join((request_line, *headers)).encode(), allowed_hosts=HOSTS)


def test_a_tunnel_to_an_allowed_host_is_made() -> None:
    assert verdict("CONNECT packages.example:443 HTTP/1.1", "Host: anything") == Target("packages.example", 443, b"")
    assert verdict("CONNECT FILES.hosted.example.:443 HTTP/1.1") == Target("files.hosted.example", 443, b"")


def test_a_plain_request_goes_on_with_its_own_host_and_for_one_answer() -> None:
    found = verdict(
        "GET http://packages.example/simple/?a=b HTTP/1.1",
        "Host: evil.example",
        "User-Agent: apt",
        "Proxy-Authorization: x",
        "Connection: keep-alive",
        "Content-Length: 5",
    )

    head = b"GET /simple/?a=b HTTP/1.1\r\nHost: packages.example\r\nConnection: close\r\nUser-Agent: apt\r\n\r\n"
    assert found == Target("packages.example", 80, head)


@pytest.mark.parametrize(
    "request_line",
    [
        "CONNECT evil.example:443 HTTP/1.1",
        "CONNECT packages.example.evil.example:443 HTTP/1.1",
        "CONNECT notpackages.example:443 HTTP/1.1",
        "CONNECT packages.example:22 HTTP/1.1",
        "CONNECT 127.0.0.1:443 HTTP/1.1",
        "CONNECT [::1]:443 HTTP/1.1",
        "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1",
        "GET http://packages.example:8080/ HTTP/1.1",
        "GET http://localhost/ HTTP/1.1",
    ],
)
def test_what_is_not_on_the_list_is_refused_with_a_sentence(request_line: str) -> None:
    found = verdict(request_line)

    assert isinstance(found, Denied)
    assert found.status == 403
    assert found.reason


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
        "CONNECT user@packages.example:443 HTTP/1.1",
        "CONNECT packages.example%00.evil.example:443 HTTP/1.1",
        "CONNECT packages.example:443 HTTP/2",
        "CONNECT packages.example:443 HTTP/1.1 more",
        "CONNECT p\u00fdpi.org:443 HTTP/1.1",
    ],
)
def test_what_no_package_manager_asks_is_no_request(request_line: str) -> None:
    found = verdict(request_line)

    assert isinstance(found, Denied)
    assert found.status == 400


@pytest.mark.parametrize("address", ["8.8.8.8", "151.101.0.223", "2a04:4e42::223"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
    ],
)
def test_addresses_of_this_machine_of_its_networks_and_of_clouds_metadata_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


def test_the_default_list_holds_names_and_no_wildcard_over_everything() -> None:
    assert all("." in host and not host.startswith(("*.com", "*.org")) and host != "*" for host in DEFAULT_HOSTS)


# The proxy itself


@pytest.fixture
def server() -> Iterator[http.server.ThreadingHTTPServer]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"{self.headers['Host']} {self.path}".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def resolving_to(*addresses: str) -> Callable[[str, int], Sequence[str]]:
    return lambda _host, _port: addresses


def asked(path: Path, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(path))
        client.sendall(request)
        answer = b""
        while data := client.recv(65536):
            answer += data
        return answer


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n", b"403"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT packages.example:443 HTTP/1.1\r\n\r\n", b"403"),
    ],
)
def test_a_refusal_says_why_and_is_remembered(tmp_path: Path, request_: bytes, status: bytes) -> None:
    path = tmp_path / "s"
    with EgressProxy(path, allowed_hosts=HOSTS, resolve=resolving_to("127.0.0.1", "::1", "169.254.169.254")) as proxy:
        answer = asked(path, request_)

    assert answer.startswith(b"HTTP/1.1 " + status)
    assert len(proxy.denied) == 1
    assert proxy.denied[0].encode() in answer
    assert not path.exists()


def test_a_name_that_cannot_be_resolved_is_said_so(tmp_path: Path) -> None:
    def nowhere(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror("no such name")

    with EgressProxy(tmp_path / "s", allowed_hosts=HOSTS, resolve=nowhere):
        assert asked(tmp_path / "s", b"CONNECT packages.example:443 HTTP/1.1\r\n\r\n").startswith(
            b"HTTP/1.1 502 packages.example cannot"
        )


def test_a_head_without_end_gets_no_answer_and_no_memory(tmp_path: Path) -> None:
    with EgressProxy(tmp_path / "s", allowed_hosts=HOSTS):
        assert asked(tmp_path / "s", b"x" * 16 * 1024) == b""


def test_only_the_allowed_ones_of_a_names_addresses_are_tried(tmp_path: Path) -> None:
    tried: list[tuple[str, int]] = []

    def connect(address: str, port: int) -> socket.socket:
        tried.append((address, port))
        raise ConnectionRefusedError

    resolve = resolving_to("127.0.0.1", "151.101.0.223", "169.254.169.254")
    with EgressProxy(tmp_path / "s", allowed_hosts=HOSTS, resolve=resolve, connect=connect):
        asked(tmp_path / "s", b"CONNECT packages.example:443 HTTP/1.1\r\n\r\n")

    assert tried == [("151.101.0.223", 443)]


@pytest.fixture
def open_proxy(tmp_path: Path, server: http.server.ThreadingHTTPServer) -> Iterator[Path]:
    """A proxy for which each allowed name leads to the server of the test."""
    with EgressProxy(
        tmp_path / "s",
        allowed_hosts=HOSTS,
        resolve=resolving_to("151.101.0.223"),
        connect=lambda _address, _port: socket.create_connection(("127.0.0.1", server.server_port), timeout=5),
    ):
        yield tmp_path / "s"


def test_a_plain_request_is_answered_once(open_proxy: Path) -> None:
    twice = b"GET http://packages.example/a HTTP/1.1\r\n\r\n" + b"GET http://evil.example/b HTTP/1.1\r\n\r\n"

    answer = asked(open_proxy, twice)

    assert answer.endswith(b"packages.example /a")
    assert b"/b" not in answer


def test_a_tunnel_carries_bytes_both_ways_until_one_end_closes(open_proxy: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(open_proxy))
        client.sendall(b"CONNECT packages.example:443 HTTP/1.1\r\n\r\n")
        assert client.recv(65536) == b"HTTP/1.1 200 Connection established\r\n\r\n"
        client.sendall(b"GET /through HTTP/1.0\r\nHost: packages.example\r\n\r\n")
        answer = b""
        while data := client.recv(65536):
            answer += data

    assert answer.endswith(b"packages.example /through")
