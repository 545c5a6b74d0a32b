"""Engine options reach the solvers that take them, and are refused by the others."""

import pytest
from tiny_sessions import tiny_session

from euclio.core.errors import InputError
from euclio.core.registry import Option, Solver, find_solver
from euclio.core.result import Answer, TracePoint, WarmStart
from euclio.core.solving import solve

TAKES_ALL = frozenset(Option)


def recorder(seen, **fields):
    def run(session, space, limits):
        seen.append(limits.options)
        return Answer(None, "limit", trace=(TracePoint(0.1, None, 1.0),), warm_start=WarmStart.IGNORED)

    return Solver("recorder", "exact", "records its options", run, takes=TAKES_ALL, engines=("highs", "cbc"), **fields)


@pytest.mark.parametrize(
    ("flag", "option"), [("--engine", "engine"), ("--warm-start", "warm_start"), ("--export-lp", "export_lp")]
)
def test_a_solver_that_does_not_take_an_option_says_so(flag, option):
    with pytest.raises(InputError, match=f"{flag}: solver 'harpagon' does not take this option"):
        solve(tiny_session(), "harpagon", **{option: "highs"})


def test_an_unknown_engine_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="runs on highs, cbc"):
        solve(tiny_session(), recorder([]), engine="gurobi")


def test_the_plan_of_the_named_solver_is_the_warm_start():
    seen = []
    solve(tiny_session(), recorder(seen), warm_start="harpagon")
    assert seen[-1].warm_start == solve(tiny_session(), "harpagon").plan


def test_none_starts_cold_where_the_solver_would_not():
    seen = []
    solve(tiny_session(), recorder(seen, starts_from="harpagon"), warm_start="none")
    assert seen[-1].warm_start is None


def test_an_unknown_warm_start_is_refused():
    with pytest.raises(InputError, match="unknown solver"):
        solve(tiny_session(), recorder([]), warm_start="nobody")


def test_the_result_keeps_trace_and_what_became_of_the_warm_start():
    result = solve(tiny_session(), recorder([]))
    assert (result.trace, result.warm_start) == ((TracePoint(0.1, None, 1.0),), WarmStart.IGNORED)


def test_options_of_the_result_name_engine_threads_and_warm_start():
    options = solve(tiny_session(), recorder([], starts_from="harpagon"), threads=2).options
    assert (options["engine"], options["threads"], options["warm_start"]) == ("highs", 2, "harpagon")


def test_heuristics_take_no_engine_options():
    assert not find_solver("harpagon").takes
