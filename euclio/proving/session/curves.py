"""Proven least costs of a module as its latency budget falls: plans, and gaps between them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.numbers import has_text
from euclio.problems.session.plan import Allocation, ModulePlan
from euclio.problems.session.policies import Form
from euclio.problems.session.rules import DummyRule
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.session.module_cost import TOO_FAR_APART, CountsProver
from euclio.proving.session.modules import ZERO, Offer, Ranked, fixed_latency, full_machines_suffice

# Plans of whole machines one of which is nearly full, where it is faster the nearer it comes to that (ours).
#
# Under policy `rr` a full machine takes 2d, and one at rate f takes d + b/f, which falls to d + d/e as f comes near to
# its throughput. Where dummies of any rate may fill machines, plans with such a machine differ by f in that latency
# alone. So f is as large as one likes, and the plan is a configuration k for it and counts of full machines of
# configurations up to k. Their rate W has to exceed T - t, as f stays below t, and their latencies are fixed.


def nearly_full(m: Ranked, full: ModulePlan | None, k: int, least: Fraction = ZERO) -> Offer | None:
    """Price full machines next to one of configuration k that is nearly full.

    Args:
        m: the module.
        full: full machines of configurations up to k; None means none.
        k: the last configuration of the plan.
        least: least rate of the machine that is not full, in requests per second.

    Returns:
        An offer whose plan takes no longer than the stated latency, or None if the counts make no plan. That latency is
        the least one, and an instant more if it comes from the machine that is not full.

    Raises:
        GivenUpError: the plan's dummy rate has too many digits for any file.
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
        raise GivenUpError(TOO_FAR_APART)
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

    It counts the full machines next to it as those of a module with less rate: W > T - t is W ≥ T - t + 1/D, where
    1/D divides all rates. Their latency depends only on the configurations used.

    Args:
        m: the module.
        k: the configuration.
        cap: cost per hour that matters at most. None means that costs do not matter.
        margin: money per hour by which a least cost may be off.
        effort: deadline and count of nodes.
    """

    def __init__(self, m: Ranked, k: int, cap: Fraction | None, margin: Fraction, effort: Effort) -> None:
        self._m, self._k = m, k
        unit = Fraction(1, math.lcm(m.rate.denominator, *(t.denominator for t in m.throughput[: k + 1])))
        left = m.rate - m.throughput[k] + unit
        self._others = None
        # If nothing is left, the machine serves the rate alone.
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
            self._others = CountsProver(others, cap, margin, effort, lambda full: self._with(full) is not None)

    def cheapest(self, budget: Fraction, strict: bool, below: Fraction, proven: Fraction) -> Offer | None:
        """The cheapest such plan within a budget among those below a cost; None if there is none."""
        price = self._m.price[self._k]
        if not self._in_time(budget, strict) or price >= below:
            return None
        if self._others is None:
            return nearly_full(self._m, None, self._k)
        return self._with(self._others.cheapest(budget, strict, below - price, max(ZERO, proven - price)))

    def any_plan(self, budget: Fraction, strict: bool) -> Offer | None:
        """Some such plan within a budget, at any cost; None if there is none."""
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


# One module's least cost under a latency budget, over all the ways in which its machines may be full or not (ours).
#
# Each way is a search for counts of machines. Together they list, for any plan, one that is no slower and costs no
# more:
#
# - *By share* one search lists all plans.
#
# - *Whole, filled*: where no machine is faster if it is not full, filling all of them up costs nothing and slows none
#   down (`full_machines_suffice`). The counts of full machines are enough.
#
# - *Whole, rule none*: charges decide neither which plans there are nor how long they take. A plan is a number of whole
#   machines per configuration with W = Σ n·t ≤ T. Where W < T, it has one machine of the last configuration more, at
#   rate f = T - W < t. So the counts and the place of the machine that is not full describe the plan. The search by
#   share lists these plans; only the charge of that machine differs. No other machine can be partly idle: only the
#   last allocation may have a machine that is not full, and at most one, since f < t.
#
# - *Whole, policy `rr`, several batches at a time*: a machine that is not full may be faster than a full one. Under
#   rule `machine` a plan has either dummies and full machines only, or a machine that is not full and no dummies.
#   So it is one of the plans filled or one of those under rule none. Under rule `continuous` such a machine may have
#   dummies too. With one batch at a time it takes d + b/f > 2d and may as well be full; for several see `nearly_full`.


def counted(m: Ranked) -> Iterator[Ranked]:
    """The module as `euclio.proving.session.modules.offer` prices counts of its machines, once for each way."""
    yield m
    if m.filled and not full_machines_suffice(m) and m.dummy.countable:
        yield replace(m, dummy=DummyRule.NONE)


def nearly_full_at(m: Ranked) -> list[int]:
    """The configurations of which one machine may be nearly full, and is faster than a full one for that."""
    if not m.filled or m.dummy.countable or full_machines_suffice(m):
        return []
    return [k for k, c in enumerate(m.configurations) if c.concurrency > 1]


class ModuleProver:
    """Answers the least cost of a module under latency budgets.

    Args:
        m: the module.
        cap: cost per hour that matters at most. None means that costs do not matter: any plan will do.
        margin: money per hour by which a least cost may be off (the plan returned may be that much too expensive).
        effort: deadline and count of nodes.
    """

    def __init__(self, m: Ranked, cap: Fraction | None, margin: Fraction, effort: Effort) -> None:
        self.m = m
        self.margin = margin
        self._ways: list[CountsProver | NearlyFull] = [CountsProver(own, cap, margin, effort) for own in counted(m)]
        self._ways += [NearlyFull(m, k, cap, margin, effort) for k in nearly_full_at(m)]

    def cheapest(self, budget: Fraction, strict: bool, below: Fraction, proven: Fraction) -> Offer | None:
        """The cheapest plan within a budget among those below a cost; None if there is none.

        Args:
            budget: latency budget in seconds.
            strict: whether latencies have to stay below the budget.
            below: cost per hour that the plan has to stay below.
            proven: cost per hour that no plan within the budget stays below.
        """
        best: Offer | None = None
        for way in self._ways:
            # Plans that are cheaper by no more than the margin do not matter.
            found = way.cheapest(budget, strict, below if best is None else best.cost - self.margin, proven)
            best = best if found is None else found
        return best

    def any_plan(self, budget: Fraction, strict: bool) -> Offer | None:
        """Some plan within a budget, at any cost; None if there is none."""
        for way in self._ways:
            found = way.any_plan(budget, strict)
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Cell:
    """Plans of a module that take from `low` to `high` seconds: none costs less than `cost`.

    A cell with a plan stands for that plan alone. `low` and `high` are the plan's latency, and its cost exceeds `cost`
    by at most the prover's margin. Slower plans up to the next cell cost no less. Other cells are gaps.

    Attributes:
        low: least latency in seconds.
        high: largest latency.
        closed: whether `high` itself belongs to a gap.
        cost: lower bound on the cost per hour.
        offer: the plan, or None in a gap.
        low_s: `low` as a float.
        cost_per_h: `cost` as a float.
    """

    low: Fraction
    high: Fraction
    closed: bool
    cost: Fraction
    offer: Offer | None
    low_s: float
    cost_per_h: float


def _cell(low: Fraction, high: Fraction, closed: bool, cost: Fraction, offer: Offer | None = None) -> Cell:
    return Cell(low, high, closed, cost, offer, float(low), float(cost))


def least_latency_bound(m: Ranked) -> Fraction | None:
    """A lower bound on a module's worst-case latency, in seconds; None if no configuration is allowed.

    Some machine takes d + b/w at best, and w stays below the rate and the last machine together, where not all machines
    are filled with dummies. In form `EVEN` no machine is faster than a full one, and in form `FIXED` a partial one
    takes more than d + b/t.
    """
    if not m.configurations:
        return None
    rate = m.rate + (max(m.throughput) if m.dummy.adds else 0)
    bounds = []
    for k, (c, t) in enumerate(zip(m.configurations, m.throughput, strict=True)):
        # In sequence a machine may collect from the whole rate; under `continuous`, and where dummies fill machines
        # for nothing, from any rate.
        if m.policy.form.in_sequence:
            bounds.append(c.duration_s + (c.batch / rate if m.dummy.countable and not m.filled else ZERO))
        elif m.policy.form is Form.EVEN:
            bounds.append(fixed_latency(m, k))
        else:
            bounds.append(min(c.duration_s + c.batch / t, fixed_latency(m, k)))
    return min(bounds)


class Curve:
    """A module's cells, fastest first; they cover every latency that can be of use.

    Args:
        prover: answers the least cost of the module under a budget.
        floor: lower bound on its latency, in seconds.
        budget: largest budget that a plan of the session can leave the module.
        below: cost per hour that matters at most.
    """

    def __init__(self, prover: ModuleProver, floor: Fraction, budget: Fraction, below: Fraction) -> None:
        self.prover = prover
        self.span = budget - floor
        self.cells: list[Cell] = []
        if floor <= budget:
            self.cells = [_cell(floor, budget, True, ZERO)]
            self._step(0, below)

    def within(self, low: Fraction | None, high: Fraction | None) -> list[Cell]:
        """The cells whose least latency is at least `low` and below `high` (None means no such end)."""
        first = 0 if low is None else bisect_left(self.cells, low, key=lambda cell: cell.low)
        last = len(self.cells) if high is None else bisect_left(self.cells, high, key=lambda cell: cell.low)
        return self.cells[first:last]

    def refine(self, cell: Cell, below: Fraction, halve: bool) -> bool:
        """Refine a gap; False if it is too narrow.

        Args:
            cell: one of the gaps.
            below: cost per hour that matters at most; gaps whose plans all reach it are not refined.
            halve: search in the middle of the gap, else just below its upper end.
        """
        i = self.cells.index(cell)
        if not halve:
            self._step(i, below)
            return True
        middle = (cell.low + cell.high) / 2
        # A float is a short fraction, which keeps later exact sums cheap.
        rounded = Fraction(float(middle))
        if cell.low < rounded < cell.high:
            middle = rounded
        elif cell.high - cell.low <= cell.high / 10**14:
            # No float lies in between and the gap is as narrow as rounding: it stays open.
            return False
        self._halve(i, middle, below)
        return True

    def _step(self, i: int, below: Fraction) -> None:
        """Find the cheapest plan of a whole gap, slowest end included or not."""
        cell = self.cells[i]
        plan = self.prover.cheapest(cell.high, not cell.closed, below, cell.cost)
        # No plan costs less, so the whole gap costs at least that.
        if plan is None:
            self.cells[i] = _cell(cell.low, cell.high, cell.closed, max(cell.cost, below), None)
            return
        self._place(i, plan, max(cell.cost, plan.cost - self.prover.margin))

    def _halve(self, i: int, middle: Fraction, below: Fraction) -> None:
        cell = self.cells[i]
        plan = self.prover.cheapest(middle, False, below, cell.cost)
        cost = max(cell.cost, below if plan is None else plan.cost - self.prover.margin)
        self.cells[i : i + 1] = [_cell(cell.low, middle, True, cost), _cell(middle, cell.high, cell.closed, cell.cost)]
        if plan is not None:
            if cost == cell.cost:  # the plan is as cheap as any in the upper half could be
                del self.cells[i + 1]
            self._place(i, plan, cost)

    def _place(self, i: int, plan: Offer, cost: Fraction) -> None:
        """Put the cheapest plan of gap i, and of everything faster, in its place; slower plans of the gap go."""
        cell = self.cells[i]
        point = _cell(plan.latency, plan.latency, True, cost, plan)
        if plan.latency >= cell.low:
            faster = [_cell(cell.low, plan.latency, False, cost)] if plan.latency > cell.low else []
            self.cells[i : i + 1] = [*faster, point]
            return
        # A plan from below the gap costs no more than the gap's plans, so it stands for them as well.
        del self.cells[i]
        below = self.cells[i - 1]
        if below.offer is None:
            self._place(i - 1, plan, cost)
        elif below.cost > cost:
            # It now stands for the gap's plans too, and this is a lower bound on their costs.
            self.cells[i - 1] = _cell(below.low, below.high, True, cost, below.offer)
