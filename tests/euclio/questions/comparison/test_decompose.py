import json
from fractions import Fraction

import pytest
from tiny_sessions import answering, tiny_session

from euclio import decompose
from euclio.cli import main
from euclio.core.registry import Limits, find_solver
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.files.instances import save_session
from euclio.questions.comparison.comparison import compare
from euclio.questions.comparison.decomposing import aggregate, describe
from euclio.questions.comparison.figures import draw_decomposition
from euclio.questions.comparison.gap import Gap

SYSTEMS = ["harpagon", "harpagon:2d", "harpagon:nhe", "nexus"]


def two_modules(slo):
    """Two modules in a row, three batches on each of two hardware types."""
    durations = {"A": ("0.1", "0.15", "0.25"), "B": ("0.05", "0.08", "0.14")}
    profile = [Configuration(h, b, 1, d) for h, ds in durations.items() for b, d in zip((1, 2, 4), ds, strict=True)]
    modules = [Module("first", 33, profile), Module("second", 50, profile)]
    return Session("two", slo, [Hardware("A", 1), Hardware("B", "1.9")], modules, [("first", "second")])


@pytest.fixture(scope="module")
def table():
    return decompose([two_modules(slo) for slo in ("0.6", "0.8", "1.0")], SYSTEMS)


@pytest.fixture
def files(tmp_path):
    for name, slo in (("a", 1), ("b", 2)):
        save_session(two_modules(slo), tmp_path / f"{name}.json")
    return tmp_path


def test_cost_is_optimum_times_design_times_heuristic():
    gap = Gap(Fraction(6), Fraction(3), Fraction(2))
    assert (gap.design, gap.heuristic, gap.total) == (1.5, 2.0, 3.0)


def test_parts_add_up_to_the_gap():
    assert Gap(Fraction(6), Fraction(3), Fraction(2)).parts == (0.5, 1.5)


@pytest.mark.parametrize(
    ("gap", "known"),
    [
        (Gap(Fraction(6), None, Fraction(2)), (None, None, 3.0)),
        (Gap(Fraction(6), Fraction(3), None), (None, 2.0, None)),
        (Gap(None, Fraction(3), Fraction(2)), (1.5, None, None)),
        (Gap(Fraction(0), Fraction(0), Fraction(0)), (None, None, None)),
    ],
)
def test_what_is_not_known_or_free_has_no_ratio(gap, known):
    assert (gap.design, gap.heuristic, gap.total) == known


def test_cost_below_the_proven_optimum_of_its_space_is_an_error():
    with pytest.raises(RuntimeError, match="below the proven optimum"):
        Gap(Fraction(2), Fraction(3), Fraction(1))


def test_there_is_a_row_per_session_and_system_in_the_order_asked_for(table):
    assert list(table.solver) == SYSTEMS * 3


def test_factors_multiply_to_the_total(table):
    assert list(table.design * table.heuristic) == pytest.approx(list(table.total))


def test_mean_extra_costs_add_up_to_the_mean_gap(table):
    found = aggregate(table)
    assert list(found.design_extra + found.heuristic_extra) == pytest.approx(list(found.total_mean - 1))


def test_no_factor_is_below_one(table):
    assert (table[["design", "heuristic"]] > 1 - 1e-6).all(axis=None)


def test_optimum_that_is_not_proven_leaves_ratios_empty(monkeypatch):
    known = {s.name: s for s in (answering(None, name="exact", kind="exact"), find_solver("harpagon"))}
    monkeypatch.setattr("euclio.core.registry.solvers", lambda family=None: known)
    monkeypatch.setattr("euclio.questions.comparison.comparison.solvers", lambda family=None: known)
    found = decompose(tiny_session(1))
    assert found[["design", "heuristic", "total"]].isna().all(axis=None)
    assert aggregate(found).loc["harpagon", "split"] == 0


def test_system_without_a_plan_that_its_space_has_missed_one():
    found = decompose(two_modules(1), [answering(None, name="lost", infeasible=True), "harpagon"])
    assert list(aggregate(found).missed) == [1, 0]
    assert list(found.reason) == ["it found no plan, and its plan space has one", ""]


def test_rows_have_the_names_of_other_frames_and_sizes_of_their_instances(table):
    """So that a decomposition is joined with a comparison, and looked at by rate, SLO and tightness."""
    compared = compare(two_modules("0.6"), SYSTEMS).frame().set_index("solver")
    rows = table[table.slo_s == 0.6].set_index("solver")
    assert {"cost", "gap", "reason", "status"} <= set(compared) & set(rows)
    for name in SYSTEMS:
        assert (rows.cost[name], rows.gap[name]) == pytest.approx((compared.cost[name], compared.gap[name]))
    assert (set(rows.rate_rps), set(rows.modules)) == ({33.0}, {2})
    assert rows.tightness.between(-1, 1).all()


