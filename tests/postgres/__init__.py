"""The PostgreSQL that the tests run on: one of their own, started once a session, and gone afterwards."""
