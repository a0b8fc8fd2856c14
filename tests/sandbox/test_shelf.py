"""Which prepared images an engine keeps: the decision, and the same on a real engine."""

import io
import os
import tarfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import docker
import pytest

from sandbox.containers.engine import Engine
from sandbox.containers.images import Image, Images
from sandbox.contract import SandboxError
from sandbox.setup.shelf import (
    BASE_LABEL,
    IN_USE_S,
    KEY_LABEL,
    MADE_LABEL,
    REPOSITORY,
    REPOSITORY_LABEL,
    Kept,
    Shelf,
    kept,
    to_evict,
)
from tests.conftest import image_under_test

NOW_S = 100_000.0
MEGABYTE = 10**6


def an_image(
    name: str, *, used_s: float = 0.0, made_s: float = 0.0, own_bytes: int = 10, is_named: bool = True
) -> Kept:
    return Kept(id=name, tags=(name,) if is_named else (), own_bytes=own_bytes, made_s=made_s, used_s=used_s)


def evicted(*images: Kept, disk_bytes: int = 0, max_age_s: float = 10 * NOW_S, in_use: Sequence[str] = ()) -> list[str]:
    going = to_evict(images, now_s=NOW_S, disk_bytes=disk_bytes, max_age_s=max_age_s, in_use=in_use)
    return [image.id for image in going]


def test_the_least_recently_used_go_until_the_rest_fits() -> None:
    shelf = [an_image("b", used_s=2), an_image("a", used_s=1), an_image("d", used_s=4), an_image("c", used_s=3)]

    assert evicted(*shelf, disk_bytes=40) == []
    assert evicted(*shelf, disk_bytes=39) == ["a"]
    assert evicted(*shelf, disk_bytes=20) == ["a", "b"]
    assert evicted(*shelf, disk_bytes=0) == ["a", "b", "c", "d"]


def test_what_is_in_use_or_was_within_the_hour_stays_and_counts() -> None:
    shelf = [
        an_image("open", used_s=1),
        an_image("just now", used_s=NOW_S - IN_USE_S + 1),
        an_image("idle", used_s=NOW_S - IN_USE_S),
    ]

    assert evicted(*shelf, disk_bytes=25, in_use=["open"]) == ["idle"]
    assert evicted(*shelf, disk_bytes=0, in_use=["open"]) == ["idle"]


def test_what_is_too_old_goes_before_anything_that_is_found_again() -> None:
    shelf = [an_image("old", used_s=50_000, made_s=1000), an_image("young", used_s=40_000, made_s=40_000)]

    assert evicted(*shelf, disk_bytes=100, max_age_s=70_000) == ["old"]
    assert evicted(*shelf, disk_bytes=10, max_age_s=70_000) == ["old"]


def test_what_has_lost_its_name_goes_as_soon_as_nobody_uses_it() -> None:
    nameless = an_image("nameless", used_s=NOW_S, is_named=False)

    assert evicted(nameless, disk_bytes=100) == ["nameless"]
    assert evicted(nameless, disk_bytes=100, in_use=["nameless"]) == []


def test_an_images_own_size_and_last_use_are_read_from_its_labels_and_tags() -> None:
    labels = {MADE_LABEL: "100", BASE_LABEL: "30"}

    found = kept(Image("i", "i", labels, tags=["e:1-a", "e:1-a-used-300", "e:1-a-used-200"], size_bytes=100))
    never_used = kept(Image("i", "i", labels, tags=["e:1-a"], size_bytes=100))
    foreign = kept(Image("i", "i", {MADE_LABEL: "yesterday"}, size_bytes=100))

    assert (found.own_bytes, found.made_s, found.used_s) == (70, 100, 300)
    assert never_used.used_s == 100
    assert (foreign.own_bytes, foreign.used_s) == (100, 0)


class OnlyOurs(Images):
    """The images of the test's own repository: the engine may have others, of others."""

    label = f"{REPOSITORY_LABEL}=815{os.getpid()}"

    def labelled(self, label: str) -> Sequence[Image]:
        assert label in {KEY_LABEL, self.label}
        return super().labelled(self.label)


