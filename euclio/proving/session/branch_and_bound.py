"""Branch and bound over the modules' latencies: is there a plan of the whole session below a cutoff?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.proving.effort import Effort
from euclio.proving.paths import through
from euclio.proving.session.combinations import CHOSEN, TOO_MANY, Bound, Bounding, choices, first_state, next_choice
from euclio.proving.session.curves import Cell, Curve, ModuleProver, least_latency_bound
from euclio.proving.session.modules import Offer, Ranked

WORTH_FILLING = 1.001
"""The search improves plans up to this many times the cutoff, in the hope of one below it."""

LEAST_RISE = Fraction(1, 500)
"""Each look into a gap covers at least the plans up to this share of the cutoff above its proven cost."""

COARSE = 16
"""Gaps wider than one such part of a module's latencies are halved, others stepped through."""

CHOICES = 300_000
"""Nodes of the enumeration in one branch before it is split."""

Range = tuple[Fraction | None, Fraction | None]
"""Latencies of a module in a branch, in seconds: from the first on, below the second; None means no such end."""

WIDE, NARROW = 0.5, 0.02
"""Shares of the gap between bound and cutoff: a gap between plans that is worth more is halved; under rule
`continuous` one that is worth less is left alone while modules can be branched on."""


@dataclass(slots=True)
class Outcome:
    """Result of the branch and bound.

    Attributes:
        plan: a plan that costs less than the cutoff.
        exhausted: whether it is proven that there is none.
        near: the search met a plan whose cost exceeds the cutoff by less than the margin, or equals it.
    """

    plan: Plan | None = None
    exhausted: bool = True
    near: bool = False

    @property
    def open(self) -> bool:
        """Whether the search has ended without an answer."""
        return self.plan is None and not self.exhausted and not self.near


