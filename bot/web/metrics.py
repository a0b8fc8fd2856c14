"""What the web processes count, for Prometheus.

Import it inside a function: prometheus-client decides on its import whether it counts in this process alone or, where
`PROMETHEUS_MULTIPROC_DIR` is set (`serve` sets it), in files that several processes share.
"""

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from bot.triggers.events import SUBSCRIBED, UNASKED


class Metrics:
    """The counters of one process, and the figures of all of them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._deliveries = Counter(
            "selfcode_deliveries",
            "Webhook deliveries by event and by how they were answered",
            ("event", "answer"),
            registry=self._registry,
        )

    def count_delivery(self, event_name: str | None, answer: str) -> None:
        """Count one delivery. An event that we don't know is `other`: the sender does not choose our series."""
        known = event_name if event_name in SUBSCRIBED or event_name in UNASKED else None
        self._deliveries.labels(event=known or "other", answer=answer).inc()

    def figures(self) -> tuple[bytes, str]:
        """All figures in Prometheus' text format, and its content type."""
        return generate_latest(self._everything()), CONTENT_TYPE_LATEST

    def _everything(self) -> CollectorRegistry:
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return self._registry
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return shared
