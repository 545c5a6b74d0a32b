"""Numbers of whole GPUs of each type for each model: PPipe's MILP without partitioning (§7.1, NP)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from euclio.core.families import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.pipeline import (
    Cluster,
    Gpu,
    Model,
    Objective,
    Partition,
    Pipeline,
    PipelinePlan,
    PipelineSpace,
    evaluate,
)
from heuristics import highs
from heuristics.pipeline import no_partitioning_space

# Whole models on whole GPUs: the rate of an unpartitioned model on one GPU of a type (PPipe §7.1, NP).


@dataclass(frozen=True, slots=True)
class WholeModel:
    """The best way to run a whole model on one whole GPU.

    Attributes:
        batch: batch size.
        latency_s: latency of a batch in seconds.
    """

    batch: int
    latency_s: Fraction

    @property
    def rate_rps(self) -> Fraction:
        """Requests per second of one GPU."""
        return self.batch / self.latency_s


Rates = dict[tuple[str, str], WholeModel]
"""By names of model and GPU type; a pair that cannot meet the SLO is absent."""


def whole_models(cluster: Cluster, space: PipelineSpace) -> Rates:
    """The batch with most throughput that meets the SLO, for each model and GPU type.

    Ties go to the smaller batch. Neither links nor transfers limit a single partition.
    """
    rates: Rates = {}
    for model in cluster.models:
        for gpu in cluster.gpus:
            best = _best(model, gpu, space)
            if best is not None:
                rates[model.name, gpu.name] = best
    return rates


def _best(model: Model, gpu: Gpu, space: PipelineSpace) -> WholeModel | None:
    best: WholeModel | None = None
    batch = 1
    while (latency := model.latency_s(gpu.name, 1, 0, model.blocks - 1, batch)) is not None:
        delay = model.batch_build.delay_s(batch) if space.batch_build and model.batch_build else 0
        found = WholeModel(batch, latency)
        # Only strictly more counts, so ties go to the smaller batch.
        if latency + delay <= model.budget_s and (best is None or found.rate_rps > best.rate_rps):
            best = found
        batch += 1
    return best


def whole_model_pipeline(model: Model, gpu: str, whole: WholeModel, gpus: int) -> Pipeline:
    """The pipeline of one partition that runs a whole model on some GPUs."""
    return Pipeline(model.name, (Partition(gpu, 1, gpus, 0, model.blocks - 1, whole.batch),))


# The best division of few whole GPUs between whole models, in exact arithmetic (ours).
#
# HiGHS works within tolerances. This combines all least amounts of GPUs that serve each model better than the best
# known division. If no combination fits, that division is proven.

MOST_AMOUNTS = 20_000
"""Most amounts of GPUs of one model."""
MOST_TOGETHER = 300_000
"""Most pairs of amounts of several models."""

Vector = tuple[int, ...]


class TooManyError(Exception):
    """There are too many amounts of GPUs."""


def division(cluster: Cluster, rates: Rates, loads: list[Fraction], *, beyond: bool) -> list[tuple[Vector, ...]]:
    """Divisions of the GPUs, by type for each model, that serve every model its load; empty if there is none.

    Among divisions that use as many GPUs or more of each type, one stays.

    Args:
        cluster: the instance.
        rates: rate of one GPU, by model and type.
        loads: requests per second by model.
        beyond: whether to serve more than the load; if not, the load itself is enough.

    Raises:
        TooManyError: there are too many amounts.
    """
    found: dict[Vector, tuple[Vector, ...]] = {(0,) * len(cluster.gpus): ()}
    pairs = 0
    for model, load in zip(cluster.models, loads, strict=True):
        own = _least_amounts(cluster, [_rate(rates, model.name, gpu.name) for gpu in cluster.gpus], load, beyond)
        pairs += len(found) * len(own)
        if pairs > MOST_TOGETHER:
            raise TooManyError
        joint: dict[Vector, tuple[Vector, ...]] = {}
        for (used, before), more in itertools.product(found.items(), own):
            total = tuple(a + b for a, b in zip(used, more, strict=True))
            if all(n <= gpu.count for n, gpu in zip(total, cluster.gpus, strict=True)):
                # Divisions with the same GPUs leave the same to others, so one of them is enough.
                joint.setdefault(total, (*before, more))
        found = joint
    return list(found.values())


def _rate(rates: Rates, model: str, gpu: str) -> Fraction:
    """Requests per second of a model that one GPU of a type serves; 0 if it cannot meet the SLO."""
    return rates[model, gpu].rate_rps if (model, gpu) in rates else Fraction(0)


def _least_amounts(cluster: Cluster, rates: list[Fraction], load: Fraction, beyond: bool) -> list[Vector]:
    """Amounts of GPUs by type that serve a load, with the least number of the last serving type."""
    useful = [t for t, rate in enumerate(rates) if rate]
    others, last = useful[:-1], useful[-1]
    if math.prod(cluster.gpus[t].count + 1 for t in others) > MOST_AMOUNTS:
        raise TooManyError
    found = []
    for counts in itertools.product(*(range(cluster.gpus[t].count + 1) for t in others)):
        missing = load - sum((n * rates[t] for n, t in zip(counts, others, strict=True)), Fraction(0))
        # Exact, so that a load met to the last digit counts as met, or as not exceeded.
        needed = math.floor(missing / rates[last]) + 1 if beyond else math.ceil(missing / rates[last])
        amount = [0] * len(rates)
        for n, t in zip((*counts, max(0, needed)), useful, strict=True):
            amount[t] = n
        found.append(tuple(amount))
    return found


if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

Gpus = dict[tuple[str, str], int]
"""Whole GPUs by names of model and GPU type."""

SHORTFALL = 2e-6
"""HiGHS may violate rows by its feasibility tolerance of 1e-6; twice that compensates."""
MOST_ROUNDS = 100
"""Most rounds of a proof; each takes a better allocation than the one before."""
ERROR = 1e-5
"""Share of the objective's scale by which bounds move outwards, since HiGHS works within tolerances."""


