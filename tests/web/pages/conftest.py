"""Pages over a real store: a SQLite file, and a browser that is on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine

from bot.runs.steering import SqlSteering
from bot.runs.store import SqlInbox, Store
from bot.runs.viewing import SqlViewing
from bot.web.pages.means import Means
from bot.web.pages.site import add_pages
from bot.web.pages.visitors import Recognize, operator_here
from tests.runs.builders import a_database
from tests.web.pages.signing import Scene, a_scene


def an_app(engine: Engine, *, recognize: Recognize = operator_here, secrets: tuple[str, ...] = ()) -> Flask:
    """The pages over this database."""
    app = Flask("pages", static_folder=None)
    viewing, steering = SqlViewing(engine), SqlSteering(engine)
    add_pages(app, Means(viewing=viewing, steering=steering, secrets=secrets, recognize=recognize))
    return app


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with a_database(tmp_path) as opened:
        yield opened


@pytest.fixture
def store(engine: Engine) -> Store:
    return Store(engine)


@pytest.fixture
def inbox(engine: Engine) -> SqlInbox:
    return SqlInbox(engine)


@pytest.fixture
def client(engine: Engine) -> FlaskClient:
    return an_app(engine).test_client()


@pytest.fixture
def scene(engine: Engine) -> Iterator[Scene]:
    """People of a stand-in for GitHub, who sign in to look at these pages."""
    with a_scene(engine) as made:
        yield made
