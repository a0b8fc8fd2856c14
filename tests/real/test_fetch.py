import shutil
from pathlib import Path

import pytest

from tests.real.fetch import SDISTS, NotFetched, content, fetch, missing, pins
from tests.real.packages import PACKAGES


class Client:
    """A package client that delivers the given files and counts how often it was asked."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked = 0

    def __call__(self, into: Path) -> None:
        self.asked += 1
        for name, data in self.files.items():
            (into / name).write_bytes(data)


def test_every_package_is_pinned_by_its_hash() -> None:
    assert {pin.name for pin in pins()} == {package.name for package in PACKAGES}


def test_a_download_with_another_hash_puts_nothing_in_place(tmp_path: Path) -> None:
    with pytest.raises(NotFetched, match=r"toolz-1\.0\.0\.tar\.gz"):
        fetch(tmp_path, Client({pin.file_name: b"something else" for pin in pins()}))

    assert list(tmp_path.iterdir()) == []


def test_a_client_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def unreachable(into: Path) -> None:
        (into / "half").write_bytes(b"of a file")
        raise NotFetched("no route")

    with pytest.raises(NotFetched, match="no route"):
        fetch(tmp_path, unreachable)

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_changed_in_place_counts_as_missing(tmp_path: Path) -> None:
    pin = pins()[0]
    (tmp_path / pin.file_name).write_bytes(b"cut off")

    assert content(pin, tmp_path) is None
    assert pin in missing(tmp_path)


@pytest.mark.real
@pytest.mark.usefixtures("fetched")
def test_a_second_fetch_needs_no_network(tmp_path: Path) -> None:
    # The client may spell the names as it likes: the hash says which is which.
    client = Client({f"{pin.name.upper()}.tgz": (SDISTS / pin.file_name).read_bytes() for pin in pins()})
    first = fetch(tmp_path, client)

    second = fetch(tmp_path, client)

    assert (tuple(first), tuple(second), client.asked) == (pins(), (), 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(pin.file_name for pin in pins())


@pytest.mark.real
@pytest.mark.usefixtures("fetched")
def test_a_spoiled_file_is_fetched_again(tmp_path: Path) -> None:
    shutil.copytree(SDISTS, tmp_path, dirs_exist_ok=True)
    spoiled = pins()[1]
    (tmp_path / spoiled.file_name).write_bytes(b"cut off")
    client = Client({"a": (SDISTS / spoiled.file_name).read_bytes()})

    assert tuple(fetch(tmp_path, client)) == (spoiled,)
    assert missing(tmp_path) == ()
