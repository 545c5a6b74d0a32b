"""The instances on which `euclio.contract` tries solvers of sessions, clusters and fleets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from euclio.core.objective import Goal
from euclio.core.parts import Sources
from euclio.core.space_fields import variants_of
from euclio.problems.fragments.instance import Fleet, Points
from euclio.problems.pipeline.instance import Cluster, Gpu
from euclio.problems.session.instance import Session
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from euclio.workloads.pipeline.instances import ClusterRequest, pipeline_cluster
from euclio.workloads.pipeline.layer_models import FIRST_GROUP, weights
from euclio.workloads.pipeline.setups import find_setup
from euclio.workloads.pipeline.small_clusters import small_cluster
from euclio.workloads.session.random_sessions import chain_from_modules, random_session

SCALE = 2
LARGE_MODULES = 12


def _small_session(seed: int) -> Session:
    modules = 1 + seed % 4
    return random_session(seed, modules, rates_rps=(2.0, 150.0), slo_over_least=(0.7, 4.0))


def _large_session() -> Session:
    return chain_from_modules(0, LARGE_MODULES)


def _scaled_session(session: Session, goal: Goal) -> tuple[Session, Fraction]:
    """All prices doubled."""
    hardware = tuple(replace(h, price_per_h=SCALE * h.price_per_h) for h in session.hardware)
    return replace(session, hardware=hardware), Fraction(SCALE)


def _permuted_session(session: Session) -> Session:
    """Hardware, modules, profiles and edges back to front, modules renamed."""
    names = {module.name: f"renamed {i}" for i, module in enumerate(session.modules)}
    modules = tuple(replace(m, name=names[m.name], profile=m.profile[::-1]) for m in reversed(session.modules))
    edges = tuple((names[a], names[b]) for a, b in reversed(session.edges))
    return replace(session, hardware=session.hardware[::-1], modules=modules, edges=edges)


SESSION_SOURCES = Sources(
    _small_session, _large_session, variants_of, _scaled_session, _permuted_session, ("exact", "plan-bruteforce")
)


FIRST_SEED = 14
"""Among the clusters from here on some can serve every sequence of GPU types, which PPipe's model as printed needs."""


def _small_cluster(seed: int) -> Cluster:
    return small_cluster(FIRST_SEED + seed)


def _large_cluster() -> Cluster:
    return pipeline_cluster(ClusterRequest(find_setup("HC1-L"), FIRST_GROUP, weights(len(FIRST_GROUP), 0)))


def _scaled_cluster(cluster: Cluster, goal: Goal) -> tuple[Cluster, Fraction]:
    """All weights doubled where throughput per weight counts, else all prices."""
    if goal.maximised:
        models = tuple(replace(model, weight=SCALE * model.weight) for model in cluster.models)
        return replace(cluster, models=models), Fraction(1, SCALE)
    return replace(cluster, gpus=tuple(map(_more_expensive, cluster.gpus))), Fraction(SCALE)


def _more_expensive(gpu: Gpu) -> Gpu:
    return gpu if gpu.price_per_h is None else replace(gpu, price_per_h=SCALE * gpu.price_per_h)


def _permuted_cluster(cluster: Cluster) -> Cluster:
    """GPU types, models and profiles back to front, models renamed."""
    models = tuple(
        replace(model, name=f"renamed {i}", profiles=model.profiles[::-1]) for i, model in enumerate(cluster.models)
    )
    return replace(cluster, gpus=cluster.gpus[::-1], models=models[::-1])


CLUSTER_SOURCES = Sources(
    _small_cluster, _large_cluster, variants_of, _scaled_cluster, _permuted_cluster, ("columns", "pipeline-bruteforce")
)


SLOWER = 2


LARGE_FRAGMENTS = 200


# All fleets have the partition points of the mean bandwidth; without these, Static would not be tried.
def _small_fleet(seed: int) -> Fleet:
    return replace(small_fleet(seed), points=Points.MEAN)


def _large_fleet() -> Fleet:
    return replace(random_fleet(0, LARGE_FRAGMENTS, 12), points=Points.MEAN)


def _scaled_fleet(fleet: Fleet, goal: Goal) -> tuple[Fleet, Fraction]:
    """All times are doubled and all rates halved: the same shares serve the fleet."""
    own = fleet.network
    layers = tuple(tuple(tuple(SLOWER * x for x in row) for row in layer) for layer in own.layer_latency_s)
    fragments = [
        replace(fragment, budget_s=SLOWER * fragment.budget_s, rate_rps=fragment.rate_rps / SLOWER)
        for fragment in fleet.fragments
    ]
    network = replace(own, layer_latency_s=layers)
    return replace(fleet, network=network, fragments=tuple(fragments)), Fraction(1)


def _permuted_fleet(fleet: Fleet) -> Fleet:
    """Fragments back to front and renamed."""
    fragments = [replace(fragment, name=f"renamed {i}") for i, fragment in enumerate(fleet.fragments)]
    return replace(fleet, fragments=tuple(fragments[::-1]))


FLEET_SOURCES = Sources(
    _small_fleet, _large_fleet, variants_of, _scaled_fleet, _permuted_fleet, ("set-partition", "fragments-bruteforce")
)
