"""A setup's way out of a container without a network: a proxy here, reached over a command in the container.

Nothing is mounted, so the engine may be another machine's, or see other paths than this process.
"""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.containers.container import SETUP_FILES
from sandbox.containers.workspace import SetupWorkspace
from sandbox.contract import File, SandboxUnavailable, archive_of
from sandbox.setup import relay
from sandbox.setup.addresses import Network
from sandbox.setup.channels import Channels
from sandbox.setup.egress import Denial
from sandbox.setup.package_hosts import COMMON_HOSTS, READ, configured_hosts
from sandbox.setup.proxy import EgressProxy

PORT = 3128

_NO_PYTHON = 127
_RELAY = f"{SETUP_FILES}/relay.py"
_CA = f"{SETUP_FILES}/ca.crt"
_APT = f"{SETUP_FILES}/apt.conf"
_START = f"""
read -r _
command -v python3 >/dev/null 2>&1 || exit {_NO_PYTHON}
exec python3 -I -S {_RELAY} {PORT}
"""
_PREPARE = f"""
umask 022
head -c "$1" | tar -x -f - -C {SETUP_FILES} --no-same-owner || exit 1
{READ}
"""
"""Put our files in their place, then print what the image's package managers are configured for."""

_CA_READERS = (
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
)


@dataclass(frozen=True, slots=True)
class Route:
    """A way out in use: `env` is what setup must find in its environment, `hosts` are those that it may reach.

    `denied` fills while setup runs, each place once.
    """

    env: Mapping[str, str]
    denied: Sequence[Denial]
    hosts: Sequence[str]
    _trouble: Callable[[], str | None]

    @property
    def problem(self) -> str | None:
        """Why there is no way out, or none any more: a sentence for who reads the setup's output."""
        return self._trouble()


class WayOut:
    """Opens ways out for setups: to the hosts that the image's package managers are configured for, to common package
    hosts, and to the operator's `hosts`.

    An entry of `hosts` is HOST (ports 80 and 443) or HOST:PORT; `*` stands for anything. Where these lead to addresses
    that are not public, `networks` says which are fine. `ca_bundle` is a file of certificates that setup trusts.
    `resolve` and `connect` are how names become addresses and addresses connections.
    """

    def __init__(
        self,
        *,
        hosts: Sequence[str] = (),
        networks: Sequence[Network] = (),
        ca_bundle: Path | None = None,
        resolve: Callable[[str, int], Sequence[str]] | None = None,
        connect: Callable[[str, int], socket.socket] | None = None,
    ) -> None:
        self._hosts = hosts
        self._networks = networks
        self._ca_bundle = ca_bundle
        self._resolve = resolve
        self._connect = connect

    @contextmanager
    def open(self, workspace: SetupWorkspace) -> Iterator[Route]:
        """A way out for the next `workspace.run`, whose end is the way's end too.

        Raises `SandboxError`, and `SandboxUnavailable` where the CA bundle can't be read. An image without python3,
        which carries the way, is no error but a `problem`.
        """
        printed = workspace.script(_PREPARE, archive_of(self._files()), doing="preparing a setup's way out")
        hosts = [*COMMON_HOSTS, *configured_hosts(printed.decode("utf-8", "replace")), *self._hosts]
        env = environment(has_ca=self._ca_bundle is not None)
        proxy = EgressProxy(allowed_hosts=hosts, networks=self._networks, resolve=self._resolve, connect=self._connect)
        words = ["/bin/sh", "-c", _START]
        with proxy, workspace.attach(words) as running, Channels(running, accept=proxy.accept) as channels:
            if channels.has_ended and running.exit_code() == _NO_PYTHON:
                problem = "this image has no python3, which carries a setup's way to the network: setup runs without"
                yield Route(env, proxy.denied, hosts, lambda: problem)
            else:
                yield Route(env, proxy.denied, hosts, lambda: channels.problem)

    def _files(self) -> Mapping[str, File]:
        files = {"relay.py": File(Path(relay.__file__).read_bytes())}
        if self._ca_bundle is None:
            return files
        try:
            certificates = self._ca_bundle.read_bytes()
        except OSError as error:
            raise SandboxUnavailable(f"the CA bundle for setup cannot be read: {error}") from error
        apt = File(f'Acquire::https::CaInfo "{_CA}";\n'.encode())
        return {**files, "ca.crt": File(certificates), "apt.conf": apt}


def environment(*, has_ca: bool) -> Mapping[str, str]:
    """What tells package managers of the way out, and of the certificates that count on it."""
    proxy = f"http://127.0.0.1:{PORT}"
    own = "localhost,127.0.0.1,::1"
    env = {
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
        **dict.fromkeys(("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"), proxy),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), own),
    }
    return {**env, **dict.fromkeys(_CA_READERS, _CA), "APT_CONFIG": _APT} if has_ca else env
