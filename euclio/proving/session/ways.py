"""One module's least cost under a latency budget, over all the ways in which its machines may be full or not (ours).

Each way is a search for counts of machines, and together they list a plan that is no slower and costs no more than any:

- *By share* one search lists all plans.
- *Whole, filled*: where no machine is faster if it is not full, filling all of them up costs nothing and slows none
  down (`full_machines_suffice`). The counts of full machines are enough.
- *Whole, rule none*: what is charged decides neither which plans there are nor how long they take. A plan is a number
  of whole machines per configuration with W = Σ n·t ≤ T and, where W < T, one machine of the last configuration more,
  at rate f = T - W < t. So counts and the place of the machine that is not full say it all, and the search by share
  lists them; that machine alone is charged otherwise. None of the others can be left partly idle: only the last
  allocation may have a machine that is not full, and it has one at most, since f < t.
- *Whole, policy `rr`, several batches at a time*: a machine that is not full may be faster than a full one. Under rule
  `machine` a plan has dummies, and full machines only, or a machine that is not full, and no dummies: it is listed as
  one of those filled or as one of those under rule none. Under rule `continuous` such a machine may have dummies too:
  of one batch at a time it takes d + b/f > 2d and may as well be full, of several see `nearly_full`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.problems.session.rules import DummyRule
from euclio.proving.session.modules import Offer, Ranked, full_machines_suffice
from euclio.proving.session.nearly_full import NearlyFull
from euclio.proving.session.proving import CountsProver


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
    """Answers what a module costs at least under latency budgets.

    Args:
        m: the module.
        cap: cost per hour that matters at most; None: costs do not matter, any plan will do.
        margin: money per hour by which a least cost may be off (the plan returned may be that much too expensive).
        deadline: `time.perf_counter` value at which to stop.
    """

    def __init__(self, m: Ranked, cap: Fraction | None, margin: Fraction, deadline: float) -> None:
        self.m = m
        self.margin = margin
        self._ways: list[CountsProver | NearlyFull] = [CountsProver(own, cap, margin, deadline) for own in counted(m)]
        self._ways += [NearlyFull(m, k, cap, margin, deadline) for k in nearly_full_at(m)]

    @property
    def nodes(self) -> int:
        """Nodes of all searches so far."""
        return sum(way.nodes for way in self._ways)

    def cheapest(self, budget: Fraction, strict: bool, below: Fraction, proven: Fraction) -> Offer | None:
        """The cheapest plan within a budget among those below a cost; None: there is none below it.

        Args:
            budget: latency budget in seconds.
            strict: whether latencies have to stay below the budget.
            below: cost per hour that the plan has to stay below.
            proven: cost per hour that no plan within the budget stays below.
        """
        best: Offer | None = None
        for way in self._ways:
            # A plan that is cheaper by no more than the margin need not be known.
            found = way.cheapest(budget, strict, below if best is None else best.cost - self.margin, proven)
            best = best if found is None else found
        return best

    def any_plan(self, budget: Fraction, strict: bool) -> Offer | None:
        """Some plan within a budget, whatever it costs; None: there is none."""
        for way in self._ways:
            found = way.any_plan(budget, strict)
            if found is not None:
                return found
        return None
