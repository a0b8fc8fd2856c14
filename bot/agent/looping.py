"""Replies that say the same over and over, as small models do until they are cut off. Pure."""

REPEATS = 3
CHARS_AT_LEAST = 300
"""What is repeated takes so much together: a few braces below each other are no loop."""

LONGEST_PART = 200
"""Lines of the longest part that is looked for."""


def is_loop(text: str) -> bool:
    """Whether a reply that was cut off ends with the same lines again and again."""
    lines = [line.rstrip() for line in text.split("\n")[:-1]]
    return any(_repeats(lines, length) for length in range(1, min(LONGEST_PART, len(lines) // REPEATS) + 1))


def _repeats(lines: list[str], length: int) -> bool:
    part, times = lines[-length:], 1
    while lines[-length * (times + 1) : -length * times] == part:
        times += 1
    return times >= REPEATS and times * sum(map(len, part)) >= CHARS_AT_LEAST
