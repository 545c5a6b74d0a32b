from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_sessions import answering, first_configuration, one_configuration_plan, tiny_session

from euclio import solve
from euclio.cli import main
from euclio.core.registry import Solver
from euclio.core.tables import solver_table, to_text
from euclio.core.words import duration, figures
from euclio.files import save_instance
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.table import MOST_MODULES, describe_space, module_budgets, plan_table


def table_of(session, plan, bound=1.2):
    return to_text(
        plan_table(session, solve(session, replace(answering(plan, bound=bound), covers=frozenset({"largest_share"}))))
    )


def test_header_says_cost_bound_latency_solver_and_space():
    session = tiny_session()
    first, second, by_type, third = table_of(session, one_configuration_plan(session)).splitlines()[:4]
    assert first == "tiny: feasible, cost 1.5 per hour, bound 1.2 (gap 20.00 %)"
    assert second.startswith("latency 700.000 of 1,000.0 ms (70.0 % of the SLO), modules 2, machines 1")
    assert by_type == "machines: V100 parts of 2 machines, 1 in all"
    assert third.endswith("dispatch: batches in turn (tc); spare capacity where it lowers the cost")


def test_rows_say_machines_utilisation_rate_latency_budget_and_share():
    session = tiny_session()
    result = solve(session, answering(one_configuration_plan(session)))
    rows = [" ".join(line.split()) for line in to_text(plan_table(session, result), width=120).splitlines()]
    assert "detect V100 2 1 0 + 0.500 50 % 10.000 300.000 600.000 0.75 50.0 %" in rows
    assert "classify V100 1 2 0 + 0.500 50 % 5.000 400.000 700.000 0.75 50.0 %" in rows


def test_legend_explains_a_machine_that_is_used_in_part_where_there_is_one():
    session = tiny_session()
    text = table_of(session, one_configuration_plan(session))
    assert "machines: whole ones + the share of one more that is used" in text
    whole = Session("w", 1, [Hardware("x", 1)], [Module("m", 20, [Configuration("x", 2, 1, "0.1")])])
    assert "machines:" not in table_of(whole, one_configuration_plan(whole))


def test_header_says_cost_per_month_and_per_million_requests():
    session = tiny_session()
    found = table_of(session, one_configuration_plan(session)).splitlines()[4]
    # 1.5 per hour for 730 hours; 10 req/s of the source are 36,000 requests per hour.
    assert found == "1,095 per month of 730 h, 41.67 per million requests at 10 req/s"


def test_header_names_the_currency_where_there_is_one():
    session = replace(tiny_session(), currency="EUR")
    lines = table_of(session, one_configuration_plan(session)).splitlines()
    assert "cost 1.5 EUR per hour" in lines[0]
    assert lines[4] == "1,095 EUR per month of 730 h, 41.67 EUR per million requests at 10 req/s"


def test_utilisation_is_that_of_machines_bought_whole_and_does_not_count_dummies():
    session = Session("d", 1, [Hardware("x", 1)], [Module("m", 25, [Configuration("x", 2, 1, "0.1")])])
    c = session.modules[0].profile[0]
    shown = {}
    for name, plan in {
        "partial": ModulePlan((Allocation(c, 1, Fraction(5)),)),
        "dummies": ModulePlan((Allocation(c, 2),), Fraction(15)),
    }.items():
        rows = [line.split() for line in table_of(session, Plan((plan,)), bound=None).splitlines()]
        shown[name] = next(row[row.index("%") - 1] for row in rows if row[:2] == ["m", "x"])
    assert shown == {"partial": "62", "dummies": "62"}


def test_headroom_counts_for_no_machine_and_no_rate_and_stands_next_to_them():
    """24 req/s and a quarter more are 30, on 2 machines of 20: they work 24/40 of the time."""
    session = Session("h", 1, [Hardware("x", 1)], [Module("m", 24, [Configuration("x", 2, 1, "0.1")])])
    result = solve(session, headroom=0.25)
    rows = [line.split() for line in to_text(plan_table(result.of_instance, result), width=200).splitlines()]
    row = next(row for row in rows if row[:2] == ["m", "x"])
    assert row[row.index("%") - 1 : row.index("%") + 3] == ["60", "%", "24.000", "30.000"]
    assert "planned" in next(row for row in rows if row[:1] == ["module"])


