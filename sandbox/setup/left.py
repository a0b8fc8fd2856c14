"""What a setup leaves in the workspace and in HOME, and how it comes back: both are folders in memory, in no image.

What it left in the workspace is unpacked into each workspace, for builds change it. HOME may hold gigabytes of packages
(of Go, Cargo, Poetry, a browser): it stays in the image, and each HOME is given links to it.
"""

import io
import tarfile

from sandbox.containers.container import HOME, WORKSPACE
from sandbox.containers.workspace import SetupWorkspace

LEFT = "/opt/selfcode/left"
"""The folder of it in the image."""

ARCHIVE = f"{LEFT}/workspace.tar"

_WELCOME = f"""
chown 0:0 {WORKSPACE}
mkdir -p {HOME}
for kept in /root/.[!.]* /root/*; do
    case ${{kept##*/}} in .cache | .local | .npm | .bash* | .profile) continue ;; esac
    [ -e "$kept" ] && [ ! -e "{HOME}/${{kept##*/}}" ] && ln -s "$kept" {HOME}/
done
:
"""
"""Root's is all that setup finds: git and npm look at who owns a folder. Its HOME has what the image has for root."""

_KEEP = f"""
set -e
mkdir -p {LEFT}/home
head -c "$1" >/tmp/known
tar -c -f {ARCHIVE} --mode=u+rwX --anchored --no-wildcards --exclude-from=/tmp/known -C {WORKSPACE} .
rm -f /tmp/known
tar -t -f {ARCHIVE} | grep -q -v '/$' || rm -f {ARCHIVE}
find {HOME} -maxdepth 1 -type l -lname '/root/*' -delete
cd {HOME}
rm -rf /root/.cache .npm .cache/pip .cache/uv .cache/go-build .cache/yarn
rm -rf .cache/pypoetry/cache .cache/pypoetry/artifacts
rmdir .cache/pypoetry .cache 2>/dev/null || :
find . -mindepth 1 -maxdepth 1 -exec mv -t {LEFT}/home {{}} +
chmod -R a+rX,go-w {LEFT}/home
rmdir {LEFT}/home 2>/dev/null || :
rmdir {LEFT} 2>/dev/null || echo kept
"""
"""Keep what is in the workspace but was not in the archive, and HOME without mere caches; say whether there is any.

The workspace's files may all be written to: what root has built, somebody else has to build again.
"""


def welcome(workspace: SetupWorkspace) -> None:
    """Before setup: the workspace is root's, and package managers find what the image has configured for root."""
    workspace.script(_WELCOME, b"", doing="preparing HOME")


def keep(workspace: SetupWorkspace, archive: bytes) -> bool:
    """After setup: keep in the image what it has left beside the archive's files; whether there is any."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
        names = [entry.name.removeprefix("./") for entry in opened if not entry.isdir()]
    known = "".join(f"./{name}\n" for name in names if "\n" not in name).encode("utf-8", "surrogateescape")
    return bool(workspace.script(_KEEP, known, doing="keeping what setup made").strip())
