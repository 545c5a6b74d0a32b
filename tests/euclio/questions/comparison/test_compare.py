import json
from fractions import Fraction
from pathlib import Path

import pytest
from decreed_solvers import EXACT, FIRST, NARROW, NOTHING, SECOND, exact_of_two_spaces
from ppipe_clusters import two_classes
from tiny_sessions import answering, first_configuration, second_configuration, tiny_session

from euclio import compare, decompose
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.registry import Solver
from euclio.core.tables import to_text
from euclio.files import save_instance
from euclio.problems.pipeline.files import save_cluster
from euclio.problems.session import PlanSpace
from euclio.questions.comparison.comparison import chosen_solvers
from euclio.questions.comparison.decomposing import aggregate
from euclio.questions.comparison.figures import draw_comparison
from euclio.questions.comparison.views import comparison_table
from euclio.report.figure_files import save_figure
from euclio.workloads.pipeline.small_clusters import small_cluster

WASTEFUL = Solver("wasteful", "heuristic", "more expensive by its own fault", second_configuration)


@pytest.fixture
def registry(monkeypatch):
    known = {s.name: s for s in (EXACT, SECOND, WASTEFUL, NOTHING, FIRST)}
    monkeypatch.setattr("euclio.core.registry.solvers", lambda family=None: known)
    monkeypatch.setattr("euclio.questions.comparison.comparison.solvers", lambda family=None: known)
    return known


def rows_of(comparison):
    return {row.solver.name: row for row in comparison.rows}


def test_every_heuristic_is_compared_cheapest_first(registry):
    assert [row.solver.name for row in compare(tiny_session(2)).rows] == ["first", "second", "wasteful", "nothing"]


def test_named_solvers_only(registry):
    assert [row.solver.name for row in compare(tiny_session(2), ["second", "exact"]).rows] == ["exact", "second"]


def test_gap_is_to_the_optimum_of_the_full_space(registry):
    found = rows_of(compare(tiny_session(2)))
    assert (found["first"].gap, found["second"].gap, found["nothing"].gap) == (0, pytest.approx(1 / 3), None)


def test_gap_splits_into_design_and_heuristic(registry):
    found = rows_of(compare(tiny_session(2)))
    assert (found["second"].design_share, found["second"].heuristic_share) == (1, 0)
    assert (found["wasteful"].design_share, found["wasteful"].heuristic_share) == (0, 1)


def test_no_gap_has_no_split(registry):
    assert rows_of(compare(tiny_session(2)))["first"].design_share is None


def test_own_optimum_is_solved_once_per_plan_space(registry, monkeypatch):
    spaces = []

    def counted(session, space, limits):
        spaces.extend([space] if session.name == "tiny" else [])
        return exact_of_two_spaces(session, space, limits)

    registry["exact"] = Solver("exact", "exact", "counts its runs", counted)
    compare(tiny_session(2))
    assert sorted(spaces, key=str) == sorted([PlanSpace(), NARROW], key=str)


def test_without_exact_solver_gaps_are_dashes(registry):
    del registry["exact"]
    comparison = compare(tiny_session(2))
    assert comparison.optimum is None
    line = next(x for x in to_text(comparison_table(comparison)).splitlines() if x.startswith("first"))
    assert line.split()[:6] == ["first", "1.500", "-", "-", "-", "-"]


def test_optimum_that_is_not_proven_is_not_used(registry):
    registry["exact"] = Solver("exact", "exact", "hits its limit", first_configuration)
    comparison = compare(tiny_session(2))
    assert rows_of(comparison)["second"].gap is None
    assert "optimum not proven (feasible; cost 1.5, no bound)" in to_text(comparison_table(comparison))


def test_unknown_solver_is_named():
    with pytest.raises(InputError, match="unknown solver 'hrapagon'"):
        compare(tiny_session(2), ["hrapagon"])


def test_plain_data_keeps_exact_costs(registry):
    data = compare(tiny_session(2)).describe()
    assert (data["optimum_per_h"], data["systems"][1]["cost_per_h"]) == (Fraction(3, 2), Fraction(2))


def test_table_fits_100_columns(registry):
    assert max(map(len, to_text(comparison_table(compare(tiny_session(2)))).splitlines())) <= 100


