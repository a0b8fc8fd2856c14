"""What the sandboxes' tests leave behind is counted at their end."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import remains


@pytest.fixture(scope="package", autouse=True)
def _no_temporary_file_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever a sandbox, or what reads from one, puts among the temporary files is gone again."""
    tmp_path_factory.getbasetemp()  # pytest's own stays where it always is
    with tempfile.TemporaryDirectory(prefix="selfcode-tests-") as name:
        folder = Path(name)
        with remains.temporary_files_apart(folder):
            yield
        left = remains.after_a_moment(lambda: [str(path) for path in folder.iterdir()])
    assert left == [], "the sandboxes' tests have left temporary files"
