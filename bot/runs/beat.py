"""How the worker shows that it lives: a file of its home, written every few seconds."""

BEAT = "worker.beat"
"""The file's name. It holds what ails the sandbox, or nothing."""

BEAT_EVERY_S = 5.0
BEAT_STALE_S = 30.0
