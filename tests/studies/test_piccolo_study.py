"""The study of Piccolo, small: page, tables, references and proofs."""

import math
from pathlib import Path

import pytest

from euclio.experiments.results.tables import load
from studies.inference.measures import measures
from studies.inference.reference import reference_setting
from studies.inference.simulation import accepted
from studies.modules import plans_of
from studies.page_builder import reproduce
from studies.papers.piccolo import PICCOLO, figures
from studies.piccolo.experiment import SEARCHED_MODULES, SYSTEMS
from studies.piccolo.measures import (
    ALTERNATIVES,
    PLAN_OPTIMUM,
    SPLIT_OPTIMUM,
    plan_optimum,
    settled,
    split_optimum,
)

WORKLOADS = 8


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reproduce("piccolo", tmp_path_factory.mktemp("piccolo"), workloads=WORKLOADS, jobs=2, certify=6).parent


@pytest.mark.slow
def test_page_holds_scorecard_figures_and_worked_numbers(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 14
    for number in range(4, 12):
        assert f"Figure {number}. " in page
    for text in ("97.1 %", "erratum", "docs/model/posterior.md", "Draws rejected", "scrooge-milp"):
        assert text in page
    for outside in ("<link", "<script ", "src=", 'href="http'):
        assert outside not in page


@pytest.mark.slow
def test_markdown_scorecard_names_every_figure(report: Path) -> None:
    text = (report / "scorecard.md").read_text(encoding="utf-8")
    assert "Picc-q0.01, mean extra cost" in text
    assert "Table II, strategy 3" in text


@pytest.mark.slow
def test_every_run_has_a_row_and_every_row_a_known_outcome(report: Path) -> None:
    runs, provenance = load(report / "runs.parquet")
    assert provenance["reproduction"] == "piccolo"
    asked = runs[runs.solver.isin([*SYSTEMS, PLAN_OPTIMUM])]
    assert len(asked) == runs.workload.nunique() * (18 + 1)
    # A workload counts that Piccolo has a plan for; other systems have none for some of them.
    assert set(asked[asked.solver.isin(["piccolo", PLAN_OPTIMUM])].status) <= {"optimal", "feasible"}
    assert set(asked.status) <= {"optimal", "feasible", "unknown"}


@pytest.mark.slow
def test_brute_force_is_asked_where_the_proof_leaves_room(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    searched = set(runs[runs.solver == SPLIT_OPTIMUM].workload)
    sampled = runs[runs.split_sample & (runs.modules <= SEARCHED_MODULES)].workload
    assert searched == set(settled(runs).loc[lambda done: ~done].index) & set(sampled)
    assert set(sampled) == set(runs[runs.modules <= SEARCHED_MODULES].workload)


@pytest.mark.slow
def test_references_are_in_order(report: Path) -> None:
    """No split beats the proven optimum of the plan space, and Piccolo beats neither."""
    runs, _ = load(report / "runs.parquet")
    piccolo = runs[runs.solver == PICCOLO].set_index("workload").cost_per_h
    split, plan = split_optimum(runs), plan_optimum(runs)
    assert ((piccolo / split).dropna() >= 1 - 1e-9).all()
    assert ((split / plan).dropna() >= 1 - 1e-6).all()


@pytest.mark.slow
def test_a_sample_of_the_proofs_is_tried(report: Path) -> None:
    table, _ = load(report / "certificates.parquet")
    assert len(table) == 6
    assert set(table.verdict) <= {"certified", "open"}
    assert set(table.solver) == {PLAN_OPTIMUM}


@pytest.mark.slow
def test_measures_are_those_of_the_posteriors_compiled_systems(report: Path) -> None:
    """On the same workloads the checked runs give every figure that the compiled systems give."""
    runs, provenance = load(report / "runs.parquet")
    allocations, _ = load(report / "allocations.parquet")
    solved, _, _ = accepted(PICCOLO, reference_setting(PICCOLO), provenance["seed"], WORKLOADS, exactly=True)
    given = reference_setting(PICCOLO).given
    compiled = measures(PICCOLO, solved, given)
    checked = figures(plans_of(runs, allocations, PICCOLO), given, ALTERNATIVES)
    known = [key for key in compiled if math.isfinite(compiled[key]) and key in checked]
    assert len(known) > 40
    for key in known:
        assert checked[key].value == pytest.approx(compiled[key], rel=1e-5, abs=1e-5), key
