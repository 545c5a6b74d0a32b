"""Clusters of mixed GPUs and the models that they serve, cut into blocks (PPipe §3, §5.2; docs/model/pipelines.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.numbers import Number, exact_number, whole_number
from euclio.core.showing import Framed


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU type.

    Attributes:
        count: physical GPUs of it in the cluster.
        gpus_per_server: GPUs that share a server's up- and downlink.
        price_per_h: money per hour of one; None means no price.
    """

    name: str
    count: int
    gpus_per_server: int
    price_per_h: Fraction | None

    def __init__(self, name: str, count: int, gpus_per_server: int = 1, price_per_h: Number | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "count", whole_number(count, "count"))
        object.__setattr__(self, "gpus_per_server", whole_number(gpus_per_server, "gpus_per_server"))
        price = None if price_per_h is None else exact_number(price_per_h, "price_per_h", zero=True)
        object.__setattr__(self, "price_per_h", price)


@dataclass(frozen=True, slots=True)
class BatchBuild:
    """The delay until a batch of b requests has gathered: factor · (b − 1) / rate, in seconds."""

    factor: Fraction
    rate_rps: Fraction

    def __init__(self, factor: Number, rate_rps: Number) -> None:
        object.__setattr__(self, "factor", exact_number(factor, "factor", zero=True))
        object.__setattr__(self, "rate_rps", exact_number(rate_rps, "rate_rps"))

    def delay_s(self, batch: int) -> Fraction:
        """Seconds until the first request of a batch may start."""
        return self.factor * (batch - 1) / self.rate_rps


@dataclass(frozen=True, slots=True)
class BlockProfile:
    """Latencies of a model's blocks on the v-th part of a GPU (a virtual GPU of size 1/v).

    Attributes:
        gpu: GPU type.
        share: v, the number of virtual GPUs of one GPU.
        latency_s: per block, in order, the measured latencies in seconds of batches 1, 2, and so on.
    """

    gpu: str
    share: int
    latency_s: tuple[tuple[Fraction, ...], ...]

    def __init__(self, gpu: str, share: int, latency_s: Sequence[Sequence[Number]]) -> None:
        object.__setattr__(self, "gpu", gpu)
        object.__setattr__(self, "share", whole_number(share, "share"))
        rows = tuple(
            tuple(exact_number(x, f"[{i}][{k}]") for k, x in enumerate(row)) for i, row in enumerate(latency_s)
        )
        object.__setattr__(self, "latency_s", rows)


@dataclass(frozen=True, slots=True)
class Model:
    """A DNN model with its layers grouped into blocks.

    Attributes:
        weight: its part of the load; the objective is the smallest throughput per weight.
        slo_s: latency objective of a request in seconds.
        margin_s: seconds of it that a plan leaves free.
        batch_build: delay until a batch has gathered; None means no delay.
        rate_rps: load that a least-cost plan must serve; None if none is given.
        transfer_s_per_request: seconds for one request's feature map between blocks i and i + 1, for each i.
        profiles: block latencies, one profile per GPU type and share.
    """

    name: str
    weight: Fraction
    slo_s: Fraction
    margin_s: Fraction
    batch_build: BatchBuild | None
    rate_rps: Fraction | None
    transfer_s_per_request: tuple[Fraction, ...]
    profiles: tuple[BlockProfile, ...]
    _by_gpu: dict[tuple[str, int], BlockProfile] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        slo_s: Number,
        transfer_s_per_request: Sequence[Number],
        profiles: Sequence[BlockProfile],
        *,
        weight: Number = 1,
        margin_s: Number = 0,
        batch_build: BatchBuild | None = None,
        rate_rps: Number | None = None,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "weight", exact_number(weight, "weight"))
        object.__setattr__(self, "slo_s", exact_number(slo_s, "slo_s"))
        object.__setattr__(self, "margin_s", exact_number(margin_s, "margin_s", zero=True))
        object.__setattr__(self, "batch_build", batch_build)
        object.__setattr__(self, "rate_rps", None if rate_rps is None else exact_number(rate_rps, "rate_rps"))
        transfers = tuple(
            exact_number(x, f"transfer_s_per_request[{i}]", zero=True) for i, x in enumerate(transfer_s_per_request)
        )
        object.__setattr__(self, "transfer_s_per_request", transfers)
        object.__setattr__(self, "profiles", tuple(profiles))
        object.__setattr__(self, "_by_gpu", {(p.gpu, p.share): p for p in self.profiles})
        _check_model(self)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.transfer_s_per_request) + 1

    @property
    def budget_s(self) -> Fraction:
        """Seconds allowed for a plan: the SLO without the margin."""
        return self.slo_s - self.margin_s

    def profile(self, gpu: str, share: int) -> BlockProfile | None:
        """Block latencies on a virtual GPU; None if not measured."""
        return self._by_gpu.get((gpu, share))

    def latency_s(self, gpu: str, share: int, first: int, last: int, batch: int) -> Fraction | None:
        """Latency of blocks `first` to `last` (inclusive, from 0) in seconds; None if not measured.

        It is the sum of the blocks' latencies (PPipe §5.2).
        """
        profile = self.profile(gpu, share)
        if profile is None:
            return None
        rows = profile.latency_s[first : last + 1]
        if any(len(row) < batch for row in rows):
            return None
        return sum((row[batch - 1] for row in rows), Fraction(0))


