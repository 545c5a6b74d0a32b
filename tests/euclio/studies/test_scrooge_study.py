import math
from pathlib import Path

import pandas as pd
import pytest
from worked_examples import scrooge

from euclio.studies.building import reproduce
from euclio.studies.scorecard import published_figures
from euclio.studies.scrooge import experiment
from euclio.studies.scrooge.example import example_table, session
from euclio.studies.scrooge.measures import (
    BRUTE_FORCE,
    FIVE_APPLICATIONS,
    GREEDY,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    disagreements,
    measures,
    on_types,
    optima,
    ratio,
)
from euclio.studies.scrooge.text import reasons
from euclio.studies.store import load
from euclio.studies.study import Collected

NONE = math.nan


def runs(costs, **statuses):
    """Runs on workloads w0, w1 and so on; NaN: no plan; optima are proven unless a status says otherwise."""
    rows = []
    for solver, values in costs.items():
        for k, cost in enumerate(values):
            exact = solver in (OPTIMUM, BRUTE_FORCE, on_types(OPTIMUM), on_types(BRUTE_FORCE))
            status = "unknown" if math.isnan(cost) else "optimal" if exact else "feasible"
            rows.append(
                {
                    "workload": f"w{k}",
                    "application": "traffic",
                    "protocol": FIVE_APPLICATIONS,
                    "modules": 2,
                    "solver": solver,
                    "cost_per_h": cost,
                    "status": status,
                    "wall_s": 0.01 * (k + 1),
                    "cpu_s": 0.01,
                    "stat_greedy_fallback": float(k == 1),
                    "stat_vectors": 7.0,
                }
            )
    return pd.DataFrame(rows)


def collected(table):
    """What the measures are taken from."""
    return Collected({"runs": table}, (), None, {}, None, None, {}, 1)


TWO_TYPES = {MILP: [1.0, 1.02, 1.0], GREEDY: [1.0, 1.5, 1.1], BRUTE_FORCE: [1.0, 1.0, NONE], OPTIMUM: [1.0, 1.0, 1.0]}
MANY = {on_types(name): [1.0, 1.0, 1.0] for name in (MILP, GREEDY, BRUTE_FORCE, OPTIMUM)}


def test_shares_and_largest_extra_cost_are_over_the_optimum():
    found = measures(collected(runs({**TWO_TYPES, **MANY})))
    assert found["milp_same_share"].value == pytest.approx(200 / 3)
    assert found["milp_extra_max"].value == pytest.approx(2)
    assert found["greedy_extra_max"].value == pytest.approx(50)


def test_every_published_figure_has_a_measure_and_a_reason():
    table = runs({**TWO_TYPES, **MANY})
    own = table.assign(protocol=OWN_SESSIONS, workload="own-" + table.workload)
    keys = {figure.key for figure in published_figures("scrooge")}
    both = collected(pd.concat([table, own]))
    assert set(measures(both)) == set(reasons(both)) == keys


def test_brute_force_stands_in_where_the_optimum_is_not_proven():
    table = runs({**TWO_TYPES, **MANY, OPTIMUM: [NONE, 1.0, 1.0]})
    assert optima(table)[OPTIMUM].tolist() == [1, 1, 1]


def test_workloads_without_a_proven_optimum_are_left_out():
    table = runs({**TWO_TYPES, **MANY, OPTIMUM: [1.0, 1.0, NONE]})
    assert ratio(table, MILP).index.tolist() == ["w0", "w1"]


def test_two_optima_that_differ_are_counted():
    assert disagreements(runs({**TWO_TYPES, **MANY})) == 0
    assert disagreements(runs({**TWO_TYPES, **MANY, BRUTE_FORCE: [1.0, 1.1, NONE]})) == 1


def test_example_is_the_papers():
    ours, theirs = session(), scrooge()
    assert (ours.modules, ours.hardware, ours.edges, ours.slo_s) == (
        theirs.modules,
        theirs.hardware,
        theirs.edges,
        theirs.slo_s,
    )


def test_every_method_finds_the_papers_optimum_of_the_example():
    assert {row[1:3] for row in example_table().rows[4:]} == {("7.5444", "272.8")}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "SAMPLE", 1)
        return reproduce("scrooge", tmp_path_factory.mktemp("scrooge"), workloads=6).parent


def test_report_holds_scorecard_figures_and_example(report: Path):
    page = (report / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "7 printed figures, by verdict" in page
    assert "disagreements of the two: 0" in page
    assert "7.5444" in (report / "scorecard.md").read_text(encoding="utf-8")


def test_every_run_has_a_row(report: Path):
    table, provenance = load(report / "runs.parquet")
    assert provenance["reproduction"] == "scrooge"
    assert table.protocol.value_counts().to_dict() == {FIVE_APPLICATIONS: 6 * (4 + 3) + 1, OWN_SESSIONS: 3 * 4}
