"""The seeded protocol: deterministic, exact counts, unique names, valid sessions."""

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from euclio.core.folders import data_dir
from euclio.problems.session.files.instances import session_to_text
from euclio.workloads.session.acceptance import SYSTEMS, accept_by
from euclio.workloads.session.protocol import ProtocolParameters, draw, judged_draws, latency_range, workloads

FIGURES = json.loads((data_dir() / "published" / "harpagon.json").read_text(encoding="utf-8"))["figures"]


def accept_all(session):
    return []


def test_same_seed_gives_the_same_bytes():
    texts = [[session_to_text(w.session) for w in workloads(accept_all, count=20, seed=3).workloads] for _ in range(2)]
    assert texts[0] == texts[1]


def test_another_seed_gives_other_workloads():
    assert draw(1, 1).session != draw(2, 1).session


def test_a_workload_does_not_depend_on_those_accepted_before():
    chosen = workloads(lambda s: [] if s.name.startswith("pose") else ["x"], count=5, seed=3).workloads
    every = {w.session.name: w for w in workloads(accept_all, count=60, seed=3).workloads}
    assert all(every[w.session.name] == w for w in chosen)


def test_exact_count_and_rejections_counted_per_solver():
    stream = random.Random(0)
    drawn = workloads(lambda s: [n for n in ("a", "b") if stream.random() < 0.4], count=30, seed=3)
    assert len(drawn.workloads) == 30
    assert drawn.drawn - 30 <= drawn.rejected["a"] + drawn.rejected["b"]
    assert max(drawn.rejected.values()) <= drawn.drawn - 30


def test_nothing_accepted_is_an_error():
    with pytest.raises(RuntimeError, match="no draw out of 1000"):
        workloads(lambda s: ["never"], count=1, seed=3)


def test_names_are_unique_and_carry_the_application():
    drawn = workloads(accept_all, count=200, seed=3).workloads
    assert len({w.session.name for w in drawn}) == 200
    assert all(w.session.name.startswith(w.application + "-") for w in drawn)


def test_applications_are_drawn_evenly():
    counts = Counter(w.application for w in workloads(accept_all, count=500, seed=3).workloads)
    assert len(counts) == 5
    assert min(counts.values()) > 60


def test_profile_objects_are_shared_between_workloads():
    drawn = [w.session for w in workloads(accept_all, count=60, seed=3).workloads]
    ids = {(w.name.split("-")[0], m.name, id(m.profile)) for w in drawn for m in w.modules}
    assert len(ids) == len({key[:2] for key in ids})


def test_numbers_are_short_decimals():
    for w in workloads(accept_all, count=60, seed=3).workloads:
        assert (w.session.slo_s * 1000).denominator == 1
        assert all((m.rate_rps * 10**9).denominator == 1 for m in w.session.modules)


def test_tightness_is_the_place_between_least_and_most_useful_latency():
    for w in workloads(accept_all, count=60, seed=3).workloads:
        least, useful = latency_range(w.session)
        assert least + w.tightness * (useful - least) == pytest.approx(float(w.session.slo_s), rel=1e-4)


def test_shortest_slo_is_lifted():
    parameters = ProtocolParameters(slo_over_least=(1.0, 1.0), least_slo_s=0.9)
    assert all(draw(3, k, parameters).session.slo_s >= Fraction(9, 10) for k in range(1, 30))


def test_draws_are_judged_one_by_one():
    asked = []
    judged = judged_draws(lambda s: asked.append(s.name) or (), count=10**6, seed=3)
    assert [next(judged)[0].session.name for _ in range(2)] == asked


def test_accepted_workloads_are_feasible_for_all_systems():
    reject = accept_by()
    drawn = workloads(reject, count=3, seed=3)
    assert all(not reject(w.session) for w in drawn.workloads)
    assert set(drawn.rejected) <= set(SYSTEMS)


def test_half_of_the_published_figures_are_for_fitting():
    roles = Counter(f["role"] for f in FIGURES)
    # Half and half of the numbers in digits; an order that is printed in words came later, and is a check.
    assert (roles["fit"] + roles["doubtful"], roles["check"] + roles["time"]) == (32, 33)
    assert len({f["key"] for f in FIGURES}) == len(FIGURES)


def test_the_optimal_share_is_only_checked():
    assert next(f for f in FIGURES if f["value"] == 91.5)["role"] == "check"
