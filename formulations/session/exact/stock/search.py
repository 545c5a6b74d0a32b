"""The search of `exact` with limits on machines: prices on stock, and branching over the modules that have them (ours).

The stock couples the modules. A price λ on every limited machine uncouples them again: the cheapest plan at prices
p + λ, less λ times the stock, is no more expensive than any plan within the stock. If no price makes bound and plan
meet, a *box* of most and least machines of a type per module is divided in two. The least machines of one module are
not available to the others. Once the most machines of a box fit into the stock together, its cheapest plan does too.

A box's least machines only limit the other modules, and the module itself need not have them. That leaves more plans
than there are in the box, so the bound holds.

If machines are charged by share, the shares of a type are summed, and boxes count parts of machines (`boxes.py`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from euclio.core.result import Answer
from euclio.core.system import LateError, interrupted_at
from euclio.problems.session import Configuration, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, session_arrays, to_plan
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.latency.dispatch import CLEAR_PATH
from euclio.problems.session.resources import MachineLimit, without_stock
from formulations.effort import INFEASIBLE, NO_PLAN_WITHIN_LIMITS, OPTIMAL, Effort, UndecidedError
from formulations.session.demands import rows_as_floats
from formulations.session.exact.apart import Part, charged, joined, parts_of
from formulations.session.exact.frontier_search import ANY_WORK, Proof, prove_within
from formulations.session.exact.in_fractions.stock import BoxPlan, Limited, cheapest_in_box
from formulations.session.exact.stock.boxes import (
    Attainable,
    Box,
    Point,
    attainable,
    divided,
    divided_by_share,
    parts_of_machines,
)
from formulations.session.exact.stock.prices import better_price
from formulations.session.module.charges import no_charges
from formulations.session.module.limit_rows import Counts, Rows, rows_of
from formulations.session.module.nearly_full import nearly_full
from formulations.session.module.problem import Stock
from formulations.session.split.course import unwatched
from formulations.tolerances import GAP, INSIDE, SLO_SLACK, SUMS

PRICED_ROUNDS, FEWER_ROUNDS = 12, 4
"""Prices tried in the first box, and in every other one."""
WHY_S, SPARE_S = 2.0, 0.5
"""Most seconds to find the number of missing machines; and seconds past its deadline after which an interpreted kernel,
which reads the clock a hundred times less often, is interrupted."""
TIE_NODES = 200_000
"""Nodes after which ties are left open."""
BOXES_FOR_NOTHING = 8
"""Boxes after which the parts of machines that plans have are listed, if machines are charged by share."""
RECENT = 16
"""The most recent plans from which new prices are computed."""


@dataclass(slots=True)
class StockSearch:
    """A search for the cheapest plan within a stock.

    Attributes:
        session: the instance.
        space: plan space with whole machines or a countable dummy rule, and without `single_hardware`.
        limits: the limits on machines over all modules.
        deadline: `time.perf_counter` value at which to stop.
        any_plan: whether to stop at the first plan.
        discount: reduction of a machine's price per hour in this search, by type; costs are without it.
        cost: cost of the best plan found; infinite means that none was found.
        plan: that plan; the checker accepts it except for limits of the session that `limits` leaves out.
        cutoff: cost per hour from which on plans are of no interest.
        bound: proven lower bound on the cost of all plans within the stock.
        complete: whether every box was finished, except for ties that are left open.
        solves: sessions solved without a stock.
        boxes: boxes examined.
        effort: limit and use of the work on ties.
    """

    session: Session
    space: PlanSpace
    limits: Sequence[MachineLimit]
    deadline: float
    any_plan: bool = False
    discount: Mapping[str, Fraction] = field(default_factory=dict)
    cost: float = math.inf
    cutoff: float = math.inf
    plan: Plan | None = None
    bound: float = 0.0
    complete: bool = True
    solves: int = 0
    boxes: int = 0
    effort: Effort = field(init=False)
    _arrays: SessionArrays = field(init=False)
    _kind: Ints = field(init=False)
    _profile: list[Configuration] = field(init=False)
    _parts_of: int = field(init=False)
    _gives: Floats = field(init=False)
    _asked: Floats = field(init=False)
    _types: list[str] = field(init=False)
    _rows: Rows = field(init=False)
    _scale: Floats = field(init=False)
    _ceiling: float = field(init=False)
    _points: list[Point] = field(init=False, default_factory=list)
    _tied: list[Box] = field(init=False, default_factory=list)
    _unsettled: float = field(init=False, default=math.inf)
    _unlimited: Session = field(init=False)
    _attainable: Attainable | None = field(init=False, default=None)
    _apart: list[Part] = field(init=False)
    _proofs: dict[tuple[int, bytes, bytes, float, float], Proof] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Number the types with a limit, and take the SLO a little longer, as every search does."""
        arrays = session_arrays(self.session, self.space)
        self._types = names = list(dict.fromkeys(name for limit in self.limits for name in limit.takes))
        self._profile = [
            module.profile[arrays.profile_index[k]]
            for m, module in enumerate(self.session.modules)
            for k in range(arrays.first[m], arrays.first[m + 1])
        ]
        hardware = [c.hardware for c in self._profile]
        self._kind = np.array([names.index(h) if h in names else -1 for h in hardware], np.int64)
        self._parts_of = parts_of_machines(self.session, self.space)
        self._gives, self._asked = rows_as_floats(self.session, self._profile)
        self._rows = rows_of(self.limits, names, self._parts_of)
        self._arrays = arrays._replace(slo=arrays.slo * (1.0 + SLO_SLACK))
        if self.discount:
            charged = {name: float(p - self.discount.get(name, 0)) for name, p in self.session.price.items()}
            price = np.array([charged[h] for h in hardware])
            self._arrays = self._arrays._replace(price=price, unit_cost=price / arrays.throughput)
        self._apart = parts_of(self._arrays)
        self._unlimited = without_stock(self.session)
        self.effort = Effort(TIE_NODES, self.deadline)
        # The first price of a row doubles the cost of the type with the largest cost per unit of the row.
        of_kind = [self._arrays.price[self._kind == kind].max(initial=0.0) for kind in range(len(names))]
        ratios = [
            [one / float(each) for one, each in zip(of_kind, row, strict=True) if each] for row in self._rows.takes
        ]
        self._scale = np.array([max(row) or 1.0 for row in ratios])
        self._ceiling = self._most_within(of_kind) if self.space.charging.whole else self._most_expensive()

    def run(self) -> None:
        """Search until bound and plan meet, nothing is left, or the time is up.

        Boxes that rounding leaves undecided come last: a plan found in the meantime may make them uninteresting.
        """
        root, numbers = self._root(), count()
        queue = [(0.0, next(numbers), root)]
        while self.complete and not (self.any_plan and self.plan):
            settled = not (queue and queue[0][0] < self._limit())
            if settled and not self._tied:
                break
            if settled:
                # The tied box with the least bound comes first, because it holds the bound of all boxes down.
                self._tied.sort(key=lambda box: -box.bound)
            box = self._tied.pop() if settled else heapq.heappop(queue)[2]
            parts = self._in_time(self._decided if settled else self._parts, box)
            self.boxes += not settled
            for part in parts:
                heapq.heappush(queue, (part.bound, next(numbers), part))
        open_bounds = [box.bound for box in [*self._tied, *(entry[2] for entry in queue)]]
        self.bound = min([self.cost, self.cutoff, self._unsettled, *open_bounds])

    @property
    def units(self) -> list[int]:
        """The capacity of each limit, in what machines take whole numbers of."""
        return [int(most) for most in self._rows.most]

    def _root(self) -> Box:
        """The box of all plans."""
        none = self._counts(np.zeros((self._arrays.rate.size, self._rows.takes.shape[1]), np.int64))
        return Box(0.0, none, self._most(none), np.zeros(self._rows.most.size))

    def _most(self, none: Counts) -> Counts:
        """Most machines of each type in any module, given `none` as no machines."""
        most: Counts = none + self._rows.room(none)
        return most

    def _in_time(self, look: Callable[[Box], list[Box]], box: Box) -> list[Box]:
        """The parts of a box that remain after an examination; all of it if the deadline interrupts a kernel."""
        try:
            with interrupted_at(self.deadline + SPARE_S):
                return look(box)
        except LateError:
            self.complete = False
            return [box]

    def taken(self, limit: MachineLimit) -> Fraction:
        """The amount of a limit, current or former, that the best plan takes."""
        assert self.plan is not None
        checked = evaluate(self._unlimited, self.plan, self.space)
        return limit.taken(machines_by_hardware(self.plan, [m.partial_rps for m in checked.modules], self.space))

    def _counts(self, values: Any) -> Counts:
        """Numbers of machines, or of parts of them, as an array."""
        return np.array(values, np.int64 if self._parts_of == 1 else object)

    def _machines(self, counts: Counts) -> Floats:
        """Numbers of machines, or of parts of them, as machines in floats."""
        return np.array(counts / self._parts_of, np.float64)

    def _limit(self) -> float:
        """The bound from which on nothing is of interest."""
        return min(self.cutoff, self.cost * (1.0 - GAP) if math.isfinite(self.cost) else self._ceiling)

    def _most_expensive(self) -> float:
        """An upper bound on the cost per hour of plans by share.

        It is the cost of rates and a last machine full of dummies at the largest prices.
        Prices on stock that raise a bound beyond it prove that there is no plan within the stock.
        """
        most, arrays = 0.0, self._arrays
        for m, rate in enumerate(arrays.rate):
            own = slice(arrays.first[m], arrays.first[m + 1])
            most += float(arrays.unit_cost[own].max() * (rate + arrays.throughput[own].max()))
        return 2.0 * most or 1.0

    def _most_within(self, price: Sequence[float]) -> float:
        """An upper bound on the cost per hour of whole machines within the limits; infinite if some type has no limit.

        Args:
            price: price of a machine of each type with a limit.
        """
        if (self._arrays.price[self._kind < 0] > 0.0).any():
            return math.inf
        takes, most = self._rows.takes.astype(np.float64), self._rows.most.astype(np.float64)
        room = self._rows.room(self._counts(np.zeros((1, takes.shape[1]), np.int64))).astype(np.float64)
        apart = np.asarray(price) * np.maximum(room, 0.0)
        # Types that share a limit may also use it up together at the price of the dearest per unit.
        together = [
            float((np.asarray(price)[row > 0] / row[row > 0]).max() * most[r] + apart[row == 0].sum())
            for r, row in enumerate(takes)
            if row.any()
        ]
        return min([float(apart.sum()), *together]) * (1.0 + GAP) or 1.0

    def _parts(self, box: Box) -> list[Box]:
        """Price a box, and divide it if that does not settle it."""
        most = box.within(self._rows)
        if (most < box.least).any():
            return []
        fits = self._rows.fit(most)
        # If all machines that the box allows fit together, nothing is scarce and prices only weaken the bound.
        price = np.zeros_like(box.price) if fits else box.price
        bound, over, under = box.bound, None, None
        rounds = 1 if fits else FEWER_ROUNDS if self.boxes else PRICED_ROUNDS
        for _ in range(rounds):
            proof = self._cheapest(most, price)
            if proof.status == INFEASIBLE:
                return []
            if proof.status == OPTIMAL and math.isinf(proof.cost):
                return []
            if proof.status != OPTIMAL:
                self.complete = False
                return [Box(max(bound, self._value(proof, price)), box.least, most, price)]
            bound = max(bound, self._value(proof, price))
            point = self._point(proof)
            self._points = [*self._points[1 - RECENT :], point]
            slack = -self._rows.beyond(point.used)
            # Rounding alone keeps shares within the limits of the box, and its halves would contain the same plan.
            if (point.used > most).any():
                self._tied.append(Box(bound, box.least, most, price))
                return []
            taken = (slack >= 0).all() and self._offer(proof, point, most, price)
            if (slack >= 0).all() and not (price * self._machines(slack)).any():
                # The cheapest plan of the box without any price: nothing is left in it, unless there is a tie.
                if not taken:
                    self._tied.append(Box(bound, box.least, most, price))
                return []
            if (slack < 0).any():
                over = point
            else:
                under = point
            if bound >= self._limit():
                return []
            raised = self._better_price(price, most)
            if raised is None:
                break
            price = raised
        return self._divided(Box(bound, box.least, most, price), over, under)

    def _divided(self, box: Box, over: Point | None, under: Point | None) -> list[Box]:
        if self._parts_of == 1:
            return divided(box, self._rows, over, under)
        halves = divided_by_share(box, self._rows, over, under)
        if self.boxes < BOXES_FOR_NOTHING:
            return halves
        if self._attainable is None:
            self._attainable = self._listed()
        return [smaller for half in halves if (smaller := self._attainable.within(half)) is not None]

    def _listed(self) -> Attainable:
        """The parts of machines that plans have; a bisection between them would continue to the last part."""
        return attainable(self.session, self.space, self._types, self._parts_of)

    def _decided(self, box: Box) -> list[Box]:
        """Decide a box at its prices in exact arithmetic, and divide it if that does not settle it."""
        if box.bound >= self._limit():
            return []
        try:
            found = self._in_fractions(box)
        except UndecidedError:
            self._unsettled = min(self._unsettled, box.bound)
            return []
        if found is None:
            return []
        point = Point(float(found.cost_per_h), self._counts(found.used))
        fits = self._rows.fit(point.used)
        if fits and found.cost_per_h < self.cost:
            self.cost, self.plan = point.cost, found.plan
        # The float of a fraction must not lie above it here.
        box = replace(box, bound=max(box.bound, float(found.bound) * (1.0 - SUMS)))
        # No plan of the box costs less than this one, or none costs less than the best one.
        if (fits and found.bound == found.cost_per_h) or box.bound >= self._limit():
            return []
        return self._divided(box, *((None, point) if fits else (point, None)))

    def _in_fractions(self, box: Box) -> BoxPlan | None:
        """The cheapest plan of a box at its prices, in exact arithmetic."""
        return cheapest_in_box(self._limited(), box, self._limit(), self.effort)

    def _limited(self) -> Limited:
        """The problem of the boxes."""
        return Limited(self._unlimited, self.space, self._types, self._rows, self._parts_of, self.discount)

    def _cheapest(self, most: Counts, price: Floats) -> Proof:
        self.solves += 1
        arrays, room, known = self._charged(price), self._room(most), math.inf
        if math.isfinite(self.cutoff) and len(self._apart) == 1:
            # A cutoff is close to the optimum, so that most boxes need no more than a bound.
            paid = float(price @ self._machines(self._rows.most))
            known = (self._limit() + paid) * (1.0 + 4.0 * GAP)
        return joined(arrays, ((part, self._cheapest_part(part, arrays, room, known)) for part in self._apart))

    def _cheapest_part(self, part: Part, arrays: SessionArrays, room: Floats, known: float = math.inf) -> Proof:
        """The proof of a part of the DAG, which boxes of other parts and the same prices leave as it is."""
        own, most = charged(part, arrays.price)._replace(slo=arrays.slo), room[part.modules]
        key = (int(part.modules[0]), own.price.tobytes(), most.tobytes(), own.slo, known)
        if key not in self._proofs:
            gives = np.ascontiguousarray(self._gives[:, part.configurations])
            stock = Stock(self._kind[part.configurations], most, gives, self._asked[part.modules])
            found = prove_within(own, stock, no_charges(own), GAP, self.deadline, known, ANY_WORK, unwatched())
            self._proofs[key] = found
        return self._proofs[key]

    def _charged(self, price: Floats) -> SessionArrays:
        """The session's arrays with prices on limits added to those of machines."""
        of_type = price @ self._rows.takes[: price.size, : len(self._types)].astype(np.float64)
        charge = self._arrays.price + np.where(self._kind >= 0, np.append(of_type, 0.0)[self._kind], 0.0)
        return self._arrays._replace(price=charge, unit_cost=charge / self._arrays.throughput)

    def _room(self, most: Counts) -> Floats:
        """Most machines for a search in floating point; one by shares may keep too many, which are counted then."""
        return self._machines(most) * (1.0 if self._parts_of == 1 else 1.0 + SUMS)

    def _value(self, proof: Proof, price: Floats) -> float:
        """The bound at a price, less the possible rounding error."""
        paid = float((price * self._machines(self._rows.most)).sum())
        return max(0.0, float(proof.bound) - paid - SUMS * (float(proof.bound) + paid))

    def _point(self, proof: Proof) -> Point:
        used = self._counts(np.zeros((self._arrays.rate.size, self._rows.takes.shape[1]), np.int64))
        charged = proof.machines.astype(np.float64)
        for m, module in enumerate(self.session.modules):
            left = module.rate_rps
            first, end = self._arrays.first[m : m + 2]
            # Fractions cost more than all else here, and most configurations have no machine.
            for k in (first + np.flatnonzero(proof.machines[first:end])).tolist():
                n = int(proof.machines[k])
                if self._parts_of > 1:
                    left -= n * self._profile[k].throughput_rps
                if self._kind[k] >= 0:
                    used[m, self._kind[k]] += n * self._parts_of
            k = int(proof.partial_at[m])
            if k >= 0:
                # A rate of 0 or above a machine's throughput is another one in floats.
                share = Fraction(1)
                if self._parts_of > 1:
                    share = min(max(left / self._profile[k].throughput_rps, Fraction(0)), share)
                charged[k] += float(share)
                if self._kind[k] >= 0:
                    used[m, self._kind[k]] += int(share * self._parts_of)
        return Point(float((self._arrays.price * charged).sum()), used)

    def _offer(self, proof: Proof, point: Point, most: Counts, price: Floats) -> bool:
        """Keep a plan within the stock if it is the best so far; returns whether the checker accepts it."""
        if point.cost >= self.cost:
            return True
        plan = self._accepted(proof)
        if plan is None:
            # Just inside the SLO no tie matters.
            slo = self._arrays.slo
            self._arrays = self._arrays._replace(slo=float(self.session.slo_s) * INSIDE)
            inside = self._cheapest(most, price)
            self._arrays = self._arrays._replace(slo=slo)
            # A complete search whose cost is infinite has no plan below its cutoff.
            found = inside.status == OPTIMAL and math.isfinite(inside.cost)
            other = self._point(inside) if found else point
            if found and self._rows.fit(other.used) and other.cost < self.cost:
                plan = self._accepted(inside)
                if plan is not None:
                    self.cost, self.plan = other.cost, plan
            return plan is not None and other.cost <= point.cost * (1.0 + GAP)
        self.cost, self.plan = point.cost, plan
        return True

    def _accepted(self, proof: Proof) -> Plan | None:
        """The plan of a proof if it is one except for the stock; None means that rounding made it."""
        arrays = session_arrays(self.session, self.space)
        plan = nearly_full(self._unlimited, self.space, to_plan(self.session, arrays, proof.machines, proof.partial_at))
        # The rest of a rate by all its digits may require a machine that the proof has not counted.
        if any(
            m.allocations[-1].partial_rps > 0 and k < 0 for m, k in zip(plan.modules, proof.partial_at, strict=True)
        ):
            return None
        known = proof.clear and proof.path_s < arrays.slo * CLEAR_PATH and arrays.countable
        # Rounding may also have made a plan keep a largest share.
        if known and not self._asked.any():
            return plan
        checked = evaluate(self._unlimited, plan, self.space)
        return plan if checked.feasible else None

    def _better_price(self, price: Floats, most: Counts) -> Floats | None:
        """Prices at which the known plans promise a better bound than at those given; None means that no others do."""
        points = [p for p in self._points if (p.used <= most).all()]
        cost = np.array([p.cost for p in points])
        beyond = np.array([self._machines(self._rows.beyond(p.used)) for p in points])
        # With whole machines the largest cost of plans is unknown.
        enough = math.inf if self.space.charging.whole else self._limit()
        return better_price(cost, beyond, price, self._scale, enough)