@dataclass(frozen=True, slots=True, repr=False)
class Cluster(Framed):
    """GPU types with counts, and the models that they serve together.

    Attributes:
        name: name of the instance.
        gpus: GPU types.
        max_partitions: most partitions of a pipeline.
        unify_batch: whether all partitions of a pipeline use one batch size (PPipe §5.3).

    Raises:
        InputError: names are duplicate or unknown, or numbers are out of range.
    """

    _view = late_value("euclio.problems.pipeline.views", "CLUSTER")

    name: str
    gpus: tuple[Gpu, ...]
    models: tuple[Model, ...]
    max_partitions: int
    unify_batch: bool

    def __init__(
        self,
        name: str,
        gpus: Sequence[Gpu],
        models: Sequence[Model],
        max_partitions: int = 3,
        unify_batch: bool = True,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "gpus", tuple(gpus))
        object.__setattr__(self, "models", tuple(models))
        object.__setattr__(self, "max_partitions", whole_number(max_partitions, "max_partitions"))
        object.__setattr__(self, "unify_batch", unify_batch)
        _check_cluster(self)

    def gpu(self, name: str) -> Gpu:
        """The GPU type of this name; raises a `KeyError` if there is none."""
        for gpu in self.gpus:
            if gpu.name == name:
                return gpu
        raise KeyError(name)


def _check_model(model: Model) -> None:
    if model.budget_s <= 0:
        raise InputError("takes the whole SLO; it must be less than slo_s", field="margin_s")
    if not model.profiles:
        raise InputError("is empty; give the block latencies of at least one GPU type", field="block_latency_s")
    if len(model._by_gpu) < len(model.profiles):
        raise InputError("a GPU type and share is listed twice; keep one of them", field="block_latency_s")
    for profile in model.profiles:
        where = f"block_latency_s.{profile.gpu}.{profile.share}"
        if len(profile.latency_s) != model.blocks:
            raise InputError(
                f"has {len(profile.latency_s)} blocks, but transfer_s_per_request has {model.blocks - 1} entries and "
                f"so there are {model.blocks} blocks; give one row per block",
                field=where,
            )
        for i, row in enumerate(profile.latency_s):
            if not row:
                raise InputError("is empty; give the latency of batch 1 at least", field=f"{where}[{i}]")


def _check_cluster(cluster: Cluster) -> None:
    for what, names in (("gpus", [g.name for g in cluster.gpus]), ("models", [m.name for m in cluster.models])):
        if not names:
            raise InputError("is empty; give at least one", field=what)
        for i, name in enumerate(names):
            if name in names[:i]:
                raise InputError(f"{name!r} is listed twice; rename one", field=f"{what}[{i}].name")
    known = {gpu.name for gpu in cluster.gpus}
    for i, model in enumerate(cluster.models):
        for profile in model.profiles:
            if profile.gpu not in known:
                raise InputError(
                    f"unknown GPU type {profile.gpu!r}; add it to `gpus` (known: {', '.join(sorted(known))})",
                    field=f"models[{i}].block_latency_s",
                )
