import pytest

from tests.real.packages import PACKAGES, require


@pytest.fixture
def fetched() -> None:
    """Every source distribution is there; otherwise the test is left out aloud, or in CI fails."""
    for package in PACKAGES:
        require(package)
