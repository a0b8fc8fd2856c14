"""The program that a setup's connections go through, on real sockets."""

import http.server
import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from sandbox.setup.egress import Denial
from sandbox.setup.proxy import EgressProxy

HOSTS = ("packages.example", "*.hosted.example")
PUBLIC = "151.101.0.223"
TUNNEL = b"CONNECT packages.example:443 HTTP/1.1\r\n\r\n"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def resolving_to(*addresses: str) -> Callable[[str, int], Sequence[str]]:
    return lambda _host, _port: addresses


def connection(proxy: EgressProxy) -> socket.socket:
    """A client's end of a connection to the proxy."""
    client, theirs = socket.socketpair()
    client.settimeout(10)
    proxy.accept(theirs)
    return client


def rest(client: socket.socket) -> bytes:
    answer = b""
    while data := client.recv(65536):
        answer += data
    return answer


def asked(proxy: EgressProxy, request: bytes) -> bytes:
    with connection(proxy) as client:
        client.sendall(request)
        return rest(client)


@contextmanager
def upstream(serve: Callable[[socket.socket], None]) -> Iterator[Callable[[str, int], socket.socket]]:
    """What connects to a server that does this with its one connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def once() -> None:
            accepted, _ = listener.accept()
            accepted.settimeout(10)
            with accepted:
                serve(accepted)

        thread = threading.Thread(target=once)
        thread.start()
        yield lambda _address, _port: socket.create_connection(listener.getsockname(), timeout=5)
        thread.join(10)
        assert not thread.is_alive()


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

    class Server(http.server.ThreadingHTTPServer):
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.02,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def proxy(server: http.server.ThreadingHTTPServer) -> Iterator[EgressProxy]:
    """A proxy for which each allowed name leads to the server of the test."""

    def connect(_address: str, _port: int) -> socket.socket:
        return socket.create_connection(("127.0.0.1", server.server_port), timeout=5)

    with EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect) as found:
        yield found


def test_a_refusal_says_why_and_each_place_is_remembered_once(proxy: EgressProxy) -> None:
    answers = [asked(proxy, b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n") for _ in range(2)]

    reason = "evil.example is not among the hosts that a setup may reach"
    assert all(answer.startswith(f"HTTP/1.1 403 {reason}\r\n".encode()) for answer in answers)
    assert proxy.denied == [Denial("evil.example", 443, reason, "SELFCODE_SETUP_HOSTS=evil.example")]


def test_no_more_denials_are_remembered_than_anyone_reads(proxy: EgressProxy) -> None:
    for number in range(150):
        asked(proxy, f"CONNECT evil{number}.example:443 HTTP/1.1\r\n\r\n".encode())

    assert len(proxy.denied) == 100


def test_what_is_no_request_is_answered_and_not_remembered(proxy: EgressProxy) -> None:
    assert asked(proxy, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 not a proxy request")
    assert asked(proxy, b"x" * 16 * 1024) == b""
    assert proxy.denied == []


def test_a_host_that_is_not_allowed_is_not_even_resolved() -> None:
    asked_for: list[str] = []

    def resolve(host: str, _port: int) -> Sequence[str]:
        asked_for.append(host)
        return [PUBLIC]

    with EgressProxy(allowed_hosts=HOSTS, resolve=resolve) as proxy:
        asked(proxy, b"CONNECT what-setup-has-seen.evil.example:443 HTTP/1.1\r\n\r\n")

    assert asked_for == []


def test_a_name_that_cannot_be_resolved_is_said_so() -> None:
    def nowhere(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror("no such name")

    with EgressProxy(allowed_hosts=HOSTS, resolve=nowhere) as proxy:
        assert asked(proxy, TUNNEL).startswith(b"HTTP/1.1 502 packages.example cannot be resolved")


def test_a_name_that_can_be_no_name_is_said_so() -> None:
    with EgressProxy(allowed_hosts=HOSTS) as proxy:
        request = b"CONNECT " + b"x" * 70 + b".hosted.example:443 HTTP/1.1\r\n\r\n"
        assert b"cannot be resolved" in asked(proxy, request)


def test_only_the_allowed_ones_of_a_names_addresses_are_tried_one_family_after_the_other() -> None:
    tried: list[tuple[str, int]] = []

    def connect(address: str, port: int) -> socket.socket:
        tried.append((address, port))
        raise ConnectionRefusedError

    addresses = ("127.0.0.1", "2a04:4e42::1", "2a04:4e42::2", PUBLIC, "169.254.169.254", "::1")
    with EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(*addresses), connect=connect) as proxy:
        answer = asked(proxy, TUNNEL)

    assert tried == [("2a04:4e42::1", 443), (PUBLIC, 443), ("2a04:4e42::2", 443)]
    assert answer.startswith(b"HTTP/1.1 502 packages.example does not answer")


def test_a_name_that_means_another_address_when_it_is_asked_for_again_is_not_asked_for_again() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]])
    tried: list[str] = []

    def connect(address: str, _port: int) -> socket.socket:
        tried.append(address)
        raise ConnectionRefusedError

    with EgressProxy(allowed_hosts=HOSTS, resolve=lambda _host, _port: next(answers), connect=connect) as proxy:
        asked(proxy, TUNNEL)
        asked(proxy, TUNNEL)

    assert tried == [PUBLIC]
    assert [denial.remedy for denial in proxy.denied] == [None]


def test_a_private_address_is_reached_inside_the_operators_networks_alone() -> None:
    tried: list[str] = []

    def connect(address: str, _port: int) -> socket.socket:
        tried.append(address)
        raise ConnectionRefusedError

    networks = [ipaddress.ip_network("10.1.0.0/16")]
    for address in ("10.1.2.3", "10.2.2.3", "169.254.169.254"):
        resolve = resolving_to(address)
        with EgressProxy(allowed_hosts=HOSTS, networks=networks, resolve=resolve, connect=connect) as proxy:
            asked(proxy, TUNNEL)
            asked(proxy, b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n")

    assert tried == ["10.1.2.3"]


def test_a_plain_request_is_answered_once(proxy: EgressProxy) -> None:
    twice = b"GET http://packages.example/a HTTP/1.1\r\n\r\n" + b"GET http://evil.example/b HTTP/1.1\r\n\r\n"

    answer = asked(proxy, twice)

    assert answer.endswith(b"packages.example /a")
    assert b"/b" not in answer


def test_a_tunnel_carries_what_follows_its_request_at_once(proxy: EgressProxy) -> None:
    answer = asked(proxy, TUNNEL + b"GET /through HTTP/1.0\r\nHost: packages.example\r\n\r\n")

    assert answer.startswith(ESTABLISHED)
    assert answer.endswith(b"packages.example /through")


def test_who_has_said_everything_still_gets_the_answer() -> None:
    def serve(accepted: socket.socket) -> None:
        accepted.sendall(b"%d bytes" % len(rest(accepted)))

    with (
        upstream(serve) as connect,
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect) as proxy,
        connection(proxy) as client,
    ):
        client.sendall(TUNNEL + b"x" * 3_000_000)
        client.shutdown(socket.SHUT_WR)
        assert rest(client) == ESTABLISHED + b"3000000 bytes"


def test_who_is_answered_before_it_has_said_everything_gets_the_whole_answer() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(b"x" * 100_000)

    with (
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=lambda _address, _port: ours) as proxy,
        connection(proxy) as client,
    ):
        client.sendall(TUNNEL + b"nobody reads this")
        client.shutdown(socket.SHUT_WR)
        assert rest(client) == ESTABLISHED + b"x" * 100_000


def test_a_client_that_does_not_read_holds_up_the_server_and_not_our_memory() -> None:
    sent = 0

    def serve(accepted: socket.socket) -> None:
        nonlocal sent
        accepted.settimeout(0.5)
        try:
            while sent < 200_000_000:
                sent += accepted.send(b"x" * 65536)
        except TimeoutError:
            pass

    with (
        upstream(serve) as connect,
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect) as proxy,
        connection(proxy) as client,
    ):
        client.sendall(TUNNEL)
        assert client.recv(len(ESTABLISHED)) == ESTABLISHED
        time.sleep(1)  # until the server has given up

    assert sent < 20_000_000  # what fits into the sockets


def test_when_one_end_breaks_off_the_other_hears_of_it() -> None:
    ended = threading.Event()

    def serve(accepted: socket.socket) -> None:
        try:
            while True:
                accepted.sendall(b"x" * 65536)
        except OSError:
            ended.set()

    with (
        upstream(serve) as connect,
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect) as proxy,
    ):
        with connection(proxy) as client:
            client.sendall(TUNNEL)
            client.recv(65536)
        assert ended.wait(10)


def test_a_setup_may_carry_so_many_bytes_and_no_more() -> None:
    with (
        upstream(lambda accepted: accepted.sendall(b"x" * 400_000)) as connect,
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect, limit_bytes=100_000) as proxy,
    ):
        answer = asked(proxy, TUNNEL)

    assert len(answer) < 300_000
    assert [denial.reason for denial in proxy.denied] == ["more than 100000 bytes for one setup"]


def test_a_connection_on_which_nothing_happens_is_ended() -> None:
    with (
        upstream(bytes_until_end) as connect,
        EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect, idle_s=0.1) as proxy,
    ):
        assert asked(proxy, TUNNEL) == ESTABLISHED


def bytes_until_end(accepted: socket.socket) -> None:
    rest(accepted)


def test_64_connections_at_a_time_are_served(proxy: EgressProxy) -> None:
    def fetch(number: int) -> bytes:
        return asked(proxy, f"GET http://packages.example/{number} HTTP/1.1\r\n\r\n".encode())

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(fetch, range(128)))

    assert [answer.rpartition(b"/")[2] for answer in answers] == [b"%d" % number for number in range(128)]


def test_its_end_ends_every_connection_and_every_thread() -> None:
    with upstream(bytes_until_end) as connect:
        with EgressProxy(allowed_hosts=HOSTS, resolve=resolving_to(PUBLIC), connect=connect) as proxy:
            client = connection(proxy)
            client.sendall(TUNNEL)
            assert client.recv(65536) == ESTABLISHED
        with client:
            assert client.recv(65536) == b""

    assert [thread.name for thread in threading.enumerate() if thread.name == "egress"] == []


def test_who_comes_after_its_end_is_sent_away() -> None:
    with EgressProxy(allowed_hosts=HOSTS) as proxy:
        pass

    with connection(proxy) as client:
        assert client.recv(10) == b""
