"""The generators draw legal instances, the same for the same seed, and as nasty as they promise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from euclio.files.json_reading import parse_json
from euclio.problems.fragments import Budgets, Fleet, FragmentSpace, Sharing
from euclio.problems.pipeline import Cluster, Objective, PipelineSpace
from euclio.problems.session import DummyRule, PlanSpace, Session
from euclio.problems.session.policies import POLICIES
from tests.drawn.cases import FAMILIES, data_text, drawn, from_data, space_class, to_data
from tests.drawn.clusters import cluster_case
from tests.drawn.numbers import next_float, printed, terminating
from tests.drawn.sessions import MOST_RATIO, session_case

SEEDS = range(600)


@cache
def sessions() -> list[tuple[Session, PlanSpace]]:
    return [(case.instance, case.space) for case in (drawn("session", seed) for seed in SEEDS)]


@cache
def clusters() -> list[tuple[Cluster, PipelineSpace]]:
    return [(case.instance, case.space) for case in (drawn("pipeline", seed) for seed in SEEDS)]


@pytest.mark.parametrize("family", FAMILIES.values())
@pytest.mark.parametrize("seed", range(20))
def test_a_seed_draws_the_same_bytes(family, seed):
    """Reports name a failure by its seed, which has to draw the same case again."""
    assert data_text(to_data(drawn(family, seed))) == data_text(to_data(drawn(family, seed)))


@pytest.mark.parametrize("family", FAMILIES.values())
@pytest.mark.parametrize("seed", range(100))
def test_a_drawn_case_reads_back_from_its_text(family, seed):
    """No number is too long, too large or rounded on its way through a file."""
    case = drawn(family, seed)
    read = from_data(parse_json(data_text(to_data(case))))
    assert (read.instance, read.space) == (case.instance, case.space)


@given(st.randoms(use_true_random=False))
def test_hypothesis_draws_legal_sessions(rng):
    """Whatever the draws, the constructors accept it, and it stays small enough to be listed."""
    session, space = session_case(rng)
    assert 1 <= len(session.modules) <= 4
    assert all(1 <= len(module.profile) <= 5 for module in session.modules)
    assert isinstance(space, PlanSpace)


@given(st.randoms(use_true_random=False))
def test_hypothesis_draws_legal_clusters(rng):
    """Whatever the draws, the constructors accept it, and it stays small enough to be listed."""
    cluster, space = cluster_case(rng)
    assert len(cluster.gpus) <= 3
    assert all(model.blocks <= 3 for model in cluster.models)
    assert isinstance(space, PipelineSpace)


def test_rates_keep_to_the_supported_ratio():
    """A module's rate is at most a billion times what its slowest configuration serves."""
    for session, _ in sessions():
        for module in session.modules:
            assert module.rate_rps <= MOST_RATIO * min(c.throughput_rps for c in module.profile)


def least_path(session: Session, of: Callable[[int], Fraction]) -> Fraction:
    finish: dict[int, Fraction] = {}
    parents = session.parents()
    for i in session.order:
        finish[i] = of(i) + max((finish[p] for p in parents[i]), default=Fraction(0))
    return max(finish.values())


