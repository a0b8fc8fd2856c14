"""Node, which the recorder's tests need: without it they are left out, and counted, or fail where CI promises it."""

import os
import shutil

import pytest


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("there is no `node` on this machine")
        pytest.skip("left out for want of Node")
    return found
