"""Ways out: the host listens on each, and nobody calls."""

import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.contract import Guarantee, Workspace
from tests.sandbox.hostile import host
from tests.sandbox.hostile.host import Listener
from tests.sandbox.hostile.inside import answer

pytestmark = pytest.mark.holds(Guarantee.NETWORK)

ELSEWHERE = ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "1.1.1.1", "2606:4700:4700::1111")
"""Where clouds keep what they tell a machine about itself, its credentials too; and two well-known resolvers."""
NAMES = ("localhost.localdomain", "host.docker.internal", "metadata.google.internal", "example.com")
ALLOWED_FAMILIES = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}


@pytest.fixture
def port() -> Iterator[tuple[int, Listener]]:
    """A port on every address of the host, for both protocols of the internet."""
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as found:
        number = found.getsockname()[1]
    with host.listening(socket.AF_INET6, ("::", number)) as listener:
        yield number, listener


def _addresses() -> list[str]:
    """Every address that the host goes by."""
    with Path("/proc/net/fib_trie").open() as lines:
        routed = {line.split("-- ")[1].strip() for line in lines if "-- " in line}
    own = {address for address in routed if not address.endswith((".0", ".255"))}
    names = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None)}
    return sorted({"127.0.0.1", "::1", "172.17.0.1", *own, *map(str, names)})


def test_no_address_of_the_host_or_of_the_world_answers(workspace: Workspace, port: tuple[int, Listener]) -> None:
    number, listener = port
    socket.create_connection(("127.0.0.1", number)).close()
    assert host.becomes_true(lambda: len(listener.callers) == 1, within_s=2)
    code = """
def reach(address, port):
    with socket.create_connection((address, port), timeout=1):
        return "reached"
answer = {}
for address in sys.argv[2:]:
    for port in (int(sys.argv[1]), 80, 53):
        answer[f"{address} {port}"] = outcome(lambda: reach(address, port))
"""

    found = answer(workspace, code, str(number), *_addresses(), *ELSEWHERE)

    assert [where for where, said in found.items() if said == "reached"] == []
    assert len(listener.callers) == 1


def test_no_datagram_arrives(workspace: Workspace) -> None:
    with host.listening(socket.AF_INET, ("", 0), socket.SOCK_DGRAM) as listener:
        number = listener.address[1]  # type: ignore[index]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.sendto(b"from the host", ("127.0.0.1", number))
        assert host.becomes_true(lambda: listener.callers == [b"from the host"], within_s=2)
        code = """
def send(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return sender.sendto(b"from inside", (address, int(sys.argv[1])))
answer = {address: outcome(lambda: send(address)) for address in [*sys.argv[2:], "255.255.255.255", "224.0.0.1"]}
"""
        answer(workspace, code, str(number), *_addresses())
        workspace.run("sleep 0.2")

        assert listener.callers == [b"from the host"]


def test_no_name_is_resolved(workspace: Workspace) -> None:
    code = "answer = {name: outcome(lambda: socket.getaddrinfo(name, 80)) for name in sys.argv[1:]}"

    found = answer(workspace, code, *NAMES, socket.gethostname() + ".local")

    assert {name for name, said in found.items() if "gaierror" not in said} <= {"localhost.localdomain"}


@pytest.mark.parametrize("kind", ["abstract", "path"])
def test_a_unix_socket_of_the_host_is_out_of_reach(workspace: Workspace, tmp_path: Path, kind: str) -> None:
    address = {"abstract": f"\0selfcode-{uuid.uuid4().hex}", "path": f"{tmp_path}/s"}[kind]
    with host.listening(socket.AF_UNIX, address) as listener:
        with socket.socket(socket.AF_UNIX) as own:
            own.connect(address)
        assert host.becomes_true(lambda: len(listener.callers) == 1, within_s=2)
        code = (
            "answer = outcome(lambda: socket.socket(socket.AF_UNIX).connect(os.fsdecode(bytes.fromhex(sys.argv[1]))))"
        )

        assert "rror" in answer(workspace, code, address.encode().hex())
        assert len(listener.callers) == 1


def test_the_hosts_abstract_sockets_are_not_even_listed(workspace: Workspace) -> None:
    name = f"selfcode-{uuid.uuid4().hex}"
    with host.listening(socket.AF_UNIX, f"\0{name}"):
        assert name in Path("/proc/net/unix").read_text()
        assert name not in workspace.run("cat /proc/net/unix").stdout


def test_only_families_of_sockets_open_that_lead_nowhere(workspace: Workspace) -> None:
    code = """
answer = []
for family in range(1, 50):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind).close()
            answer.append(family)
        except OSError: pass
"""

    assert set(answer(workspace, code)) <= ALLOWED_FAMILIES


@pytest.mark.parametrize("number", [0, 1, 6, 17, 255])
def test_raw_sockets_do_not_open(workspace: Workspace, number: int) -> None:
    code = f"""
answer = [outcome(lambda: socket.socket(family, socket.SOCK_RAW, {number})) for family in (2, 10, 17)]
"""

    assert all("rror" in said for said in answer(workspace, code))


def test_vsock_does_not_reach_the_host_or_what_is_below_it(workspace: Workspace) -> None:
    code = """
def call_to(cid):
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as caller:
        caller.settimeout(1)
        caller.connect((cid, 9999))
answer = {str(cid): outcome(lambda: call_to(cid)) for cid in (0, 1, 2, 3)}
"""
    with ExitStack() as opened:
        listener = Listener(None)
        if hasattr(socket, "AF_VSOCK") and os.path.exists("/dev/vsock"):  # noqa: PTH110 - one question
            listener = opened.enter_context(host.listening(socket.AF_VSOCK, (socket.VMADDR_CID_ANY, 9999)))
        found = answer(workspace, code)

    assert all("rror" in said for said in found.values())
    assert listener.callers == []


def test_there_is_nothing_but_loopback_and_it_is_not_the_hosts(workspace: Workspace) -> None:
    code = """
def add_a_link():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        body = struct.pack("BxHiII", 0, 0, 0, 0, 0) + struct.pack("HH8s", 8 + 4, 3, b"dummy0\\0\\0")
        link.send(struct.pack("IHHII", 16 + len(body), 16, 0x605, 1, 0) + body)
        return struct.unpack("i", link.recv(4096)[16:20])[0]
interfaces = [name for _, name in socket.if_nameindex()]
answer = [interfaces, contents("/proc/net/route").splitlines()[1:], outcome(add_a_link)]
"""

    interfaces, routes, added = answer(workspace, code)

    assert (interfaces, routes) == (["lo"], [])
    assert added != "0"
