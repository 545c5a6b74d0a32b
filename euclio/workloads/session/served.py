"""The duration of a batch, read from how many inputs a busy server answered (ours; docs/howto/measured.md).

A server runs k instances of a model, each of which works on one request of b inputs at a time. A client that keeps c
requests outstanding and is answered X inputs per second has seen X/b requests per second pass through k instances. By
Little's law an instance was held by a request for k·b/X seconds at most on average; it was exactly that long if no
instance was ever idle. So the configuration is batch b, concurrency k, and duration

    d = k·b/X at the highest X that was measured with c ≥ 2k, where a request waits for each instance that gets free,
    or, where no such load was measured, with c ≥ k,

rounded up to whole nanoseconds. A machine of this configuration serves b·k/d = X inputs per second: what was measured.

The server's own time s of a request in its compute steps says whether that holds. X·s/b requests were in them at a
time on average:

- above k at any of the loads, the server put several requests into one batch, or runs more instances than was said:
  nothing is known of batch b, and the measurement is refused;
- near k, the instances were busy, each with one request;
- well below k, the instances waited for the client: d is longer than a batch takes. With one request outstanding that
  is all; with several, a server that may put requests together can have done so, and the measurement is refused unless
  it is said that the server has no dynamic batching.

One thing it does not say: a server that puts requests together and idles just as long as that makes up for looks like
one that does neither. More requests outstanding tell them apart, since then it idles less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.words import counted, full, percent
from euclio.problems.session.instance import Configuration
from euclio.workloads.session.csv_profiles import whole_nanoseconds

MOST_BUSY = Fraction(105, 100)
"""Part of the instances' time above which they cannot each have worked on one request at a time; rates and times are
averages over windows that differ a little."""
LEAST_BUSY = Fraction(9, 10)
"""Part of the instances' time from which on they were busy."""


@dataclass(frozen=True, slots=True)
class Point:
    """A client's measurement at one load.

    Attributes:
        clients: requests that it kept outstanding, c.
        rate: inputs answered per second, X.
        compute_s: mean time in seconds of a request in the server's compute steps (input, infer, output), s; None if
            not reported.
        memory_mb: megabytes of the machine's memory that were in use, the server's own included; None if not reported.
    """

    clients: int
    rate: Fraction
    compute_s: Fraction | None
    memory_mb: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """A model on a server, as it was measured.

    Attributes:
        batch: inputs of a request, b.
        instances: instances of the model on the machine, k.
        batches: whether it puts several requests into one batch; None if not known.
    """

    batch: int
    instances: int
    batches: bool | None

    def busy(self, point: Point) -> Fraction | None:
        """Requests in the compute steps per instance, X·s/(b·k); None if no times are reported."""
        return None if point.compute_s is None else point.rate * point.compute_s / (self.batch * self.instances)


@dataclass(frozen=True, slots=True)
class Derived:
    """A configuration, the point that it was read from, and a warning about it (empty if there is none)."""

    configuration: Configuration
    point: Point
    remark: str


def derive(server: Server, points: Iterable[Point], hardware: str) -> Derived:
    """The configuration of a server that was measured at several loads.

    Args:
        server: the server.
        points: its measurements.
        hardware: name of the machine type.

    Raises:
        InputError: the duration of a batch of that size cannot be known from the measurements, and why.
    """
    k = server.instances
    measured = sorted(points, key=lambda point: point.clients)
    enough = [point for point in measured if point.clients >= k]
    if not enough:
        raise InputError(
            f"keeps at most {counted(measured[-1].clients, 'request')} outstanding, which leaves some of "
            f"{k} instances idle; measure with a concurrency of {k} or more, best of {2 * k}"
        )
    best = max([point for point in enough if point.clients >= 2 * k] or enough, key=lambda point: point.rate)
    _refuse_batching(server, measured, best)
    duration_s = whole_nanoseconds(k * server.batch / best.rate)
    memory_mb = max((point.memory_mb for point in measured if point.memory_mb is not None), default=None)
    return Derived(Configuration(hardware, server.batch, k, duration_s, memory_mb), best, _remark(server, best))


def _refuse_batching(server: Server, measured: Sequence[Point], best: Point) -> None:
    """Refuse what a server may have measured with other batches than the client's.

    Batching at any load may also have happened at the best one.
    """
    for point in measured:
        busy = server.busy(point)
        if busy is not None and busy > MOST_BUSY:
            raise InputError(
                f"had {full(busy, digits=3)} requests at work per instance at concurrency {point.clients}: the server "
                "put requests together, or runs more instances; say how many, or measure without dynamic batching"
            )
    busy = server.busy(best)
    if server.batches:
        raise InputError("has dynamic batching: the sizes of its batches are not known; measure without it")
    if server.batches is None and best.clients > 1 and (busy is None or busy < LEAST_BUSY):
        if busy is None:
            why = "no times in the server are given that are long enough to tell"
        else:
            why = f"the instances were busy for {percent(float(busy))} of the time at concurrency {best.clients}"
        raise InputError(
            f"may have put requests together ({why}); if there was no dynamic batching, say "
            f"{option_text('--no-dynamic-batching')}"
        )


def _remark(server: Server, best: Point) -> str:
    busy = server.busy(best)
    if busy is None or busy >= LEAST_BUSY:
        return ""
    return (
        f"batch {server.batch}, {counted(server.instances, 'instance')}: busy for {percent(float(busy))} of the time "
        f"at the highest rate (concurrency {best.clients}); the duration counts the time without work too"
    )
