"""`python -m manual`: make the tables of docs/configuration.md anew."""

import sys
from pathlib import Path

from manual.tables import with_tables

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"


def main() -> None:
    """Write the page where it is stale, and say so."""
    found = PAGE.read_text(encoding="utf-8")
    made = with_tables(found)
    if made != found:
        PAGE.write_text(made, encoding="utf-8")
        sys.stderr.write(f"{PAGE} was made anew.\n")


if __name__ == "__main__":
    main()
