"""The compiled system call filters say what the policy says."""

import errno

import pytest

from tests.sandbox import filters
from tests.sandbox.filters import ALLOW, ERRNO, MACHINES, committed, verdict

EPERM = ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_filter_is_what_the_policy_compiles_to(machine: str) -> None:
    try:
        fresh = filters.compiled(machine)
    except RuntimeError as problem:
        pytest.skip(f"libseccomp is not here: {problem}")
    kept, processor = committed(machine), MACHINES[machine]

    differences = [
        (number, arguments)
        for number, arguments in filters.calls(machine)
        if verdict(kept, processor=processor, number=number, arguments=arguments)
        != verdict(fresh, processor=processor, number=number, arguments=arguments)
    ]

    assert differences == [], "write them anew: python -m tests.sandbox.filters"


@pytest.mark.parametrize(
    ("machine", "name", "number", "arguments", "expected"),
    [
        ("x86_64", "read", 0, (), ALLOW),
        ("x86_64", "fchmodat2", 452, (), ALLOW),
        ("x86_64", "ptrace", 101, (), EPERM),
        ("x86_64", "unshare", 272, (), EPERM),
        ("x86_64", "mount", 165, (), EPERM),
        ("x86_64", "io_uring_setup", 425, (), EPERM),
        ("x86_64", "bpf", 321, (), EPERM),
        ("x86_64", "clone of a process", 56, (0x01200011,), ALLOW),
        ("x86_64", "clone of a user namespace", 56, (0x10000011,), EPERM),
        ("x86_64", "clone3", 435, (), ERRNO | errno.ENOSYS),
        ("x86_64", "a later system call", 999, (), ERRNO | errno.ENOSYS),
        ("x86_64", "socket(AF_UNIX)", 41, (1,), ALLOW),
        ("x86_64", "socket(AF_PACKET)", 41, (17,), EPERM),
        ("x86_64", "socket(AF_VSOCK)", 41, (40,), EPERM),
        ("aarch64", "read", 63, (), ALLOW),
        ("aarch64", "fchmodat2", 452, (), ALLOW),
        ("aarch64", "ptrace", 117, (), EPERM),
        ("aarch64", "unshare", 97, (), EPERM),
        ("aarch64", "io_uring_setup", 425, (), EPERM),
        ("aarch64", "clone of a user namespace", 220, (0x10000011,), EPERM),
        ("aarch64", "socket(AF_VSOCK)", 198, (40,), EPERM),
        ("aarch64", "socket(AF_INET6)", 198, (10,), ALLOW),
    ],
)
def test_a_filter_allows_what_programs_need_and_nothing_that_opens_a_way_out(
    machine: str, name: str, number: int, arguments: tuple[int, ...], expected: int
) -> None:
    assert verdict(committed(machine), processor=MACHINES[machine], number=number, arguments=arguments) == expected, (
        name
    )


@pytest.mark.parametrize(("machine", "other", "number"), [("x86_64", 0x40000003, 452), ("aarch64", 0x40000028, 452)])
def test_the_calls_of_a_32_bit_program_are_its_end(machine: str, other: int, number: int) -> None:
    assert verdict(committed(machine), processor=other, number=number) == 0


def test_the_second_numbering_of_a_64_bit_intel_processor_leads_nowhere() -> None:
    assert verdict(committed("x86_64"), processor=MACHINES["x86_64"], number=0x40000000 + 452) == 0
