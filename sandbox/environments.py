"""Prepared images: a base image after a repository's setup commands, made once and found again by content."""

import hashlib
import io
import shutil
import tarfile
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.contract import CLEAN_ENVIRONMENT, Ending, ExecutionResult, Limits, SandboxError, SandboxUnavailable
from sandbox.docker import LEFT_LABEL, DockerSandbox, Image
from sandbox.egress import DEFAULT_HOSTS, EgressProxy
from sandbox.workspace import SetupWorkspace

REPOSITORY = "selfcode-environment"
KEY_LABEL = "selfcode.key"
REPOSITORY_LABEL = "selfcode.repository"
MADE_LABEL = "selfcode.made"
"""When the image was made, in seconds since 1970."""

_LAYOUT = "1"
"""Changes when images are made in another way: those made before are not found again."""

_LEFT = "/opt/selfcode/left.tar"
_INSIDE = "/run/selfcode"
_SOCKET = "egress.sock"
_CA = "ca.crt"
_PORT = 3128
_WEEK_S = 7 * 24 * 3600.0

_START = f"""
if command -v python3 >/dev/null 2>&1; then
    python3 {_INSIDE}/relay.py {_INSIDE}/{_SOCKET} {_PORT} || exit 1
else
    echo "selfcode: this image has no python3, which carries a setup's way to the network: setup runs without" >&2
fi
exec sh -e -c "$1"
"""

_KEEP_LEFT = f"""
mkdir -p {Path(_LEFT).parent} && head -c "$1" >/tmp/known &&
tar -c -f {_LEFT} --anchored --no-wildcards --exclude-from=/tmp/known -C /workspace . &&
rm -rf /root/.cache && tar -t -f {_LEFT} | grep -c -v '/$' || :
"""
"""Keep what is in the workspace but was not in the archive, and print how many files that are."""


class SetupFailed(SandboxError):
    """The repository's setup commands failed: `output` says why, to whoever wrote them."""

    def __init__(self, result: ExecutionResult, output: str) -> None:
        how = f"exit code {result.exit_code}" if result.ending is Ending.EXITED else result.ending.value
        last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no output")
        super().__init__(f"setup failed: {how}: {last[:500]}")
        self.exit_code = result.exit_code
        self.ending = result.ending
        self.output = output


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """An image to open workspaces on. `output` is what setup wrote, empty where nothing ran."""

    name: str
    is_cached: bool
    output: str
    duration_s: float


