from tinydb import TinyDB
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import JSONStorage


def test_data_is_in_the_file_after_closing(tmp_path):
    db = TinyDB(tmp_path / "db.json", storage=CachingMiddleware(JSONStorage))
    db.insert({"n": 1})
    db.close()

    assert TinyDB(tmp_path / "db.json").all() == [{"n": 1}]
