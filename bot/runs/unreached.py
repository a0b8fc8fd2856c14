"""Why a database can't be used at the start: is it to be waited for, or has the operator to act? Pure."""

import re
import sqlite3

from sqlalchemy.exc import DBAPIError, InternalError, OperationalError, SQLAlchemyError

_PASSING_FILE = ("locked", "busy", "full")
"""What SQLite says of a file that may be used later."""

_OPERATORS = re.compile(
    r"password authentication failed|no password supplied|authentication failed|no pg_hba\.conf entry"
    r"|(?:role|database) \".*\" does not exist|is not permitted to log in|permission denied|not currently accepting"
    r"|invalid connection option|server does not support SSL|certificate verify failed|root certificate file",
    re.IGNORECASE,
)
"""What no waiting mends. While a connection is made, there is no code to go by: in other languages than this one it is
waited for.

Source: https://www.postgresql.org/docs/current/auth-methods.html and client-authentication-problems.html
"""

_PASSING_CODES = ("08", "25", "40", "53", "55", "57", "58")
"""The classes of PostgreSQL's errors that pass: of connections, of a server that may only be read, of resources, of
locks, of an operator at work, of the system.

Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
"""


def passes(problem: SQLAlchemyError) -> bool:
    """Whether it may be over by itself: the database is not there yet, or busy."""
    if not isinstance(problem, DBAPIError):
        return False
    if isinstance(problem.orig, sqlite3.Error):
        return isinstance(problem, OperationalError) and any(word in str(problem.orig) for word in _PASSING_FILE)
    code = getattr(problem.orig, "sqlstate", None)
    if code is not None:
        return str(code)[:2] in _PASSING_CODES
    return isinstance(problem, OperationalError | InternalError) and _OPERATORS.search(str(problem.orig)) is None