def test_machines_that_are_charged_whole_are_counted_and_paid_for_whole():
    session = tiny_session()
    solver = answering(one_configuration_plan(session), covers=frozenset({"whole"}))
    text = to_text(plan_table(session, solve(session, solver, charging="whole")))
    assert "cost 3 per hour" in text
    assert "modules 2, machines 2" in text
    rows = [line.split() for line in text.splitlines()]
    assert next(row[:13] for row in rows if row[:1] == ["detect"]) == [
        "detect",
        "V100",
        "2",
        "1",
        "0",
        "+",
        "0.500",
        "50",
        "%",
        "10.000",
        "300.000",
        "600.000",
        "1.500",
    ]


def test_a_shared_machine_says_whose_it_is_and_how_busy():
    c = Configuration("x", 1, 1, "0.1")
    session = Session("s", 9, [Hardware("x", 3)], [Module(name, 4, [c]) for name in "abc"])
    plan = Plan(tuple(ModulePlan((Allocation(c, 0, Fraction(4)),)) for _ in "abc"), ((0, 2),))
    solver = answering(plan, covers=frozenset({"packed"}))
    lines = to_text(plan_table(session, solve(session, solver, charging="packed"))).splitlines()
    assert "one machine of x is shared by a, c, and busy 80 %" in lines
    rows = [line.split() for line in lines]
    assert [row[-3] for row in rows if row[:1] in (["a"], ["b"], ["c"])] == ["1.500", "3.000", "1.500"]


def test_dummies_have_their_own_row():
    session = Session("d", 1, [Hardware("x", 1)], [Module("m", 15, [Configuration("x", 2, 1, "0.1")])])
    plan = Plan((ModulePlan((Allocation(session.modules[0].profile[0], 1),), Fraction(5)),))
    rows = [line.split() for line in table_of(session, plan, bound=None).splitlines()]
    assert ["spare", "capacity", "5.000"] in rows


def test_table_without_plan_is_its_header():
    session = tiny_session()
    lines = to_text(plan_table(session, solve(session, answering(None, infeasible=True)))).splitlines()
    assert lines[0] == "tiny: infeasible"
    assert len(lines) == 2


def test_piped_table_has_no_colour_and_fits_100_columns_if_asked_to(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    name = "a-module-with-quite-a-long-name"
    profile = [Configuration("NVIDIA-A100-80GB", 64, 4, "0.123457")]
    session = Session("wide", 10, [Hardware("NVIDIA-A100-80GB", "1234.5678")], [Module(name, "123456.789", profile)])
    text = table_of(session, one_configuration_plan(session))
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "..." not in text
    assert "…" not in text


def test_budget_is_latency_and_slack_of_the_longest_path_through_the_module():
    one = [Configuration("x", 1, 1, "0.1")]
    two = [Configuration("x", 1, 1, "0.2")]
    modules = [Module("a", 10, one), Module("b", 5, two), Module("c", 10, one), Module("d", 10, one)]
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    session = Session("diamond", 1, [Hardware("x", 1)], modules, edges)
    evaluation = evaluate(session, one_configuration_plan(session))
    assert [m.worst_case_latency_s for m in evaluation.modules] == [Fraction(n, 10) for n in (2, 4, 2, 2)]
    assert module_budgets(session, evaluation) == [Fraction(n, 10) for n in (4, 6, 6, 4)]


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (PlanSpace(), "tc, dummies machine"),
        (PlanSpace("rr", "none", 1), "rr, no dummies, at most 1 allocation"),
        (PlanSpace(hardware=("A", "B"), batching=False), "tc, dummies machine, hardware A, B, batch 1"),
        (PlanSpace(single_hardware=True, concurrency=False), "tc, dummies machine, one hardware type, concurrency 1"),
    ],
)
def test_plan_space_in_words(space, words):
    assert describe_space(space) == words