def answer_of(search: StockSearch, why: Callable[[], str], apart: float = 0.0) -> Answer:
    """The plan and the proof of a finished search.

    Args:
        search: the search.
        why: gives the reason why there is no plan if that is proven; called after the proof is kept (`Answer.why`).
        apart: money per hour that every plan pays and the search leaves out.
    """

    def words() -> str:
        try:  # An interpreted kernel takes a hundred times as long between two looks at the clock.
            with interrupted_at(search.deadline + SPARE_S):
                return why()
        except LateError:
            return NO_PLAN_WITHIN_LIMITS

    stats = {"solves": float(search.solves), "boxes": float(search.boxes)}
    if search.effort.nodes:
        stats["rational_nodes"] = float(search.effort.nodes)
    undecided = "a tie with the SLO is undecided" if search.complete else "the time limit was hit"
    bound = search.bound + apart
    if search.plan is None:
        if math.isfinite(bound):
            return Answer(None, "limit", bound=bound if bound > 0 else None, stats=stats, reason=undecided)
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason=NO_PLAN_WITHIN_LIMITS, why=words)
    cost = evaluate(search.session, search.plan, search.space).cost_per_h
    claimed = search.cost + apart if cost is None else float(cost)
    return Answer.proven(search.plan, claimed, bound, undecided, stats)
