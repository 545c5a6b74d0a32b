"""A cluster as a mixed-integer program that leaves nothing out: every pipeline in time, but for slower ones (ours).

A *template* is a pipeline without numbers of GPUs: types and shares of its partitions, its cuts of the model, its
batch. Of templates with the same types and shares only those stay that no other one equals or beats in every partition:
with the same virtual GPUs the better one serves as much. So the program's optimum is that of the plan space, and the
program rests on no search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from euclio.core.certificate import NoProofError
from euclio.problems.pipeline.evaluate import evaluate
from euclio.problems.pipeline.instance import Cluster, Model
from euclio.problems.pipeline.plan import Partition, PipelinePlan
from euclio.problems.pipeline.space import Objective, PipelineSpace
from euclio.proving.effort import refuse_late
from euclio.proving.files.model import ZERO, Posed, Row, Variable
from euclio.proving.files.model import Model as Program

ONE = Fraction(1)
MOST_VARIABLES = 50_000
"""Variables of the largest program; larger files would be of no use."""
Pool = tuple[str, int]
"""Type and share of a partition's virtual GPUs."""


@dataclass(frozen=True, slots=True)
class Template:
    """A pipeline without numbers of GPUs.

    Attributes:
        model: place of its model in the cluster.
        pools: type and share of each partition.
        ends: block behind the last one of each partition.
        batch: batch size of all partitions.
        rates: requests per second that one virtual GPU of each partition serves.
    """

    model: int
    pools: tuple[Pool, ...]
    ends: tuple[int, ...]
    batch: int
    rates: tuple[Fraction, ...]

    def partitions(self, gpus: tuple[int, ...]) -> tuple[Partition, ...]:
        """Its partitions with these numbers of virtual GPUs."""
        begins = (0, *self.ends)
        return tuple(
            Partition(gpu, share, n, begin, end - 1, self.batch)
            for (gpu, share), n, begin, end in zip(self.pools, gpus, begins, self.ends, strict=False)
        )


def cluster_program(
    cluster: Cluster,
    space: PipelineSpace,
    plan: PipelinePlan,
    cutoff: Fraction | None,
    deadline: float,
    most_variables: int = MOST_VARIABLES,
) -> Posed:
    """The program of a cluster, and a plan as a point of it.

    Args:
        cluster: the instance.
        space: a plan space with one batch per pipeline, GPUs counted whole, and any number of pipelines.
        plan: a feasible plan.
        cutoff: unused, since the program holds all plans.
        deadline: `time.perf_counter` value at which to stop.
        most_variables: variables of the largest program.

    Raises:
        NoProofError: the plan space is another one, or the program would be too large; says why in one line.
    """
    if space.one_per_sequence or not space.whole_gpus or not space.unifies_batch(cluster):
        raise NoProofError("the program covers pipelines of one batch on GPUs that are counted whole")
    templates: list[Template] = []
    variables = 0
    for m in range(len(cluster.models)):
        for found in templates_of(cluster, space, m, deadline):
            templates.append(found)
            variables += len(found.pools) + 1
            if variables > most_variables:
                raise NoProofError(f"the cluster makes a program of more than {most_variables:,} variables")
    return _ProgramBuilder(cluster, space, templates).posed(plan)


def templates_of(cluster: Cluster, space: PipelineSpace, m: int, deadline: float = math.inf) -> Iterator[Template]:
    """The templates of a model that no other one equals or beats in speed, by types and shares.

    Raises:
        GivenUpError: the deadline has passed.
    """
    model = cluster.models[m]
    profiles = [p for p in model.profiles if p.share == 1 or space.virtual_gpus]
    pools = [(p.gpu, p.share) for p in profiles]
    table = {pool: _Latencies(model, *pool) for pool in pools}
    for k in range(1, space.most_partitions(cluster) + 1):
        for chosen in product(pools, repeat=k):
            refuse_late(deadline)
            yield from _fastest(list(_in_time(cluster, space, m, chosen, [table[pool] for pool in chosen])))