def test_figure_says_on_how_many_instances_a_system_was_split():
    found = decompose([two_modules("0.2"), two_modules(1)], ["harpagon", "nexus"])
    labels = [t.get_text() for axes in draw_decomposition(found).axes[::2] for t in axes.get_yticklabels()]
    assert sorted(labels) == ["harpagon", "nexus (1 of 2)"]


def test_figure_of_nothing_known_says_so(monkeypatch):
    known = {s.name: s for s in (answering(None, name="exact", kind="exact"), find_solver("harpagon"))}
    monkeypatch.setattr("euclio.core.registry.solvers", lambda family=None: known)
    monkeypatch.setattr("euclio.questions.comparison.comparison.solvers", lambda family=None: known)
    assert "no gap is known" in draw_decomposition(decompose(tiny_session(1))).axes[0].get_title("left")


def test_figure_groups_a_system_with_its_variants(table):
    names = [[t.get_text() for t in axes.get_yticklabels()] for axes in draw_decomposition(table).axes[::2]]
    assert [sorted(group) for group in names] == [["nexus"], ["harpagon", "harpagon:2d", "harpagon:nhe"]]


def test_plain_data_is_valid_json_without_nan(table):
    assert "NaN" not in json.dumps(describe(table))


def two_prices(cheap, expensive):
    profile = [Configuration("A", 1, 1, "0.05"), Configuration("B", 1, 1, "0.05"), Configuration("C", 1, 1, "0.02")]
    return Session(
        "s", 1, [Hardware("B", cheap), Hardware("A", cheap), Hardware("C", expensive)], [Module("m", 10, profile)]
    )


@pytest.mark.parametrize(("label", "kept"), [("nhc", "A"), ("nhe", "C")])
def test_design_that_fixes_the_hardware_is_held_against_that_hardware(label, kept):
    result = solve(two_prices(1, 5), f"harpagon:{label}")
    assert result.space == PlanSpace(hardware=(kept,))


def test_equal_prices_are_decided_by_name():
    assert find_solver("harpagon:nhe").space_on(two_prices(1, 1)) == PlanSpace(hardware=("C",))


def test_design_that_fixes_the_hardware_picks_among_the_allowed():
    space = find_solver("harpagon:nhc").space_on(two_prices(1, 5), PlanSpace(single_hardware=True, hardware=("C",)))
    assert space == PlanSpace(hardware=("C",))


def test_other_solvers_keep_their_plan_space():
    solver = find_solver("nexus")
    assert solver.space_on(two_prices(1, 5)) == solver.space


def test_most_expensive_hardware_is_the_designs_loss_not_the_heuristics():
    row = compare(two_prices(1, 50), ["harpagon:nhe"]).rows[0]
    assert row.split.design > 1
    assert row.split.heuristic == 1


def test_run_of_a_solver_keeps_to_its_hardware_without_being_asked():
    solver = find_solver("harpagon:nhc")
    plan = solver.run(two_prices(1, 5), solver.space, Limits()).plan
    assert {a.configuration.hardware for m in plan.modules for a in m.allocations} == {"A"}


def test_command_takes_folders(files, capsys):
    assert main(["decompose", str(files), "--solvers", "harpagon,nexus"]) == 0
    assert capsys.readouterr().out.startswith("2 instances")


def test_json_is_all_that_stands_on_standard_output(files, capsys):
    assert main(["decompose", str(files / "a.json"), "--solvers", "harpagon", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "euclio/decomposition/1"
    assert found["systems"][0]["split"] == 1


def test_command_writes_rows_and_figure(files):
    plot, rows = files / "p.svg", files / "r.csv"
    code = main(["decompose", str(files / "a.json"), "--solvers", "nexus", "--plot", str(plot), "--csv", str(rows)])
    assert (code, plot.stat().st_size > 1000, len(rows.read_text().splitlines())) == (0, True, 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing to decompose"),
        (["--seed", "3"], "give --workloads N too"),
        (["no-such.json"], "no-such.json"),
        (["a.json", "--solvers", "nexsu"], "did you mean"),
        (["a.json", "--plot", "p.gif"], "cannot be drawn"),
        (["empty"], "no file that ends in .json"),
    ],
)
def test_bad_input_is_one_line(files, monkeypatch, capsys, arguments, words):
    """A folder of files is read before any is solved, so a mistake in the last one costs no time."""
    monkeypatch.chdir(files)
    (files / "empty").mkdir()
    assert main(["decompose", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


def test_sessions_without_a_plan_are_infeasible(files, capsys):
    save_session(two_modules("0.001"), files / "c.json")
    assert main(["decompose", str(files / "c.json"), "--solvers", "harpagon"]) == 3
    assert "infeasible" in capsys.readouterr().err
