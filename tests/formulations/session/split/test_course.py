"""What `exact` has found and proven so far is noted while it searches: for who waits, and as its trace."""

import math
import time
from itertools import pairwise

import pytest

from euclio.core.incumbent import Incumbent
from euclio.core.registry import Limits, find_solver
from euclio.core.result import Answer, TracePoint
from euclio.files.result_files import result_to_json
from euclio.problems.session import PlanSpace
from euclio.verbs.solve import solve
from formulations.session.split.course import BETWEEN, POINTS, note, unwatched, watched, with_trace
from tests.bench.large_sessions import layered_session


@pytest.fixture
def short_runs_too(monkeypatch):
    """Runs of a few milliseconds have a trace as well, so that no test waits for a slow machine to have one."""
    monkeypatch.setattr("formulations.session.split.course.SHORT_S", 0.0)


def points(course):
    size = int(course.counts[0])
    return [(cost, bound) for _, cost, bound in course.points[:size].tolist()]


def test_what_is_known_stays_known_and_only_changes_are_noted():
    """No plan and a bound of 5; a plan of 9; nothing new twice; a bound of 7; a bound that rounding lifts above 9."""
    standing = Incumbent()
    course = watched(standing)
    for cost, bound in [(math.inf, 5.0), (9.0, 4.0), (10.0, 5.0), (math.inf, 0.0), (9.0, 7.0), (9.0, 9.1)]:
        note(course, cost, bound, 0)
    assert points(course) == [(math.inf, 5.0), (9.0, 5.0), (9.0, 7.0), (9.0, 9.0)]
    assert (standing.value, standing.bound) == (9.0, 9.0)


def test_of_many_points_every_second_one_is_kept_and_the_last_ones():
    course = watched(None)
    for bound in range(1, POINTS + 2):
        note(course, math.inf, float(bound), 0)
    kept = [bound for _, bound in points(course)]
    assert kept == [*range(1, POINTS, 2), POINTS + 1]


def test_the_clock_is_looked_at_again_only_after_so_much_work():
    """A look at it takes as long as dozens of nodes; what is known soon after one has its time."""
    course = watched(None)._replace(began_s=time.perf_counter() - 1)
    for bound, work in [(1.0, 0), (2.0, BETWEEN), (3.0, 2 * BETWEEN - 1), (4.0, 2 * BETWEEN)]:
        note(course, math.inf, bound, work)
    seconds = course.points[:4, 0].tolist()
    assert seconds[0] == 0.0
    assert 1.0 <= seconds[1] == seconds[2] < seconds[3]


def test_nothing_is_noted_of_a_part_of_a_search():
    course = unwatched()
    note(course, 9.0, 5.0, 0)
    assert with_trace(course, Answer(None, "limit")).trace == ()


def test_a_plan_that_the_checker_refused_is_none_of_the_trace_and_the_answer_ends_it():
    """A plan of 9 met a tie, and the answer claims 10; the bound of 5 holds."""
    course = watched(None)._replace(began_s=time.perf_counter() - 1)
    note(course, 9.0, 5.0, 0)
    first, last = with_trace(course, Answer(None, "optimal", 10.0, 10.0)).trace
    assert first == TracePoint(first.wall_s, None, 5.0)
    assert last == TracePoint(last.wall_s, 10.0, 10.0)


def test_the_trace_of_exact_leads_from_a_first_plan_to_the_optimum(short_runs_too):
    """Plans get cheaper but for the last digits, in which the checker's fractions differ from a sum of floats."""
    session, standing = layered_session(100, 20, tight=True), Incumbent()
    found = find_solver("exact").run(session, PlanSpace(), Limits(standing=standing))
    assert len(found.trace) > 2
    for one, two in pairwise(found.trace):
        assert one.wall_s <= two.wall_s
        assert one.incumbent is None or two.incumbent <= one.incumbent * (1.0 + 1e-12)
        assert one.bound is None or one.bound <= two.bound
    assert all(p.bound <= found.claimed for p in found.trace)
    assert (found.trace[-1].incumbent, found.trace[-1].bound) == (found.claimed, found.bound)
    assert (standing.value, standing.bound) in {(p.incumbent, p.bound) for p in found.trace}


def test_a_result_file_has_plan_and_bound_at_each_point(short_runs_too):
    session = layered_session(300, 20, tight=False)
    written = result_to_json(solve(session, "exact"), session)["trace"]
    assert written
    assert {frozenset(point) for point in written} == {frozenset(("wall_s", "incumbent_per_h", "bound_per_h"))}


def test_one_hardware_type_after_the_other_has_no_trace():
    """The bound of the first type is none of the session."""
    session = layered_session(100, 10, tight=False)
    found = find_solver("exact").run(session, PlanSpace(single_hardware=True), Limits())
    assert found.plan is not None
    assert found.trace == ()


def test_a_run_that_is_over_at_once_has_no_trace():
    """Writing it down would take a twentieth of the shortest runs, and nobody could have looked."""
    course = watched(None)
    note(course, 9.0, 5.0, 0)
    assert with_trace(course, Answer(None, "optimal", 10.0, 10.0)).trace == ()
