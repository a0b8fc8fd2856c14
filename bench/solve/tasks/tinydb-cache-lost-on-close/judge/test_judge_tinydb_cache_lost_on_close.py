import pytest
from tinydb import TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import JSONStorage


@pytest.fixture
def path(tmp_path):
    return tmp_path / "db.json"


def opened(path):
    return TinyDB(path, storage=CachingMiddleware(JSONStorage))


@pytest.mark.parametrize("count", [1, 7, 30])
def test_closing_keeps_what_was_inserted(path, count):
    db = opened(path)
    for number in range(count):
        db.insert({"n": number})
    db.close()

    assert [document["n"] for document in TinyDB(path)] == list(range(count))


def test_leaving_a_with_block_keeps_what_was_inserted(path):
    with opened(path) as db:
        db.insert({"n": 1})
        db.table("other").insert({"m": 2})

    with opened(path) as again:
        assert again.all() == [{"n": 1}]
        assert again.table("other").all() == [{"m": 2}]


def test_updates_and_removals_are_kept(path):
    with TinyDB(path) as db:
        db.insert_multiple([{"n": 1}, {"n": 2}])
    with opened(path) as db:
        db.update({"n": 5}, where("n") == 1)
        db.remove(where("n") == 2)

    assert TinyDB(path).all() == [{"n": 5}]


def test_closing_closes_the_storage(path):
    db = opened(path)
    db.insert({"n": 1})
    db.close()

    with pytest.raises(ValueError):
        db.storage.storage.read()


def test_nothing_is_written_where_nothing_changed(path):
    with TinyDB(path) as db:
        db.insert({"n": 1})
    before = path.read_bytes()
    with opened(path) as db:
        assert len(db) == 1

    assert path.read_bytes() == before