class _Latencies:
    """Latencies of ranges of blocks on one pool, by the sums of all blocks before."""

    def __init__(self, model: Model, gpu: str, share: int) -> None:
        profile = model.profile(gpu, share)
        assert profile is not None
        self.batches = max(len(row) for row in profile.latency_s)
        self._sums: list[list[Fraction]] = []
        self._missing: list[list[int]] = []
        for b in range(self.batches):
            sums, missing = [ZERO], [0]
            for row in profile.latency_s:
                sums.append(sums[-1] + (row[b] if b < len(row) else ZERO))
                missing.append(missing[-1] + (b >= len(row)))
            self._sums.append(sums)
            self._missing.append(missing)

    def of(self, first: int, end: int, batch: int) -> Fraction | None:
        """Seconds of blocks `first` to `end`, without the last; None if one was not measured at this batch."""
        sums, missing = self._sums[batch - 1], self._missing[batch - 1]
        return sums[end] - sums[first] if missing[end] == missing[first] else None


def _in_time(
    cluster: Cluster, space: PipelineSpace, m: int, pools: tuple[Pool, ...], tables: list[_Latencies]
) -> Iterator[Template]:
    """Every cut and batch with which a pipeline on these pools keeps its latency objective."""
    model = cluster.models[m]
    sharing = [share * cluster.gpu(gpu).gpus_per_server for gpu, share in pools]
    for batch in range(1, min(table.batches for table in tables) + 1):
        budget = model.budget_s
        if space.batch_build and model.batch_build is not None:
            budget -= model.batch_build.delay_s(batch)
        for cuts in combinations(range(1, model.blocks), len(pools) - 1):
            ends = (*cuts, model.blocks)
            found = [table.of(a, z, batch) for table, a, z in zip(tables, (0, *cuts), ends, strict=True)]
            own = [seconds for seconds in found if seconds is not None]
            crossed = [model.transfer_s_per_request[cut - 1] for cut in cuts]
            if len(own) < len(found) or sum(own, ZERO) + batch * sum(crossed, ZERO) > budget:
                continue
            links = [[*crossed[max(0, k - 1) : k], *crossed[k : k + 1]] for k in range(len(pools))]
            rates = tuple(
                min([batch / s, *(1 / (transfer * n) for transfer in across if transfer)])
                for s, n, across in zip(own, sharing, links, strict=True)
            )
            yield Template(m, pools, ends, batch, rates)


def _fastest(found: list[Template]) -> Iterator[Template]:
    """Those of some templates on the same pools that no other one equals or beats in every partition."""
    kept: list[Template] = []
    # The fastest in sum come first, so no later template is faster than a kept one.
    for one in sorted(found, key=lambda t: (-sum(t.rates), t.batch, t.ends)):
        if not any(all(a >= b for a, b in zip(other.rates, one.rates, strict=True)) for other in kept):
            kept.append(one)
    yield from kept