def test_bars_are_stacked_optimum_design_heuristic(registry):
    axes = draw_comparison(compare(tiny_session(2))).axes[0]
    second = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == 1]
    assert [(round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in second] == [(0, 1.5), (1.5, 0.5)]


@pytest.mark.fifth("ending")
@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_figure_is_written(registry, tmp_path, ending):
    path = tmp_path / f"c{ending}"
    save_figure(draw_comparison(compare(tiny_session(2))), path)
    assert path.stat().st_size > 1000


def test_figure_that_cannot_be_written_is_bad_input(registry):
    with pytest.raises(InputError, match="cannot be written"):
        save_figure(draw_comparison(compare(tiny_session(2))), Path("/no/such/folder/c.svg"))


def test_infeasible_session_is_called_so(registry):
    registry["exact"] = answering(None, name="exact", kind="exact", infeasible=True)
    assert "tiny: infeasible, the full plan space has no plan" in to_text(comparison_table(compare(tiny_session(2))))


def test_an_optimum_is_said_to_be_of_one_dispatch_rule(registry):
    """Piccolo's rule serves some sessions for less than the optimum under Harpagon's, so that is no floor of all."""
    assert "of one dispatch rule; other rules may cost less" in to_text(comparison_table(compare(tiny_session(2))))


@pytest.fixture(scope="module")
def clusters():
    """Clusters of two GPU types compared: what is lost of the throughput, and the cost for a load of 90 req/s."""
    names = ["no-partitioning", "dart-r", "columns"]
    return {goal: compare(two_classes(rate_rps=90), names, objective=goal) for goal in ("throughput", "cost")}


def test_most_throughput_comes_first(clusters):
    """Worked out in `ppipe_clusters`: 120 req/s at most, and 50 + 20 + 20 with whole models."""
    assert [row.result.value for row in clusters["throughput"].rows] == [120, 120, 90]


def test_gap_of_throughput_is_what_is_lost_of_the_optimum(clusters):
    assert rows_of(clusters["throughput"])["no-partitioning"].gap == pytest.approx(0.25)


def test_whole_models_lose_by_design(clusters):
    row = rows_of(clusters["throughput"])["no-partitioning"]
    assert (row.own_optimum, row.design_share) == (90, 1)


def test_clusters_are_compared_by_cost_too(clusters):
    """At 90 req/s B -> A is cheapest ($4)."""
    assert clusters["cost"].optimum == 4


def test_what_is_lost_of_the_throughput_is_stacked_after_what_is_reached(clusters):
    axes = draw_comparison(clusters["throughput"]).axes[0]
    assert axes.get_xlabel() == "throughput (req/s per weight)"
    place = [row.solver.name for row in clusters["throughput"].rows].index("no-partitioning")
    bars = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == place]
    assert [(round(bar.get_x(), 6), round(bar.get_width(), 6)) for bar in bars] == [(0, 90), (90, 30)]


def test_plain_data_of_clusters_names_the_unit(clusters):
    data = clusters["throughput"].describe()
    assert (data["optimum_rps"], data["systems"][0]["throughput_rps"]) == (120, 120)


def test_table_of_clusters_fits_100_columns(clusters):
    assert max(map(len, to_text(comparison_table(clusters["throughput"])).splitlines())) <= 100


def test_clusters_are_compared_with_systems_of_clusters():
    assert {s.family for s in chosen_solvers(None, find_family("pipeline"))} == {"pipeline"}


def test_published_models_with_a_plan_space_of_their_own_are_systems():
    assert "ppipe" in {s.name for s in chosen_solvers(None, find_family("pipeline"))}


def test_session_solver_on_a_cluster_is_refused():
    with pytest.raises(InputError, match="solver 'harpagon' is for sessions"):
        compare(two_classes(), ["harpagon"])


def test_objective_that_the_family_lacks_is_refused():
    with pytest.raises(InputError, match="objective='throughput': sessions have cost"):
        compare(tiny_session(2), [], objective="throughput")


def test_throughput_lost_by_design_and_by_heuristic_adds_up_to_the_gap():
    table = decompose(two_classes(), ["no-partitioning", "dart-r"])
    known = table.dropna(subset=["design", "heuristic"])
    assert len(known)
    assert known.throughput_rps.le(known.optimum_rps).all()
    assert (known.design_extra + known.heuristic_extra).tolist() == pytest.approx((1 - known.total).tolist())
    assert aggregate(table).design_free.between(0, 1).all()


@pytest.mark.fifth("objective")
@pytest.mark.parametrize(("objective", "head"), [("throughput", "lost throughput"), ("cost", "extra cost")])
def test_decompose_command_serves_clusters_by_either_objective(capsys, tmp_path, objective, head):
    path, figure = tmp_path / "c.json", tmp_path / "gaps.svg"
    save_cluster(small_cluster(14), path)
    arguments = ("--solvers", "no-partitioning", "--objective", objective, "--plot", str(figure))
    assert main(["decompose", str(path), *arguments]) == 0
    assert f"{head} in % of the optimum" in capsys.readouterr().out
    assert figure.stat().st_size > 1000


def test_instances_of_two_families_are_not_decomposed_together():
    with pytest.raises(InputError, match="decompose them one family at a time"):
        decompose([two_classes(), tiny_session(2)])


def test_command_compares_clusters(tmp_path, capsys):
    save_cluster(two_classes(), tmp_path / "c.json")
    code = main(["compare", str(tmp_path / "c.json"), "--solvers", "no-partitioning"])
    assert (code, "optimum 120 req/s per weight" in capsys.readouterr().out) == (0, True)


def test_table_of_clusters_shows_all_headings_and_times(clusters):
    lines = to_text(comparison_table(clusters["throughput"])).splitlines()
    assert " ".join(lines[5].split()) == "system throughput gap best of its design by design by heuristic time"
    assert all(line.endswith("s") for line in lines[7:])


def test_a_planner_compares_few_systems_and_a_researcher_all(tmp_path, capsys):
    """Twenty ablations answer no question of who buys machines."""
    file = str(tmp_path / "s.json")
    save_instance(tiny_session(), file)
    assert main(["compare", file, "--json"]) == 0
    few = [row["solver"] for row in json.loads(capsys.readouterr().out)["systems"]]
    rules = {"rate-over-throughput", "utilisation-70", "square-root-staffing"}
    assert set(few) == {"clipper", "exact", "inferline", "whole-greedy"} | rules
    papers = compare(file, systems="papers").rows
    assert not rules & {row.solver.name for row in papers}
    assert len(papers) > len(few)
    assert main(["compare", file]) == 0
    assert "clipper: Clipper as Harpagon's Table III describes it" in capsys.readouterr().out
    assert main(["compare", file, "--systems", "all"]) == 2
    assert "--systems: is 'all'; give planner or papers" in capsys.readouterr().err
    assert main(["compare", file, "--systems", "papers", "--solvers", "exact"]) == 2
    assert "--systems: is a set of systems, and --solvers names them" in capsys.readouterr().err
