"""A session at several rates and objectives: every point is what solving it alone gives."""

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from matplotlib.colors import to_hex
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.figures import hardware_looks, svg_text
from euclio.core.numbers import decimal_text
from euclio.core.registry import Solver
from euclio.core.result import Answer, Status
from euclio.core.tables import to_text
from euclio.problems.session import Configuration, Hardware, Module, Session, evaluate
from euclio.problems.session.changes import SessionChanges
from euclio.questions.figures import draw_what_if
from euclio.questions.tables import describe_what_if, what_if_csv, what_if_table
from euclio.questions.what_if import answered, question, what_if
from euclio.serving.attainment.demand import Demand
from euclio.serving.session.setup import Setup

RATES = ["5", "20"]
SLOS = ["0.35", "0.7", "0.9", "5"]


def counting(calls, **fields):
    """A solver that puts every module on its first configuration, and keeps what it was asked."""

    def run(session, space, limits):
        if session.name == "tiny":  # not the one that solvers are warmed up with
            calls.append((session.modules[0].rate_rps, session.slo_s, space.charging.value))
        plan = one_configuration_plan(session)
        found = evaluate(session, plan, space)
        if not found.feasible:
            return Answer(None, "none", infeasible=True)
        return Answer(plan, "done", bound=float(found.cost_per_h) if fields.get("proven") else None)

    kind = "exact" if fields.get("proven") else "heuristic"
    return Solver("counting", kind, "one configuration", run, covers=frozenset({"whole", "stock", "shares"}))


def test_every_point_is_the_optimum_that_solving_it_alone_finds():
    answer = what_if(tiny_session(), rates=RATES, slos=SLOS, chargings=["share"])
    statuses = []
    for (rate, slo, way), point in answer.points.items():
        session = SessionChanges(rate_rps=rate, slo_s=slo).applied_to(tiny_session())
        alone = solve(session, "exact", charging=way)
        assert (point.result.status, point.result.value) == (alone.status, alone.value)
        assert point.session == session
        if point.result.plan is not None:
            assert evaluate(session, point.result.plan, point.result.space).cost_per_h == alone.value
        statuses.append(alone.status)
    assert set(statuses) == {Status.OPTIMAL, Status.INFEASIBLE}


def test_a_proven_plan_that_keeps_to_a_shorter_objective_is_not_sought_again():
    calls = []
    what_if(tiny_session(), slos=SLOS, chargings=["share"], solver=counting(calls, proven=True))
    # It takes 0.7 s; at 0.35 s there is none.
    assert calls == [(10, 5, "share"), (10, Fraction("0.35"), "share")]


def test_what_keeps_an_attainment_of_a_longer_objective_is_sought_again_for_a_shorter_one():
    """Its plan takes 0.7 s where requests come evenly: of 5 s it keeps more under random arrivals than of 0.7 s."""
    calls = []
    asked = {"solver": counting(calls, proven=True), "solving": solve, "demand": Demand(0.9, Setup())}
    what_if(tiny_session(), slos=SLOS, chargings=["share"], **asked)
    assert [slo for _, slo, _ in calls] == [Fraction(slo) for slo in reversed(SLOS)]


@pytest.mark.parametrize(("dropping", "costs"), [("never", [3, 3]), ("hopeless", [3, 4])])
def test_a_plan_of_a_shorter_objective_is_lent_to_a_longer_one_where_nothing_is_dropped(dropping, costs):
    """At 0.7 s the plan found costs less than at 5 s. What is late at 5 s is late at 0.7 s, unless it was dropped.

    Prices of 3 and 4 stand in for what a search finds: it proves nothing.
    """

    def found(session, *given, **options):
        dear = replace(session, hardware=[replace(h, price_per_h=3 + (session.slo_s > 1)) for h in session.hardware])
        result = solve(dear, "harpagon", **{key: value for key, value in options.items() if key != "solver"})
        return replace(result, value=Fraction(3 + (session.slo_s > 1)))

    demand = Demand(0.9, Setup(dropping=dropping))
    answer = what_if(tiny_session(), slos=["0.7", "5"], chargings=["share"], solving=found, demand=demand)
    assert [point.result.value for point in answer.points.values()] == costs


def test_where_nothing_is_proven_every_point_is_solved():
    calls = []
    what_if(tiny_session(), slos=SLOS, chargings=["share", "whole"], solver=counting(calls))
    assert len(calls) == 8


def test_infeasibility_is_passed_on_only_from_exact_solvers():
    calls = []
    slos = ["0.1", "0.2", "0.3"]
    answer = what_if(tiny_session(), slos=slos, chargings=["share"], solver=counting(calls, proven=True))
    assert len(calls) == 1
    assert {point.result.status for point in answer.points.values()} == {Status.INFEASIBLE}
    what_if(tiny_session(), slos=slos, chargings=["share"], solver=counting(calls))
    assert len(calls) == 4


def test_rates_are_of_the_sources_and_headroom_comes_on_top():
    calls = []
    changes = SessionChanges(headroom=Fraction("0.5"))
    answer = what_if(tiny_session(), rates=[20], chargings=["share"], changes=changes, solver=counting(calls))
    assert calls == [(30, 1, "share")]
    (point,) = describe_what_if(answer)["points"]
    # 30 and 15 req/s on machines of 20 and 10 at 1.5 per hour, for 20 requests per second that come.
    assert point["cost_per_h"] == Fraction("4.5")
    assert point["cost_per_million_requests"] == Fraction("4.5") * 10**6 / 72_000
    assert point["cost_per_month"] == Fraction("4.5") * 730


def test_rate_and_objective_are_the_sessions_own_where_none_is_given():
    asked = question(tiny_session())
    assert (asked.rates, asked.slos) == ([10], [1])


