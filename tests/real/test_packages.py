import io
import tarfile

import pytest
import yaml

from sandbox.contract import File
from tests.real.packages import CONFIGURATION, PACKAGES, RealPackage, repository_files, require, unpack

each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


def an_sdist(*entries: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for entry in entries:
            archive.addfile(entry, io.BytesIO(b"x" * entry.size))
    return buffer.getvalue()


def a_file(name: str, *, mode: int = 0o644) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = 1, mode
    return entry


def a_link(name: str, target: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry


def test_an_archive_loses_its_top_folder_and_what_the_build_added() -> None:
    archive = an_sdist(
        a_file("p-1/PKG-INFO"),
        a_file("p-1/src/p.egg-info/SOURCES.txt"),
        a_file("p-1/run", mode=0o755),
        a_file("p-1/p.py"),
    )

    assert dict(unpack(archive)) == {"run": File(b"x", executable=True), "p.py": File(b"x")}


@pytest.mark.parametrize(
    "entry",
    [a_file("../p.py"), a_file("/p.py"), a_file("p-1/../../p.py"), a_link("p-1/p.py", "q.py"), a_link("p-1/p", "/etc")],
    ids=lambda entry: f"{entry.name}-{entry.linkname}",
)
def test_an_archive_with_a_link_or_a_path_out_of_its_folder_is_refused(entry: tarfile.TarInfo) -> None:
    with pytest.raises(ValueError, match="no plain file or folder"):
        list(unpack(an_sdist(entry)))


@pytest.mark.real
@each_package
def test_a_repository_differs_from_what_was_published_in_one_function_alone(package: RealPackage) -> None:
    published = dict(unpack(require(package)))

    repository = repository_files(package)

    changed = {path for path, file in repository.items() if published.get(path) != file}
    assert changed == {package.breakage.path, CONFIGURATION}
    assert repository.keys() - published.keys() == {CONFIGURATION}
    assert package.breakage.intact in published[package.breakage.path].data.decode()


@pytest.mark.real
@each_package
def test_a_repository_says_how_its_tests_are_run(package: RealPackage) -> None:
    configuration = yaml.safe_load(repository_files(package)[CONFIGURATION].data)

    assert configuration == {"test": package.test_command, "setup": ""}
