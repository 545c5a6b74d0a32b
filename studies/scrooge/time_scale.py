"""The time scale of Scrooge's evaluation (§4) over that of its profile (Figure 5), from two printed numbers alone.

§4.3 prints Inception's average throughput in traffic: 24.9 images per second of a machine under 400 ms, 33.6 under
1000 ms. Figure 5 has no point of it below 40.98, so no average of its points is either number. The evaluation must run
the profile s times as long. For any s the same allocation decisions, planned by Scrooge's MILP, have two averages. The
scale is the s at which their geometric mean is that of 24.9 and 33.6.

An average lies between the least and the largest throughput, so s is at least 40.98/24.9 and at most the profile's
largest throughput over 33.6. Bisection between these two, to a hundredth, gives the field `time_scale` of
`data/scrooge.json`. No other number of the paper has a part in it.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from euclio.core.registry import find_solver
from euclio.core.solving import solve
from euclio.workloads.session.protocol import SEED
from euclio.workloads.session.scrooge_sessions import (
    draw_scrooge,
    inflated,
    scrooge_applications,
    scrooge_data,
    scrooge_profile,
)
from studies.papers.published import printed_values
from studies.scrooge.measures import MILP
from studies.scrooge.objectives import ENDS_MS, SHOWN, machine_rows

INCEPTION = SHOWN[0]
DECISIONS = 100
"""Decisions for the scale, more than in the report; among twenty, a single plan moves the geometric mean by 1 %."""
STEP = 0.005
"""Width at which bisection ends."""


def averages(scale: float, decisions: int = DECISIONS) -> tuple[float, float]:
    """Inception's average throughput per machine at the tightest and the loosest objective, in images per second.

    Args:
        scale: durations of the modules of traffic over those of Figure 5.
        decisions: number of allocation decisions, the first of the study's seed.
    """
    return _average(scale, decisions, 0), _average(scale, decisions, -1)


def derived_scale() -> float:
    """The time scale that follows from 24.9 and 33.6, to a hundredth."""
    printed = printed_values("scrooge")
    ends = [printed[f"inception_rps_{ms}"] for ms in ENDS_MS]
    rates = [float(c.throughput_rps) for c in scrooge_profile("ssd_inception", as_evaluated=False)]
    low, high = min(rates) / ends[0], max(rates) / ends[1]
    while high - low > STEP:
        middle = (low + high) / 2
        too_fast = prod(averages(middle)) > prod(ends)
        low, high = (middle, high) if too_fast else (low, middle)
    return round((low + high) / 2, 2)


def _average(scale: float, decisions: int, objective: int) -> float:
    """Images over machines of all decisions at one objective, given by its place among the application's."""
    place = range(len(scrooge_applications()[INCEPTION.application].objectives_s))[objective]
    found, rate, machines = find_solver(MILP), 0.0, 0.0
    for number in range(1, decisions + 1):
        session = draw_scrooge(INCEPTION.application, SEED, number, place).session
        times = scale / scrooge_data()["time_scale"]
        session = replace(session, modules=tuple(inflated(m, times) for m in session.modules))
        rows = machine_rows(session, solve(session, MILP, space=found.space_on(session)))
        for row in rows:
            if row["module"] == INCEPTION.module:
                rate, machines = rate + row["rate_rps"], machines + row["machines"]
    return rate / machines