class Environments:
    """Makes and keeps prepared images. Threads may share one.

    Setup runs as root in a container whose only network is a proxy to `allowed_hosts`. The proxy's socket is made in
    `egress_folder` (default: the temporary folder), which the engine's machine must see under the same path.
    `ca_bundle` is what setup trusts where a company's proxy intercepts connections.
    """

    def __init__(
        self,
        sandbox: DockerSandbox,
        *,
        allowed_hosts: Sequence[str] = DEFAULT_HOSTS,
        ca_bundle: Path | None = None,
        max_age_s: float = _WEEK_S,
        egress_folder: Path | None = None,
        egress: Callable[[Path], EgressProxy] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._sandbox = sandbox
        self._ca_bundle = ca_bundle
        self._max_age_s = max_age_s
        self._egress_folder = egress_folder
        self._egress = egress or (lambda path: EgressProxy(path, allowed_hosts=allowed_hosts))
        self._clock = clock
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def prepare(
        self,
        *,
        base_image: str,
        repository_id: int,
        setup: str,
        archive: bytes,
        declared: Mapping[str, bytes],
        limits: Limits,
        stop: Callable[[], bool] | None = None,
    ) -> PreparedImage:
        """The base image after `setup`, which runs in the workspace, on `archive`; without setup, the base image.

        What setup leaves in the workspace beside the archive's files is there again in each workspace on the image.
        An image made before is taken when base image, repository, setup text and `declared` files are the same, and it
        is not too old. Raises `SetupFailed`, `SandboxUnavailable`.
        """
        base = self._sandbox.required_image(base_image)
        if not setup.strip():
            return PreparedImage(base_image, is_cached=True, output="", duration_s=0.0)
        key = cache_key(base_id=base.id, repository_id=repository_id, setup=setup, declared=declared)
        tag = f"{repository_id}-{key[:24]}"
        with self._locks[tag]:
            old = self._sandbox.find_image(f"{REPOSITORY}:{tag}")
            if old is not None and self._clock() - float(old.labels.get(MADE_LABEL, 0)) < self._max_age_s:
                return PreparedImage(old.name, is_cached=True, output="", duration_s=0.0)
            labels = {KEY_LABEL: key, REPOSITORY_LABEL: str(repository_id), MADE_LABEL: f"{self._clock():.0f}"}
            made = self._make(base, setup, archive, limits, stop, tag=tag, labels=labels)
            if old is not None:
                self._sandbox.remove_image(old.id)
            return made

    def _make(
        self,
        base: Image,
        setup: str,
        archive: bytes,
        limits: Limits,
        stop: Callable[[], bool] | None,
        *,
        tag: str,
        labels: Mapping[str, str],
    ) -> PreparedImage:
        started = time.monotonic()
        with self._way_out() as (folder, proxy):
            binds = {_INSIDE: str(folder)}
            with self._sandbox.setup(image=base.name, limits=limits, binds=binds) as workspace:
                workspace.put(archive)
                words = ["sh", "-c", _START, "sh", setup]
                result = workspace.run(words, env=setup_environment(has_ca=self._ca_bundle is not None), stop=stop)
                output = result.stdout + result.stderr + "".join(f"selfcode: {reason}\n" for reason in proxy.denied)
                if result.exit_code != 0:
                    raise SetupFailed(result, output)
                left = {LEFT_LABEL: _LEFT} if _keep_left(workspace, archive) else {}
                name = workspace.commit(repository=REPOSITORY, tag=tag, labels={**labels, **left})
        return PreparedImage(name, is_cached=False, output=output, duration_s=time.monotonic() - started)

    @contextmanager
    def _way_out(self) -> Iterator[tuple[Path, EgressProxy]]:
        """A folder with what setup needs to reach the network, and the proxy that listens in it."""
        if not self._sandbox.host.startswith("unix://"):
            raise SandboxUnavailable(
                f"setup reaches the network by a socket on this machine, and the Docker engine is another one's "
                f"({self._sandbox.host}): run the worker beside the engine, or name an image that needs no setup"
            )
        with tempfile.TemporaryDirectory(prefix="selfcode-egress-", dir=self._egress_folder) as name:
            folder = Path(name)
            shutil.copy(Path(__file__).with_name("relay.py"), folder / "relay.py")
            if self._ca_bundle is not None:
                shutil.copy(self._ca_bundle, folder / _CA)
            with self._egress(folder / _SOCKET) as proxy:
                yield folder, proxy


def cache_key(*, base_id: str, repository_id: int, setup: str, declared: Mapping[str, bytes]) -> str:
    """One text for one environment: each part counts, and no two ways of cutting them are the same."""
    parts = [_LAYOUT.encode(), base_id.encode(), str(repository_id).encode(), setup.encode()]
    for path in sorted(declared):
        parts += [path.encode("utf-8", "surrogateescape"), declared[path]]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode() + part)
    return digest.hexdigest()


def setup_environment(*, has_ca: bool) -> Mapping[str, str]:
    """What setup commands find in their environment: the way to the proxy, and manners for package managers."""
    proxy = f"http://127.0.0.1:{_PORT}"
    env = {
        **CLEAN_ENVIRONMENT,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
        "NO_PROXY": "localhost,127.0.0.1,::1",
        "no_proxy": "localhost,127.0.0.1,::1",
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",  # the container is thrown away: it is nobody's system
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        "npm_config_cache": "/tmp/npm",  # noqa: S108 - the container's
        "npm_config_update_notifier": "false",
    }
    if has_ca:
        readers = (
            "CARGO_HTTP_CAINFO",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
            "NODE_EXTRA_CA_CERTS",
            "PIP_CERT",
            "REQUESTS_CA_BUNDLE",
            "SSL_CERT_FILE",
        )
        env |= dict.fromkeys(readers, f"{_INSIDE}/{_CA}")
    return env


def _keep_left(workspace: SetupWorkspace, archive: bytes) -> bool:
    """Keep in the image what setup made in the workspace; whether it made anything."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
        names = [entry.name.removeprefix("./") for entry in opened if not entry.isdir()]
    known = "".join(f"./{name}\n" for name in names if "\n" not in name).encode("utf-8", "surrogateescape")
    return workspace.script(_KEEP_LEFT, known, doing="keeping what setup made").strip() != b"0"
