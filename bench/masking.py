"""How long it takes to look through a text for secrets, in milliseconds: ordinary ones, and ones made to be slow.

    make bench
    python -m bench.masking --megabytes 4

Each text is as long as `--megabytes` says, and is looked through with four values of an operator's, an App's private
key among them. What grows faster than its text is a fault: compare two lengths.
"""

import argparse
import base64
import random
import time
from collections.abc import Callable, Mapping

from bot.writing.masking import mask_secrets, secrets_held
from bot.writing.safe import clean

MEGABYTE = 1_000_000
PIECES: Mapping[str, str] = {
    "test output": "tests/test_prices.py::test_the_first_price_counts PASSED   [ 42%]\n",
    "a diff": "+    return sum(prices, start=Decimal(0))  # every one of them: `total` left out the first\n",
    "one line": "a",
    "begun tokens": "eyJ",
    "begun keys": "-----BEGIN PRIVATE KEY-----\n",
    "URLs": "://a:",
    "escapes": "\\",
    "what nobody sees": "a\u202e",
}


def texts(size: int) -> Mapping[str, str]:
    """Each kind of text, `size` characters long."""
    chance = random.Random(4)  # noqa: S311 - the same text each time
    made = {name: (piece * (size // len(piece) + 1))[:size] for name, piece in PIECES.items()}
    return made | {"base64": base64.b64encode(chance.randbytes(size * 3 // 4)).decode()}


def values() -> tuple[str, ...]:
    """What an operator has, made up."""
    chance = random.Random(5)  # noqa: S311 - the same values each time
    lines = "\n".join(base64.b64encode(chance.randbytes(48)).decode() for _ in range(26))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\n"
    return (key, *(chance.randbytes(20).hex() for _ in range(3)))


def milliseconds(work: Callable[[], object]) -> float:
    """The best of three."""
    took = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return min(took) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=1.0)
    size = round(parser.parse_args().megabytes * MEGABYTE)
    held = values()
    print(f"Looking for secrets in {size / MEGABYTE:g} MB, ms\n")
    print(f"{'':<18}{'masked':>9}{'refused?':>10}{'made clean':>12}")
    for name, text in texts(size).items():
        masked = milliseconds(lambda text=text: mask_secrets(text, held))  # type: ignore[misc]
        refused = milliseconds(lambda text=text: secrets_held(text, held))  # type: ignore[misc]
        cleaned = milliseconds(lambda text=text: clean(text))  # type: ignore[misc]
        print(f"{name:<18}{masked:>9.0f}{refused:>10.0f}{cleaned:>12.0f}")


if __name__ == "__main__":
    main()