def test_solver_table_names_kind_and_space():
    solver = Solver("mine", "heuristic", "my own", first_configuration, PlanSpace("rr", "none"))
    assert "mine     heuristic   rr, no dummies   my own" in to_text(solver_table([solver]))


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.12345, "0.1235"), (1, "1.000"), (12345.67, "12,345.7")])
def test_figures(value, text):
    assert figures(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.0000123, "12 µs"), (0.0123, "12.3 ms"), (12.3, "12.3 s")])
def test_duration(value, text):
    assert duration(value) == text


@pytest.mark.slow
def test_plan_of_very_many_modules_shows_the_first_ones():
    count = MOST_MODULES + 5
    modules = [Module(f"m{i}", 10, [Configuration("A", 1, 1, "0.1")]) for i in range(count)]
    session = Session("many", 1000, [Hardware("A", 1)], modules)
    text = table_of(session, one_configuration_plan(session))
    assert "... and 5 more modules, which --json prints too" in text
    assert f"m{count - 5}" not in text


def test_machines_are_counted_as_a_planner_counts_them():
    """35 requests per second at 10 per machine are three machines and a half, and half a machine is one to be had."""
    session = Session("p", 2, [Hardware("x", 1)], [Module("m", 35, [Configuration("x", 2, 1, "0.2")])])
    c = session.modules[0].profile[0]
    plan = Plan((ModulePlan((Allocation(c, 3, 5),)),))
    assert "machines: x 3 whole and 0.5 of one" in table_of(session, plan, bound=1).splitlines()
    whole = Session("p", 2, [Hardware("x", 1)], [Module("m", 30, [c])])
    assert "machines: x 3 whole" in table_of(whole, Plan((ModulePlan((Allocation(c, 3, 0),)),)), bound=1).splitlines()


def test_a_share_just_below_one_machine_is_not_called_one():
    """39.99 requests per second at 10 per machine are three machines and 0.999 of one."""
    session = Session("p", 2, [Hardware("x", 1)], [Module("m", "39.99", [Configuration("x", 2, 1, "0.2")])])
    c = session.modules[0].profile[0]
    lines = table_of(session, Plan((ModulePlan((Allocation(c, 3, Fraction("9.99")),)),)), bound=1).splitlines()
    assert "machines: x 3 whole and more than 0.99 of one" in lines


def test_types_limited_one_by_one_may_have_all_of_a_module_together_which_is_said():
    """10 requests per second on one machine of A and 10 on one of B: each has half, as allowed, and both have all."""
    hardware = [Hardware("A", 1, largest_share="0.5"), Hardware("B", 1, largest_share="0.5")]
    profile = [Configuration(name, 2, 1, "0.2") for name in "AB"]
    session = Session("p", 2, hardware, [Module("m", 20, profile)])
    plan = Plan((ModulePlan((Allocation(profile[0], 1, 0), Allocation(profile[1], 1, 0))),))
    said = "A and B together are needed for requests of m 100.0 %; each type is limited by itself, not all together"
    assert said in table_of(session, plan, bound=1)
    unused = replace(
        session,
        hardware=(*hardware, Hardware("C", 1)),
        modules=(Module("m", 20, [own := replace(profile[0], hardware="C")]),),
    )
    alone = Plan((ModulePlan((Allocation(own, 2, 0),)),))
    assert "for requests of no module;" in table_of(unused, alone, bound=1)
    one = replace(session, hardware=(hardware[0], Hardware("B", 1)))
    assert "together" not in table_of(one, plan, bound=1)


def test_the_words_of_the_papers_are_a_word_away(capsys, tmp_path):
    """A planner need not know what a dummy is, a researcher wants the plan space as it is set."""
    file = str(tmp_path / "s.json")
    save_instance(tiny_session(), file)
    assert main(["solve", file]) == 0
    short = capsys.readouterr().out
    assert "plan space" not in short
    assert main(["solve", file, "--verbose"]) == 0
    assert "plan space: tc, dummies machine" in capsys.readouterr().out.splitlines()