@dataclass(frozen=True, slots=True)
class Counts:
    """An allocation of whole GPUs.

    Attributes:
        gpus: GPUs by model and type; None if none was found.
        bound: proven bound on the objective, in its unit; None if there is none.
        raw_status: the library's own word.
        infeasible: whether there is no allocation.
        reason: the reason for no allocation, in one line.
    """

    gpus: Gpus | None
    bound: float | None
    raw_status: str
    infeasible: bool = False
    reason: str = ""


def fairest_counts(cluster: Cluster, rates: Rates, time_limit_s: float | None = None) -> Counts:
    """The allocation with most of the smallest throughput per weight; none if a model would get no GPU.

    Args:
        cluster: the instance.
        rates: rate of one GPU, by model and type.
        time_limit_s: seconds; None means no limit.
    """
    pairs = list(rates)
    served = _served(cluster, rates, pairs)
    weights = np.array([[float(m.weight)] for m in cluster.models])
    # The last variable is the smallest throughput per weight.
    each = served / weights
    most = float((each @ np.array([float(cluster.gpu(name).count) for _, name in pairs])).min())
    rows = np.hstack([np.minimum(each / most, 1.0), np.full((len(weights), 1), -1.0)])
    gain = np.zeros(len(pairs) + 1)
    gain[-1] = -1
    found = _solve(cluster, pairs, gain, rows, 0.0, time_limit_s)
    if found.gpus is not None and _leaves_out(cluster, found.gpus):
        # Either some model must get no GPU, or the solver's tolerance hides the least throughput per weight.
        gets_gpus = np.hstack([served > 0, np.zeros((len(weights), 1))])
        least = np.repeat([0.0, 1.0], len(weights))
        found = _solve(cluster, pairs, gain, np.vstack([rows, gets_gpus]), least, time_limit_s)
    found = replace(found, bound=None if found.bound is None else (ERROR - found.bound) * most)
    try:
        return _fairest(cluster, rates, found)
    except TooManyError:
        return found


def _fairest(cluster: Cluster, rates: Rates, found: Counts) -> Counts:
    """The fairest allocation, proven: the one found, or a better one that HiGHS's tolerance hid."""
    best, gpus = _least_served(cluster, rates, found.gpus or {}), found.gpus
    # Either no division serves more, which is the proof, or the next round starts from a better one.
    for _ in range(MOST_ROUNDS):
        better = division(cluster, rates, [best * model.weight for model in cluster.models], beyond=True)
        if not better:
            return replace(found, gpus=gpus, bound=float(best)) if best else Counts(None, None, found.raw_status, True)
        every = [_allocation(cluster, amounts) for amounts in better]
        gpus = max(every, key=lambda own: _least_served(cluster, rates, own))
        best = _least_served(cluster, rates, gpus)
    return replace(found, gpus=gpus, infeasible=False)


