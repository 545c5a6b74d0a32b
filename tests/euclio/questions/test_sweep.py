"""A session over a grid: every point is what solving it alone gives, whatever settles it, and says what limits it."""

from fractions import Fraction

import pytest
from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.registry import Solver
from euclio.core.result import Answer, Status
from euclio.problems.session import evaluate
from euclio.problems.session.changes import SessionChanges
from euclio.questions.sweep.description import describe
from euclio.questions.sweep.grid import Swept
from euclio.questions.sweep.question import question, sweep

GRID = {"rates": [5, 20], "slos": ["0.1", "0.9"], "prices": {"V100": ["1.5", 3]}, "stock": {"V100": [1, None]}}


def unproven(session, space, limits):
    """A run that finds a plan, and a bound of half of its cost."""
    plan = one_configuration_plan(session)
    found = evaluate(session, plan, space)
    return Answer(plan, "limit", bound=float(found.cost_per_h) / 2) if found.feasible else Answer(None, "limit")


UNPROVEN = Solver("unproven", "exact", "one configuration", unproven, covers=frozenset({"whole", "stock", "shares"}))


def test_every_point_is_the_optimum_that_solving_it_alone_finds():
    """Most points are settled by looser limits; were one settled wrongly, it would differ from its own solution."""
    found = sweep(tiny_session(), **GRID)
    statuses = set()
    for (place, way), point in found.points.items():
        rate, slo, price, stock = (one.values[k] for one, k in zip(found.question.axes, place, strict=True))
        limit = {} if stock is None else {"stock": {"V100": int(stock)}}
        session = SessionChanges(rate, slo, {"V100": price}, **limit).applied_to(tiny_session())
        alone = solve(session, "exact", charging=way)
        assert point.session == session
        assert (point.result.status, point.result.value) == (alone.status, alone.value)
        statuses.add(alone.status)
    assert len(found.points) == found.question.plans == 32
    assert statuses == {Status.OPTIMAL, Status.INFEASIBLE}


def test_a_plan_that_keeps_to_tighter_limits_is_not_sought_again():
    """A plan within 2 s settles every stock that it keeps to and the SLO of 2 s; at 0.9 s another one does."""
    calls = []

    def counting(session, solver=None, **options):
        calls.append((session.slo_s, dict(session.stock)))
        return solve(session, solver, **options)

    asked = {"rates": [5], "slos": ["0.9", 2, 3], "prices": {"V100": [2]}, "stock": {"V100": [5, 9, None]}}
    found = sweep(tiny_session(), chargings=["share"], solving=counting, **asked)
    assert (len(found.points), calls) == (9, [(3, {}), (Fraction("0.9"), {})])


def test_what_is_not_given_has_points_around_the_sessions_own():
    """As documented: rate and SLO in five points; of the hardware that the plan spends most on, price and stock."""
    asked = question(tiny_session())
    axes = {one.label: [one.text(k) for k in range(len(one.values))] for one in asked.axes}
    used = sweep(tiny_session(), rates=[10], slos=[1], prices={"V100": [1.5]}, stock={"V100": [None]}).points
    machines = max(point.machines["V100"] for point in used.values())
    assert axes["rate"] == ["5", "7.5", "10", "15", "20"]
    assert axes["SLO"] == ["0.5", "0.75", "1", "1.5", "2"]
    assert axes["price of V100"] == ["0.75", "1.5", "3"]
    assert axes["stock of V100"] == [str(-(-machines // 2)), str(machines), "no limit"]
    values = [one.text(k) for one, k in zip(asked.axes, asked.start, strict=True)]
    assert values == ["10", "1", "1.5", "no limit"]


def test_a_stock_of_the_file_has_points_around_it():
    asked = question(SessionChanges(stock={"V100": 4}).applied_to(tiny_session()), rates=[10], slos=[1])
    assert [one.text(k) for one in asked.axes if one.label == "stock of V100" for k in range(3)] == ["2", "4", "8"]


def test_one_value_is_no_axis_but_a_change_at_all_points():
    asked = question(tiny_session(), rates=[20], slos=["0.9", 1], prices={"V100": [3]}, stock={"V100": [4]})
    assert [one.label for one in asked.axes] == ["SLO"]
    assert asked.changes == SessionChanges(Fraction(20), None, {"V100": Fraction(3)}, stock={"V100": 4})


def test_a_price_that_is_changed_keeps_its_value():
    changes = SessionChanges(price_per_h={"V100": Fraction(2)}, stock={"V100": 3})
    asked = question(tiny_session(), changes=changes)
    assert [one.label for one in asked.axes] == ["rate", "SLO"]
    assert asked.session_at((0, 0)).price["V100"] == 2


def test_headroom_comes_on_top_of_every_rate():
    found = sweep(tiny_session(), changes=SessionChanges(headroom=Fraction("0.5")), **{**GRID, "slos": [1]})
    assert {point.rate_rps for point in found.points.values()} == {5, 20}
    assert {point.session.modules[0].rate_rps for point in found.points.values()} == {Fraction("7.5"), 30}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"rates": [0]}, "rate_rps: is 0; it must be greater than 0"),
        ({"slos": ["-1"]}, "slo_s: is -1; it must be greater than 0"),
        ({"prices": {"V10": [1]}}, "price_per_h.V10: unknown hardware 'V10'; did you mean V100?"),
        ({"stock": {"V10": [1, None]}}, "stock.V10: unknown hardware 'V10'; did you mean V100?"),
        ({"stock": {"V100": [1.5]}}, "stock.V100: is 1.5; give a whole number of machines"),
        ({"stock": {"V100": []}}, "stock.V100: has no points; give one or more"),
        ({"rates": range(1, 90)}, "the points make 89 x 5 x 3 x 3 x 2 = 8,010 plans, and at most 2,000 are computed"),
        ({"chargings": ["half"]}, "--machines"),
    ],
)
def test_bad_points_are_one_line_that_names_the_field(asked, words):
    with pytest.raises(InputError) as error:
        question(tiny_session(), **asked)
    assert words in str(error.value)


