"""Clusters and fleets that are the same in other words (`turns`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, FragmentSpace, Server
from euclio.problems.pipeline import (
    BatchBuild,
    BlockProfile,
    Cluster,
    Gpu,
    Model,
    Objective,
    PipelinePlan,
    PipelineSpace,
)

from .turns import BINARY_MONEY, BINARY_SECONDS, LONGER, MONEY, SECONDS, TWIN, How, Optimum, Turned, legal, new_names

HEAVIER = 2


def cluster_turns(cluster: Cluster, space: PipelineSpace, rng: Random) -> Iterator[Turned]:
    """A cluster in other words, by every law."""
    one, costs = Fraction(1), space.objective is Objective.COST
    gpus = new_names(rng, [g.name for g in cluster.gpus], in_order=False)
    models = new_names(rng, [m.name for m in cluster.models], in_order=False)
    seconds, binary = (rng.choice((s, 1 / s)) for s in (SECONDS, BINARY_SECONDS))
    for law, how, factor in (
        ("order", How(shuffle=rng), one),
        ("names", How(hardware=gpus, modules=models), one),
        ("money", How(money=MONEY), MONEY if costs else one),
        ("time", How(seconds=seconds), one if costs else 1 / seconds),
        ("binary money", How(money=BINARY_MONEY), BINARY_MONEY if costs else one),
        ("binary time", How(seconds=binary), one if costs else 1 / binary),
    ):
        yield from legal(law, lambda how=how, factor=factor: _cluster(cluster, space, how, factor))
    weighted = one if costs else Fraction(1, HEAVIER)
    yield from legal("weights", lambda: _with_models(cluster, space, weighted, "weight", HEAVIER))
    yield from legal("margin", lambda: _later(cluster, space, also_left=True))
    yield from legal("longer", lambda: _later(cluster, space, also_left=False))
    more = [*cluster.gpus, Gpu("not measured", 2, 1, cluster.gpus[0].price_per_h)]
    rng.shuffle(more)
    yield Turned("useless", replace(cluster, gpus=tuple(more)), space, plan=lambda plan: plan)
    yield from legal("slower", lambda: _with_batch(cluster, space))
    yield from legal("stock", lambda: _with_gpu(cluster, space, rng))
    if not space.one_per_sequence:
        yield from legal("twin", lambda: _with_twin(cluster, space, rng))


def _cluster(cluster: Cluster, space: PipelineSpace, how: How, factor: Fraction) -> Turned:
    gpus = [
        replace(g, name=how.on(g.name), price_per_h=None if g.price_per_h is None else g.price_per_h * how.money)
        for g in (cluster.gpus[k] for k in how.order(len(cluster.gpus)))
    ]
    models = [_model(cluster.models[k], how) for k in how.order(len(cluster.models))]

    def same(plan: PipelinePlan) -> PipelinePlan:
        pipelines = [
            replace(p, model=how.of(p.model), partitions=tuple(replace(q, gpu=how.on(q.gpu)) for q in p.partitions))
            for p in plan.pipelines
        ]
        return PipelinePlan(tuple(pipelines))

    found = replace(cluster, gpus=tuple(gpus), models=tuple(models))
    return Turned("", found, space, factor, same, seconds=how.seconds)


def _model(model: Model, how: How) -> Model:
    profiles = [
        BlockProfile(how.on(p.gpu), p.share, [[x * how.seconds for x in row] for row in p.latency_s])
        for p in (model.profiles[k] for k in how.order(len(model.profiles)))
    ]
    build = model.batch_build
    return replace(
        model,
        name=how.of(model.name),
        slo_s=model.slo_s * how.seconds,
        margin_s=model.margin_s * how.seconds,
        transfer_s_per_request=tuple(x * how.seconds for x in model.transfer_s_per_request),
        profiles=tuple(profiles),
        batch_build=None if build is None else BatchBuild(build.factor, build.rate_rps / how.seconds),
        rate_rps=None if model.rate_rps is None else model.rate_rps / how.seconds,
    )


def _with_models(cluster: Cluster, space: PipelineSpace, factor: Fraction, field: str, times: int) -> Turned:
    """The cluster with one number of all models so many times as large."""
    models = tuple(replace(m, **{field: getattr(m, field) * times}) for m in cluster.models)
    return Turned("", replace(cluster, models=models), space, factor, lambda plan: plan)


def _later(cluster: Cluster, space: PipelineSpace, *, also_left: bool) -> Turned:
    """The cluster with longer objectives, and the same margins or such as leave plans what they had."""
    models = []
    for m in cluster.models:
        more = m.slo_s * LONGER - m.slo_s
        models.append(replace(m, slo_s=m.slo_s + more, margin_s=m.margin_s + more if also_left else m.margin_s))
    return Turned(
        "",
        replace(cluster, models=tuple(models)),
        space,
        plan=lambda plan: plan,
        optimum=Optimum.SAME if also_left else Optimum.NO_WORSE,
    )


def _with_batch(cluster: Cluster, space: PipelineSpace) -> Turned:
    """The cluster with one batch more in each profile, on which a block takes the whole objective and more."""
    models = []
    for m in cluster.models:
        profiles = [
            BlockProfile(p.gpu, p.share, [[*row, row[-1] + m.slo_s] for row in p.latency_s]) for p in m.profiles
        ]
        models.append(replace(m, profiles=tuple(profiles)))
    # Rows end where blocks were not measured: one that was as long as the next block's makes new pipelines only with
    # the batch that is too slow.
    return Turned("", replace(cluster, models=tuple(models)), space, plan=lambda plan: plan)


def _with_gpu(cluster: Cluster, space: PipelineSpace, rng: Random) -> Turned:
    """The cluster with one GPU more of a type."""
    place, gpus = rng.randrange(len(cluster.gpus)), list(cluster.gpus)
    gpus[place] = replace(gpus[place], count=gpus[place].count + 1)
    return Turned("", replace(cluster, gpus=tuple(gpus)), space, plan=lambda plan: plan, optimum=Optimum.NO_WORSE)


def _with_twin(cluster: Cluster, space: PipelineSpace, rng: Random) -> Turned | None:
    """The cluster with some GPUs of a type as a type of its own.

    Its plans are plans of the whole type, whose pools are put together and rounded up once: it is the given cluster
    that has more of them.
    """
    able = [k for k, g in enumerate(cluster.gpus) if g.count > 1]
    if not able:
        return None
    place = rng.choice(able)
    own, gpus = cluster.gpus[place], list(cluster.gpus)
    apart = rng.randint(1, own.count - 1)
    gpus[place] = replace(own, count=own.count - apart)
    gpus.append(replace(own, name=own.name + TWIN, count=apart))
    models = [
        replace(
            m,
            profiles=(*m.profiles, *(replace(p, gpu=own.name + TWIN) for p in m.profiles if p.gpu == own.name)),
        )
        for m in cluster.models
    ]
    return Turned("", replace(cluster, gpus=tuple(gpus), models=tuple(models)), space, optimum=Optimum.NO_BETTER)


def fleet_turns(fleet: Fleet, space: FragmentSpace, rng: Random) -> Iterator[Turned]:
    """A fleet in other words, by every law."""
    count = len(fleet.fragments)
    places = rng.sample(range(count), count)
    names = new_names(rng, [f.name for f in fleet.fragments], in_order=False)
    ordered = replace(fleet, fragments=tuple(fleet.fragments[k] for k in places))
    yield Turned("order", ordered, space, plan=lambda plan: _reordered(plan, places))
    renamed = replace(fleet, fragments=tuple(replace(f, name=names[f.name]) for f in fleet.fragments))
    yield Turned("names", renamed, space, plan=lambda plan: plan)
    for law, own in (("time", SECONDS), ("binary time", BINARY_SECONDS)):
        yield from legal(law, lambda own=own: _fleet(fleet, space, rng.choice((own, 1 / own))))
    yield from legal("money", lambda: _in_other_bytes(fleet, space))
    yield from legal("longer", lambda: _with_budgets(fleet, space))
    yield from legal("useless", lambda: _with_rows(fleet, space, max(f.budget_s for f in fleet.fragments)))
    yield from legal("twin", lambda: _with_share(fleet, space, rng))
    yield from legal("layers", lambda: _with_half_layers(fleet, space, rng))
    if count > 1:
        yield Turned("fewer", replace(fleet, fragments=fleet.fragments[:-1]), space, optimum=Optimum.NO_WORSE)


def _reordered(plan: FragmentPlan, places: Sequence[int]) -> FragmentPlan:
    now = {old: new for new, old in enumerate(places)}
    sets = [
        replace(s, heads=tuple(replace(h, fragments=tuple(sorted(now[i] for i in h.fragments))) for h in s.heads))
        for s in plan.sets
    ]
    return FragmentPlan(tuple(sets))


def _fleet(fleet: Fleet, space: FragmentSpace, seconds: Fraction) -> Turned:
    network = fleet.network
    rows = [[[x * seconds for x in row] for row in layer] for layer in network.layer_latency_s]
    fragments = [
        Fragment(f.name, f.partition_point, f.budget_s * seconds, f.rate_rps / seconds) for f in fleet.fragments
    ]
    found = replace(fleet, network=replace(network, layer_latency_s=rows), fragments=tuple(fragments))
    return Turned("", found, space, plan=lambda plan: plan, seconds=seconds)


def _in_other_bytes(fleet: Fleet, space: FragmentSpace) -> Turned | None:
    """The fleet with memory in another unit: it is what a share of a GPU is paid with besides time."""
    network, server = fleet.network, fleet.network.server
    if server is None or server.gpu_memory_mb is None or network.layer_memory_mb is None:
        return None
    besides = network.instance_memory_mb
    changed = replace(
        network,
        layer_memory_mb=tuple(x * MONEY for x in network.layer_memory_mb),
        instance_memory_mb=None if besides is None else besides * MONEY,
        server=Server(server.gpu_memory_mb * MONEY, server.gpu_instances),
    )
    return Turned("", replace(fleet, network=changed), space, plan=lambda plan: plan)


def _with_budgets(fleet: Fleet, space: FragmentSpace) -> Turned:
    """The fleet with longer time budgets; those that were equal stay so."""
    fragments = tuple(replace(f, budget_s=f.budget_s * LONGER) for f in fleet.fragments)
    return Turned("", replace(fleet, fragments=fragments), space, plan=lambda plan: plan, optimum=Optimum.NO_WORSE)


def _with_rows(fleet: Fleet, space: FragmentSpace, seconds: Fraction) -> Turned:
    """The fleet with one batch size more, on which a layer takes more than any time budget."""
    network = fleet.network
    rows = [[*layer, tuple(seconds for _ in network.shares_pct)] for layer in network.layer_latency_s]
    changed = replace(network, batches=(*network.batches, network.batches[-1] + 1), layer_latency_s=rows)
    return Turned("", replace(fleet, network=changed), space, plan=lambda plan: plan)


def _with_share(fleet: Fleet, space: FragmentSpace, rng: Random) -> Turned | None:
    """The fleet with a larger share of a GPU on which all takes as long as on the next smaller one.

    Nothing is gained by it, unless a server's memory has room for an instance only there.
    """
    network = fleet.network
    able = [k for k, s in enumerate(network.shares_pct) if s < 100 and s + 1 not in network.shares_pct]
    if not able:
        return None
    k = rng.choice(able)
    shares = (*network.shares_pct[: k + 1], network.shares_pct[k] + 1, *network.shares_pct[k + 1 :])
    rows = [[(*row[: k + 1], *row[k:]) for row in layer] for layer in network.layer_latency_s]
    changed = replace(network, shares_pct=shares, layer_latency_s=rows)
    optimum = Optimum.SAME if network.server is None else Optimum.NO_WORSE
    return Turned("", replace(fleet, network=changed), space, plan=lambda plan: plan, optimum=optimum)


def _with_half_layers(fleet: Fleet, space: FragmentSpace, rng: Random) -> Turned:
    """The fleet with a layer as two, between which no client cuts: plans may cut there."""
    network = fleet.network
    k = rng.randrange(network.layers)
    half = [[x / 2 for x in row] for row in network.layer_latency_s[k]]
    rows = [*network.layer_latency_s[:k], half, half, *network.layer_latency_s[k + 1 :]]
    memory = network.layer_memory_mb
    if memory is not None:
        memory = (*memory[:k], memory[k], Fraction(0), *memory[k + 1 :])
    fragments = tuple(replace(f, partition_point=f.partition_point + (f.partition_point > k)) for f in fleet.fragments)
    changed = replace(network, layer_latency_s=rows, layer_memory_mb=memory)

    def same(plan: FragmentPlan) -> FragmentPlan:
        return FragmentPlan(
            tuple(replace(s, repartition_point=s.repartition_point + (s.repartition_point > k)) for s in plan.sets)
        )

    return Turned("", replace(fleet, network=changed, fragments=fragments), space, plan=same, optimum=Optimum.NO_WORSE)