def _allocation(cluster: Cluster, amounts: tuple[tuple[int, ...], ...]) -> Gpus:
    """GPUs by names of model and type, for a division given as amounts by type for each model."""
    return {
        (model.name, gpu.name): n
        for model, own in zip(cluster.models, amounts, strict=True)
        for gpu, n in zip(cluster.gpus, own, strict=True)
        if n
    }


def _least_served(cluster: Cluster, rates: Rates, gpus: Gpus) -> Fraction:
    """The smallest throughput per weight over the models, in requests per second."""
    served = dict.fromkeys((model.name for model in cluster.models), Fraction(0))
    for pair, n in gpus.items():
        served[pair[0]] += rates[pair].rate_rps * n if n else 0
    return min(served[model.name] / model.weight for model in cluster.models)


def _leaves_out(cluster: Cluster, gpus: Gpus) -> bool:
    """Whether a model gets no GPU."""
    served = {model for (model, _), n in gpus.items() if n}
    return any(model.name not in served for model in cluster.models)


def cheapest_counts(cluster: Cluster, rates: Rates, time_limit_s: float | None = None) -> Counts:
    """The allocation that serves every model's `rate_rps` for least money per hour.

    Args:
        cluster: the instance; its models have rates and its GPU types prices.
        rates: rate of one GPU, by model and type.
        time_limit_s: seconds; None means no limit.
    """
    pairs = list(rates)
    wanted = [model.rate_rps or Fraction(0) for model in cluster.models]
    try:
        return _cheapest(cluster, division(cluster, rates, wanted, beyond=False))
    except TooManyError:
        pass
    rows = np.minimum(_served(cluster, rates, pairs) / np.array([[float(rate)] for rate in wanted]), 1.0)
    all_gpus = sum(((gpu.price_per_h or Fraction(0)) * gpu.count for gpu in cluster.gpus), Fraction(0)) or Fraction(1)
    prices = np.array([float((cluster.gpu(name).price_per_h or 0) / all_gpus) for _, name in pairs])
    # The rows are laxer than the tolerances, so without a solution there is no plan, and no plan costs less.
    found = _solve(cluster, pairs, prices, rows, 1.0 - SHORTFALL, time_limit_s)
    found = replace(found, bound=None if found.bound is None else max(0.0, found.bound - ERROR) * float(all_gpus))
    if found.gpus is not None and not _serves(cluster, rates, found.gpus):
        repaired = _solve(cluster, pairs, prices, rows, 1.0 + SHORTFALL, time_limit_s)
        return replace(repaired, bound=found.bound, infeasible=False)
    return found


def _cheapest(cluster: Cluster, divisions: list[tuple[tuple[int, ...], ...]]) -> Counts:
    """The cheapest of all divisions that serve the rates, proven; none if it is proven that there is none."""
    if not divisions:
        return Counts(None, None, "infeasible", True)
    every = [_allocation(cluster, amounts) for amounts in divisions]
    gpus = min(every, key=lambda own: _cost(cluster, own))
    return Counts(gpus, float(_cost(cluster, gpus)), "optimal")


def _cost(cluster: Cluster, gpus: Gpus) -> Fraction:
    """Price of an allocation's GPUs per hour."""
    return sum((n * (cluster.gpu(name).price_per_h or Fraction(0)) for (_, name), n in gpus.items()), Fraction(0))


def _served(cluster: Cluster, rates: Rates, pairs: list[tuple[str, str]]) -> Matrix:
    """Requests per second of each model (row) by one GPU of each pair of model and type (column)."""
    return np.array([[float(rates[p].rate_rps) if p[0] == m.name else 0.0 for p in pairs] for m in cluster.models])


def _serves(cluster: Cluster, rates: Rates, gpus: Gpus) -> bool:
    """Whether an allocation serves every model its rate, exactly."""
    return all(
        sum(rates[pair].rate_rps * n for pair, n in gpus.items() if pair[0] == model.name) >= (model.rate_rps or 0)
        for model in cluster.models
    )


