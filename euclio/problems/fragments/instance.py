"""A DNN's layers on shares of a GPU, and the fragments of it that mobile clients leave to the server (Graft §2.2, §4).

Layers are counted from 0. A fragment's partition point is its first layer on the server; the client runs the layers
before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.numbers import Number, exact_number, whole_number
from euclio.core.showing import Framed
from euclio.core.space_fields import word
from euclio.problems.fragments.memory import WHOLE_GPU_PCT, Memory, Server, memory_of, require_known


@dataclass(frozen=True, slots=True)
class Network:
    """A DNN with its measured layers.

    Latencies may rise with the share or fall with the batch, as some measured ones do; nothing relies on the contrary.

    Attributes:
        batches: measured batch sizes, ascending.
        shares_pct: measured GPU shares in percent of one GPU, ascending, at most 100.
        layer_latency_s: per layer, in order, per batch size, per share: the latency in seconds.
        layer_memory_mb: per layer the megabytes of GPU memory for an instance with it; None if unknown.
        instance_memory_mb: further megabytes of each instance; None if unknown.
        server: further limits on instances on the measured GPUs; None means their shares alone.

    Raises:
        InputError: lists are empty, not ascending or of different lengths, numbers are out of range, a limit lacks
            memory figures, or no GPU has room for a layer.
    """

    name: str
    batches: tuple[int, ...]
    shares_pct: tuple[int, ...]
    layer_latency_s: tuple[tuple[tuple[Fraction, ...], ...], ...]
    layer_memory_mb: tuple[Fraction, ...] | None
    instance_memory_mb: Fraction | None
    server: Server | None
    _place: dict[tuple[int, int], tuple[int, int]] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        batches: Sequence[int],
        shares_pct: Sequence[int],
        layer_latency_s: Sequence[Sequence[Sequence[Number]]],
        layer_memory_mb: Sequence[Number] | None = None,
        instance_memory_mb: Number | None = None,
        server: Server | None = None,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "batches", tuple(whole_number(b, f"batches[{i}]") for i, b in enumerate(batches)))
        shares = tuple(whole_number(s, f"shares_pct[{i}]") for i, s in enumerate(shares_pct))
        object.__setattr__(self, "shares_pct", shares)
        layers = tuple(
            tuple(
                tuple(exact_number(x, f"layer_latency_s[{i}][{j}][{k}]") for k, x in enumerate(row))
                for j, row in enumerate(rows)
            )
            for i, rows in enumerate(layer_latency_s)
        )
        object.__setattr__(self, "layer_latency_s", layers)
        memory = memory_of(layer_memory_mb, instance_memory_mb)
        object.__setattr__(self, "layer_memory_mb", memory.layer_mb)
        object.__setattr__(self, "instance_memory_mb", memory.instance_mb)
        object.__setattr__(self, "server", server)
        places = {
            (batch, share): (j, k) for j, batch in enumerate(self.batches) for k, share in enumerate(self.shares_pct)
        }
        object.__setattr__(self, "_place", places)
        _check_network(self)

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.layer_latency_s)

    def latency_s(self, first: int, end: int, batch: int, share_pct: int) -> Fraction | None:
        """Seconds of layers `first` to `end` (exclusive); None if not measured at this batch and share.

        It is the sum of the layers' latencies.
        """
        place = self._place.get((batch, share_pct))
        if place is None:
            return None
        j, k = place
        return sum((rows[j][k] for rows in self.layer_latency_s[first:end]), Fraction(0))

    def memory_mb(self, first: int, end: int) -> Fraction:
        """Known megabytes of an instance of layers `first` to `end` (exclusive)."""
        return Memory(self.layer_memory_mb, self.instance_memory_mb).of(first, end)

    def least_share_pct(self, first: int, end: int) -> int:
        """The least share of a GPU, in whole percents, of an instance of layers `first` to `end` (exclusive).

        It follows from the server's memory and its most instances per GPU; solvers and provers use only this function.
        Above 100 no GPU has room for the instance.
        """
        return 1 if self.server is None else self.server.least_share_pct(self.memory_mb(first, end))


@dataclass(frozen=True, slots=True)
class Fragment:
    """The layers that one client leaves to the server (Graft §4.2, the vector of p, t and q).

    Attributes:
        partition_point: its first layer on the server, from 0.
        budget_s: seconds of the server for a request, queueing included.
        rate_rps: requests per second.
    """

    name: str
    partition_point: int
    budget_s: Fraction
    rate_rps: Fraction

    def __init__(self, name: str, partition_point: int, budget_s: Number, rate_rps: Number) -> None:
        if not isinstance(partition_point, int) or isinstance(partition_point, bool) or partition_point < 0:
            raise InputError(
                f"is {partition_point}; it must be the first layer on the server, a whole number from 0",
                field="partition_point",
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "partition_point", partition_point)
        object.__setattr__(self, "budget_s", exact_number(budget_s, "budget_s"))
        object.__setattr__(self, "rate_rps", exact_number(rate_rps, "rate_rps"))


class Points(StrEnum):
    """The bandwidth behind the partition points of a fleet."""

    NOW = "now"
    """The bandwidth of a moment; the points change with it."""
    MEAN = "mean"
    """The mean bandwidth of each client, with constant points (Static and Static+, Graft §5.1)."""


@dataclass(frozen=True, slots=True, repr=False)
class Fleet(Framed):
    """One DNN and the fragments of it that a fleet of mobile clients leaves to the server.

    Attributes:
        name: name of the instance.
        network: the DNN.
        fragments: one per client.
        points: the bandwidth behind the partition points; None if unknown.

    Raises:
        InputError: there are no fragments, a name occurs twice, a partition point is outside of the network, or
            `points` is unknown.
    """

    _view = late_value("euclio.problems.fragments.views", "FLEET")

    name: str
    network: Network
    fragments: tuple[Fragment, ...]
    points: Points | None

    def __init__(
        self, name: str, network: Network, fragments: Sequence[Fragment], points: Points | str | None = None
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "fragments", tuple(fragments))
        known = None if points is None else Points(word(points, Points, "points"))
        object.__setattr__(self, "points", known)
        _check_fleet(self)


def _check_network(network: Network) -> None:
    for name, values in (("batches", network.batches), ("shares_pct", network.shares_pct)):
        if not values:
            raise InputError("is empty; give at least one", field=name)
        for i, (before, after) in enumerate(pairwise(values)):
            if after <= before:
                raise InputError(f"is {after} after {before}; list them ascending, each once", field=f"{name}[{i + 1}]")
    if network.shares_pct[-1] > WHOLE_GPU_PCT:
        place = f"shares_pct[{len(network.shares_pct) - 1}]"
        raise InputError(f"is {network.shares_pct[-1]}; an instance has at most 100 % of a GPU", field=place)
    if not network.layers:
        raise InputError("is empty; give the latencies of at least one layer", field="layer_latency_s")
    for i, rows in enumerate(network.layer_latency_s):
        where = f"layer_latency_s[{i}]"
        _check_length(len(rows), len(network.batches), "batch size in `batches`", where)
        for j, row in enumerate(rows):
            _check_length(len(row), len(network.shares_pct), "share in `shares_pct`", f"{where}[{j}]")
    require_known(Memory(network.layer_memory_mb, network.instance_memory_mb), network.layers, network.server)


def _check_length(found: int, wanted: int, of_each: str, where: str) -> None:
    if found != wanted:
        raise InputError(f"has {found} entries; give {wanted}, one per {of_each}", field=where)


def _check_fleet(fleet: Fleet) -> None:
    if not fleet.fragments:
        raise InputError("is empty; give at least one", field="fragments")
    seen = set()
    for i, fragment in enumerate(fleet.fragments):
        if fragment.name in seen:
            raise InputError(f"{fragment.name!r} is listed twice; rename one", field=f"fragments[{i}].name")
        seen.add(fragment.name)
        if fragment.partition_point >= fleet.network.layers:
            raise InputError(
                f"is {fragment.partition_point}, outside of the network; its layers are 0 to "
                f"{fleet.network.layers - 1}",
                field=f"fragments[{i}].partition_point",
            )
