"""Measures of outcomes against those of the study, which takes them from a frame of checked runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from test_posterior_workloads import FAIRS, LOOSE

from euclio import evaluate, solve
from euclio.problems.session import FULL_SPACE
from euclio.workloads.session.acceptance import ABLATIONS, BASELINES
from studies.costs import costs
from studies.harpagon.measures import REPRICED_RUN
from studies.inference import references
from studies.inference.measures import SolvedWorkload, measures, plans_of
from studies.inference.prior import PAPERS
from studies.inference.references import Again, optimality, resimulate
from studies.inference.simulation import accepted
from studies.inference.targets import REFERENCES, checked, fitted, full, of_paper, targets
from studies.modules import left, majority_configurations, module_figures
from studies.papers.costs import baselines, extras, normalized
from studies.papers.harpagon import HARPAGON, comparisons, dummies
from studies.papers.modules import dispatch, remaining_budget


@pytest.fixture(scope="module")
def solved() -> list[SolvedWorkload]:
    found, _, _ = accepted("harpagon", LOOSE, 3, 20)
    assert len(found) >= 15
    return found


@pytest.fixture(scope="module")
def runs(solved: list[SolvedWorkload]) -> pd.DataFrame:
    """The outcomes as the study's frame of runs."""
    return pd.DataFrame(
        [
            {
                "workload": f"w{n}",
                "solver": name,
                "cost_per_h": outcome.cost,
                "slo_s": s.workload.slo_s,
                "latency_s": s.workload.slo_s - outcome.left_s,
            }
            for n, s in enumerate(solved)
            for name, outcome in s.outcomes.items()
        ]
    )


def test_costs_are_measured_as_in_the_study(solved: list[SolvedWorkload], runs: pd.DataFrame) -> None:
    """The columns are made twice, of a frame of runs and of outcomes; the measures are the same functions."""
    ours = measures(HARPAGON, solved, "pose")
    ratio = normalized(costs(runs), HARPAGON)
    theirs = {**baselines(ratio, HARPAGON), **extras(ratio, HARPAGON, ABLATIONS), **comparisons(ratio)}
    for key, measured in theirs.items():
        assert ours[key] == pytest.approx(measured.value, rel=1e-9, abs=1e-9, nan_ok=True), key


def test_remaining_budgets_are_measured_as_in_the_study(solved: list[SolvedWorkload], runs: pd.DataFrame) -> None:
    ours = measures(HARPAGON, solved, "pose")
    for name in ("0re", "1re"):
        theirs = remaining_budget(left(runs), f"harpagon:{name}")
        assert ours[f"{name}_remaining_budget"] == pytest.approx(theirs.mean(), rel=1e-6)
        assert ours[f"{name}_remaining_budget_max"] == pytest.approx(theirs.max(), rel=1e-6)


def allocations(solved: list[SolvedWorkload], names: tuple[str, ...]) -> pd.DataFrame:
    """The outcomes of some systems as the study's frame of allocations."""
    rows = [
        {
            "workload": f"w{n}",
            "solver": name,
            "module": m,
            "position": position,
            "hardware": "m",
            "batch": int(s.arrays.batch[k]),
            "concurrency": int(np.rint(s.arrays.throughput[k] * s.arrays.duration[k] / s.arrays.batch[k])),
            "rank": int(k),
            "throughput_rps": s.arrays.throughput[k],
            "price_per_h": s.arrays.price[k],
            "machines": s.machines[k],
            "partial_rps": s.partial[m] if s.partial_at[m] == k else 0.0,
            "module_rate_rps": s.arrays.rate[m],
            "module_dummy_rps": s.dummy[m],
            "module_latency_s": s.latency[m],
            "module_cost_per_h": s.module_cost[m],
        }
        for n, one in enumerate(solved)
        for name in names
        for s in (one.outcomes[name],)
        for m in range(s.dummy.size)
        for position, k in enumerate(
            k for k in range(s.arrays.first[m], s.arrays.first[m + 1]) if s.machines[k] or s.partial_at[m] == k
        )
    ]
    return pd.DataFrame(rows)


def test_dummies_are_measured_as_in_the_study(solved: list[SolvedWorkload], runs: pd.DataFrame) -> None:
    frame = allocations(solved, (HARPAGON, "harpagon:nd"))
    # The study tells configurations apart by hardware, batch and concurrency, of which `m` is no hardware.
    theirs = dummies(costs(runs), module_figures(frame.assign(batch=frame["rank"])))
    ours = measures(HARPAGON, solved, "pose")
    assert theirs["dummy_share"].value > 0
    for key, measured in theirs.items():
        assert ours[key] == pytest.approx(measured.value, rel=1e-6), key


def test_dispatch_is_measured_as_in_the_study(solved: list[SolvedWorkload]) -> None:
    frame = allocations(solved, ("harpagon:2d",))
    ours = measures(HARPAGON, solved, "pose")
    theirs = dispatch(majority_configurations(frame, REPRICED_RUN))
    assert len(theirs) == 2
    for key, measured in theirs.items():
        assert ours[key] == pytest.approx(measured.value, rel=1e-9), key


