"""The shell lines by which commands are started and files moved; what varies arrives as arguments, never as text."""

import re
from collections.abc import Sequence

from sandbox.contract import SandboxError

_LAUNCH = 'cd -- "$1" || exit 127; shift; exec "$@"'
"""Start a command in a folder: not found is 127, not executable 126, as in any shell."""


def launch(command: str | Sequence[str], directory: str, *, prefix: str = "", suffix: str = "") -> list[str]:
    """The argument list that runs a command in a folder; a string goes to `sh -c`."""
    words = ["sh", "-c", command] if isinstance(command, str) else list(command)
    if not words:
        raise SandboxError("an empty command")
    if any("\0" in word for word in words):
        raise SandboxError("a command with a NUL byte")
    return ["/bin/sh", "-c", f"{prefix}{_LAUNCH}{suffix}", "sh", directory, *words]


_OPEN_UP = '[ -r . ] && [ -w . ] && [ -x . ] || chmod u+rwx "$PWD"; '
"""Give back to the folder what a command has taken from it. By the shell alone, where nothing has been taken."""

READ_GO = f"read -r _; {_OPEN_UP}"
"""Wait for a line on stdin: nothing is written before the caller listens."""

COMMAND_SUFFIX = " </dev/null"

UNPACK = 'head -c "$1" | { tar -x -m -f - -C "$2" --no-same-owner; ended=$?; cat >/dev/null; exit $ended; }'
"""Unpack an archive of $1 bytes into $2. Times are those of now: what is built from the files is built again."""

LINK_HOME = """
link() {
    for kept in "$1"/.[!.]* "$1"/*; do
        if [ ! -e "$kept" ] && [ ! -L "$kept" ]; then continue; fi
        name=${kept##*/}
        case $3$name in
            .cache | .config | .local | .local/bin | .local/share | .local/state)
                mkdir -p "$2/$name" && (link "$kept" "$2/$name" "$3$name/") || return 1 ;;
            *) [ -e "$2/$name" ] || ln -s "$kept" "$2/$name" || return 1 ;;
        esac
    done
}
if [ -d "$1/home" ]; then link "$1/home" "$HOME" "" || exit 1; fi
"""
"""Give HOME a link to each thing in $1/home. Folders that programs share are made, for there may be more beside."""

RESTORE_LEFT = f"""{LINK_HOME}
if [ -e "$1/workspace.tar" ]; then tar -x -f "$1/workspace.tar" -C "$2" --no-same-owner; fi
"""
"""Bring back what `sandbox.setup.left` has kept in $1: the archive into $2 with its times, and HOME as above."""

EMPTY = _OPEN_UP + r"find . -type d ! -perm -u=rwx -exec chmod u+rwx {} \; ; find . -mindepth 1 -delete"
"""Delete everything in the folder."""

PACK = 'size=$1; shift; head -c "$size" | xargs -0 sh -c "$1" sh | { shift; tar -c -f - "$@" --null -T -; }'
"""Pack the paths that $2, a script, prints of those that arrive in the first $1 bytes of stdin."""

FOR_EACH = 'head -c "$1" | xargs -0 sh -c "$2" sh'
"""Run $2, a script, with the paths that arrive NUL-ended in the first $1 bytes of stdin."""

_HERE = """
root=$(pwd -P)
here() {
    case $1 in
        */*) [ "$(cd -P -- "./${1%/*}" 2>/dev/null && pwd -P)" = "$root/${1%/*}" ] ;;
        *) : ;;
    esac
}
"""
"""`here PATH` is true when no folder on the way to the path is a link."""

REMOVE = f"""{_HERE}
for p; do
    here "$p" || continue
    rm -rf -- "./$p" 2>/dev/null || {{ chmod -R u+rwx -- "./$p"; rm -rf -- "./$p"; }} || exit 1
done"""
"""Delete each path, whatever permissions a command took from itself."""

REMOVE_FOLDERS = f"""{_HERE}
for p; do if here "$p" && [ -d "./$p" ] && [ ! -L "./$p" ]; then rm -rf -- "./$p" || exit 1; fi; done"""
"""Delete each path that is a folder, not a link to one."""

EXISTING = f"""{_HERE}
for p; do if here "$p" && {{ [ -e "./$p" ] || [ -L "./$p" ]; }}; then printf "%s\\0" "$p"; fi; done"""
"""Print each path that exists, ended by NUL."""

MAKE_READABLE = r"""
find . -type d ! -perm -u=rx -exec chmod u+rwx {} \;
find . ! -type l ! -perm -u=r -exec chmod u+r {} +"""
"""Give back to the owner what a command has taken from itself."""

END_ALL = """
kill -9 -1
for counters in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counters" ] || continue
    while read -r name count; do [ "$name" = oom_kill ] && echo "$name $count"; done <"$counters"
done
:"""
"""End every process of this user but this one, then print how often memory ran out (cgroup v2 or v1).

All by the shell itself: when the process table is full there is no other program to be had.
"""


def nul_ended(paths: Sequence[str]) -> bytes:
    """Paths as bytes, so that any name may travel."""
    return b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)


def excluding(names: Sequence[str]) -> list[str]:
    """Options of tar that leave out what has one of these names, literally."""
    return ["--exclude=" + re.sub(r"([*?\[\]\\])", r"\\\1", name) for name in names]