def simple_latencies(session: Session, space: PlanSpace) -> set[Fraction]:
    """Latencies of plans of a single module on one configuration: whole machines that take all of the rate."""
    if len(session.modules) > 1:
        return set()
    module = session.modules[0]
    found = set()
    for c in module.profile:
        found |= {2 * c.duration_s, c.duration_s + c.batch / c.throughput_rps, c.duration_s + c.batch / module.rate_rps}
        whole = -(-module.rate_rps // c.throughput_rps) * c.throughput_rps
        found.add(c.duration_s + c.batch / whole)
    return found


def multiples(session: Session) -> list[tuple[Fraction, Fraction]]:
    """Pairs of a rate and the multiple of a throughput that is nearest to it."""
    pairs = []
    for module in session.modules:
        for c in module.profile:
            n = round(module.rate_rps / c.throughput_rps)
            if 1 <= n <= 100:
                pairs.append((module.rate_rps, n * c.throughput_rps))
    return pairs


NASTY_SESSIONS: dict[str, Callable[[Session, PlanSpace], bool]] = {
    "SLO on a plan's latency": lambda s, p: s.slo_s in simple_latencies(s, p),
    "SLO as a latency prints": lambda s, p: any(
        s.slo_s == printed(x) and terminating(x) is None for x in simple_latencies(s, p)
    ),
    "SLO one float below a latency": lambda s, p: any(s.slo_s == next_float(x, -1) for x in simple_latencies(s, p)),
    "SLO one float above a latency": lambda s, p: any(s.slo_s == next_float(x, 1) for x in simple_latencies(s, p)),
    "rate an exact multiple": lambda s, p: any(rate == x for rate, x in multiples(s)),
    "rate a multiple as it prints": lambda s, p: any(
        rate == printed(x) and terminating(x) is None for rate, x in multiples(s)
    ),
    "rate one float off a multiple": lambda s, p: any(
        rate in (next_float(x, 1), next_float(x, -1)) for rate, x in multiples(s)
    ),
    "rate of less than a millionth machine": lambda s, p: any(
        10**6 * m.rate_rps < c.throughput_rps for m in s.modules for c in m.profile
    ),
    "rate of more than a million machines": lambda s, p: any(
        m.rate_rps > 10**6 * c.throughput_rps for m in s.modules for c in m.profile
    ),
    "price 0": lambda s, p: any(h.price_per_h == 0 for h in s.hardware),
    "price 1e-12": lambda s, p: any(h.price_per_h == Fraction(1, 10**12) for h in s.hardware),
    "price 1e12": lambda s, p: any(h.price_per_h == 10**12 for h in s.hardware),
    "equal prices": lambda s, p: len({h.price_per_h for h in s.hardware}) < len(s.hardware),
    "prices far apart": lambda s, p: any(
        0 < 10**9 * a.price_per_h < b.price_per_h for a in s.hardware for b in s.hardware
    ),
    "equal ratios": lambda s, p: any(
        a is not b and s.price[a.hardware] / a.throughput_rps == s.price[b.hardware] / b.throughput_rps
        for m in s.modules
        for a in m.profile
        for b in m.profile
    ),
    "a repeated profile": lambda s, p: any(a.profile == b.profile for a, b in pairwise(s.modules)),
    "a single configuration": lambda s, p: any(len(m.profile) == 1 for m in s.modules),
    "an isolated module": lambda s, p: len(s.modules) > 1 and any(m.name not in sum(s.edges, ()) for m in s.modules),
    "concurrency": lambda s, p: any(c.concurrency > 1 for m in s.modules for c in m.profile),
    "a duration of 17 digits": lambda s, p: any(
        len(str(c.duration_s.numerator)) >= 15 for m in s.modules for c in m.profile
    ),
    "single hardware": lambda s, p: p.single_hardware,
    "one allocation": lambda s, p: p.max_allocations == 1,
    "some hardware only": lambda s, p: p.hardware is not None,
    "no batching": lambda s, p: not p.batching,
    "no concurrency": lambda s, p: not p.concurrency,
}


@pytest.mark.parametrize("what", NASTY_SESSIONS)
def test_some_session_has(what):
    """Searches rely on the generator to draw every nasty feature."""
    assert any(NASTY_SESSIONS[what](session, space) for session, space in sessions())


def test_every_policy_is_drawn_with_every_dummy_rule():
    """A pair that is never drawn would never be tried by any search."""
    classes = {space_class(space) for _, space in sessions()}
    assert {f"{p.value} {d.value}" for p in POLICIES for d in DummyRule} <= classes


NASTY_CLUSTERS: dict[str, Callable[[Cluster, PipelineSpace], bool]] = {
    "batch lists unequal between blocks": lambda c, p: any(
        len({len(row) for row in profile.latency_s}) > 1 for m in c.models for profile in m.profiles
    ),
    "batch lists unequal between types": lambda c, p: any(
        len({len(profile.latency_s[0]) for profile in m.profiles}) > 1 for m in c.models
    ),
    "a tiny weight": lambda c, p: any(m.weight <= Fraction(1, 10**6) for m in c.models),
    "a huge weight": lambda c, p: any(m.weight >= 10**6 for m in c.models),
    "thirds and halves": lambda c, p: {2, 3} <= {x.share for m in c.models for x in m.profiles},
    "no transfer": lambda c, p: any(not t for m in c.models for t in m.transfer_s_per_request),
    "a transfer slower than a block": lambda c, p: any(
        t > min(row[0] for x in m.profiles for row in x.latency_s) for m in c.models for t in m.transfer_s_per_request
    ),
    "an SLO without its margin on one block's latency": lambda c, p: any(
        m.budget_s == row[b] for m in c.models for x in m.profiles for row in x.latency_s for b in range(len(row))
    ),
    "a margin": lambda c, p: any(m.margin_s for m in c.models),
    "a load that is a multiple of a throughput as it prints": lambda c, p: any(
        m.rate_rps in {printed(n * (b + 1) / row[b]) for n in (1, 2, 3) for b in range(len(row))}
        for m in c.models
        for x in m.profiles
        for row in x.latency_s
    ),
    "price 0": lambda c, p: any(g.price_per_h == 0 for g in c.gpus),
    "no price": lambda c, p: any(g.price_per_h is None for g in c.gpus),
    "batch build": lambda c, p: any(m.batch_build is not None for m in c.models),
    "one GPU of each type": lambda c, p: all(g.count == 1 for g in c.gpus),
    "a type that a model is not measured on": lambda c, p: any(
        {g.name for g in c.gpus} - {x.gpu for x in m.profiles} for m in c.models
    ),
    "least cost": lambda c, p: p.objective is Objective.COST,
    "one pipeline per sequence": lambda c, p: p.one_per_sequence,
    "fractions of GPUs": lambda c, p: not p.whole_gpus,
    "whole GPUs only": lambda c, p: not p.virtual_gpus,
    "batches of their own": lambda c, p: not p.unifies_batch(c),
    "no batch build in the space": lambda c, p: not p.batch_build,
    "fewer partitions than the cluster's": lambda c, p: p.max_partitions is not None,
}


@pytest.mark.parametrize("what", NASTY_CLUSTERS)
def test_some_cluster_has(what):
    """Searches rely on the generator to draw every nasty feature."""
    assert any(NASTY_CLUSTERS[what](cluster, space) for cluster, space in clusters())


@cache
def fleets() -> list[tuple[Fleet, FragmentSpace]]:
    return [(case.instance, case.space) for case in (drawn("fragments", seed) for seed in SEEDS)]


def latencies_alone(fleet: Fleet) -> set[Fraction]:
    """Times of fragments on one stage."""
    own = fleet.network
    found = {
        own.latency_s(f.partition_point, own.layers, batch, share)
        for f in fleet.fragments
        for batch in own.batches
        for share in own.shares_pct
    }
    return {latency for latency in found if latency is not None}


NASTY_FLEETS: dict[str, Callable[[Fleet, FragmentSpace], bool]] = {
    "one fragment": lambda f, p: len(f.fragments) == 1,
    "identical fragments": lambda f, p: (
        len({(x.partition_point, x.budget_s, x.rate_rps) for x in f.fragments}) < len(f.fragments)
    ),
    "begins at the last layer": lambda f, p: all(x.partition_point == f.network.layers - 1 for x in f.fragments),
    "a budget on a frontier step": lambda f, p: any(
        x.budget_s == 2 * y for x in f.fragments for y in latencies_alone(f)
    ),
    "a budget one float below one": lambda f, p: any(
        x.budget_s == next_float(2 * y, -1) for x in f.fragments for y in latencies_alone(f)
    ),
    "a budget of centuries": lambda f, p: any(x.budget_s >= 10**9 for x in f.fragments),
    "rates far apart": lambda f, p: any(10**12 * a.rate_rps < b.rate_rps for a in f.fragments for b in f.fragments),
    "latencies as floats add up": lambda f, p: any(
        x == Fraction("0.30000000000000004") for layer in f.network.layer_latency_s for row in layer for x in row
    ),
    "a latency that grows with the share": lambda f, p: any(
        list(row) != sorted(row, reverse=True) for layer in f.network.layer_latency_s for row in layer
    ),
    "one batch on whole GPUs": lambda f, p: f.network.batches == (1,) and f.network.shares_pct == (100,),
    "GPU memory that a range of layers fills at a measured share": lambda f, p: any(
        100 * f.network.memory_mb(first, end) == share * f.network.server.gpu_memory_mb
        for first in range(f.network.layers)
        for end in range(first + 1, f.network.layers + 1)
        for share in f.network.shares_pct
        if f.network.server is not None and f.network.server.gpu_memory_mb is not None
    ),
    "few instances per GPU": lambda f, p: f.network.server is not None and f.network.server.gpu_instances is not None,
    "budgets of their own": lambda f, p: p.budgets is Budgets.OWN,
    "uniform ones together": lambda f, p: p.sharing is Sharing.UNIFORM,
    "each alone": lambda f, p: p.sharing is Sharing.ALONE,
    "few members": lambda f, p: p.max_members is not None,
    "few instances": lambda f, p: p.max_instances is not None,
}


@pytest.mark.parametrize("what", NASTY_FLEETS)
def test_some_fleet_has(what):
    """Searches rely on the generator to draw every nasty feature."""
    assert any(NASTY_FLEETS[what](fleet, space) for fleet, space in fleets())
