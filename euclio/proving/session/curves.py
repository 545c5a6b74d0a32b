"""What is proven of a module's least cost as its latency budget falls: plans, and gaps between them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.session.policies import Form
from euclio.proving.session.modules import Offer, Ranked, fixed_latency
from euclio.proving.session.ways import ModuleProver

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Cell:
    """Plans of a module that take from `low` to `high` seconds: none costs less than `cost`.

    A cell with a plan stands for that plan alone: `low` and `high` are the plan's latency, the plan costs at most the
    prover's margin more than `cost`, and slower plans up to the next cell cost no less. Other cells are gaps.

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
    """A lower bound on a module's worst-case latency, in seconds; None: no configuration is allowed.

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
        prover: answers what the module costs at least under a budget.
        floor: lower bound on its latency, in seconds.
        budget: the largest budget that a plan of the session can leave it.
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
        """The cells whose least latency is at least `low` and below `high` (None: no such end)."""
        first = 0 if low is None else bisect_left(self.cells, low, key=lambda cell: cell.low)
        last = len(self.cells) if high is None else bisect_left(self.cells, high, key=lambda cell: cell.low)
        return self.cells[first:last]

    def refine(self, cell: Cell, below: Fraction, halve: bool) -> bool:
        """Learn more of a gap; False: it is too narrow.

        Args:
            cell: one of the gaps.
            below: cost per hour that matters at most: a gap whose plans all reach it need not be known better.
            halve: look in the middle, else just below its upper end.
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
        # A plan from below the gap costs as little as the gap's: whoever stands below stands for the gap as well.
        del self.cells[i]
        below = self.cells[i - 1]
        if below.offer is None:
            self._place(i - 1, plan, cost)
        elif below.cost > cost:
            # It now stands for the gap's plans too, which may cost as little as this.
            self.cells[i - 1] = _cell(below.low, below.high, True, cost, below.offer)
