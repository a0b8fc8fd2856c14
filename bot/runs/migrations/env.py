"""What Alembic runs around the migrations: on the connection that it is given, in the transaction that it is in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