class Branching:
    """Branch and bound of one session.

    Args:
        session: the instance.
        modules: its modules within the plan space.
        cutoff: cost per hour that a plan has to stay below, above 0.
        margin: money per hour by which least costs of modules may be off; 0 decides ties.
        effort: deadline and count of nodes.
    """

    def __init__(
        self, session: Session, modules: Sequence[Ranked], cutoff: Fraction, margin: Fraction, effort: Effort
    ) -> None:
        self._session = session
        self._cutoff = cutoff
        self._limit = float(cutoff) * (1 + 1e-15)
        self._effort = effort
        self._provers = [ModuleProver(m, cutoff, margin, effort) for m in modules]
        self._modules = modules
        self._bounding = Bounding(session, float(cutoff))
        self._continuous = not modules[0].stepped
        self._curves: list[Curve] = []

    def cells(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells of the modules at the end of a search, by module; fewer where it ended early."""
        return tuple(tuple(curve.cells) for curve in self._curves)

    def run(self) -> Outcome:
        """Search until a plan is found, none is left, or it is given up (`GivenUpError`)."""
        floors = [least_latency_bound(m) for m in self._modules]
        least = [f for f in floors if f is not None]
        # A module without configurations has no plan.
        if len(least) < len(floors):
            return Outcome()
        path = through(self._session, least)
        for prover, floor, longest in zip(self._provers, least, path, strict=True):
            # The others at their fastest leave the module no more than this.
            budget = self._session.slo_s - longest + floor
            self._curves.append(Curve(prover, floor, budget, self._cutoff))
            # Even with all the time there is, the module alone reaches the cutoff.
            if not self._curves[-1].cells or self._curves[-1].cells[-1].cost >= self._cutoff:
                return Outcome()
        outcome = Outcome()
        stack: list[list[Range]] = [[(None, None)] * len(least)]
        # Depth first: any plan below the cutoff ends the search, and few branches are held.
        while stack and outcome.plan is None and not outcome.near:
            stack += self._branch(stack.pop(), outcome)
        outcome.exhausted = outcome.exhausted and not outcome.near and outcome.plan is None
        return outcome

    def _branch(self, ranges: list[Range], outcome: Outcome) -> list[list[Range]]:
        """Decide a branch, or split it."""
        while True:
            self._effort.step()
            cells = self._cells(ranges)
            if self._hopeless(cells):
                return []
            bound = self._bounding.bound(cells)
            # The bound is rounded down and the limit up, so no branch with a plan is cut.
            if bound.cost_per_h >= self._limit:
                return []
            if self._try_chosen(cells, bound, outcome):
                return []
            if not self._refine(cells, bound, self._mixed(cells, bound), bool(self._continuous), outcome):
                break
        while True:
            self._effort.step()
            found = self._choose(cells, bound, outcome)
            if found is None:
                # The place of the split follows from the cells that the program mixes, known for earlier cells only.
                return self._split(ranges, cells, self._bounding.bound(cells))
            # No combination is left, or the question is answered.
            if not found or outcome.plan is not None or outcome.near:
                return []
            # The gaps are too narrow to refine: `_refine` has marked the outcome as open.
            if not self._refine(cells, bound, found, False, outcome):
                return []
            cells = self._cells(ranges)
            # A module has no cell below the cutoff any more.
            if not all(cells):
                return []
            # Prices of time stay good while gaps are filled in; a bound for any prices is valid.
            bound = self._bounding.at_prices(cells, bound.prices, bound.chosen)
            if bound.cost_per_h >= self._limit:
                return []

    def _cells(self, ranges: list[Range]) -> list[list[Cell]]:
        """The cells of a branch; one that costs as much as the cutoff is in no cheaper plan."""
        return [
            [cell for cell in curve.within(*ends) if cell.cost < self._cutoff]
            for curve, ends in zip(self._curves, ranges, strict=True)
        ]

    def _mixed(self, cells: list[list[Cell]], bound: Bound) -> list[tuple[int, int]]:
        """Module and index of the gaps that the linear program's solution uses."""
        return [(m, k) for m, some in enumerate(bound.chosen) for k in some if cells[m][k].offer is None]

    def _choose(self, cells: list[list[Cell]], bound: Bound, outcome: Outcome) -> list[tuple[int, int]] | None:
        """Enumerate combinations below the bound: the gaps of one that may be cheaper; empty if there is none.

        Returns None if there are too many combinations.
        """
        c = choices(self._session, cells, bound, self._limit)
        s = first_state(c)
        while (status := next_choice(c, s, CHOICES)) == CHOSEN:
            some = [(int(m), int(c.cell[k - 1])) for m, k in zip(c.module, s.pick, strict=True)]
            gaps = [(m, k) for m, k in some if cells[m][k].offer is None]
            # A combination with gaps is no plan yet: the search has to refine them first.
            if gaps:
                self._effort.nodes += int(s.at[1])
                self._try_near(cells, [k for _, k in sorted(some)], outcome)
                return gaps
            if self._accept([cells[m][k] for m, k in sorted(some)], outcome):
                break
            self._effort.step()
        self._effort.nodes += int(s.at[1])
        return None if status == TOO_MANY else []

    def _hopeless(self, cells: list[list[Cell]]) -> bool:
        """Whether the fastest cells miss the SLO or the cheapest reach the cutoff; exactly."""
        if not all(cells):
            return True
        cheapest = [min(row, key=lambda cell: cell.cost_per_h) for row in cells]
        # Exact sums pay only near the cutoff; rounded to floats, costs may change places.
        near = sum(cell.cost_per_h for cell in cheapest) > self._limit * (1 - 1e-9)
        if near and sum((min(cell.cost for cell in row) for row in cells), Fraction(0)) >= self._cutoff:
            return True
        return max(through(self._session, [row[0].low for row in cells])) > self._session.slo_s

    def _try_chosen(self, cells: list[list[Cell]], bound: Bound, outcome: Outcome) -> bool:
        """Whether the fastest cells that the bound mixes make a plan of the session, or plans next to them do."""
        return self._try_near(cells, [min(some, default=0) for some in bound.chosen], outcome)

    def _try_near(self, cells: list[list[Cell]], chosen: list[int], outcome: Outcome) -> bool:
        """Try the plans next to one cell per module: those above gaps, which cost no more, then those below."""
        for step in (1, -1):
            near: list[Cell] = []
            for row, k in zip(cells, chosen, strict=True):
                # Gaps have no plan to try: go on to the next cell that has one.
                while 0 <= k < len(row) and row[k].offer is None:
                    k += step
                if not 0 <= k < len(row):
                    break
                near.append(row[k])
            if len(near) == len(cells):
                offers = [cell.offer for cell in near if cell.offer is not None]
                if self._is_plan(offers, outcome):
                    return True
                if self._continuous and step < 0 and self._is_plan(self._filled(offers), outcome):
                    return True
        return False

    def _filled(self, offers: list[Offer]) -> list[Offer]:
        """The modules' plans under rule continuous, each made cheaper in turn with the time left to it, exactly."""
        # Filling up takes searches, so it is tried only where it may get below the cutoff.
        if float(sum((offer.cost for offer in offers), Fraction(0))) > self._limit * WORTH_FILLING:
            return offers
        return self._filled_in_turn(offers, range(len(offers)))

    def _filled_in_turn(self, offers: Sequence[Offer], order: Iterable[int]) -> list[Offer]:
        filled = list(offers)
        for m in order:
            longest = through(self._session, [offer.latency for offer in filled])[m]
            if longest < self._session.slo_s:
                budget = filled[m].latency + self._session.slo_s - longest
                # A module that costs as much as the cutoff by itself is in no plan below it.
                below = min(filled[m].cost, self._cutoff)
                filled[m] = self._provers[m].cheapest(budget, False, below, Fraction(0)) or filled[m]
        return filled

    def try_improved(self, offers: Sequence[Offer], outcome: Outcome) -> None:
        """Look for a plan below the cutoff next to one within the SLO, where branching has not decided.

        Args:
            offers: one per module; together they keep the SLO.
            outcome: gets the plan, if there is one.
        """
        forth = range(len(offers))
        for order in (forth, forth[::-1]):
            # The module that comes first takes all the time that there is to spare.
            if outcome.plan is None:
                self._is_plan(self._filled_in_turn(offers, order), outcome)

    def _is_plan(self, offers: list[Offer], outcome: Outcome) -> bool:
        """Whether the modules' plans make one of the session that costs less than the cutoff; exactly."""
        # Floats settle what is far from the cutoff; near it the sum below is exact.
        if sum(float(offer.cost) for offer in offers) > self._limit * (1 + 1e-9):
            return False
        if max(through(self._session, [offer.latency for offer in offers])) > self._session.slo_s:
            return False
        if sum((offer.cost for offer in offers), Fraction(0)) < self._cutoff:
            outcome.plan = Plan(tuple(offer.plan for offer in offers))
        return outcome.plan is not None

    def _accept(self, chosen: list[Cell], outcome: Outcome) -> bool:
        """Whether a combination of plans ends the search: a plan of the session, or one too near to the cutoff."""
        if self._is_plan([cell.offer for cell in chosen if cell.offer is not None], outcome):
            return True
        # It is cheaper than the cutoff only within the margin of least costs: a search without one decides.
        outcome.near = (
            max(through(self._session, [cell.low for cell in chosen])) <= self._session.slo_s
            and sum((cell.cost for cell in chosen), Fraction(0)) < self._cutoff
        )
        return outcome.near

    def _refine(
        self, cells: list[list[Cell]], bound: Bound, gaps: list[tuple[int, int]], skip: bool, outcome: Outcome
    ) -> bool:
        """Learn more of gaps; whether anything was learned.

        Args:
            cells: the branch's cells.
            bound: its bound.
            gaps: module and index of the gaps.
            skip: leave those alone that are hardly worth it.
            outcome: is marked where a gap is too narrow.
        """
        room = self._limit - bound.cost_per_h
        learned = False
        for m, k in gaps:
            cell = cells[m][k]
            worth = bound.prices.of_module[m] * float(cell.high - cell.low)
            # Knowing this gap better would hardly lift the bound; branching divides it later.
            if skip and worth < NARROW * room:
                continue
            # A cell that costs a little more is cut off by its reduced cost; costs above need not be known. The least
            # cost asked for grows with the proven one, so that the same gap does not come up again and again.
            rise = max(
                Fraction(max(0.0, room - bound.reduced[m][k])) * 2,
                cell.cost - self._curves[m].cells[-1].cost,
                self._cutoff * LEAST_RISE,
            )
            below = min(cell.cost + rise, self._cutoff)
            span = self._curves[m].span
            # Steps go from plan to plan: too slow over wide gaps, and `continuous` has no next plan.
            halve = self._continuous or (worth > WIDE * room and COARSE * (cell.high - cell.low) > span)
            if self._curves[m].refine(cell, below, halve):
                learned = True
            elif not skip:
                outcome.exhausted = False
        return learned

    def _split(self, ranges: list[Range], cells: list[list[Cell]], bound: Bound) -> list[list[Range]]:
        """Two branches: one module stays below some latency, or reaches it."""
        best, at = -1.0, (-1, -1)
        for m, some in enumerate(bound.chosen):
            # One cell cannot be divided.
            if len(cells[m]) == 1:
                continue
            low, high = (some[0], some[-1]) if some else (0, 0)
            spread = cells[m][low].cost_per_h - cells[m][high].cost_per_h
            if spread > best:
                # Between the two cells that are mixed; a single one is split off from faster or slower ones.
                best, at = spread, (m, (low + high + 1) // 2 if high > low else max(low, 1))
        m, k = at
        # One cell per module is one combination, which the enumeration has decided.
        if m < 0:
            return []
        middle = cells[m][k].low
        since, until = ranges[m]
        faster, slower = list(ranges), list(ranges)
        faster[m], slower[m] = (since, middle), (middle, until)
        # The slower branch comes off the stack first: it holds the cheaper plans.
        return [faster, slower]
