"""Run a command with a Docker engine for the tests: `python -m tests.engine -- COMMAND…`.

The engine that answers is used. Where none does, INSTALL_DOCKER=1 or CI allow one to be installed and started (root,
Debian or Ubuntu), and then it must work. Else the command runs all the same, and the tests say what they left out.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

import docker

from tests.engine.image import CannotMakeImage, ensure_image
from tests.engine.private import CannotStart, answers, private_engine

_USAGE = "usage: python -m tests.engine -- COMMAND…"
_STOP_S = 30.0


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command and return its exit code; 1 where an engine was promised and could not be had."""
    if arguments[:1] != ["--"] or not arguments[1:]:
        say(_USAGE)
        return 2
    may_install = bool(environment.get("CI")) or environment.get("INSTALL_DOCKER") == "1"
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        with engine(may_install=may_install) as additions:
            return run(arguments[1:], {**environment, **additions})
    except (CannotStart, CannotMakeImage) as error:
        say(f"FAILED, for want of a Docker engine to test on: {error}")
        return 1


@contextmanager
def engine(*, may_install: bool) -> Iterator[Mapping[str, str]]:
    """An engine with the test image, as additions to the environment; none where there is none and none is promised."""
    if answers(None):
        yield _with_image(None, may_install=may_install)
    elif may_install:
        with private_engine(say=say) as host:
            yield {"DOCKER_HOST": host, **_with_image(host, may_install=True)}
    else:
        say("No Docker engine answers: THE DOCKER TESTS ARE LEFT OUT.")
        say(
            "To have them, start Docker, or: make test INSTALL_DOCKER=1  (root on Debian or Ubuntu; installs docker.io)"
        )
        yield {}


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command to its end, or end it with us."""
    with subprocess.Popen(command, env=environment) as process:
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return code if code >= 0 else 128 - code


def say(text: str) -> None:
    """Tell whoever runs the tests."""
    sys.stderr.write(f"tests.engine: {text}\n")
    sys.stderr.flush()


def _with_image(host: str | None, *, may_install: bool) -> Mapping[str, str]:
    client = docker.DockerClient(base_url=host) if host else docker.from_env()
    try:
        return {"SELFCODE_TEST_IMAGE": ensure_image(client, may_install=may_install, say=say)}
    except CannotMakeImage as error:
        if may_install:
            raise
        say(f"An engine answers, but THE DOCKER TESTS ARE LEFT OUT, for want of their image: {error}")
        say("To have them: make test INSTALL_DOCKER=1  (installs Debian packages to make the image of), or a registry")
        return {}
    finally:
        client.close()


def _leave(number: int, _frame: FrameType | None) -> None:
    """Turn a signal into an exception, so that everything is cleaned up."""
    sys.exit(128 + number)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], os.environ))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
