"""Where a fault stands in a source file, and which files get one. Languages' own programs try what stands there."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.runs.faults import SAYS, faulty, with_fault
from sandbox.contract import File

FAULT = f"raise RuntimeError({SAYS!r})"
PYTHON = {
    "plain": ("x = 1\n", f"{FAULT}\nx = 1\n"),
    "empty": ("", f"{FAULT}\n"),
    "no newline at the end": ("'doc'", f"'doc'\n{FAULT}\n"),
    "docstring": ('"""Sums\n\nprices."""\nimport os\n', f'"""Sums\n\nprices."""\n{FAULT}\nimport os\n'),
    "joined docstring": ("'a' \\\n'b'\nx = 1\n", f"'a' \\\n'b'\n{FAULT}\nx = 1\n"),
    "future": (
        "from __future__ import (\n    annotations,\n)\nx = 1\n",
        f"from __future__ import (\n    annotations,\n)\n{FAULT}\nx = 1\n",
    ),
    "docstring, comment, future": (
        "'d'\n# c\nfrom __future__ import annotations\n\nx = 1\n",
        f"'d'\n# c\nfrom __future__ import annotations\n{FAULT}\n\nx = 1\n",
    ),
    "shebang and encoding": (
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nx = 1\n",
        f"#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n{FAULT}\nx = 1\n",
    ),
    "line ends of Windows": ("'d'\r\nx = 1\r\n", f"'d'\r\n{FAULT}\nx = 1\r\n"),
    "byte order mark": ("\ufeffx = 1\n", f"\ufeff{FAULT}\nx = 1\n"),
    "a form feed in the docstring": ("'''a\f\nb'''\nx = 1\n", f"'''a\f\nb'''\n{FAULT}\nx = 1\n"),
    "broken already": ("def (:\n", f"{FAULT}\ndef (:\n"),
    "an f-string is no docstring": ("f'{1}'\nx = 1\n", f"f'{{1}}'\n{FAULT}\nx = 1\n"),
}


@pytest.mark.parametrize(("source", "expected"), PYTHON.values(), ids=PYTHON.keys())
def test_python_breaks_at_the_first_statement_that_does_anything(source: str, expected: str) -> None:
    assert with_fault("pkg/prices.py", source.encode()) == expected.encode()


@pytest.mark.parametrize("source", [source for name, (source, _) in PYTHON.items() if name != "broken already"])
def test_python_with_a_fault_can_be_compiled_and_raises_it(source: str) -> None:
    made = with_fault("prices.py", source.encode()) or b""

    with pytest.raises(RuntimeError, match=SAYS):
        exec(compile(made, "prices.py", "exec"), {})


PROGRAMS = {
    "node": ("a.js", "#!/usr/bin/env node\n'use strict'\nconsole.log(1)\n", ["node"]),
    "node, as a module": ("a.mjs", "import os from 'node:os'\nexport default os\n", ["node"]),
    "sh": ("a.sh", "#!/bin/sh\necho hello\n", ["sh"]),
    "cc": ("a.c", "int main(void) { return 0; }", ["cc", "-fsyntax-only"]),
    "rustc": ("a.rs", "#![allow(dead_code)]\nfn main() {}\n", ["rustc", "--emit=metadata", "-o", "/dev/null"]),
}


@pytest.mark.parametrize(("name", "source", "command"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_other_languages_break_too_and_say_whose_fault_it_is(
    tmp_path: Path, name: str, source: str, command: Sequence[str]
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    (tmp_path / name).write_bytes(with_fault(name, source.encode()) or b"")

    done = subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "planted by selfcode" in done.stderr


def test_what_decides_whether_a_file_is_compiled_stays_at_its_top() -> None:
    assert (with_fault("a.go", b"//go:build linux\npackage a") or b"").startswith(b"//go:build linux\npackage a\n")
    assert (with_fault("a.rb", b"# frozen_string_literal: true\nputs 1\n") or b"").splitlines()[1].startswith(b"raise")


def test_source_alone_gets_a_fault() -> None:
    files = {
        "src/shop/__init__.py": b"",
        "src/shop/prices.py": b"x = 1\n",
        "src/shop/tests/test_prices.py": b"",
        "tests/conftest.py": b"",
        "tests/test_prices.py": b"",
        "conftest.py": b"",
        "setup.py": b"",
        "noxfile.py": b"",
        "docs/conf.py": b"",
        "examples/show.py": b"",
        "README.md": b"",
        "data.json": b"{}",
        "types.d.ts": b"",
        "vendor/six.py": b"",
        ".hooks/check.py": b"",
        "binary.py": b"\xff\xfe\x00",
    }

    planted = faulty((path, File(data)) for path, data in files.items())

    assert set(planted) == {"src/shop/__init__.py", "src/shop/prices.py"}


def test_a_file_stays_executable_and_a_link_is_left_as_it_is() -> None:
    planted = faulty([("tool.py", File(b"", executable=True)), ("link.py", File(b"tool.py", symlink=True))])

    assert {path: file.executable for path, file in planted.items()} == {"tool.py": True}


def test_in_a_repository_of_several_projects_the_others_are_left_as_they_are() -> None:
    files = [("packages/a/a.py", File(b"")), ("packages/b/b.py", File(b"")), ("packages/ab/ab.py", File(b""))]

    assert set(faulty(files, directory="packages/a")) == {"packages/a/a.py"}


def test_where_the_projects_folder_holds_no_source_all_of_it_counts() -> None:
    assert set(faulty([("lib/a.py", File(b"")), ("check/run.txt", File(b""))], directory="check")) == {"lib/a.py"}


def test_what_the_commands_name_is_left_as_it_is() -> None:
    files = [("run.py", File(b"")), ("lib.py", File(b""))]

    assert set(faulty(files, commands=f"{sys.executable} ./run.py 'all")) == {"lib.py"}
    assert set(faulty(files, commands="python run.py --all")) == {"lib.py"}
