import math
from pathlib import Path

import pytest

from euclio.experiments.results.tables import load
from euclio.workloads.session.acceptance import ABLATIONS
from studies.harpagon.measures import gaps, own_optimum
from studies.inference.measures import measures
from studies.inference.reference import reference_setting
from studies.inference.simulation import accepted
from studies.modules import plans_of
from studies.page_builder import reproduce
from studies.papers.harpagon import figures


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reproduce("harpagon", tmp_path_factory.mktemp("harpagon"), workloads=12, jobs=2).parent


@pytest.mark.slow
def test_page_holds_scorecard_figures_and_findings(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 17
    for text in ("95 % interval", "Theorem 1", "Theorem 2", "Draws rejected", "docs/model/posterior.md", "Readings"):
        assert text in page
    for outside in ("<link", "<script ", "src=", 'href="http'):
        assert outside not in page
    assert page.count("<script>") == 2
    assert "default-src 'none'" in page


@pytest.mark.slow
def test_every_run_has_a_row_and_every_row_a_known_outcome(report: Path) -> None:
    runs, provenance = load(report / "runs.parquet")
    assert provenance["reproduction"] == "harpagon"
    assert len(runs) == 12 * (20 + 3 + 12 + 2 + 5)
    # A workload counts that Harpagon has a plan for; other systems have none for some of them.
    own = runs[runs.solver.isin(["harpagon", "split-bruteforce:million", "exact"])]
    assert len(own) > 0
    assert set(own.status) <= {"optimal", "feasible"}
    assert set(runs.status) <= {"optimal", "feasible", "unknown"}


@pytest.mark.slow
def test_allocations_add_up_to_the_rate_of_their_module(report: Path) -> None:
    table, _ = load(report / "allocations.parquet")
    served = table.machines * table.throughput_rps + table.partial_rps
    total = served.groupby([table.workload, table.solver, table.module]).sum()
    first = table.groupby(["workload", "solver", "module"])[["module_rate_rps", "module_dummy_rps"]].first()
    assert total.to_numpy() == pytest.approx(first.sum(axis=1).to_numpy())


@pytest.mark.slow
def test_markdown_scorecard_names_every_figure(report: Path) -> None:
    text = (report / "scorecard.md").read_text(encoding="utf-8")
    assert "Harp-q0.01, mean extra cost" in text


@pytest.mark.slow
def test_gap_of_every_system_is_split_on_every_workload(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    table = gaps(runs)
    assert len(table) == 12 * 20
    assert table.design.notna().all()
    assert table[table.solver == "harpagon"].total.notna().all()
    # A system without a plan loses all: there is no heuristic to be split off.
    known = table[table.total.notna()]
    assert list(known.design * known.heuristic) == pytest.approx(list(known.total))


@pytest.mark.slow
def test_best_plan_of_a_design_that_fixes_the_hardware_is_on_that_hardware(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    for system in ("harpagon:nhc", "harpagon:nhe"):
        used = runs[runs.solver.isin([system, own_optimum(system)])]
        assert used.hardware.nunique() == 1


@pytest.mark.slow
def test_no_design_beats_the_full_plan_space(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    assert (gaps(runs).design > 1 - 1e-6).all()


@pytest.mark.slow
def test_decomposition_stands_in_page_and_scorecard(report: Path) -> None:
    for name in ("index.html", "scorecard.md"):
        text = (report / name).read_text(encoding="utf-8")
        assert "by heuristic" in text
        assert "Throughput-based splitting, as Table III names it" in text


@pytest.mark.slow
def test_a_sample_of_the_proofs_is_tried(report: Path) -> None:
    table, _ = load(report / "certificates.parquet")
    assert len(table) == 30
    assert set(table.verdict) <= {"certified", "open"}
    assert "runs ended with a proof of their optimum" in (report / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_measures_are_those_of_the_posteriors_compiled_systems(report: Path) -> None:
    """On the same workloads the checked runs give every figure that the compiled systems give."""
    runs, provenance = load(report / "runs.parquet")
    allocations, _ = load(report / "allocations.parquet")
    solved, _, _ = accepted("harpagon", reference_setting("harpagon"), provenance["seed"], 12, exactly=True)
    given = reference_setting("harpagon").given
    compiled = measures("harpagon", solved, given)
    checked = figures(plans_of(runs, allocations, "harpagon"), given, ABLATIONS)
    known = [key for key in compiled if math.isfinite(compiled[key])]
    assert len(known) > 50
    for key in known:
        assert checked[key].value == pytest.approx(compiled[key], rel=1e-5, abs=1e-5), key
