"""Rough cost of a plan that keeps 99 % under Poisson arrivals, found in a fraction of a second (ours).

The search of an attainment (`search`) simulates dozens of plans for hundreds of thousands of requests. This one tries a
few margins on all rates, at two shares of the SLO, and serves one or two thousand invocations. The number helps to plan
the next step; it is neither a bound nor a statement about a plan. The limits count plans and requests instead of time,
so that the same input gives the same number on any machine. Near the limits on machines one plan may take hours: after
`MOST_S` seconds there is no number.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from euclio.core.compiled import as_they_are
from euclio.core.errors import InputError
from euclio.core.solving import PreparedRun
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.plan import Plan
from euclio.problems.session.services import request_rate
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.margins import Margins, alike, spare_space, stricter, with_spare
from euclio.serving.session.in_turn import InTurn, RequestStream, covers
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import build_system

TARGET = 0.99
INVOCATIONS = 2_000
"""Invocations of all modules in one simulation, ..."""
LEAST_REQUESTS, LEAST_SLOS = 300, 10
"""... and its least requests and least length in SLOs; otherwise there is no number."""
FIRST_PART = 9
"""The first requests, one in this many, do not count: a simulation begins with idle machines."""
SHARES = (Fraction(7, 10), Fraction(1, 2))
"""Shares of the SLO that are planned with."""
RATES = tuple(Fraction(step, 100) for step in (0, 5, 10, 16, 24, 35, 50, 75, 110, 160))
"""Margins on the rates, of which that in the middle is tried first."""
FIRST_RATE = 3
MOST_SIMULATED = 6
MOST_S = 3.0
"""Seconds after which there is no number; nearly always all takes less than one."""


def rough_cost(ready: PreparedRun) -> float | None:
    """About the cost per hour of a plan that answers 99 % of Poisson requests within the SLO.

    Args:
        ready: a run of a solver that takes milliseconds, without margins; its time limit is not looked at.

    Returns:
        The cost. None if no plan that was tried keeps the share, the modules cannot be served one after the other, the
        simulation would be too short, or plans take too long. It neither loads nor makes machine code.
    """
    session = ready.instance
    invocations = float(sum(module.rate_rps for module in session.modules))
    seconds = INVOCATIONS / invocations
    if seconds < LEAST_SLOS * session.slo_s or seconds * request_rate(session) < LEAST_REQUESTS:
        return None
    tried = _RoughSearch(ready, Setup(seconds=seconds), time.perf_counter() + MOST_S)
    try:
        with as_they_are():
            tried.all_of(Fraction(1), (Fraction(0),), 0)
            for share in SHARES:
                tried.all_of(share, RATES, FIRST_RATE)
    except (InputError, _NoNumberError):
        return None
    return None if tried.cost is None else float(tried.cost)


class _NoNumberError(Exception):
    """Its modules cannot be served one after the other, or plans take too long."""


@dataclass(slots=True)
class _RoughSearch:
    """The cheapest plan so far that keeps the target."""

    ready: PreparedRun
    setup: Setup
    ends_at: float
    cost: Fraction | None = None
    simulated: int = 0
    coming: RequestStream | None = None

    def all_of(self, share: Fraction, rates: tuple[Fraction, ...], first: int) -> None:
        """Bisect the least margin on all rates that is enough with a share of the SLO."""
        low, middle, high = -1, first, len(rates)
        while high - low > 1 and self.simulated < MOST_SIMULATED:
            if self._enough(alike(self.ready.instance, rates[middle], share)):
                high = middle
            else:
                low = middle
            middle = (low + high) // 2

    def _enough(self, margins: Margins) -> bool:
        """Whether the search should try less margin: this plan keeps the target, or costs as much as one that does."""
        session, space = self.ready.instance, spare_space(self.ready.space)
        # A search that looks ahead may stop when half of its time is over.
        limits = replace(self.ready.limits, time_limit_s=2 * (self.ends_at - time.perf_counter()))
        run = replace(self.ready, instance=stricter(session, margins), limits=limits)
        answer, wall_s = run.answer()
        # Another number than that of a machine with more time would be worse than none.
        if time.perf_counter() >= self.ends_at:
            raise _NoNumberError
        # Only whether there is a plan matters: to find out why there is none takes seconds, by the clock.
        made = run.check(replace(answer, why=None), wall_s)
        if made.plan is None or made.evaluation is None:
            return False
        plan = with_spare(session, made.plan, made.evaluation, margins)
        cost = evaluate(session, plan, space).cost_per_h
        if cost is None:
            return False
        if self.cost is not None and cost >= self.cost:
            return True
        if self._share(plan) < TARGET:
            return False
        self.cost = cost
        return True

    def _share(self, plan: Plan) -> float:
        """The share in time of the same requests for all plans, served as a plan of an attainment is."""
        demand = Demand(TARGET, self.setup)
        system = build_system(self.ready.instance, plan, spare_space(self.ready.space), demand.setup)
        if not covers(system, 0.0):
            raise _NoNumberError
        if self.coming is None:
            self.coming = RequestStream(system, demand.setup)
        self.simulated += 1
        until = system.clock.up(self.setup.seconds)
        served = InTurn(system, self.coming)
        served.go_to(until + 2 * system.slo_ticks)
        first, last = np.searchsorted(served.arrivals(), (until // FIRST_PART, until))
        took = served.latencies(int(first), int(last))
        return float(np.mean(took <= system.slo_ticks)) if len(took) else 0.0
