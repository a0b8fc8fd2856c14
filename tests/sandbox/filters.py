"""Compiles sandbox/containers/seccomp.json, the policy that Docker takes, to the programs that bubblewrap takes.

    python -m tests.sandbox.filters

writes them anew. It needs the library libseccomp; what runs them needs nothing.

Source: seccomp(2); Linux, Documentation/networking/filter.rst; libseccomp.
"""

import errno
import json
import struct
import tempfile
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

SANDBOX = Path(__file__).parents[2] / "sandbox"
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls a processor, and how it shows to a program. Source: linux/audit.h."""

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NEWEST = 462
"""The newest system call that the policy knows of: for later ones C libraries have another way, if told ENOSYS."""

_NEW = {"fchmodat2": 452, "futex_wake": 454, "futex_wait": 455, "futex_requeue": 456}
"""Names that libseccomp learned late; each has one number on all processors."""

_OTHER_ABI = 0x40000000
_NUMBER, _PROCESSOR = 0, 4

Instruction = tuple[int, int, int, int]


class Code(IntEnum):
    """What an instruction of a filter does. Source: linux/bpf_common.h."""

    LOAD = 0x20
    EQUAL = 0x15
    GREATER = 0x25
    GREATER_OR_EQUAL = 0x35
    SET = 0x45
    ALWAYS = 0x05
    AND = 0x54
    RETURN = 0x06


def policy() -> Any:
    return json.loads((SANDBOX / "containers" / "seccomp.json").read_text())


def committed(machine: str) -> bytes:
    return path(machine).read_bytes()


def path(machine: str) -> Path:
    return SANDBOX / "resident" / f"seccomp.{machine}.bpf"


def compiled(machine: str) -> bytes:
    """The policy as a program. Raises `RuntimeError` without libseccomp."""
    import pyseccomp  # type: ignore[import-untyped]  # noqa: PLC0415 - it fails where the library is not there

    found = policy()
    built = pyseccomp.SyscallFilter(pyseccomp.ERRNO(found["defaultErrnoRet"]))
    own = pyseccomp.system_arch()
    wanted = getattr(pyseccomp.Arch, machine.upper())
    if own != wanted:
        built.add_arch(wanted)
        built.remove_arch(own)
    for rule in found["syscalls"]:
        action = pyseccomp.ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else pyseccomp.ERRNO(rule["errnoRet"])
        arguments = [_argument(pyseccomp, given) for given in rule.get("args", ())]
        for name in rule["names"]:
            if name not in _NEW:
                built.add_rule(action, name, *arguments)
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)
        file.seek(0)
        return _start(MACHINES[machine], _allowed_new(found)) + file.read()


def verdict(program: bytes, *, processor: int, number: int, arguments: Sequence[int] = ()) -> int:
    """What the program answers to a system call."""
    data = struct.pack("<iIQ6Q", number, processor, 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    instructions = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at, held = 0, 0
    while True:
        code, if_true, if_false, value = instructions[at]
        at += 1
        match code:
            case Code.LOAD:
                (held,) = struct.unpack_from("<I", data, value)
            case Code.AND:
                held &= value
            case Code.RETURN:
                return int(value)
            case Code.ALWAYS:
                at += value
            case Code.EQUAL:
                at += if_true if held == value else if_false
            case Code.GREATER:
                at += if_true if held > value else if_false
            case Code.GREATER_OR_EQUAL:
                at += if_true if held >= value else if_false
            case Code.SET:
                at += if_true if held & value else if_false
            case _:
                raise ValueError(f"an instruction that a filter has not: {code:#x}")


def _argument(library: Any, given: Any) -> Any:
    match given["op"]:
        case "SCMP_CMP_EQ":
            return library.Arg(given["index"], library.EQ, given["value"])
        case "SCMP_CMP_MASKED_EQ":
            return library.Arg(given["index"], library.MASKED_EQ, given["value"], given["valueTwo"])
        case _:
            raise ValueError(given)


def _allowed_new(found: Any) -> Sequence[int]:
    names = {name for rule in found["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    return sorted(number for name, number in _NEW.items() if name in names)


def _start(processor: int, allowed: Sequence[int]) -> bytes:
    """What goes before libseccomp's own: the names it may not know, and ENOSYS for what is newer than the policy."""
    choices: list[Instruction] = []
    for number in allowed:
        choices += [(Code.EQUAL, 0, 1, number), (Code.RETURN, 0, 0, ALLOW)]
    choices += [(Code.GREATER, 0, 1, NEWEST), (Code.RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    head: list[Instruction] = [
        (Code.LOAD, 0, 0, _PROCESSOR),
        (Code.EQUAL, 0, len(choices) + 2, processor),
        (Code.LOAD, 0, 0, _NUMBER),
        (Code.GREATER_OR_EQUAL, len(choices), 0, _OTHER_ABI),
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in (*head, *choices))


def calls(machine: str) -> Iterator[tuple[int, Sequence[int]]]:
    """System calls by number, and those that a rule looks into with arguments on both sides of it."""
    for number in range(NEWEST + 100):
        yield number, ()
    for number in _LOOKED_INTO[machine]:
        for argument in _ARGUMENTS_TO_TRY:
            yield number, (argument,)


_LOOKED_INTO = {"x86_64": (41, 53, 56, 135), "aarch64": (92, 198, 199, 220)}
"""socket, socketpair, clone and personality."""

_ARGUMENTS_TO_TRY = (0, 1, 2, 10, 16, 17, 40, 0x20000, 0x40000, 0xFFFFFFFF, 0x7E020000, 0x10000011, 0x01200011, 1 << 32)


if __name__ == "__main__":
    for name in MACHINES:
        path(name).write_bytes(compiled(name))