class _ProgramBuilder:
    """Variables and rows: x_t rate of template t, n_t_k its virtual GPUs in partition k, gpus_m_k_g whole GPUs."""

    def __init__(self, cluster: Cluster, space: PipelineSpace, templates: list[Template]) -> None:
        self._cluster, self._space, self._templates = cluster, space, templates
        self._counts = {gpu.name: gpu.count for gpu in cluster.gpus}
        self._variables: list[Variable] = []
        self._rows: list[Row] = []
        self._served: list[int] = []
        self._virtual: list[list[int]] = []
        self._whole: dict[tuple[int, int, str], int] = {}

    def posed(self, plan: PipelinePlan) -> Posed:
        pools: dict[tuple[int, int, str], dict[int, Fraction]] = {}
        for t, template in enumerate(self._templates):
            self._add_template(t, template, pools)
        used: dict[str, list[int]] = {name: [] for name in self._counts}
        place = {name: g for g, name in enumerate(self._counts)}
        costs = self._space.objective is Objective.COST
        for (m, k, gpu), terms in pools.items():
            price = self._cluster.gpu(gpu).price_per_h if costs else None
            label = f"{m}_{k}_{place[gpu]}"
            whole = self._add(f"gpus_{label}", self._counts[gpu], True, price or ZERO)
            self._whole[m, k, gpu] = whole
            used[gpu].append(whole)
            self._rows.append(Row(f"whole_{label}", {**terms, whole: -ONE}, ZERO))
        for gpu, own in used.items():
            if own:
                self._rows.append(Row(f"count_{place[gpu]}", dict.fromkeys(own, ONE), Fraction(self._counts[gpu])))
        least = self._add_demand()
        program = Program(tuple(self._variables), tuple(self._rows), (), tuple(self._notes()))
        return Posed(program, self._point(plan, least), least is not None)

    def _add(self, name: str, upper: Fraction | int, integer: bool, cost: Fraction = ZERO) -> int:
        self._variables.append(Variable(name, ZERO, Fraction(upper), integer, cost))
        return len(self._variables) - 1

    def _add_template(self, t: int, template: Template, pools: dict[tuple[int, int, str], dict[int, Fraction]]) -> None:
        most = [self._counts[gpu] * share for gpu, share in template.pools]
        # A bound that ends as a decimal, and that no plan reaches.
        served = self._add(f"x_{t}", math.ceil(min(n * r for n, r in zip(most, template.rates, strict=True))), False)
        self._served.append(served)
        self._virtual.append([])
        for k, ((gpu, share), n, rate) in enumerate(zip(template.pools, most, template.rates, strict=True)):
            virtual = self._add(f"n_{t}_{k}", n, True)
            self._virtual[-1].append(virtual)
            self._rows.append(Row(f"serves_{t}_{k}", {served: ONE, virtual: -rate}, ZERO))
            pools.setdefault((template.model, k, gpu), {})[virtual] = Fraction(1, share)

    def _add_demand(self) -> int | None:
        """Rows on each model's throughput; returns the variable to maximise, or None to minimise costs."""
        own = [
            [x for x, template in zip(self._served, self._templates, strict=True) if template.model == m]
            for m in range(len(self._cluster.models))
        ]
        if self._space.objective is Objective.COST:
            for m, (model, served) in enumerate(zip(self._cluster.models, own, strict=True)):
                assert model.rate_rps is not None
                self._rows.append(Row(f"load_{m}", dict.fromkeys(served, -ONE), -model.rate_rps))
            return None
        weights = [model.weight for model in self._cluster.models]
        most = min(
            sum((self._variables[x].upper for x in served), ZERO) / w for served, w in zip(own, weights, strict=True)
        )
        # The program is minimised: a variable to maximise has a cost below 0.
        least = self._add("z", math.ceil(most), False, -ONE)
        for m, (weight, served) in enumerate(zip(weights, own, strict=True)):
            self._rows.append(Row(f"load_{m}", {**dict.fromkeys(served, -ONE), least: weight}, ZERO))
        return least

    def _point(self, plan: PipelinePlan, least: int | None) -> dict[int, Fraction]:
        """A plan as a point: each pipeline counts for a template that is as fast in every partition."""
        checked = evaluate(self._cluster, plan, self._space)
        assert checked.value is not None
        point: dict[int, Fraction] = {} if least is None else {least: checked.value}
        models = {model.name: m for m, model in enumerate(self._cluster.models)}
        shares: dict[tuple[int, int, str], Fraction] = {}
        for pipeline, found in zip(plan.pipelines, checked.pipelines, strict=True):
            m, pools = models[pipeline.model], tuple((p.gpu, p.share) for p in pipeline.partitions)
            each = [rate / p.gpus for rate, p in zip(found.partition_rps, pipeline.partitions, strict=True)]
            t = next(
                t
                for t, one in enumerate(self._templates)
                if one.model == m and one.pools == pools and all(a >= b for a, b in zip(one.rates, each, strict=True))
            )
            point[self._served[t]] = point.get(self._served[t], ZERO) + found.throughput_rps
            for k, p in enumerate(pipeline.partitions):
                virtual = self._virtual[t][k]
                point[virtual] = point.get(virtual, ZERO) + p.gpus
                shares[m, k, p.gpu] = shares.get((m, k, p.gpu), ZERO) + Fraction(p.gpus, p.share)
        return point | {self._whole[pool]: Fraction(math.ceil(amount)) for pool, amount in shares.items()}

    def _notes(self) -> Iterator[str]:
        models = "; ".join(f"{m} is {model.name}" for m, model in enumerate(self._cluster.models))
        types = "; ".join(f"{g} is {gpu.name}" for g, gpu in enumerate(self._cluster.gpus))
        yield f"cluster {self._cluster.name}; models: {models}; GPU types: {types}"
        for t, template in enumerate(self._templates):
            begins = (0, *template.ends)
            parts = ", ".join(
                f"blocks {begin} to {end - 1} on 1/{share} of {gpu}"
                for (gpu, share), begin, end in zip(template.pools, begins, template.ends, strict=False)
            )
            yield f"template {t}: model {template.model}, batch {template.batch}, {parts}"
