"""Figures for Prometheus: what processes count, and what is asked when somebody looks. The only door to its library."""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from bot.records import Usage
from bot.seen.counting import Allowance, Status
from bot.seen.places import readable_files, take_place

log = logging.getLogger(__name__)

STEP_S = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600)
CALL_S = (0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


@dataclass(frozen=True, slots=True)
class Reading:
    """One figure that is asked for when somebody looks. `says` is what it means, for people."""

    name: str
    says: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


class Figures:
    """What this process counts (a `Counts`, and the web's own), and the figures of all processes of its home.

    With a folder they are shared by all that are given the same, and outlive them: make one such in a process.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder if folder is not None and _share(folder) else None
        self._registry = CollectorRegistry()
        self._labels: dict[str, Sequence[str]] = {}
        self._deliveries = self._counter("deliveries", "Webhook deliveries by event and answer", "event", "answer")
        self._runs_ended = self._counter(
            "runs_ended", "Runs by what they were asked for as, and outcome", "kind", "outcome"
        )
        self._calls = self._counter("model_calls", "Calls of a model by what came of them", "model", "result")
        self._tokens = self._counter("model_tokens", "Tokens; `cached` are part of `prompt`", "model", "part")
        self._cost = self._counter("model_cost_usd", "Money for calls whose price is known", "model")
        self._sandbox_failures = self._counter("sandbox_failures", "Failures of the sandbox, not of code in it", "how")
        self._requests = self._counter("github_requests", "Requests to GitHub by what came of them", "status")
        self._steps = self._histogram("step_seconds", "How long the steps of runs take", STEP_S, "step")
        self._call_seconds = self._histogram("model_call_seconds", "How long calls of a model take", CALL_S, "model")
        allowed = ("installation", "resource")
        self._left = self._gauge("github_requests_left", "Requests that GitHub still allows", *allowed)
        self._limit = self._gauge("github_requests_limit", "Requests that GitHub allows in all", *allowed)
        self._resets = self._gauge("github_resets_timestamp_seconds", "When it allows all of them again", *allowed)

    # --- What is counted

    def delivery(self, event: str, answer: str) -> None:
        """A delivery was answered."""
        self._deliveries.labels(event, answer).inc()

    def run_ended(self, kind: str, outcome: str) -> None:
        self._runs_ended.labels(kind, outcome).inc()

    def step_took(self, name: str, seconds: float) -> None:
        self._steps.labels(_NUMBER.sub("", name)).observe(seconds)

    def model_answered(self, model: str, seconds: float, result: str, usage: Usage | None) -> None:
        self._calls.labels(model, result).inc()
        self._call_seconds.labels(model).observe(seconds)
        if usage is None:
            return
        parts = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens, "cached": usage.cached_tokens}
        for part, tokens in parts.items():
            if tokens is not None:
                self._tokens.labels(model, part).inc(tokens)
        if usage.cost_usd is not None:
            self._cost.labels(model).inc(usage.cost_usd)

    def sandbox_failed(self, how: str) -> None:
        self._sandbox_failures.labels(how).inc()

    def github_answered(self, status: Status, installation_id: int | None, allowance: Allowance | None) -> None:
        self._requests.labels("unreachable" if status is None else str(status)).inc()
        if allowance is None:
            return
        whose = ("app" if installation_id is None else str(installation_id), allowance.resource)
        self._left.labels(*whose).set(allowance.left)
        self._limit.labels(*whose).set(allowance.limit)
        self._resets.labels(*whose).set(allowance.resets_at)

    # --- What is shown

    def text(self, readings: Iterable[Reading] = ()) -> tuple[bytes, str]:
        """Everything that was counted, and these readings, in Prometheus' text format; and its content type."""
        return generate_latest(_Shown(self._counted(), tuple(readings))), CONTENT_TYPE_LATEST

    def labels(self) -> Mapping[str, Sequence[str]]:
        """The names that what is counted is shown under, each with its labels, whether there is any yet or not."""
        return self._labels

    def _counted(self) -> Iterable[Metric]:
        if self._folder is None:
            return self._registry.collect()
        found: Iterable[Metric] = MultiProcessCollector.merge(readable_files(self._folder))  # type: ignore[no-untyped-call]
        return found

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        self._labels[f"selfcode_{name}_total"] = labels
        return Counter(f"selfcode_{name}", says, labels, registry=self._registry)

    def _histogram(self, name: str, says: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        self._labels[f"selfcode_{name}"] = labels
        return Histogram(f"selfcode_{name}", says, labels, buckets=buckets, registry=self._registry)

    def _gauge(self, name: str, says: str, *labels: str) -> Gauge:
        self._labels[f"selfcode_{name}"] = labels
        return Gauge(f"selfcode_{name}", says, labels, multiprocess_mode="mostrecent", registry=self._registry)


_NUMBER = re.compile(r" \d+$")


@dataclass(frozen=True, slots=True)
class _Shown:
    """A collector as the library asks for it: it may be asked once."""

    counted: Iterable[Metric]
    readings: tuple[Reading, ...]

    def collect(self) -> Iterator[Metric]:
        yield from self.counted
        families: dict[str, GaugeMetricFamily] = {}
        for reading in self.readings:
            family = families.get(reading.name)
            if family is None:
                family = GaugeMetricFamily(reading.name, reading.says, labels=tuple(reading.labels))
                families[reading.name] = family
            family.add_metric(tuple(reading.labels.values()), reading.value)
        yield from families.values()


def _share(folder: Path) -> bool:
    """Have the library keep what this process counts in the folder's files; False where they can't be made."""
    try:
        place = take_place(folder)
    except OSError as problem:
        log.warning("figures are kept in memory alone: %s", problem)
        return False
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    values.ValueClass = values.MultiProcessValue(lambda: place)  # type: ignore[no-untyped-call]
    return True
