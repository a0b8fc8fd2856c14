import json

import pytest
from tinydb import Query, TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.operations import increment
from tinydb.storages import JSONStorage, MemoryStorage


@pytest.fixture
def db():
    db = TinyDB(storage=MemoryStorage)
    db.insert_multiple([{"n": 1, "name": "a"}, {"n": 2, "name": "b"}])
    return db


def test_a_search_by_value(db):
    assert db.search(where("n") == 2) == [{"n": 2, "name": "b"}]


def test_queries_are_combined(db):
    item = Query()

    assert db.count((item.n > 0) & (item.name == "a")) == 1


def test_an_operation_updates(db):
    db.update(increment("n"), where("name") == "a")

    assert sorted(document["n"] for document in db) == [2, 2]


def test_a_file_is_written_at_once(tmp_path):
    TinyDB(tmp_path / "db.json").insert({"n": 1})

    assert json.loads((tmp_path / "db.json").read_text()) == {"_default": {"1": {"n": 1}}}


def test_a_flush_writes_what_is_cached(tmp_path):
    db = TinyDB(tmp_path / "db.json", storage=CachingMiddleware(JSONStorage))
    db.insert({"n": 1})
    db.storage.flush()

    assert json.loads((tmp_path / "db.json").read_text()) == {"_default": {"1": {"n": 1}}}
