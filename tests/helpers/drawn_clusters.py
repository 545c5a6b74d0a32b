"""Tiny clusters with nasty legal numbers, and their best plans by plain enumeration in fractions."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, inf, lcm, prod

from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Objective, PipelineSpace

TIMES = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "0.333333333333", "1e-12", "0.25")
PRICES = (0, "0.1", 1, 2, 3, "3.3", "0.333333333333333", "1e12", "1e-12")
WEIGHTS = (1, 1, 2, "0.5", "0.333333333333333", 3)


def draw_cluster(rng, wide=False):
    """A cluster of 1 or 2 models with ties everywhere; `rng` is a `random.Random`.

    With `wide` it has 2 or 3 models of at most 2 blocks and 2 or 3 GPU types.
    """
    types = rng.choice((2, 3) if wide else (1, 2, 2))
    counts = (1, 2, 3, 4) if wide else (1, 1, 2, 3)
    gpus = [Gpu(f"g{t}", rng.choice(counts), rng.choice((1, 1, 2)), rng.choice(PRICES)) for t in range(types)]
    blocks = (1, 1, 2) if wide else (1, 2, 2, 3)
    number = rng.choice((2, 3) if wide else (1, 1, 2))
    models = [_model(rng, f"m{i}", [g.name for g in gpus], rng.choice(blocks)) for i in range(number)]
    return Cluster("tiny", gpus, models, rng.choice((1, 2, 2, 3)), rng.random() < 0.5)


def draw_space(rng):
    """Any plan space, whatever the cluster."""
    return PipelineSpace(
        objective=rng.choice(tuple(Objective)),
        max_partitions=rng.choice((None, None, 1, 2, 3)),
        unify_batch=rng.choice((None, None, True, False)),
        virtual_gpus=rng.random() < 0.8,
        batch_build=rng.random() < 0.8,
        one_per_sequence=rng.random() < 0.3,
        whole_gpus=rng.random() < 0.8,
    )


def _model(rng, name, gpus, blocks):
    times = rng.sample(TIMES, 3)
    transfers = [rng.choice((0, 0, "0.1", "0.05", "0.5")) for _ in range(blocks - 1)]
    profiles = []
    for gpu in rng.sample(gpus, rng.choice((len(gpus), len(gpus), 1))):
        for share in (1, *rng.choice(((), (), (2,), (3,)))):
            rows = [
                sorted((rng.choice(times) for _ in range(rng.choice((1, 2, 3)))), key=Fraction) for _ in range(blocks)
            ]
            profiles.append(BlockProfile(gpu, share, rows))
    build = rng.choice((None, None, BatchBuild("1.3", rng.choice((10, "3", "7.7")))))
    weight = rng.choice(WEIGHTS)
    free = Model(name, 1000, transfers, profiles, weight=weight, batch_build=build)
    whole = Cluster("whole", [Gpu(g, 1) for g in gpus], [free], 3, False)
    found = list(pipelines(whole, free, 3, False, True, True))
    latencies = sorted({latency for _, _, latency in found})
    slo = rng.choice(latencies)
    if slo.denominator > 10**15:
        # A latency that no decimal is: the next one above or below it.
        slo = Fraction(rng.choice((ceil(slo * 10**12), int(slo * 10**12))), 10**12)
    slo += rng.choice((0, 0, 0, Fraction(1, 10**12), -Fraction(1, 10**12), 1))
    if not Fraction(1, 10**12) <= slo <= 10**12:
        slo = Fraction(1)
    rate = float(rng.choice([min(rates) for _, rates, _ in found]) * rng.choice((1, 2, 3, 5))) * rng.choice((1, 1, 0.5))
    rate = min(max(rate, 1e-12), 1e12)
    return Model(name, slo, transfers, profiles, weight=weight, batch_build=build, rate_rps=rate)


def pipelines(cluster, model, partitions, unified, virtual, built):
    """Stages (type, share), rates of one virtual GPU each, and latency, of every pipeline whatever its latency."""
    servers = {gpu.name: gpu.gpus_per_server for gpu in cluster.gpus}
    usable = [p for p in model.profiles if virtual or p.share == 1]
    moved = model.transfer_s_per_request
    for parts in range(1, min(partitions, model.blocks) + 1):
        for cuts in combinations(range(1, model.blocks), parts - 1):
            ends = (0, *cuts, model.blocks)
            options = []
            for a, b in pairwise(ends):
                links = [moved[i] for i in (a - 1, b - 1) if 0 <= i < len(moved) and moved[i]]
                own = []
                for p in usable:
                    for batch in range(1, 1 + min(len(row) for row in p.latency_s[a:b])):
                        time = sum(row[batch - 1] for row in p.latency_s[a:b])
                        rate = min([batch / time] + [1 / (x * p.share * servers[p.gpu]) for x in links])
                        own.append(
                            (p.gpu, p.share, batch, rate, time + (moved[b - 1] * batch if b < model.blocks else 0))
                        )
                options.append(own)
            for chain in product(*options):
                if unified and len({s[2] for s in chain}) > 1:
                    continue
                latency = sum(s[4] for s in chain)
                if built and model.batch_build is not None:
                    latency += model.batch_build.delay_s(chain[0][2])
                yield tuple((s[0], s[1]) for s in chain), tuple(s[3] for s in chain), latency


class TooManyPlansError(Exception):
    """A cluster has too many plans to list them all."""


def best_value(cluster, space, most=inf):
    """The best value of any plan, by enumeration of all numbers of virtual GPUs; None: there is no plan.

    Args:
        cluster: the cluster.
        space: the plan space.
        most: plans that are put together, of a pipeline and those before it or of the models; 100,000 take seconds.

    Raises:
        TooManyPlansError: there are more of them.
    """
    tables = [_reachable(cluster, model, space, most) for model in cluster.models]
    if prod(map(len, tables)) > most:
        raise TooManyPlansError
    best = None
    for choice in product(*(table.items() for table in tables)):
        use = [sum(own) for own in zip(*(u for u, _ in choice), strict=True)]
        if any(n > gpu.count for n, gpu in zip(use, cluster.gpus, strict=True)):
            continue
        served = [x for _, x in choice]
        if space.objective is Objective.COST:
            if any(x < m.rate_rps for x, m in zip(served, cluster.models, strict=True)):
                continue
            value = sum((n * gpu.price_per_h for n, gpu in zip(use, cluster.gpus, strict=True)), Fraction(0))
            best = value if best is None else min(best, value)
        else:
            value = min(x / m.weight for x, m in zip(served, cluster.models, strict=True))
            best = value if best is None else max(best, value)
    return best


def _reachable(cluster, model, space, most_steps):
    """Most throughput by GPUs of each type used, above 0."""
    names, counts = [g.name for g in cluster.gpus], {g.name: g.count for g in cluster.gpus}
    most = space.most_partitions(cluster)
    # What is used of a GPU is counted in whole parts of it: fractions would take most of the time.
    parts = lcm(*(profile.share for profile in model.profiles))
    choices = {}
    found = pipelines(cluster, model, most, space.unifies_batch(cluster), space.virtual_gpus, space.batch_build)
    for key, rates, latency in found:
        if latency <= model.budget_s:
            group = tuple(gpu for gpu, _ in key) if space.one_per_sequence else (key, rates)
            choices.setdefault(group, set()).add((key, rates))
    slots = [(k, gpu) for k in range(most) for gpu in names]
    states, steps = {(0,) * len(slots): Fraction(0)}, 0
    for group in choices.values():
        grown = dict(states)
        for key, rates in group:
            taken = [(slots.index((k, gpu)), parts // share) for k, (gpu, share) in enumerate(key)]
            for numbers in product(*(range(1, counts[gpu] * share + 1) for gpu, share in key)):
                gain = min(n * r for n, r in zip(numbers, rates, strict=True))
                steps += len(states)
                if steps > most_steps:
                    raise TooManyPlansError
                for state, served in states.items():
                    new = [*state]
                    for (slot, part), n in zip(taken, numbers, strict=True):
                        new[slot] += n * part
                    if all(n <= counts[g] for g, n in zip(names, _gpus(new, names, parts, space), strict=True)):
                        grown[tuple(new)] = max(grown.get(tuple(new), 0), served + gain)
        states = grown
    table = {}
    for state, served in states.items():
        if served:
            use = tuple(_gpus(state, names, parts, space))
            table[use] = max(table.get(use, 0), served)
    return table


def _gpus(state, names, parts, space):
    """GPUs of each type, of what is used of them by partition and type in `parts` of one."""
    own = [state[k :: len(names)] for k in range(len(names))]
    if space.whole_gpus:
        return [sum(-(-n // parts) for n in used) for used in own]
    return [Fraction(sum(used), parts) for used in own]