def test_latencies_of_the_majority_configuration_are_those_of_whole_machines(solved: list[SolvedWorkload]) -> None:
    found = measures(HARPAGON, solved, "pose")
    assert 0 < found["dt_latency_extra"] < found["2d_latency_extra"] < 100


def test_a_workload_without_a_whole_machine_says_nothing_of_dispatch(solved: list[SolvedWorkload]) -> None:
    def found(some: list[SolvedWorkload]) -> dict[str, float]:
        return {key: sample.value for key, sample in dispatch(plans_of(HARPAGON, some).majority).items()}

    some = [s for s in solved if np.isfinite(found([s])["2d_latency_extra"])]
    assert some
    plan = some[0].outcomes[REPRICED_RUN]
    idle = replace(plan, machines=np.zeros_like(plan.machines))
    without = SolvedWorkload(some[0].workload, {**some[0].outcomes, REPRICED_RUN: idle})
    assert np.isnan(found([without])["2d_latency_extra"])
    assert found([*some, without]) == found(some)


@pytest.fixture(scope="module")
def served() -> list[SolvedWorkload]:
    """Workloads of Piccolo's."""
    found, _, _ = accepted("piccolo", FAIRS["piccolo"], 3, 20)
    assert len(found) >= 15
    return found


def test_piccolo_has_a_measure_for_every_figure_that_counts(served: list[SolvedWorkload]) -> None:
    found = measures("piccolo", served, "pose")
    assert {full("piccolo", key) for key in found} >= set(of_paper(tuple(targets()), "piccolo")) - {
        full("piccolo", key) for key in REFERENCES
    }


def test_piccolo_is_measured_by_costs_over_its_own(served: list[SolvedWorkload]) -> None:
    found = measures("piccolo", served, "pose")
    cost = pd.DataFrame([{name: o.cost for name, o in s.outcomes.items()} for s in served])
    extra = 100 * (cost.div(cost.piccolo, axis=0) - 1)
    three = np.array([s.workload.rate_rps.size > 2 for s in served])
    assert found["1bpc_mean_extra"] == pytest.approx(extra["piccolo:1bpc"].mean())
    assert found["2bpc_same_share"] == pytest.approx(100 * (extra["piccolo:2bpc"].abs() < 1e-4).mean())
    assert found["nd_max_extra"] == pytest.approx(extra["piccolo:nd"].max())
    assert found["tb_two_modules_max_extra"] == pytest.approx(extra["piccolo:tb"][~three].max())
    assert found["tb_three_modules_min_extra"] == pytest.approx(extra["piccolo:tb"][three].min())
    assert found["baseline_max_extra_max"] == pytest.approx(extra[list(BASELINES)].max().max())
    assert found["piccolo_cheapest_share"] == pytest.approx(100 * (extra[list(BASELINES)].min(axis=1) > -1e-4).mean())


def test_what_is_printed_for_other_workloads_or_of_other_machines_is_no_target() -> None:
    odd = {
        "harpagon:nb_mean_extra",
        "piccolo:2d_mean_extra",
        "piccolo:baseline_mean_extra_min",
    }
    assert not odd & set(targets())
    assert not [key for key in targets() if "runtime" in key]
    assert set(fitted()) | set(checked()) == set(targets())
    assert not set(fitted()) & set(checked())
    assert {"harpagon:optimal_share", "piccolo:optimal_share"} < set(checked())
    assert {key.partition(":")[0] for key in fitted()} == set(PAPERS)


def test_references_are_those_of_the_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "LIMIT_S", 60.0)
    # Few configurations: what is compared are the searches, not how long they can take.
    small = replace(LOOSE, streams=2, largest_batch=8)
    asked = {
        paper: Again(paper, small, 3, workloads=10, split=6, plan=4 if paper == "harpagon" else 0) for paper in PAPERS
    }
    found = {key: value for again in asked.values() for key, value in resimulate(again).items()}
    for paper, name, count, key in (
        ("harpagon", "split-bruteforce:million", 6, "optimal"),
        ("harpagon", "exact", 4, "plan_optimal"),
        ("piccolo", "piccolo-bruteforce", 6, "optimal"),
    ):
        solved, _, _ = accepted(paper, small, 3, 10)
        best = [float(solve(s.workload.session("w"), name).cost) for s in solved[:count]]
        theirs = optimality(paper, solved[:count], best, key)
        for figure, value in theirs.items():
            # Four digits are kept.
            assert found[full(paper, figure)] == pytest.approx(value, rel=1e-3), figure


def test_plans_of_outcomes_keep_the_objective(solved: list[SolvedWorkload]) -> None:
    from euclio.problems.session.arrays import to_plan

    for s in solved[:5]:
        session, outcome = s.workload.session("w"), s.outcomes[HARPAGON]
        checked_plan = evaluate(
            session, to_plan(session, outcome.arrays, outcome.machines, outcome.partial_at), FULL_SPACE
        )
        assert checked_plan.feasible
        assert float(checked_plan.cost_per_h) == pytest.approx(outcome.cost, rel=1e-9)
        assert outcome.left_s >= -1e-9
        assert np.all(outcome.latency > 0)
