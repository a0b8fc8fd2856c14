"""Processes of the tests that end when the one that has started them does, however that ends."""

import ctypes
import sys

from bot.serving import PR_SET_PDEATHSIG


def end_with_parent(number: int) -> None:
    """Have this process get the signal when its parent dies. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
