"""Sessions: bad numbers and structure are one clear line that names the field; arrays rank as the checker does."""

import math
from fractions import Fraction

import numpy as np
import pytest
from worked_examples import M_3, module, one_module, scrooge, scrooge_best_plan

from euclio.core.errors import InputError
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays, to_plan
from euclio.problems.session.evaluate import rank_key

GPU = [Hardware("gpu", 1)]


def error(make) -> InputError:
    with pytest.raises(InputError) as caught:
        make()
    return caught.value


def chain(*edges: tuple[str, str]) -> Session:
    return Session("s", 1, GPU, [module(name, 10, M_3) for name in "ABCD"], list(edges))


@pytest.mark.parametrize("rate", [0, -1, math.inf, -math.inf, math.nan, "inf", "many"])
def test_bad_rate(rate):
    assert error(lambda: module("M", rate, M_3)).field == "rate_rps"


@pytest.mark.parametrize("slo", [0, -0.5, math.inf, math.nan])
def test_bad_slo(slo):
    assert error(lambda: one_module(M_3, 10, slo)).field == "slo_s"


@pytest.mark.parametrize("price", [-1, math.inf, math.nan])
def test_bad_price(price):
    assert error(lambda: Hardware("gpu", price)).field == "price_per_h"


def test_price_may_be_zero():
    assert Hardware("own", 0).price_per_h == 0


@pytest.mark.parametrize("duration", [0, -1, math.inf])
def test_bad_duration(duration):
    assert error(lambda: Configuration("gpu", 1, 1, duration)).field == "duration_s"


@pytest.mark.parametrize("count", [0, -2, 1.5, True, "4"])
@pytest.mark.parametrize("name", ["batch", "concurrency"])
def test_bad_count(name, count):
    counts = {"batch": 1, "concurrency": 1, name: count}
    assert error(lambda: Configuration("gpu", duration_s=1, **counts)).field == name


def test_empty_profile():
    assert error(lambda: Module("M", 1, [])).field == "profile"


def test_configuration_listed_twice():
    twice = [Configuration("gpu", 1, 1, "0.1"), Configuration("gpu", 1, 1, "0.2")]
    assert error(lambda: Module("M", 1, twice)).field == "profile"


def test_no_modules():
    assert error(lambda: Session("s", 1, GPU, [])).field == "modules"


def test_module_listed_twice():
    assert error(lambda: Session("s", 1, GPU, [module("M", 1, M_3)] * 2)).field == "modules[1].name"


def test_hardware_listed_twice():
    assert error(lambda: Session("s", 1, GPU * 2, [module("M", 1, M_3)])).field == "hardware[1].name"


def test_unknown_hardware():
    stranger = Module("M", 1, [Configuration("gpu", 1, 1, 1), Configuration("tpu", 1, 1, 1)])
    assert error(lambda: Session("s", 1, GPU, [stranger])).field == "modules[0].profile[1].hardware"


def test_unknown_module_in_an_edge():
    assert error(lambda: chain(("A", "B"), ("B", "E"))).field == "edges[1]"


def test_edge_listed_twice():
    assert error(lambda: chain(("A", "B"), ("A", "B"))).field == "edges[1]"


@pytest.mark.parametrize(
    ("edges", "cycles"),
    [
        ([("A", "A")], ["A -> A"]),
        ([("A", "B"), ("B", "C"), ("C", "B"), ("C", "D")], ["B -> C -> B", "C -> B -> C"]),
        (
            [("D", "C"), ("C", "B"), ("B", "D"), ("A", "D")],
            ["D -> C -> B -> D", "C -> B -> D -> C", "B -> D -> C -> B"],
        ),
    ],
)
def test_cycle_is_named(edges, cycles):
    message = error(lambda: chain(*edges)).message
    assert message in [f"the edges form a cycle: {cycle}; remove one of them" for cycle in cycles]


def test_order_puts_parents_before_children():
    session = chain(("D", "C"), ("C", "B"), ("B", "A"))
    assert [session.modules[i].name for i in session.order] == ["D", "C", "B", "A"]


@pytest.mark.parametrize("value", [0.1, "0.1", "1e-1", Fraction(1, 10)])
def test_floats_mean_their_decimal_text(value):
    assert Configuration("gpu", 1, 1, value).duration_s == Fraction(1, 10)


# Arrays.


def tied_session() -> Session:
    """Ratio 10 six times over (durations, batches, hardware and concurrency break the tie), and once more in thirds."""
    rows = [
        ("Y", 2, 1, "0.2"),
        ("X", 2, 1, "0.2"),
        ("X", 1, 2, "0.2"),
        ("X", 1, 1, "0.1"),
        ("Y", 4, 1, "0.4"),
        ("Y", 3, 1, "0.3"),
        ("X", 7, 1, Fraction(7, 30)),
        ("Z", 7, 2, Fraction(7, 45)),
        ("X", 8, 1, "2.4"),
    ]
    profile = [Configuration(*row) for row in rows]
    return Session("tied", 9, [Hardware("X", 1), Hardware("Y", 1), Hardware("Z", 3)], [Module("M", 50, profile)])


def test_arrays_rank_ties_as_the_checker_does():
    session = tied_session()
    profile = session.modules[0].profile
    expected = sorted(range(len(profile)), key=lambda k: rank_key(profile[k], session.price))
    assert session_arrays(session, PlanSpace()).profile_index.tolist() == expected


def test_arrays_know_equal_ratios():
    """Ratios 30, 30 (14·45/7/3), six times 10, 3.33."""
    same = session_arrays(tied_session(), PlanSpace()).same_ratio
    assert same.tolist() == [False, True, False, True, True, True, True, True, False]


def test_narrowed_arrays_keep_equal_ratios():
    """Without Z and Y: 30; 10 three times; 3.33."""
    same = session_arrays(tied_session(), PlanSpace().on("X")).same_ratio
    assert same.tolist() == [False, False, True, True, False]


def test_narrowed_arrays_are_contiguous():
    """Else all compiled code is compiled once more for them, for minutes."""
    assert session_arrays(tied_session(), PlanSpace().on("X")).batch.flags.c_contiguous


def test_arrays_of_a_narrowed_space_hold_only_what_it_allows():
    arrays = session_arrays(scrooge(), PlanSpace(concurrency=False))
    assert (arrays.throughput * arrays.duration / arrays.batch).round().tolist() == [1.0] * 4


def test_to_plan_gives_back_the_plan():
    """Counts and the place of the partial machine are enough: partial and dummy rates are derived exactly."""
    session, answer = scrooge(), scrooge_best_plan()
    arrays = session_arrays(session, PlanSpace())
    machines = np.zeros(arrays.batch.size, np.int64)
    partial_at = np.full(2, -1, np.int64)
    for m, module_plan in enumerate(answer.modules):
        for allocation in module_plan.allocations:
            index = session.modules[m].profile.index(allocation.configuration)
            k = int(arrays.first[m]) + arrays.profile_index[arrays.first[m] :].tolist().index(index)
            machines[k] = allocation.machines
            if allocation.partial_rps:
                partial_at[m] = k
    assert to_plan(session, arrays, machines, partial_at) == answer


def test_to_plan_derives_dummies():
    session = one_module(M_3, 198, 1)
    arrays = session_arrays(session, PlanSpace())
    machines = np.array([5, 0, 0])
    assert to_plan(session, arrays, machines, np.array([-1])).modules[0].dummy_rps == 2


def test_plan_spaces_take_names():
    assert PlanSpace("rr", "none").describe()["policy"] == "rr"
