"""The parts of PPipe's models: pipelines, their places, and the options of each place (PPipe appendix, Tables 3-6).

A pipeline l belongs to one model and one sequence of GPU types; its place d runs one partition. An option o of a place
is one value of the indices (v, b, i, j) of the paper's p and g. It runs blocks i to j (exclusive) in batches of b on
1/v of a GPU. Names that both engines share, l standing for the model's name and the sequence:

    y_l              1: pipeline l is used                                              ours
    p_l_d_vV_bB_i_j  1: place d of l takes this option                                  p of (2)-(8), (16)-(22)
    g_l_d_vV_bB_i_j  its virtual GPUs                                                   g of (7)-(11), (21)-(25)
    x_l              throughput of l                                                    (14), (28)
    gpus_m_d_k       whole GPUs of type k at place d of model m                         ours
    z                the smallest weighted throughput of a model                        §3, several models

    one_l_d          Σ_o p_o = y_l                                                      (2), (16)
    follow_l_d_b_j   Σ_{o ends at j} p_o ≤ Σ_{o' at d + 1 begins at j} p_o'             (4), (18)
    most_o, least_o  p_o ≤ g_o ≤ G_o p_o                                                (7), (8), (21), (22)
    flow_l_d         x_l ≤ Σ_o X_o g_o                                                  (11), (14), (25), (28)
    latency_l        Σ_d Σ_o C_o p_o ≤ T y_l                                            (10)-(13), (24)-(27)
    whole_m_d_k      Σ_{l with type k at d} Σ_o g_o / v ≤ gpus_m_d_k                    ours, see below
    count_k          Σ_m Σ_d gpus_m_d_k ≤ N_k                                           (9), (23)
    load_m           w_m z ≤ Σ_{l of m} x_l, w_m over the largest weight                §3, several models
    some_m           Σ_{l of m} y_l ≥ 1                                                 ours: no plan leaves m out

`follow` holds for each batch size if batches are unified (18), and for their sum otherwise (4). Options with i ≥ j (3),
(17), first places that do not begin at block 0 (5), (19) and last ones that do not end at M (6), (20) do not exist. C_o
is the latency of the partition, of the transfer behind it (12) and, at the first place, of the batch-build delay; X_o =
min(b/C, what the links carry).

We correct the print in two places, since it finds no plan on most measured clusters. A pipeline may stay unused (y_l;
the print has 1), and GPUs count whole per model, place and type (the print adds up fractions, Σ g/v ≤ N_k). `literal`
keeps the print. Pipelines of a plan space without `whole_gpus` are counted as printed.

The comment below explains the options and G_o.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

from euclio.core.compiled import is_past
from euclio.core.families import find_family
from euclio.problems.pipeline import Cluster, Model, Objective, PipelineSpace
from formulations.engines.milp import readable

# Options of the places of a pipeline, the indices of p and g of PPipe's models (appendix, Tables 3 and 5).
#
# Exact arithmetic leaves out options that no choice for the other places brings within the budget, which loses no
# optimum. The most virtual GPUs of an option are the lesser of two numbers. One is the rest of its type after every
# other place of the pipeline has its least. The other reaches the pipeline's largest throughput.

Measured = tuple[int, int, int, int, Fraction]
"""A measured partition as share, batch, first block, end, latency in seconds."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice for a place of a pipeline.

    Attributes:
        name: v, b, i, j as in the names of variables.
        share: v.
        batch: b.
        first: first block, i.
        end: first block after it, j.
        latency_s: seconds of the partition, the transfer behind it and, at the first place, the batch-build delay.
        rate_rps: X, requests per second of one virtual GPU, within what the links carry.
        most_gpus: G, the most useful virtual GPUs.
    """

    name: str
    share: int
    batch: int
    first: int
    end: int
    latency_s: Fraction
    rate_rps: Fraction
    most_gpus: int = 0


def partitions_on(model: Model, gpu: str, space: PipelineSpace) -> Iterator[Measured]:
    """Every measured partition of a model on a GPU type that the plan space allows."""
    for profile in model.profiles:
        if profile.gpu != gpu or (profile.share != 1 and not space.virtual_gpus):
            continue
        rows = profile.latency_s
        for batch in range(1, max(map(len, rows)) + 1):
            for first in range(model.blocks):
                total = Fraction(0)
                for end in range(first + 1, model.blocks + 1):
                    if len(rows[end - 1]) < batch:
                        break
                    total += rows[end - 1][batch - 1]
                    yield profile.share, batch, first, end, total


def options_of(
    cluster: Cluster,
    model: Model,
    place: tuple[str, int, bool],
    partitions: list[Measured],
    space: PipelineSpace,
) -> list[Option]:
    """All options of a place that the plan space allows, late ones included.

    Args:
        cluster: the cluster.
        model: the model.
        place: the place's GPU type, its number d in the pipeline, and whether it is the last one.
        partitions: the model's measured partitions on that GPU type.
        space: plan space.
    """
    found = []
    gpu, d, last = place
    per_server = cluster.gpu(gpu).gpus_per_server
    for share, batch, first, end, own in partitions:
        if (first == 0) != (d == 0) or (end == model.blocks) != last:
            continue
        latency, rate = own, batch / own
        before = model.transfer_s_per_request[first - 1] if d else Fraction(0)
        after = Fraction(0) if last else model.transfer_s_per_request[end - 1]
        for transfer in (before, after):
            if transfer:
                rate = min(rate, 1 / (transfer * share * per_server))
        latency += after * batch
        if d == 0 and space.batch_build and model.batch_build is not None:
            latency += model.batch_build.delay_s(batch)
        found.append(Option(f"{d}_v{share}_b{batch}_{first}_{end}", share, batch, first, end, latency, rate))
    return found


def within_budget(places: list[list[Option]], model: Model, unified: bool) -> list[list[Option]]:
    """The options that some choice for the other places brings within the budget."""
    if not unified:
        return _completable(places, model)
    kept: list[list[Option]] = [[] for _ in places]
    for batch in sorted({option.batch for option in places[0]}):
        chains = _completable([[o for o in options if o.batch == batch] for options in places], model)
        for all_kept, options in zip(kept, chains, strict=True):
            all_kept += options
    return kept


def _completable(places: list[list[Option]], model: Model) -> list[list[Option]]:
    """The options of each place that some options of all other places complete within the budget."""
    ahead: list[dict[int, Fraction]] = [{0: Fraction(0)}]
    for options in places:
        least: dict[int, Fraction] = {}
        for o in options:
            if o.first in ahead[-1]:
                total = ahead[-1][o.first] + o.latency_s
                least[o.end] = min(least.get(o.end, total), total)
        ahead.append(least)
    behind: list[dict[int, Fraction]] = [{model.blocks: Fraction(0)}]
    for options in reversed(places):
        least = {}
        for o in options:
            if o.end in behind[-1]:
                total = behind[-1][o.end] + o.latency_s
                least[o.first] = min(least.get(o.first, total), total)
        behind.append(least)
    behind.reverse()
    return [
        [
            o
            for o in options
            if o.first in ahead[d]
            and o.end in behind[d + 1]
            and ahead[d][o.first] + o.latency_s + behind[d + 1][o.end] <= model.budget_s
        ]
        for d, options in enumerate(places)
    ]


def limited(
    cluster: Cluster, sequence: Sequence[str], places: list[list[Option]], space: PipelineSpace
) -> tuple[tuple[tuple[Option, ...], ...], Fraction]:
    """The options with their most virtual GPUs, and the most throughput of the pipeline."""
    if not all(places):
        return tuple(() for _ in places), Fraction(0)
    least = [Fraction(1 if space.whole_gpus else Fraction(1, max(o.share for o in options))) for options in places]
    most: list[list[int]] = []
    for d, options in enumerate(places):
        others = sum((need for e, need in enumerate(least) if e != d and sequence[e] == sequence[d]), Fraction(0))
        left = cluster.gpu(sequence[d]).count - others
        most.append([math.floor(left * o.share) for o in options])
    through = [
        max(o.rate_rps * n for o, n in zip(options, counts, strict=True))
        for options, counts in zip(places, most, strict=True)
    ]
    rate = min(through)
    limited = tuple(
        tuple(
            replace(o, most_gpus=min(n, math.ceil(rate / o.rate_rps)))
            for o, n in zip(options, counts, strict=True)
            if n >= 1
        )
        for options, counts in zip(places, most, strict=True)
    )
    return limited if rate > 0 else tuple(() for _ in places), rate


class OutOfTimeError(Exception):
    """The time limit passed while a model was made, before any engine ran."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A pipeline l that a plan may use: one model, one sequence of GPU types.

    Attributes:
        name: model and sequence as in the names of variables.
        model: index of the model.
        gpus: GPU type of each place.
        places: options of each place; empty if none meets the SLO.
        most_rps: an upper bound on its throughput.
    """

    name: str
    model: int
    gpus: tuple[str, ...]
    places: tuple[tuple[Option, ...], ...]
    most_rps: Fraction


@dataclass(frozen=True, slots=True)
class PPipeProblem:
    """PPipe's model of a cluster as plain data.

    Attributes:
        cluster: the cluster.
        space: plan space; one pipeline per model and sequence.
        literal: whether every pipeline is mandatory, as printed.
        slots: pipelines; if they are optional, only usable ones.
        models: names of the models as in the names of variables.
        gpus: GPU types as in the names of variables, by name.
        shares: lowest common multiple of all shares.
    """

    cluster: Cluster
    space: PipelineSpace
    literal: bool
    slots: tuple[Slot, ...]
    models: tuple[str, ...]
    gpus: dict[str, str]
    shares: int

    @property
    def unified(self) -> bool:
        """Whether a pipeline has one batch size."""
        return self.space.unifies_batch(self.cluster)

    @property
    def impossible(self) -> Slot | None:
        """A mandatory pipeline that cannot be used; None if there is none."""
        return next((slot for slot in self.slots if not all(slot.places)), None)

    @property
    def unserved(self) -> int | None:
        """A model that no pipeline can serve within its SLO; None if there is none."""
        return next((m for m in range(len(self.models)) if all(slot.model != m for slot in self.slots)), None)

    def pools(self) -> dict[tuple[int, int, str], list[int]]:
        """Indices of the slots by model, place and GPU type."""
        found: dict[tuple[int, int, str], list[int]] = {}
        for i, slot in enumerate(self.slots):
            for d, gpu in enumerate(slot.gpus):
                found.setdefault((slot.model, d, gpu), []).append(i)
        return found

    @property
    def unit(self) -> Fraction:
        """Unit of the objective, so that engines with fixed tolerances see equal numbers for any weights."""
        if self.space.objective is Objective.THROUGHPUT:
            return 1 / max(model.weight for model in self.cluster.models)
        return Fraction(1)

    @property
    def most(self) -> Fraction:
        """An upper bound on throughput in the objective's unit; for least cost the cost of all GPUs, or 1."""
        if self.space.objective is not Objective.THROUGHPUT:
            prices = ((gpu.price_per_h or Fraction(0)) * gpu.count for gpu in self.cluster.gpus)
            return sum(prices, Fraction(0)) or Fraction(1)
        served = [Fraction(0)] * len(self.models)
        for slot in self.slots:
            served[slot.model] += slot.most_rps
        return min(rate / self.demand(m) for m, rate in enumerate(served))

    @property
    def cost_step(self) -> Fraction:
        """The least difference of two different costs of plans; 0 if all are free."""
        parts = 1 if self.space.whole_gpus else self.shares
        prices = [(gpu.price_per_h or Fraction(0)) / parts for gpu in self.cluster.gpus]
        common = math.lcm(*(price.denominator for price in prices))
        return Fraction(math.gcd(*(int(price * common) for price in prices)), common)

    def demand(self, model: int) -> Fraction:
        """Unit of a model's throughput: weight over largest weight, or for least cost its load in req/s."""
        found = self.cluster.models[model]
        if self.space.objective is Objective.THROUGHPUT:
            return found.weight * self.unit
        assert found.rate_rps is not None
        return found.rate_rps


