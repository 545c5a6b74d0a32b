"""Whole machines one of which is nearly full: where it is faster the nearer it comes to that (ours).

Under policy `rr` a full machine takes 2d, and one at rate f takes d + b/f, which comes down to d + d/e as f comes near
to its throughput. Where dummies of any rate may fill machines, plans with such a machine differ by f in nothing but
that latency. So f is as large as one likes, and the plan is a configuration k for it and counts of full machines of
configurations up to k. Their rate W has to be more than T - t, as f stays below t, and their latencies are fixed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from euclio.core.numbers import has_text
from euclio.problems.session.plan import Allocation, ModulePlan
from euclio.proving.session.modules import ZERO, Offer, Ranked, fixed_latency
from euclio.proving.session.proving import CountsProver, TooFarApartError


def nearly_full(m: Ranked, full: ModulePlan | None, k: int, least: Fraction = ZERO) -> Offer | None:
    """Price full machines next to one of configuration k that is nearly full.

    Args:
        m: the module.
        full: full machines of configurations up to k; None: there are none.
        k: the last configuration of the plan.
        least: rate that the machine which is not full has to take at least, in requests per second.

    Returns:
        A plan that takes no longer than the latency next to it, which is the least one and an instant more if that
        comes from the machine that is not full; None: the counts make no plan.

    Raises:
        TooFarApartError: the plan's dummy rate has too many digits for any file.
    """
    c, t = m.configurations[k], m.throughput[k]
    allocations = () if full is None else full.allocations
    served = sum((a.machines * a.configuration.throughput_rps for a in allocations), ZERO)
    wait = c.duration_s / c.concurrency + m.instant
    partial = max(m.rate - served, c.batch / wait, least)
    if partial >= t:
        return None
    dummy = served + partial - m.rate
    if not has_text(dummy):
        raise TooFarApartError
    own = [i for i, known in enumerate(m.configurations) if any(a.configuration is known for a in allocations)]
    latency = max([c.duration_s + wait, *(fixed_latency(m, i) for i in own)])
    cost = m.price[k] + sum((m.price[i] * a.machines for i, a in zip(own, allocations, strict=True)), ZERO)
    next_to_it = own and own[-1] == k
    machines = allocations[-1].machines if next_to_it else 0
    before = allocations[:-1] if next_to_it else allocations
    if len(before) >= m.most:
        return None
    return Offer(cost, latency, ModulePlan((*before, Allocation(c, machines, partial)), dummy))


class NearlyFull:
    """Answers as `CountsProver` does, of plans with one machine of a configuration that is nearly full.

    The full machines next to it are counted as those of a module with less rate: W > T - t is W ≥ T - t + 1/D, where
    1/D divides all rates. Which configurations are used is all that their latency depends on.

    Args:
        m: the module.
        k: the configuration.
        cap: cost per hour that matters at most; None: costs do not matter.
        margin: money per hour by which a least cost may be off.
        deadline: `time.perf_counter` value at which to stop.
    """

    def __init__(self, m: Ranked, k: int, cap: Fraction | None, margin: Fraction, deadline: float) -> None:
        self._m, self._k = m, k
        unit = Fraction(1, math.lcm(m.rate.denominator, *(t.denominator for t in m.throughput[: k + 1])))
        left = m.rate - m.throughput[k] + unit
        self._others = None
        # Without anything left the machine serves the rate alone.
        if left > 0:
            others = replace(
                m,
                rate=left,
                configurations=m.configurations[: k + 1],
                throughput=m.throughput[: k + 1],
                price=m.price[: k + 1],
                unit_cost=m.unit_cost[: k + 1],
                group=m.group[: k + 1],
                most=min(m.most, k + 1),
            )
            self._others = CountsProver(others, cap, margin, deadline, lambda full: self._with(full) is not None)

    @property
    def nodes(self) -> int:
        """Nodes of all searches so far."""
        return 0 if self._others is None else self._others.nodes

    def cheapest(self, budget: Fraction, strict: bool, below: Fraction, proven: Fraction) -> Offer | None:
        """The cheapest such plan within a budget among those below a cost; None: there is none below it."""
        price = self._m.price[self._k]
        if not self._in_time(budget, strict) or price >= below:
            return None
        if self._others is None:
            return nearly_full(self._m, None, self._k)
        return self._with(self._others.cheapest(budget, strict, below - price, max(ZERO, proven - price)))

    def any_plan(self, budget: Fraction, strict: bool) -> Offer | None:
        """Some such plan within a budget, whatever it costs; None: there is none."""
        if not self._in_time(budget, strict):
            return None
        if self._others is None:
            return nearly_full(self._m, None, self._k)
        return self._with(self._others.any_plan(budget, strict))

    def _in_time(self, budget: Fraction, strict: bool) -> bool:
        c = self._m.configurations[self._k]
        latency = c.duration_s + c.duration_s / c.concurrency + self._m.instant
        return latency < budget or (latency == budget and not strict)

    def _with(self, full: Offer | None) -> Offer | None:
        return None if full is None else nearly_full(self._m, full.plan, self._k)