def test_what_is_given_twice_is_asked_once_and_in_order():
    asked = question(tiny_session(), rates=[20, "5", 20], slos=["0.9", "0.90"], chargings=["whole", "whole"])
    assert (asked.rates, asked.slos, len(asked.chargings)) == ([5, 20], [Fraction("0.9")], 1)


def test_a_plan_by_share_says_what_it_costs_rounded_up():
    answer = what_if(tiny_session(2), rates=[25], solver=counting([]))
    share, whole = answer.points.values()
    # 25 and 12.5 req/s: 1.25 machines each, bought as two each, of 1.5 per hour.
    assert (share.result.value, share.rounded_up_per_h) == (Fraction("3.75"), 6)
    assert (whole.result.value, whole.rounded_up_per_h) == (6, 6)
    assert (share.machines["V100"], whole.machines["V100"]) == (Fraction("2.5"), 4)
    assert share.cost_by_hardware == {"V100": Fraction("3.75")}


def test_a_plan_that_stock_does_not_let_be_rounded_up_has_no_such_cost():
    changes = SessionChanges(stock={"V100": 3})
    answer = what_if(tiny_session(2), rates=[25], chargings=["share"], changes=changes, solver=counting([]))
    (point,) = answer.points.values()
    assert (point.result.value, point.rounded_up_per_h) == (Fraction("3.75"), None)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"rates": [0]}, "rate_rps: is 0"),
        ({"slos": ["-1"]}, "slo_s: is -1"),
        ({"changes": SessionChanges(price_per_h={"V10": Fraction(1)})}, "did you mean V100"),
        ({"solver": "ppipe"}, "for clusters"),
    ],
)
def test_what_does_not_go_with_the_session_is_refused(asked, words):
    with pytest.raises(InputError, match=words):
        question(tiny_session(), **asked)


def test_the_table_has_a_row_per_rate_and_objective_with_the_ways_side_by_side():
    session = replace(tiny_session(), currency="EUR")
    answer = what_if(session, rates=RATES, slos=["0.2", "0.7"], solver=counting([]))
    lines = [" ".join(line.split()) for line in to_text(what_if_table(answer), width=140).splitlines()]
    assert lines[0] == "tiny: cost per hour by rate and SLO, prices in EUR"
    assert "20 200.000 infeasible - - infeasible -" in lines
    assert "20 700.000 ≤ 3.000 V100 2 3.000 ≤ 3.000 V100 2" in lines
    assert sum(line.startswith(("5 ", "20 ")) for line in lines) == 4


def test_plans_that_are_not_proven_the_cheapest_say_their_gap():
    solver = answering(one_configuration_plan(tiny_session()), bound=1.2)
    text = to_text(what_if_table(what_if(tiny_session(), chargings=["share"], solver=solver)))
    assert "1.500 (gap 20.0 %)" in text


def test_csv_and_data_say_the_same():
    answer = what_if(tiny_session(), rates=RATES, slos=["0.2", "0.7"], solver=counting([]))
    rows = list(csv.DictReader(io.StringIO(what_if_csv(answer))))
    points = describe_what_if(answer)["points"]
    assert len(rows) == len(points) == 8
    for row, point in zip(rows, points, strict=True):
        assert row["status"] == point["status"]
        assert (row["cost_per_h"] or None) == (point["cost_per_h"] and decimal_text(point["cost_per_h"]))
        assert Fraction(row["machines_V100"]) == point["machines"].get("V100", 0)
    assert [point["charging"] for point in points] == ["share", "whole"] * 4


def test_the_figure_has_curves_and_a_row_of_bars_per_rate_and_way():
    answer = what_if(tiny_session(), rates=RATES, slos=["0.2", "0.7", "0.9"], solver=counting([]))
    figure = draw_what_if(answer)
    assert len(figure.axes) == 1 + 4
    assert len(figure.axes[0].lines) == 4
    text = svg_text(figure, "k", "a figure")
    for words in ("5 req/s", "20 req/s", "V100", "no plan", "SLO (ms)", "plans by counting"):
        assert words in text


def test_hardware_has_the_colours_of_all_figures():
    """Colours were given in the order of the session, so that a type had another one in the next figure."""
    figure = draw_what_if(what_if(tiny_session(), rates=RATES, slos=["0.7"], solver=counting([])))
    drawn = {patch.get_label(): to_hex(patch.get_facecolor()) for patch in figure.legends[0].get_patches()}
    assert drawn == {name: hardware_looks([name])[name].colour for name in drawn}
    assert "V100" in drawn


def test_of_many_rates_and_hardware_types_some_are_drawn():
    names = [f"h{i}" for i in range(9)]
    modules = [Module(f"m{i}", 10, [Configuration(name, 1, 1, "0.01")]) for i, name in enumerate(names)]
    session = Session("many", 1, [Hardware(name, i + 1) for i, name in enumerate(names)], modules)
    answer = what_if(session, rates=range(10, 90, 5), chargings=["share"], solver=counting([]))
    figure = draw_what_if(answer)
    assert len(figure.axes) == 1 + 6
    text = svg_text(figure, "k", "a figure")
    assert "other" in text
    assert re.search(r"\bh8\b", text)
    assert not re.search(r"\bh0\b", text)


def test_answers_keep_to_a_given_way_of_solving():
    asked = question(tiny_session(), chargings=["share"], solver=counting([]), time_limit_s=3)
    seen = []

    def solving(session, solver, **options):
        seen.append(options["time_limit_s"])
        return solve(session, solver, **options)

    answered(asked, solving)
    assert seen == [3]
    assert json.dumps(str(describe_what_if(answered(asked))))