def _options(cluster: Cluster, model: Model, space: PipelineSpace) -> Callable[[str, int, bool], list[Option]]:
    """Options of a model's places, by GPU type, number of the place and whether it is the last one.

    They do not depend on the GPU types of the other places, which have many combinations.
    """
    partitions = cache(lambda gpu: list(partitions_on(model, gpu, space)))
    return cache(lambda gpu, d, last: options_of(cluster, model, (gpu, d, last), partitions(gpu), space))


def ppipe_problem(
    cluster: Cluster, space: PipelineSpace, *, literal: bool = False, deadline: float = math.inf
) -> PPipeProblem:
    """Pipelines and options of a cluster.

    Args:
        cluster: the cluster.
        space: plan space.
        literal: whether to keep every pipeline, also an unusable one.
        deadline: `time.perf_counter` value at which to stop; infinite means never.

    Raises:
        OutOfTimeError: the deadline passed.
        InputError: the cluster lacks a price or a load for the objective.
    """
    find_family("pipeline").check_space(cluster, space)
    models = readable([model.name for model in cluster.models])
    gpus = dict(zip((gpu.name for gpu in cluster.gpus), readable([gpu.name for gpu in cluster.gpus]), strict=True))
    slots: list[Slot] = []
    for m, model in enumerate(cluster.models):
        options = _options(cluster, model, space)
        for places in range(1, space.most_partitions(cluster) + 1):
            for sequence in product(gpus, repeat=places):
                if is_past(deadline):
                    raise OutOfTimeError
                found = [options(k, d, d == places - 1) for d, k in enumerate(sequence)]
                kept = within_budget(found, model, space.unifies_batch(cluster))
                usable, most = limited(cluster, sequence, kept, space)
                name = "_".join([models[m], *(gpus[k] for k in sequence)])
                if all(usable) or literal:
                    slots.append(Slot(name, m, sequence, usable, most))
    names = readable([slot.name for slot in slots])
    slots = [replace(slot, name=name) for slot, name in zip(slots, names, strict=True)]
    shares = math.lcm(*(profile.share for model in cluster.models for profile in model.profiles))
    return PPipeProblem(cluster, space, literal, tuple(slots), tuple(models), gpus, shares)
