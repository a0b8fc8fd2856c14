"""Starts the recorder: Python runs this first, for its folder is at the front of PYTHONPATH.

What Python would have run in its place still runs. In the end this is a module of no file, as the recorder's code is:
what measures the project's code, which this lies among, is not to count it.
"""

import os

_folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_folder, "start.py"), encoding="utf-8") as _file:
    _code = compile(_file.read(), "<selfcode start>", "exec")
del __file__
exec(_code, {"__name__": "_selfcode_start", "__file__": os.path.join(_folder, "start.py")})  # noqa: S102