def _solve(
    cluster: Cluster,
    pairs: list[tuple[str, str]],
    objective: Matrix,
    rows: Matrix,
    least: float | Matrix,
    time_limit_s: float | None,
) -> Counts:
    """Minimise the objective over whole GPUs within the counts, every row at `least` or above."""
    spare = objective.size - len(pairs)
    within = [[float(name == gpu.name) for _, name in pairs] + [0.0] * spare for gpu in cluster.gpus]
    counts = np.array([float(gpu.count) for gpu in cluster.gpus])
    limits = highs.Limits(rows, least, np.inf), highs.Limits(np.array(within), -np.inf, counts)
    found = highs.least_whole(objective, np.arange(objective.size) < len(pairs), limits, time_limit_s)
    # HiGHS's whole numbers are whole within its tolerance.
    gpus = None if found.values is None else {pair: round(x) for pair, x in zip(pairs, found.values, strict=False)}
    return Counts(gpus, found.bound, found.raw_status, found.infeasible)


def with_spare_gpus(cluster: Cluster, rates: Rates, gpus: Gpus) -> Gpus:
    """The allocation with every spare GPU given, one at a time, to the model with the least rate per weight (ours).

    Ties go to the first listed model; a GPU that no model can use stays spare.
    """
    given = dict(gpus)
    served = {
        model.name: sum(float(rates[p].rate_rps) * n for p, n in gpus.items() if p[0] == model.name)
        / float(model.weight)
        for model in cluster.models
    }
    for gpu in cluster.gpus:
        gains = {
            m.name: float(rates[pair].rate_rps / m.weight)
            for m in cluster.models
            if (pair := (m.name, gpu.name)) in rates
        }
        spare = gpu.count - sum(n for (_, name), n in gpus.items() if name == gpu.name)
        for _ in range(spare if gains else 0):
            name = min(gains, key=served.__getitem__)
            given[name, gpu.name] += 1
            served[name] += gains[name]
    return given


# No-Partitioning (NP): whole models on whole GPUs, the best allocation of them (PPipe §7.1). The paper solves its MILP
# with one partition and without virtual GPUs. This leaves one whole number per model and GPU type.

NAME = "no-partitioning"


def solve_no_partitioning(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """Allocate whole GPUs to whole models.

    Args:
        cluster: the instance.
        space: plan space; its batch-build rule and its objective count, partitions and shares are NP's.
        limits: limits of the run.

    Returns:
        The best plan of NP's plan space with a bound that proves it, or one without a proof after a timeout.

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    rates = whole_models(cluster, space)
    counts = no_partitioning_counts(cluster, space, rates, limits.time_limit_s)
    if counts.gpus is None:
        return Answer(None, counts.raw_status, infeasible=counts.infeasible, reason=counts.reason)
    plan = PipelinePlan(
        tuple(
            whole_model_pipeline(model, gpu.name, rates[model.name, gpu.name], n)
            for model in cluster.models
            for gpu in cluster.gpus
            if (n := counts.gpus.get((model.name, gpu.name), 0))
        )
    )
    value = evaluate(cluster, plan, no_partitioning_space(cluster, space)).value
    return Answer(plan, counts.raw_status, None if value is None else float(value), counts.bound)


def no_partitioning_counts(
    cluster: Cluster, space: PipelineSpace, rates: Rates, time_limit_s: float | None = None
) -> Counts:
    """NP's allocation of whole GPUs; none if they cannot serve every model, or for least cost its rate.

    For the throughput objective, spare GPUs go to the models with the least rate per weight (ours; the paper is
    silent).

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    least_cost = space.objective is Objective.COST
    if least_cost:
        find_family("pipeline").check_space(cluster, space)
    servable = {model for model, _ in rates}
    missed = [model.name for model in cluster.models if model.name not in servable]
    if missed:
        return Counts(None, None, "not solved", True, f"model {missed[0]} meets its SLO whole on no whole GPU")
    counts = (cheapest_counts if least_cost else fairest_counts)(cluster, rates, time_limit_s)
    if counts.infeasible:
        what = "carry every model's load" if least_cost else "serve every model"
        return replace(counts, reason=f"there are too few whole GPUs to {what} without partitioning")
    if counts.gpus is None or least_cost:
        return counts
    return replace(counts, gpus=with_spare_gpus(cluster, rates, counts.gpus))