class Bench:
    """A shelf on the engine, with a clock and images of a known size."""

    repository_id = int(OnlyOurs.label.partition("=")[2])

    def __init__(self, client: docker.DockerClient, engine: Engine) -> None:
        self.now_s = time.time()
        self._client = client
        self._images = OnlyOurs(engine)
        self.shelf = self.with_budget(10**9)

    def with_budget(self, disk_bytes: int) -> Shelf:
        return Shelf(self._images, disk_bytes=disk_bytes, max_age_s=1e6, clock=lambda: self.now_s, going_s=0.3)

    def add(self, name: str, *, megabytes: int = 1) -> str:
        """An image of the shelf; its tag."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            entry = tarfile.TarInfo(f"{name}-{self.now_s}")
            entry.size = megabytes * MEGABYTE
            archive.addfile(entry, io.BytesIO(bytes(entry.size)))
        tag = f"{self.repository_id}-{name}"
        labels = self.shelf.labels(key=name, repository_id=self.repository_id, base=Image("base", "base", {}))
        self._client.api.import_image_from_data(
            buffer.getvalue(),
            repository=REPOSITORY,
            tag=tag,
            changes=[f"LABEL {key}={value}" for key, value in labels.items()],
        )
        return tag

    @property
    def tags(self) -> list[str]:
        start = f"{REPOSITORY}:{self.repository_id}-"
        listed = [tag for image in self._images.labelled(KEY_LABEL) for tag in image.tags]
        return sorted(tag.removeprefix(start) for tag in listed)


@pytest.fixture
def bench(docker_client: docker.DockerClient) -> Iterator[Bench]:
    engine = Engine(None)
    found = Bench(docker_client, engine)
    yield found
    found.shelf.remove_repository(found.repository_id)
    engine.close()


def test_finding_an_image_is_its_last_use_for_every_worker_of_the_engine(bench: Bench) -> None:
    first, second, third = (bench.add(name) for name in ("a", "b", "c"))
    bench.now_s += 2 * IN_USE_S
    assert bench.shelf.find(first) is not None
    bench.now_s += IN_USE_S
    assert bench.shelf.find(third) is not None
    assert bench.shelf.find(f"{first}-no") is None
    bench.now_s += 2 * IN_USE_S

    another_worker = bench.with_budget(2 * MEGABYTE)
    another_worker.make_room()
    assert bench.shelf.find(second) is None
    bench.with_budget(MEGABYTE).make_room()

    assert [tag.partition("-used-")[0] for tag in bench.tags] == ["c", "c"]


def test_a_use_takes_the_place_of_the_one_before(bench: Bench) -> None:
    tag = bench.add("a")
    for _ in range(3):
        bench.now_s += 1000
        assert bench.shelf.find(tag) is not None
        bench.now_s += 1
        assert bench.shelf.find(tag) is not None

    assert bench.tags == ["a", f"a-used-{bench.now_s - 1:.0f}"]


def test_an_image_that_is_too_old_is_not_found_and_goes_when_room_is_made(bench: Bench) -> None:
    tag = bench.add("a")
    bench.now_s += 1e6 + 1

    assert bench.shelf.find(tag) is None
    bench.shelf.make_room()

    assert bench.tags == []


def test_a_replaced_image_goes_with_the_notes_of_its_use(bench: Bench) -> None:
    tag = bench.add("a")
    bench.now_s += 1000
    old = bench.shelf.find(tag)
    assert old is not None
    old = bench.shelf.find(tag)
    assert old is not None
    bench.add("a")

    bench.shelf.remove_replaced(tag, old)

    assert bench.tags == ["a"]


def test_a_repositorys_images_are_removed_together(bench: Bench) -> None:
    tag = bench.add("a")
    bench.add("b")
    bench.now_s += 1000
    bench.shelf.find(tag)

    assert bench.shelf.remove_repository(bench.repository_id) == 2
    assert bench.shelf.remove_repository(bench.repository_id) == 0
    assert bench.tags == []


def test_images_of_a_repository_that_nobody_knows_any_more_go_when_they_were_not_used_for_a_while(bench: Bench) -> None:
    bench.add("a")
    bench.shelf.remove_unknown(lambda _: False, unused_s=1000)
    while_used = bench.tags
    bench.now_s += 1001

    bench.shelf.remove_unknown(lambda repository_id: repository_id == bench.repository_id, unused_s=1000)
    while_known = bench.tags
    bench.shelf.remove_unknown(lambda _: False, unused_s=1000)

    assert while_used == while_known == ["a"]
    assert bench.tags == []


def test_workers_that_make_room_at_the_same_moment_do_not_fail_over_each_others_removals(bench: Bench) -> None:
    for name in "abcdefgh":
        bench.add(name)
    bench.now_s += 2 * IN_USE_S
    engines = [Engine(None) for _ in range(6)]
    shelves = [
        Shelf(OnlyOurs(engine), disk_bytes=0, max_age_s=1e6, clock=lambda: bench.now_s, going_s=0.3)
        for engine in engines
    ]

    with ThreadPoolExecutor(len(shelves)) as pool:
        for done in [pool.submit(shelf.make_room) for shelf in shelves]:
            done.result()

    for engine in engines:
        engine.close()
    assert bench.tags == []


@pytest.fixture
def in_use(bench: Bench, docker_client: docker.DockerClient) -> Iterator[tuple[str, str]]:
    """An image's tag, and the container that runs on it."""
    api = docker_client.api
    model = api.create_container(image_under_test(), command="true")["Id"]
    tag = f"{bench.repository_id}-busy"
    labels = bench.shelf.labels(key="busy", repository_id=bench.repository_id, base=Image("base", "base", {}))
    api.commit(model, repository=REPOSITORY, tag=tag, conf={"Labels": labels})
    api.remove_container(model)
    user = api.create_container(f"{REPOSITORY}:{tag}", command=["sleep", "100"], network_disabled=True)["Id"]
    api.start(user)
    yield tag, user
    with suppress(docker.errors.NotFound):
        api.remove_container(user, force=True)


def test_an_image_in_use_is_not_evicted_and_its_removal_leaves_it_nameless_until_it_can_go(
    bench: Bench, docker_client: docker.DockerClient, in_use: tuple[str, str]
) -> None:
    tag, user = in_use
    bench.now_s += 2 * IN_USE_S

    bench.with_budget(0).make_room()
    assert bench.tags == ["busy"]
    with pytest.raises(SandboxError, match="in use"):
        bench.shelf.remove_repository(bench.repository_id)
    assert bench.shelf.find(tag) is None
    bench.shelf.make_room()
    assert docker_client.images.list(filters={"label": OnlyOurs.label}) != []
    docker_client.api.remove_container(user, force=True)
    bench.shelf.make_room()

    assert docker_client.images.list(filters={"label": OnlyOurs.label}) == []
