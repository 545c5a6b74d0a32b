from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from euclio.session.workloads.protocol import draw, workloads
from euclio.studies.harpagon import drawing, reproduce
from euclio.studies.harpagon.decomposition import gaps
from euclio.studies.harpagon.tasks import own_optimum
from euclio.studies.harpagon.workers import Outcome
from euclio.studies.store import load


class SerialPool:
    """Stands in for worker processes: accepts every third draw without running anything."""

    def submit(self, function: object, job: tuple[int, range, Any]) -> Future[list[Outcome]]:
        """Run the job at once."""
        seed, numbers, _ = job
        done: Future[list[Outcome]] = Future()
        done.set_result([Outcome(draw(seed, n), () if n % 3 == 0 else ("some",), (), ()) for n in numbers])
        return done


@pytest.mark.parametrize("jobs", [1, 3])
def test_drawing_ahead_yields_what_the_protocol_draws_one_by_one(jobs: int) -> None:
    ahead = drawing.draw_workloads(cast(ProcessPoolExecutor, SerialPool()), jobs, 10, 7, lambda _: None)
    number = iter(range(1, 1000))
    one_by_one = workloads(lambda _: () if next(number) % 3 == 0 else ("some",), 10, 7)
    assert ahead.draws == one_by_one
    assert [o.workload for o in ahead.outcomes] == list(one_by_one.workloads)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reproduce(tmp_path_factory.mktemp("harpagon"), workloads=12, jobs=2).parent


def test_page_holds_scorecard_figures_and_findings(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 11
    for text in ("95 % interval", "Theorem 1", "Theorem 2", "Draws rejected per solver"):
        assert text in page
    for outside in ("<link", "<script ", "src=", 'href="http'):
        assert outside not in page
    assert page.count("<script>") == 2
    assert "default-src 'none'" in page


def test_every_run_has_a_row_and_every_row_a_known_outcome(report: Path) -> None:
    runs, provenance = load(report / "runs.parquet")
    assert provenance["reproduction"] == "harpagon"
    assert len(runs) == 12 * (20 + 3 + 12 + 2)
    assert set(runs.status) <= {"optimal", "feasible"}


def test_allocations_add_up_to_the_rate_of_their_module(report: Path) -> None:
    table, _ = load(report / "allocations.parquet")
    served = table.machines * table.throughput_rps + table.partial_rps
    total = served.groupby([table.workload, table.solver, table.module]).sum()
    first = table.groupby(["workload", "solver", "module"])[["module_rate_rps", "module_dummy_rps"]].first()
    assert total.to_numpy() == pytest.approx(first.sum(axis=1).to_numpy())


def test_markdown_scorecard_names_every_figure(report: Path) -> None:
    text = (report / "scorecard.md").read_text(encoding="utf-8")
    assert "Harp-q0.01, mean extra cost" in text


def test_gap_of_every_system_is_split_on_every_workload(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    table = gaps(runs)
    assert len(table) == 12 * 20
    assert table.design.notna().all()
    assert list(table.design * table.heuristic) == pytest.approx(list(table.total))


def test_best_plan_of_a_design_that_fixes_the_hardware_is_on_that_hardware(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    for system in ("harpagon:nhc", "harpagon:nhe"):
        used = runs[runs.solver.isin([system, own_optimum(system)])]
        assert used.hardware.nunique() == 1


def test_no_design_beats_the_full_plan_space(report: Path) -> None:
    runs, _ = load(report / "runs.parquet")
    assert (gaps(runs).design > 1 - 1e-6).all()


def test_decomposition_stands_in_page_and_scorecard(report: Path) -> None:
    for name in ("index.html", "scorecard.md"):
        text = (report / name).read_text(encoding="utf-8")
        assert "by heuristic" in text
        assert "Throughput-based splitting, taken as Table III names it" in text


def test_a_sample_of_the_proofs_is_tried(report: Path) -> None:
    table, _ = load(report / "certificates.parquet")
    assert len(table) == 30
    assert set(table.verdict) <= {"certified", "open"}
    assert "runs ended with a proof of their optimum" in (report / "index.html").read_text(encoding="utf-8")
