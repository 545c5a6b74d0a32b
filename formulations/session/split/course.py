"""Plans and bounds that `exact` finds on its way, recorded by machine code during the search (compiled, ours).

Each time that a plan gets cheaper or the bound rises, both are recorded with the time. If a run is watched, they stand
in memory that the watcher may read at any moment (`euclio.core.incumbent`).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import clock, compiled
from euclio.core.incumbent import Incumbent
from euclio.core.result import Answer, TracePoint
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.session.arrays import Floats, Ints

POINTS = 1024
"""The most points that are kept; if there are more, every second one is dropped."""
BETWEEN = 2048
"""Work between two looks at the clock, in nodes: some 40 µs. A look takes up to 0.8 µs, as long as 40 nodes."""
SHORT_S = 0.005
"""Seconds below which a run has no trace, as its record would take a twentieth of the shortest ones."""


class Course(NamedTuple):
    """The course of a search.

    Attributes:
        began_s: its start, in seconds on `clock`.
        now: cost per hour of the best plan and bound on all plans, shape (2,); NaN or infinite if unknown.
        points: seconds since the search began, cost per hour of the best plan (infinite before the first) and bound on
            the cost per hour of every plan, shape (`POINTS`, 3); shape (0, 3) disables the record.
        counts: number of points, and the work done at the last look at the clock, shape (2,).
    """

    began_s: float
    now: Floats
    points: Floats
    counts: Ints


@compiled
def unwatched() -> Course:
    """The course of a search that is a part of another one: it records nothing."""
    return Course(0.0, np.empty(2), np.empty((0, 3)), np.zeros(2, np.int64))


def watched(standing: Incumbent | None) -> Course:
    """The course of a search that decides a whole run, from now on.

    Args:
        standing: memory that a watcher of the run reads; None disables it.
    """
    now = np.empty(2) if standing is None else np.asarray(standing.numbers)
    return Course(time.perf_counter(), now, np.empty((POINTS, 3)), np.zeros(2, np.int64))


@compiled
def note(course: Course, cost: float, bound: float, work: int) -> None:
    """Record the known plan and bound; earlier ones stay known.

    A plan or bound soon after a look at the clock is recorded with the time of that look.

    Args:
        course: the course to extend.
        cost: cost per hour of a plan; infinite means none.
        bound: bound on the cost per hour of every plan; 0 means none.
        work: work done so far, in nodes of modules' searches or equal work.
    """
    points, most = course.points, course.points.shape[0]
    if most == 0:
        return
    n = course.counts[0]
    if n > 0:
        cost, bound = min(cost, points[n - 1, 1]), max(bound, points[n - 1, 2])
    # Rounding may lift the bound of the last proof above the plan that it proves.
    bound = min(bound, cost)
    if n > 0 and cost == points[n - 1, 1] and bound == points[n - 1, 2]:
        return
    if n == most:
        n = most // 2
        for i in range(n):
            points[i] = points[2 * i]
    seconds = points[n - 1, 0] if n > 0 else 0.0
    if work >= course.counts[1] + BETWEEN:
        seconds, course.counts[1] = clock() - course.began_s, work
    points[n, 0], points[n, 1], points[n, 2] = seconds, cost, bound
    course.counts[0] = n + 1
    course.now[0], course.now[1] = cost, bound


def with_trace(course: Course, answer: Answer) -> Answer:
    """An answer with the course of its search as its trace, and its own claim and bound as the last point.

    Points that cost less than the claim were no plans: rounding had met a tie, and the checker refused them.
    """
    size, took_s = int(course.counts[0]), time.perf_counter() - course.began_s
    if size == 0 or took_s < SHORT_S:
        return answer
    least = math.inf if answer.claimed is None else answer.claimed * (1.0 - PROOF_TOLERANCE)
    points = [
        TracePoint(seconds, cost if least <= cost < math.inf else None, bound if bound > 0 else None)
        for seconds, cost, bound in course.points[:size].tolist()
    ]
    last = TracePoint(took_s, answer.claimed, answer.bound)
    if (last.incumbent, last.bound) != (points[-1].incumbent, points[-1].bound):
        points.append(last)
    return replace(answer, trace=tuple(points))
