import io
import os

import pytest
from dotenv import dotenv_values, load_dotenv

FILE = "HOST=db.internal\nPORT=5432\nURL=postgres://${HOST}:${PORT}/app\n"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setattr(os, "environ", {"HOST": "laptop", "HOME": "/home/me"})


def test_the_file_comes_first_for_values():
    assert dotenv_values(stream=io.StringIO(FILE))["URL"] == "postgres://db.internal:5432/app"


def test_the_file_comes_first_with_override():
    load_dotenv(stream=io.StringIO(FILE), override=True)

    assert os.environ["HOST"] == "db.internal"
    assert os.environ["URL"] == "postgres://db.internal:5432/app"


def test_the_environment_comes_first_without_override():
    load_dotenv(stream=io.StringIO(FILE), override=False)

    assert os.environ["HOST"] == "laptop"
    assert os.environ["URL"] == "postgres://laptop:5432/app"


@pytest.mark.parametrize("override", [True, False])
def test_what_is_in_one_place_alone_is_found(override):
    load_dotenv(stream=io.StringIO("NAME=me\nA=${HOME}/${NAME}"), override=override)

    assert os.environ["A"] == "/home/me/me"


def test_a_default_is_for_what_is_nowhere():
    found = dotenv_values(stream=io.StringIO("HOST=\nA=${HOST:-none}\nB=${OTHER:-none}"))

    assert (found["A"], found["B"]) == ("", "none")


def test_a_later_value_is_not_seen_by_an_earlier_one():
    assert dotenv_values(stream=io.StringIO("A=${HOST}\nHOST=late"))["A"] == "laptop"