def test_no_limit_cannot_be_asked_where_the_file_has_one():
    limited = SessionChanges(stock={"V100": 4}).applied_to(tiny_session())
    with pytest.raises(InputError, match=r"stock\.V100: is limited to 4 in the file; give numbers"):
        question(limited, stock={"V100": [2, None]})


def test_plain_data_say_what_the_solver_said():
    """Cost, bound, machines and proof of every entry are those of the checked result at its place."""
    found = sweep(tiny_session(), **GRID)
    data = describe(found)
    assert len(data["points"]) * 2 == len(found.points)
    for name, entries in data["points"].items():
        place = tuple(int(k) for k in name.split(","))
        for way, entry in zip(found.question.chargings, entries, strict=True):
            point = found.points[place, way]
            assert (entry["status"], entry["cost_per_h"]) == (point.result.status.value, point.result.value)
            if point.result.value is None:
                assert entry["proof"] == "proven: no plan"
                assert entry["reason"]
            else:
                used = dict(zip(data["grid"]["hardware"], entry["machines"], strict=True))
                assert {h: n for h, n in used.items() if n} == {h: n for h, n in point.machines.items() if n}
                assert entry["proof"] == "proven cheapest"


def test_what_limits_is_the_longest_path_and_the_stock_in_use():
    """10 and 5 req/s on one V100 each, half used: 0.1 + 0.2 s of batches, and what they wait; one of four machines."""
    plan = one_configuration_plan(tiny_session())
    asked = {"rates": [10], "slos": [1, 2], "prices": {"V100": [1.5]}, "stock": {"V100": [4]}, "chargings": ["whole"]}
    solver = answering(plan, covers=frozenset({"whole", "stock", "shares"}))
    entry = describe(sweep(tiny_session(), solver=solver, **asked))["points"]["0"][0]
    (slo, share, words), (stock, used, machines) = entry["uses"]
    latency = evaluate(tiny_session(), plan).latency_s
    assert (slo, share) == ("SLO", float(latency))
    assert "on detect -> classify; most of it" in words
    assert (stock, used, machines) == ("stock of V100", 0.5, "2 of 4 machines")


def test_a_gap_is_said_where_nothing_is_proven():
    found = sweep(tiny_session(), solver=UNPROVEN, **GRID)
    proofs = {entry["proof"] for entries in describe(found)["points"].values() for entry in entries}
    assert proofs == {"gap up to 50.0 %", "no plan found"}


def test_points_are_found_one_at_a_time_where_asked():
    """As the widget asks: what is known is not solved again."""
    found = Swept(question(tiny_session(), **GRID))
    way = found.question.chargings[0]
    first = found.point((0, 1, 0, 1), way)
    assert found.point((0, 1, 0, 1), way) is first
    assert len(found.points) == 1
