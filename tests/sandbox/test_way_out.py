"""A setup's way out of a real container, which has no network."""

import http.server
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.containers.workspace import SetupWorkspace
from sandbox.contract import ExecutionResult, Limits, SandboxUnavailable
from sandbox.docker import DockerSandbox
from sandbox.setup.way_out import Route, WayOut, environment
from tests.conftest import image_under_test

SIZE = 50_000_000
FETCH = "import sys, urllib.request as u; print(u.urlopen('http://' + sys.argv[1], timeout=20).read().decode())"
LIMITS = Limits(wall_s=60, workspace_bytes=64 * 1024 * 1024)


@dataclass
class Hosts:
    """A web server, to which every allowed name leads; names beginning with `inner` have a private address."""

    port: int

    def way_out(self, ca_bundle: Path | None = None) -> WayOut:
        return WayOut(
            hosts=["pkgs.example", "*.example"], resolve=self.resolve, connect=self.connect, ca_bundle=ca_bundle
        )

    def resolve(self, host: str, _port: int) -> list[str]:
        return {"inner.example": ["10.1.2.3"], "metadata.example": ["169.254.169.254"]}.get(host, ["151.101.0.223"])

    def connect(self, _address: str, _port: int) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"x" * SIZE if self.path == "/big" else f"{self.headers['Host']}{self.path}".encode())

        def do_PUT(self) -> None:
            self._answer(b"%d bytes" % len(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    class Server(http.server.ThreadingHTTPServer):
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that went away is what some tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield Hosts(server.server_port)
        server.shutdown()
        thread.join()


@contextmanager
def setup(sandbox: DockerSandbox) -> Iterator[SetupWorkspace]:
    with sandbox.setup(image=image_under_test(), limits=LIMITS, name=f"selfcode-test-{uuid.uuid4().hex}") as found:
        yield found
    assert [thread.name for thread in threading.enumerate() if thread.name in {"egress", "way-out"}] == []


def run(workspace: SetupWorkspace, route: Route, command: str) -> ExecutionResult:
    return workspace.run(command, env=route.env)


def test_setup_reaches_allowed_hosts_and_nothing_else_by_no_way(docker_sandbox: DockerSandbox, hosts: Hosts) -> None:
    program = """
import socket, urllib.request
for host in ("pkgs.example/simple", "evil.test", "inner.example", "metadata.example", "169.254.169.254/latest"):
    try:
        print(urllib.request.urlopen("http://" + host, timeout=20).read().decode())
    except OSError as error:
        print(error)
try:
    socket.create_connection(("1.1.1.1", 80), 3)
except OSError as error:
    print(error)
"""
    with setup(docker_sandbox) as workspace, hosts.way_out().open(workspace) as route:
        result = workspace.run(["python3", "-c", program], env=route.env)

    lines = result.stdout.splitlines()
    assert lines[0] == "pkgs.example/simple"
    assert all("403" in line for line in lines[1:5])
    assert "unreachable" in lines[5]
    assert route.problem is None
    assert [(denial.host, denial.remedy) for denial in route.denied] == [
        ("evil.test", "SELFCODE_SETUP_HOSTS=evil.test"),
        ("inner.example", "SELFCODE_SETUP_NETWORKS=10.1.2.3/32"),
        ("metadata.example", None),
        ("169.254.169.254", None),
    ]


def test_much_goes_down_and_up_and_many_connections_at_a_time(docker_sandbox: DockerSandbox, hosts: Hosts) -> None:
    program = f"""
import http.client, time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen
started = time.monotonic()
assert len(urlopen('http://pkgs.example/big').read()) == {SIZE}
print('%.0f MB/s down' % ({SIZE} / 1e6 / (time.monotonic() - started)))
tunnel = http.client.HTTPConnection('127.0.0.1', 3128)
tunnel.set_tunnel('pkgs.example', 443)
tunnel.request('PUT', '/', body=b'x' * 10_000_000)
print(tunnel.getresponse().read().decode())
with ThreadPoolExecutor(64) as pool:
    found = list(pool.map(lambda n: urlopen('http://pkgs.example/%d' % n).read().decode(), range(128)))
assert found == ['pkgs.example/%d' % n for n in range(128)]
print('all there')
"""
    with setup(docker_sandbox) as workspace, hosts.way_out().open(workspace) as route:
        result = workspace.run(["python3", "-c", program], env=route.env)

    assert result.stderr == ""
    assert result.stdout.splitlines()[1:] == ["10000000 bytes", "all there"]


@pytest.mark.parametrize(
    ("attack", "problem"),
    [
        ("printf 'GET / HTTP/1.1\\r\\n' >/proc/$relay/fd/1", "not its own"),
        ("timeout 1 cat /dev/zero >/proc/$relay/fd/1; true", "not its own"),
        ("kill -STOP $relay", ""),
        ("exec 3</proc/$relay/fd/0; timeout 0.3 cat <&3 >/dev/null; true", ""),
        ("exec 3</proc/$relay/fd/0 4>/proc/$relay/fd/1; kill -9 $relay", ""),
    ],
)
def test_a_setup_that_meddles_with_its_way_out_harms_only_itself(
    docker_sandbox: DockerSandbox, hosts: Hosts, attack: str, problem: str
) -> None:
    find = "relay=$(grep -l relay.py /proc/[0-9]*/cmdline | grep -v self | head -1 | cut -d/ -f3); "
    download = f'(python3 -c "{FETCH}" pkgs.example/big >/dev/null 2>&1 &) ; '

    with setup(docker_sandbox) as workspace:
        with hosts.way_out().open(workspace) as route:
            result = run(workspace, route, f"{download}{find}{attack}; sleep 0.3; echo done")
        again = workspace.run("echo still here")

    assert result.stdout.endswith("done\n")
    assert again.stdout == "still here\n"
    assert problem in (route.problem or "")


def test_the_hosts_are_those_of_the_image_never_those_of_the_repository(
    docker_sandbox: DockerSandbox, hosts: Hosts
) -> None:
    configure = (
        "mkdir -p /etc/apt/sources.list.d; echo 'index-url=https://pip.corp.test/simple' >/etc/pip.conf\n"
        "printf 'Types: deb\\nURIs: http://apt.corp.test/debian\\n' >/etc/apt/sources.list.d/corp.sources\n"
        "echo 'registry=https://npm.corp.test/' >/root/.npmrc\n"
        "echo 'registry=https://evil.test/' >.npmrc; echo 'index-url=https://evil.test/' >pip.conf\n"
        "mkdir -p /root/.pip; ln -s /workspace/pip.conf /root/.pip/pip.conf"
    )

    with setup(docker_sandbox) as workspace:
        workspace.run(configure)
        with hosts.way_out().open(workspace) as route:
            pass

    found = set(route.hosts)
    assert {"pip.corp.test", "apt.corp.test", "npm.corp.test", "crates.io", "*.example"} <= found
    assert found.isdisjoint({"evil.test", "pypi.org", "registry.npmjs.org", "deb.debian.org"})


def test_an_image_without_python3_has_no_way_out_and_it_is_said_so(docker_sandbox: DockerSandbox, hosts: Hosts) -> None:
    with setup(docker_sandbox) as workspace:
        workspace.run("for folder in $(echo $PATH | tr : ' '); do rm -f $folder/python3; done")
        with hosts.way_out().open(workspace) as route:
            result = run(workspace, route, "echo setup runs")

    assert result.stdout == "setup runs\n"
    assert route.problem is not None
    assert "no python3" in route.problem


def test_a_python3_that_does_not_work_is_said_so(docker_sandbox: DockerSandbox, hosts: Hosts) -> None:
    with setup(docker_sandbox) as workspace:
        workspace.run("p=$(command -v python3); rm $p; printf '#!/bin/sh\\necho broken >&2; exit 3' >$p; chmod +x $p")
        with hosts.way_out().open(workspace) as route:
            pass

    assert route.problem == "the relay in the container does not start: broken"


def test_a_ca_bundle_is_a_file_that_every_package_manager_is_told_of_and_no_image_keeps(
    docker_sandbox: DockerSandbox, hosts: Hosts, tmp_path: Path
) -> None:
    (tmp_path / "company.pem").write_text("the company's certificate\n")

    with setup(docker_sandbox) as workspace, hosts.way_out(tmp_path / "company.pem").open(workspace) as route:
        result = run(
            workspace, route, 'cat "$PIP_CERT" "$SSL_CERT_FILE" "$APT_CONFIG"; df /run/selfcode | grep -c tmpfs'
        )

    certificate = "the company's certificate\n"
    assert result.stdout == certificate * 2 + 'Acquire::https::CaInfo "/run/selfcode/ca.crt";\n1\n'
    assert "PIP_CERT" not in environment(has_ca=False)


def test_a_ca_bundle_that_is_not_there_is_said_so_to_the_operator(
    docker_sandbox: DockerSandbox, hosts: Hosts, tmp_path: Path
) -> None:
    with (
        setup(docker_sandbox) as workspace,
        pytest.raises(SandboxUnavailable, match="CA bundle"),
        hosts.way_out(tmp_path / "missing.pem").open(workspace),
    ):
        pass
