"""Imported by the process that the tests fork from, and by nothing else: it ends with the tests, however they end."""

import ctypes
import signal
import sys

from bot.serving import PR_SET_PDEATHSIG

if sys.platform.startswith("linux"):
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
