"""Settings in, connected objects out: the only place that knows every room. A module for each command's process."""
