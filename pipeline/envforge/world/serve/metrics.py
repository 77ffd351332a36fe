"""The figures of a server as Prometheus reads them. No key and no token is among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envforge.world.pool.figures import PoolFigures

KIND = "text/plain; version=0.0.4; charset=utf-8"


def exposition(figures: PoolFigures, refusals: Mapping[str, int]) -> str:
    """`refusals`: requests that were answered with an error, by its code."""
    return "".join(f"{line}\n" for line in _lines(figures, refusals))


def _lines(figures: PoolFigures, refusals: Mapping[str, int]) -> Iterator[str]:
    for name, what, values in (
        ("episodes_live", "Episodes that are open.", figures.live),
        ("episodes_waiting", "Starts that wait for room.", figures.waiting),
        ("workers", "Worker processes.", figures.workers),
    ):
        yield from _family(name, "gauge", what, ((f'{{environment="{key}"}}', count) for key, count in values.items()))
    # Why stands in the server's log: a reason quotes what stands in tools.py.
    apart = ((f'{{environment="{key}"}}', 1) for key in sorted(figures.apart))
    yield from _family("environments_apart", "gauge", "Not fit to share workers: a process per episode.", apart)
    for name, what, count in (
        ("episodes_started", "Episodes started.", figures.started),
        ("episodes_ended", "Episodes ended in all.", figures.ended),
        ("episodes_idled", "Episodes ended because nobody used them.", figures.idled),
        ("calls", "Calls that a worker answered.", figures.calls),
        ("calls_refused", "Calls that were the caller's mistake.", figures.refused),
        ("calls_faulty", "Calls in which a tool crashed.", figures.faults),
        ("requests_lost", "Requests that cost their worker and failed.", figures.lost),
        ("workers_replaced", "Workers that died.", figures.replaced),
        ("episodes_brought_back", "Episodes that went on in a fresh worker.", figures.brought_back),
    ):
        yield from _family(f"{name}_total", "counter", what, [("", count)])
    counts = ((f'{{code="{code}"}}', count) for code, count in sorted(refusals.items()))
    yield from _family("http_refusals_total", "counter", "Requests answered with an error.", counts)
    yield from _histogram(figures)


def _family(name: str, kind: str, what: str, values: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP envforge_{name} {what}"
    yield f"# TYPE envforge_{name} {kind}"
    yield from (f"envforge_{name}{labels} {value}" for labels, value in values)


def _histogram(figures: PoolFigures) -> Iterator[str]:
    name = "call_seconds"
    buckets = [
        (f'_bucket{{le="{"+Inf" if bound == float("inf") else f"{bound:g}"}"}}', count)
        for bound, count in figures.call_times
    ]
    yield from _family(name, "histogram", "From a call's arrival in the pool to its answer.", buckets)
    yield f"envforge_{name}_sum {figures.seconds:.6f}"
    yield f"envforge_{name}_count {figures.calls}"
