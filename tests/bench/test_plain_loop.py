"""What the plain loop shows of a repository."""

import pytest

from bench.solve.systems.plain import shown_in
from bot.backtest.tasks import RepositoryTask
from sandbox.contract import File

FILES = {
    "shop/__init__.py": 10,
    "shop/cart.py": 300,
    "shop/taxes/__init__.py": 20,
    "shop/taxes/rates.py": 100,
    "tests/test_cart.py": 50,
}


def a_task(body: str) -> RepositoryTask:
    files = {path: File(b"x" * size) for path, size in FILES.items()}
    return RepositoryTask(id="shop", title="shop: too dear", body=body, files=files, judge={}, test="", judge_test="")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("shop.cart adds wrongly", ["shop/cart.py"]),
        ("see rates.py", ["shop/taxes/rates.py"]),
        ("import shop.taxes fails", ["shop/taxes/__init__.py"]),
        ("shop/__init__.py is empty", ["shop/__init__.py"]),
    ],
)
def test_the_files_that_the_issue_names_are_shown(body: str, shown: list[str]) -> None:
    assert shown_in(a_task(body), 1_000) == shown


def test_a_packages_own_name_names_no_file_so_that_all_sources_are_shown() -> None:
    assert shown_in(a_task("shop is wrong"), 1_000) == [path for path in FILES if not path.startswith("tests/")]


def test_a_file_that_no_longer_fits_is_left_out_and_the_next_is_shown() -> None:
    assert shown_in(a_task("shop is wrong"), 150) == [
        "shop/__init__.py",
        "shop/taxes/__init__.py",
        "shop/taxes/rates.py",
    ]
