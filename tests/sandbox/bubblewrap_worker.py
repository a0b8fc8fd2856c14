"""A worker with a bubblewrap sandbox, as a program of its own: it can be killed, and run as whoever.

    python bubblewrap_worker.py check           says what answers, or why nothing does
    python bubblewrap_worker.py hold OWNER      opens a workspace and runs a command that does not end
    python bubblewrap_worker.py tour            tries what an ordinary user's workspace holds, and prints it as JSON

It needs nothing but the standard library and `sandbox` on its path.
"""

import json
import sys

from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.contract import (
    MEBIBYTE,
    File,
    Limits,
    SandboxUnavailable,
    Workspace,
    WorkspaceFull,
    archive_of,
    files_of,
)

LIMITS = Limits(
    wall_s=60,
    memory_bytes=256 * MEBIBYTE,
    processes=40,
    workspace_bytes=16 * MEBIBYTE,
    tmp_bytes=8 * MEBIBYTE,
    file_size_bytes=12 * MEBIBYTE,
)

BOMB = """
import os, time
for count in range(200):
    try:
        if not os.fork():
            time.sleep(60)
    except OSError:
        break
print(count)
"""

CALL = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80))
except OSError as problem:
    print(problem.strerror)
"""


def check() -> None:
    try:
        say(BubblewrapSandbox(owner="selfcode-tests-check").check())
    except SandboxUnavailable as problem:
        say(f"unavailable: {problem}")


def hold(owner: str) -> None:
    with BubblewrapSandbox(owner=owner).open(limits=LIMITS) as workspace:
        say("open")
        workspace.run(["sh", "-c", "sleep 300; :", f"held-{owner}"])


def tour() -> None:
    sandbox = BubblewrapSandbox(owner="selfcode-tests-tour")
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(archive_of({"a/b": File(b"1"), "c": File(b"a/b", symlink=True)}))
        workspace.run("mkdir -m 000 d; echo 2 >a/e; chmod 000 a/e a")
        found = {
            "unheld": sorted(sandbox.unheld),
            "user": workspace.run("id -u").stdout.strip(),
            "files": sorted(path for path, _ in files_of(workspace.get())),
            "forks": int(workspace.run(["python3", "-c", BOMB]).stdout),
            "memory": workspace.run(["python3", "-c", "bytearray(1 << 30)"]).stderr.splitlines()[-1:],
            "network": workspace.run(["python3", "-c", CALL]).stdout.strip(),
            "is full": is_full(workspace),
            "workspace": workspace.run("head -c 12000000 /dev/zero >x; head -c 12000000 /dev/zero >y").stderr,
            "tmp": workspace.run("head -c 9000000 /dev/zero >/tmp/x").stderr,
        }
    say(json.dumps(found))


def is_full(workspace: Workspace) -> bool:
    try:
        workspace.put(archive_of({"big": File(bytes(20 * MEBIBYTE))}))
    except WorkspaceFull:
        workspace.remove(["."])
        return True
    return False


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["check"]:
            check()
        case ["hold", owner]:
            hold(owner)
        case _:
            tour()
