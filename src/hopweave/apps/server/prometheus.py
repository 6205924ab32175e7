"""The metrics for Prometheus. Names of routes, methods and corpora are labels; text from clients never is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from hopweave.record import Record, Totals

_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600)


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "hopweave_requests", "Requests by route and status.", ["route", "status"], registry=self.registry
        )
        self._questions = Counter(
            "hopweave_questions",
            "Questions by how they ended: supported, uncertain, unsupported, contradicted, failed or cancelled.",
            ["method", "corpus", "outcome"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "hopweave_question_seconds",
            "Duration of questions that end in a record.",
            ["method", "corpus"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.running = Gauge("hopweave_questions_running", "Questions that run.", registry=self.registry)
        self.connections = Gauge("hopweave_connections_open", "Connections that are open.", registry=self.registry)
        self._cut = Counter(
            "hopweave_connections_cut",
            "Connections that the server closed: slow, idle, or for a limit: full (of all), peer (of an address), files.",
            ["why"],
            registry=self.registry,
        )
        self._calls = Counter("hopweave_model_calls", "Calls of the language model.", ["method"], registry=self.registry)
        self._tokens = Counter("hopweave_tokens", "Tokens in and out.", ["direction"], registry=self.registry)
        self._searches = Counter("hopweave_queries", "Queries sent to retrievers.", ["corpus"], registry=self.registry)

    def request(self, route: str, status: int) -> None:
        """Counts a request."""
        self._requests.labels(route, str(status)).inc()

    def record(self, method: str, corpus: str, record: Record, totals: Totals) -> None:
        """Counts a question that ended in a record, with the record's totals."""
        outcome = record.answer.verdict.standing if record.answer is not None else "failed"
        self._questions.labels(method, corpus, outcome).inc()
        self._seconds.labels(method, corpus).observe(record.seconds)
        self._calls.labels(method).inc(totals.llm_calls)
        self._tokens.labels("prompt").inc(totals.prompt_tokens)
        self._tokens.labels("completion").inc(totals.completion_tokens)
        self._searches.labels(corpus).inc(totals.queries)

    def cut(self, why: str) -> None:
        """Counts a connection that the server closed: `slow`, `idle`, `full`, `peer` or `files`."""
        self._cut.labels(why).inc()

    def cancelled(self, method: str, corpus: str) -> None:
        """Counts a question whose client went away."""
        self._questions.labels(method, corpus, "cancelled").inc()

    def text(self, may_see: Callable[[str], bool]) -> bytes:
        """The metrics in Prometheus's text format.

        Args:
            may_see: whether the reader may know of a corpus, by its name; the series of others are left out.
        """
        shown = CollectorRegistry()
        shown.register(_Shown(self.registry, may_see))
        return generate_latest(shown)


class _Shown(Collector):
    """The metrics of a registry, without the series of some corpora."""

    def __init__(self, registry: CollectorRegistry, may_see: Callable[[str], bool]) -> None:
        self._registry = registry
        self._may_see = may_see

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            shown = Metric(metric.name, metric.documentation, metric.type, metric.unit)
            shown.samples = [one for one in metric.samples if "corpus" not in one.labels or self._may_see(one.labels["corpus"])]
            yield shown
