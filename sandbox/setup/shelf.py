"""The prepared images that an engine keeps: which is found again, which has to go.

Everything is kept on the engine itself, in labels and tags, so that all workers of one engine see the same shelf. When
an image was last used is one of its tags, `…-used-<seconds since 1970>`: an image's tags can be changed, its labels
can't, and one listing shows them all, whatever keeps the engine's images.
"""

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.containers.images import Image, Images
from sandbox.contract import SandboxError

REPOSITORY = "selfcode-environment"
KEY_LABEL = "selfcode.key"
REPOSITORY_LABEL = "selfcode.repository"
MADE_LABEL = "selfcode.made"
"""When the image was made, in seconds since 1970."""
BASE_LABEL = "selfcode.base-bytes"
"""How much of the image's size is its base, which others share."""

IN_USE_S = 3600.0
"""An image that was used less long ago is not evicted: a run opens its containers one after another."""

_USED_AGAIN_S = 300.0
"""A use is noted when the last note is older than this."""

_POLL_S = 0.2
_USED = re.compile(r"-used-(\d+)\Z")


@dataclass(frozen=True, slots=True)
class Kept:
    """A prepared image by what decides whether it stays. Times in seconds since 1970."""

    id: str
    tags: Sequence[str]
    own_bytes: int
    made_s: float
    used_s: float


def kept(image: Image) -> Kept:
    """What an image's labels and tags say of it."""
    made_s = _number(image.labels.get(MADE_LABEL))
    return Kept(
        id=image.id,
        tags=image.tags,
        own_bytes=max(0, image.size_bytes - int(_number(image.labels.get(BASE_LABEL)))),
        made_s=made_s,
        used_s=max([made_s, *(float(found[1]) for tag in image.tags if (found := _USED.search(tag)))]),
    )


def to_evict(
    shelf: Iterable[Kept], *, now_s: float, disk_bytes: int, max_age_s: float, in_use: Collection[str]
) -> Sequence[Kept]:
    """What has to go: what can't be found again, being nameless or too old, then the least recently used until the rest
    fits.
    """
    found = sorted(shelf, key=lambda image: image.used_s)
    free = [image for image in found if image.id not in in_use and (not image.tags or now_s - image.used_s >= IN_USE_S)]
    going = [image for image in free if not image.tags or now_s - image.made_s >= max_age_s]
    total = sum(image.own_bytes for image in found) - sum(image.own_bytes for image in going)
    for image in free:
        if total <= disk_bytes:
            break
        if image not in going:
            going.append(image)
            total -= image.own_bytes
    return going


class Shelf:
    """The prepared images of one engine. Threads and processes may share one.

    `going_s` is how long a removal waits for what is still in use.
    """

    def __init__(
        self, images: Images, *, disk_bytes: int, max_age_s: float, clock: Callable[[], float], going_s: float = 10.0
    ) -> None:
        self._images = images
        self._disk_bytes = disk_bytes
        self._max_age_s = max_age_s
        self._clock = clock
        self._going_s = going_s

    def find(self, tag: str) -> Image | None:
        """The image of this tag, which counts as used now; None where there is none, or it is too old."""
        found = self._images.find(f"{REPOSITORY}:{tag}")
        if found is None:
            return None
        known = kept(found)
        if self._clock() - known.made_s >= self._max_age_s:
            return None
        if self._clock() - known.used_s >= _USED_AGAIN_S:
            self._note_use(found)
        return found

    def labels(self, *, key: str, repository_id: int, base: Image) -> Mapping[str, str]:
        """What an image has to carry to be found here."""
        return {
            KEY_LABEL: key,
            REPOSITORY_LABEL: str(repository_id),
            MADE_LABEL: f"{self._clock():.0f}",
            BASE_LABEL: str(base.size_bytes),
        }

    def make_room(self) -> None:
        """Remove what is too old, and what was not used for longest until the rest is within the budget.

        What is in use, or was within the last hour, stays, whatever the budget says.
        """
        going = to_evict(
            map(kept, self._images.labelled(KEY_LABEL)),
            now_s=self._clock(),
            disk_bytes=self._disk_bytes,
            max_age_s=self._max_age_s,
            in_use=self._images.in_use(),
        )
        for image in going:
            self._remove(image.id, image.tags)

    def remove_unknown(self, is_known: Callable[[int], bool], *, unused_s: float) -> None:
        """Remove what was made for repositories that nobody knows any more, where it was not used for so long.

        The engine may have images of others, who know theirs.
        """
        in_use = self._images.in_use()
        for known, repository_id in map(_of_repository, self._images.labelled(KEY_LABEL)):
            if known.id in in_use or self._clock() - known.used_s < unused_s or is_known(repository_id):
                continue
            self._remove(known.id, known.tags)

    def remove_replaced(self, tag: str, old: Image) -> None:
        """Remove an image whose tag another one has now."""
        name = f"{REPOSITORY}:{tag}"
        self._remove(old.id, [known for known in old.tags if known != name])

    def remove_repository(self, repository_id: int) -> int:
        """Remove every image of a repository, and say how many: none of them is found again from now on.

        Raises `SandboxError` where one is still in use after a few seconds (a workspace takes a moment to go). It goes
        when room is made the next time.
        """
        found = staying = self._images.labelled(f"{REPOSITORY_LABEL}={repository_id}")
        for tag in [tag for image in found for tag in image.tags]:
            self._images.remove(tag, force=True)
        deadline = time.monotonic() + self._going_s
        while staying := [image for image in staying if not self._images.remove(image.id)]:
            if time.monotonic() > deadline:
                names = ", ".join(image.id for image in staying)
                raise SandboxError(f"prepared images of repository {repository_id} are in use: {names}")
            time.sleep(_POLL_S)
        return len(found)

    def _note_use(self, image: Image) -> None:
        self._images.tag(image.id, f"{image.name}-used-{self._clock():.0f}")
        for tag in image.tags:
            if _USED.search(tag):
                self._images.remove(tag)

    def _remove(self, image_id: str, tags: Sequence[str]) -> None:
        """Its name goes last: what turns out to be in use keeps it."""
        for tag in sorted(tags, key=lambda tag: _USED.search(tag) is None):
            self._images.remove(tag)
        self._images.remove(image_id)


def _of_repository(image: Image) -> tuple[Kept, int]:
    return kept(image), int(_number(image.labels.get(REPOSITORY_LABEL)))


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:  # somebody else's label
        return 0.0
