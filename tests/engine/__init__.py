"""The Docker engine that the tests run on: the one that answers, or one of our own that is gone afterwards."""
