"""Little's law on operating points: whether a rate, a batch and a latency can belong together (ours).

A server that answers t requests per second, each after L seconds, has t·L of them in flight. A closed client keeps a
known number c in flight; else a machine with e instances has at least one batch of b in each. A rate in another unit
breaks this by the factor of the unit, and the product tells which unit would fit (docs/howto/doubts.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from euclio.core.parameters import option_text
from euclio.core.words import full, listed
from euclio.problems.session.instance import Configuration, level_share
from euclio.workloads.session.csv_rows import Place, place_label
from euclio.workloads.session.table_columns import MEASURE

OFF = 0.25
"""Part by which t·L may differ from the requests that a client keeps in flight."""
LEAST, MOST = 0.75, 50.0
"""Batches in flight per instance: fewer than one cannot be at a full machine, and more only wait."""
APART = 0.1
"""Part by which a stated duration may differ from b·e/t."""
HIGH = Fraction(99, 100)
"""Quantile that a mean is hardly above."""
SAME, LEAST_SUMMED = 0.005, 4
"""Part by which a total may differ from its sum, and modules from which on a row may be one."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A row with a rate.

    Attributes:
        line: its place in the file.
        batch: requests of a batch, b.
        concurrency: batches at a time, e.
        rate_rps: requests per second, t.
        latency_s: mean or median seconds of a request, L; None if not stated.
        clients: requests, or batches of them, that a client keeps in flight, c; None if not stated.
        duration_s: seconds of a batch that the row states too; None if it does not.
        sized: whether the table states batch or e; where it states neither, any number may be in flight.
        full: whether the machine is taken to be full, so that its rate also says the least time of a batch.
    """

    line: Place
    batch: int
    concurrency: int
    rate_rps: Fraction
    latency_s: Fraction | None
    clients: int | None
    duration_s: Fraction | None
    sized: bool = True
    full: bool = True

    def fits(self, factor: float) -> bool:
        """Whether the row keeps Little's law with t·L multiplied by a factor."""
        assert self.latency_s is not None
        requests = float(self.rate_rps * self.latency_s) * factor
        if self.clients is not None:
            return any(abs(requests / held - 1) <= OFF for held in (self.clients, self.clients * self.batch))
        return requests / (self.batch * self.concurrency) >= LEAST and (
            not self.sized or requests <= MOST * self.batch * self.concurrency
        )


Factor = Callable[[OperatingPoint], float]
MEANINGS: tuple[tuple[str, Factor], ...] = (
    ("the rate counts batches (--unit throughput=batches)", lambda point: float(point.batch)),
    ("the rate is per minute (--unit throughput=/min)", lambda point: 1 / 60),
    ("the latency is in milliseconds (--unit latency=ms)", lambda point: 1 / 1000),
    ("the latency is in seconds (--unit latency=s)", lambda point: 1000.0),
    ("the rate is that of one instance", lambda point: float(point.concurrency)),
)
"""What a rate or a latency may mean instead, with what t·L is multiplied by then."""


def doubts_of_rates(points: Sequence[OperatingPoint]) -> list[str]:
    """A line where the rates of a table and its latencies do not belong together, and one where durations are none."""
    return [*_of_law([point for point in points if point.latency_s is not None]), *_of_durations(points)]


def _of_law(points: Sequence[OperatingPoint]) -> Iterator[str]:
    wrong = [point for point in points if not point.fits(1.0)]
    if not wrong:
        return
    first = wrong[0]
    assert first.latency_s is not None
    product = float(first.rate_rps * first.latency_s)
    held = f"batch {first.batch} of {first.concurrency} at a time"
    if first.clients is not None:
        held = f"{first.clients} in flight, batch {first.batch}"
    said = f"throughput × latency is {full(product, digits=3)} requests in flight, with {held}"
    # A meaning has to fit all rows that do not fit now, and be a change to them.
    fitting = [words for words, factor in MEANINGS if all(factor(p) != 1 and p.fits(factor(p)) for p in wrong)]
    more = _of_all(len(wrong), len(points))
    yield f"{place_label(first.line)}: {said}{more}; {f'it fits if {fitting[0]}' if fitting else 'check the units'}"


def _of_durations(points: Sequence[OperatingPoint]) -> Iterator[str]:
    """A line where durations are not those of a batch at their rate."""
    timed = [(point, point.duration_s) for point in points if point.duration_s is not None]
    says = [point.batch * point.concurrency / point.rate_rps for point, _ in timed]
    offs = [float(stated / own) - 1 for (_, stated), own in zip(timed, says, strict=True)]
    wrong = [k for k, (point, _) in enumerate(timed) if (abs(offs[k]) if point.full else offs[k]) > APART]
    if wrong:
        point, stated = timed[wrong[0]]
        yield (
            f"{place_label(point.line)}: duration_s is {full(stated, digits=3)}, but batch {point.batch} "
            f"of {point.concurrency} at a time at {full(point.rate_rps, digits=6)} per second take "
            f"{full(says[wrong[0]], digits=3)} s each{_of_all(len(wrong), len(timed))}; a latency is no duration of a "
            "batch: leave one of the two out"
        )


def _of_all(wrong: int, rows: int) -> str:
    """How many rows a line is about, if there are several."""
    return f" ({wrong} of {rows} rows)" if wrong > 1 else ""


def doubts_of_row(
    line: Place, stated: Mapping[str, Fraction], rate_rps: Fraction, source: Mapping[str, str]
) -> Iterator[str]:
    """Lines where what one row states cannot all be so, as where two of its columns are swapped.

    Args:
        line: its place in the file.
        stated: seconds of its latencies, tokens of an answer and tokens per second, by euclio's names of columns.
        rate_rps: its requests per second.
        source: header by euclio's name of a column.
    """
    levels: dict[str, list[tuple[Fraction, str]]] = {}
    for name in stated:
        if (match := MEASURE.fullmatch(name)) is not None and match[3] not in (None, "mean"):
            levels.setdefault(match[1], []).append((level_share(match[3], name), name))
    for stem, own in levels.items():
        names = [name for _, name in sorted(own)]
        pairs = list(pairwise(names))
        # Rare requests that take very long lift a mean above lower quantiles, but hardly above this one.
        if f"{stem}_mean_s" in stated and max(own)[0] >= HIGH:
            pairs.append((f"{stem}_mean_s", names[-1]))
        for low, high in pairs:
            if stated[low] > stated[high]:
                said = f"{source[low]} says {full(stated[low], ' s')}, and {source[high]} {full(stated[high], ' s')}"
                yield f"{place_label(line)}: {said}; look whether columns are swapped, or in another unit"
    tokens = stated.get("tokens", 0) * rate_rps
    if tokens and abs(float(stated.get("token_rate", tokens) / tokens) - 1) > OFF:
        said = f"{full(stated['tokens'], digits=3)} tokens of each request are {full(tokens, digits=3)} per second"
        told = f"and {source['token_rate']} is {full(stated['token_rate'], digits=3)}"
        yield f"{place_label(line)}: {said}, {told}; look whether throughput counts requests"


def doubts_of_totals(profiles: Mapping[str, Sequence[Configuration]]) -> Iterator[str]:
    """Lines on modules with one configuration whose time for a request, or rate, is the sum of all the others'.

    Args:
        profiles: configurations by module.
    """
    alone = {name: own[0] for name, own in profiles.items() if len(own) == 1}
    if len(alone) < max(LEAST_SUMMED, len(profiles)) or len({c.hardware for c in alone.values()}) > 1:
        return
    rates = {name: c.throughput_rps for name, c in alone.items()}
    for what, own in (("time for a request", {name: 1 / rate for name, rate in rates.items()}), ("rate", rates)):
        total = sum(own.values())
        for name in alone:
            if abs(float(2 * own[name] / total) - 1) <= SAME:
                others = listed(other for other in alone if other != name)
                remedy = f"if it sums them up, leave its row out ({option_text('--where')})"
                yield f"the {what} of {name} is that of {others} together; {remedy}"
