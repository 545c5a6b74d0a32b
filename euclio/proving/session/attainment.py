"""The independent prover of bounds on plans that keep an attainment (ours, docs/model/holding.md).

It shares no code with what makes them. Rates that a result states are claims here. An integral equation shows anew that
Poisson requests lose too many in a tank of so little room: its terms are all positive, unlike Erlang's alternating sum.
States of whole machines are then searched from the last in rank up. If they do not rule out cheaper plans, counts of
machines are searched (`counts`). All rounding adds plans.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

from euclio.core.certificate import Search
from euclio.core.numbers import exact
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.machine_limits import has_floors
from euclio.problems.session.policies import Form
from euclio.problems.session.services import is_plain
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.paths import around
from euclio.proving.session.counts import Counted, entering

GRID = 1024
"""Steps of the grid per request."""
MOST_REQUESTS = 400
SCALE = 1 << 128
LOWERED = (0, 1, 2, 4, 8, 16, 32)
"""The prover tries the stated rates, then rates lower by so many 1024ths of the module's own."""
ROUNDED = 1e-9
"""Share by which rates are raised, latencies and costs lowered."""
NO_PROOF_OF_OBJECTIVES = "the prover of attainments covers sessions with one slo_s and no delay_s"
NO_PROOF = "the prover of attainments covers Poisson arrivals without noise, whole machines and policy tc"


def find_better_keeping(
    session: Session, space: PlanSpace, asked: Mapping[str, Any], cutoff: Fraction | None, deadline: float
) -> Search:
    """Whether a plan that keeps an attainment may cost less than a cutoff; none is ever returned.

    Args:
        session: the instance.
        space: the plan space.
        asked: `options.attainment` of the result.
        cutoff: cost per hour. None asks whether there may be such a plan at all.
        deadline: `time.perf_counter` value at which to stop.
    """
    if not is_plain(session):
        return Search(None, False, 0, NO_PROOF_OF_OBJECTIVES)
    others = session.stock or session.resources or session.running or session.spare_machines or session.share_groups
    others = others or has_floors(session)
    covered = (
        asked.get("arrivals") == "poisson"
        and not asked.get("noise")
        and space.charging.whole
        and not space.charging.packs
        and space.policy.form is Form.LEFT
        and space.dummy.adds
        and not space.single_hardware
        and space.max_allocations is None
        and not others
        and not session.applications
        and cutoff is not None
    )
    stated, target = asked.get("least_rates_rps"), asked.get("target")
    if not covered or cutoff is None or target is None or not isinstance(stated, Mapping):
        return Search(None, False, 0, NO_PROOF)
    late = 1 - exact(target)
    effort = Effort(deadline)
    spans, search = _spans(session), _Machines(session, space, float(cutoff), effort)
    rates = []
    for module, span in zip(session.modules, spans, strict=True):
        least = exact(stated.get(module.name, module.rate_rps))
        rates.append(_shown_rate(module, entering(session), span, late, least))
    counted, queued = Counted(session, space, late, float(cutoff), effort), None
    if asked.get("dispatch") == "pull" and asked.get("dropping") == "never" and not asked.get("hold"):
        queued = cache(partial(_queued, entering(session), late))
    try:
        open_plan = search.may_be_cheaper([float(rate) * (1 - ROUNDED) for rate in rates])
        open_plan = open_plan and counted.may_be_cheaper(partial(_beaten, session, late), queued)
    except GivenUpError as error:
        return Search(None, False, effort.nodes, str(error))
    if open_plan:
        return Search(None, False, effort.nodes, "neither capacity nor counts rule out cheaper plans")
    return Search(None, True, effort.nodes)


# --- what each module needs


def _spans(session: Session) -> list[Fraction]:
    """Time that each module has at most: the SLO less the least times of the others on its longest path."""
    rate = entering(session)
    least = [min(c.duration_s for c in m.profile) if m.rate_rps >= rate else Fraction(0) for m in session.modules]
    return [session.slo_s - others for others in around(session, least)]


def _shown_rate(module: Module, rate: Fraction, span: Fraction, late: Fraction, stated: Fraction) -> Fraction:
    """The largest of the rates tried that plans are shown to need; the module's own if none is."""
    # A batch that is not full may be executed as one of a smaller size, at a higher rate than the full one's.
    gain = max(
        (a.batch / a.duration_s) / (b.batch / b.duration_s)
        for b in module.profile
        for a in module.profile
        if (a.hardware, a.concurrency) == (b.hardware, b.concurrency) and a.batch <= b.batch
    )
    for lower in LOWERED:
        tried = stated - module.rate_rps * Fraction(lower, GRID)
        if tried <= module.rate_rps:
            break
        if _too_few(tried * gain, rate, module.rate_rps / rate, span, late):
            return tried
    return module.rate_rps


def _beaten(session: Session, late: Fraction, m: int, capacity: Fraction, window: float) -> bool:
    """Whether a module with this capacity makes too many requests late in a window."""
    module, rate = session.modules[m], entering(session)
    return _too_few(capacity, rate, module.rate_rps / rate, Fraction(window), late)


def _too_few(capacity: Fraction, rate: Fraction, ratio: Fraction, span: Fraction, late: Fraction) -> bool:
    """Whether machines of this capacity make too many requests late, by either part of the theorem."""
    few, many = math.floor(ratio), math.ceil(ratio)
    if few >= 1:
        load, room = rate * few / capacity, capacity * span / few
        most = _most(load, room - 1) if room >= 1 else Fraction(0)
        if most is not None and 1 - most / (1 + load * most) > late:
            return True
    load = rate * ratio / capacity
    most = _most(load, capacity * span / ratio)
    return most is not None and (1 - (1 - 1 / most) / load) * ratio > late * many


def _queued(rate: Fraction, late: Fraction, capacity: float, room: float) -> bool:
    """Whether too many Poisson requests, served in order, find more than there is room for, their own work included.

    Args:
        rate: requests per second.
        late: share of requests that may be late.
        capacity: requests per second.
        room: requests.
    """
    load = rate / Fraction(capacity)
    if load >= 1 or room < 1:
        return True
    most = _most(load, Fraction(room) - 1)
    return most is not None and 1 - (1 - load) * most > late


def _most(load: Fraction, level: Fraction) -> Fraction | None:
    """An upper bound on e(level), where e(x) = 1 + ρ ∫ e over [max(0, x − 1), x]; None if the grid is too long.

    e grows, so that each step of a grid counts as its right end, the last one included.
    """
    steps = math.ceil(level * GRID)
    share = load / GRID
    if steps > MOST_REQUESTS * GRID or share >= 1:
        return None
    above, below = share.numerator, share.denominator
    sums, values = 0, [SCALE]
    for step in range(1, steps + 1):
        if step > GRID:
            sums -= values[step - GRID]
        # value = (1 + share·(the window's others)) / (1 − share), rounded up
        numerator = SCALE * below + above * sums
        value = -(-numerator // (below - above))
        values.append(value)
        sums += value
    return Fraction(values[-1], SCALE)


# --- which machines they cost


@dataclass(frozen=True, slots=True)
class _TankState:
    """Machines of a module from the last in rank up to some place: rate, latency and cost."""

    rate: float
    latency: float
    cost: float


class _Machines:
    """A search for whole machines below a cost, in floats that are rounded in favour of plans."""

    def __init__(self, session: Session, space: PlanSpace, cutoff: float, effort: Effort) -> None:
        self._session, self._space = session, space
        self._cutoff, self._effort = cutoff * (1 - ROUNDED), effort

    def may_be_cheaper(self, rates: list[float]) -> bool:
        """Whether modules with these rates may cost less than the cutoff together, within the SLO."""
        least = [self._cheapest(module, rate) for module, rate in zip(self._session.modules, rates, strict=True)]
        if sum(least) >= self._cutoff:
            return False
        fronts = []
        for m, (module, rate) in enumerate(zip(self._session.modules, rates, strict=True)):
            room = self._cutoff - sum(least) + least[m]
            fronts.append(sorted(self._front(module, rate, room), key=lambda s: s.cost))
        return all(fronts) and self._choice(fronts)

    def _rows(self, module: Module) -> list[tuple[float, float, int, float]]:
        """Duration, throughput, batch and price of what the plan space allows, the last in rank first."""
        price = self._session.price
        allowed = [c for c in module.profile if self._space.allows(c.hardware, c.batch, c.concurrency)]
        allowed.sort(key=lambda c: rank_key(c, price), reverse=True)
        return [
            (
                float(c.duration_s) * (1 - ROUNDED),
                float(c.throughput_rps) * (1 + ROUNDED),
                c.batch,
                float(price[c.hardware]) * (1 - ROUNDED),
            )
            for c in allowed
        ]

    def _cheapest(self, module: Module, rate: float) -> float:
        """The least cost of a rate at the best throughput per price, as if machines could be divided."""
        best = min((p / t for _, t, _, p in self._rows(module)), default=math.inf)
        return rate * best if best else 0.0

    def _front(self, module: Module, rate: float, room: float) -> Iterator[_TankState]:
        """Latencies and costs of machines with at least this rate that cost less than the room."""
        slo = float(self._session.slo_s) * (1 + ROUNDED)
        kept = _Undominated()
        kept.add(_TankState(0.0, 0.0, 0.0))
        for d, t, b, p in self._rows(module):
            # A list of those before: the states made here take no more of the same configuration.
            for state in kept.all():
                count = 1
                while state.cost + count * p < room:
                    self._effort.step()
                    total = state.rate + count * t
                    latency = max(state.latency, d + b / total)
                    if latency <= slo:
                        kept.add(_TankState(total, latency, state.cost + count * p))
                    count += 1
                    # Free machines have no cost to end the loop, and far beyond the rate more of them change nothing.
                    if not p and total > 1e3 * rate:
                        break
        front = _Undominated()
        for state in kept.all():
            if state.rate * (1 + ROUNDED) >= rate:
                front.add(_TankState(0.0, state.latency, state.cost))
        return iter(front.all())

    def _choice(self, fronts: list[list[_TankState]]) -> bool:
        """Whether one state of each module may keep the SLO below the cutoff; latencies to come count as nothing."""
        order, parents = self._session.order, self._session.parents()
        rest = [0.0] * (len(order) + 1)
        for place in range(len(order) - 1, -1, -1):
            rest[place] = rest[place + 1] + fronts[order[place]][0].cost
        slo, until = float(self._session.slo_s) * (1 + ROUNDED), [0.0] * len(order)

        def below(place: int, cost: float) -> bool:
            if place == len(order):
                return True
            m = order[place]
            before = max((until[p] for p in parents[m]), default=0.0)
            for state in fronts[m]:
                self._effort.step()
                # States stand by rising cost: those that follow cost no less.
                if cost + state.cost + rest[place + 1] >= self._cutoff:
                    return False
                if before + state.latency <= slo:
                    until[m] = before + state.latency
                    if below(place + 1, cost + state.cost):
                        return True
            return False

        return below(0, 0.0)


class _Undominated:
    """States none of which has no less rate, no more latency and no more cost than another."""

    def __init__(self) -> None:
        self._by_cost: list[float] = []
        self._states: dict[float, list[_TankState]] = {}

    def all(self) -> list[_TankState]:
        """All of them, the cheapest first."""
        return [state for cost in self._by_cost for state in self._states[cost]]

    def add(self, new: _TankState) -> None:
        """Add a state, unless another is as good, and take out those that it is as good as."""
        for cost in self._by_cost[: bisect_right(self._by_cost, new.cost)]:
            if any(old.rate >= new.rate and old.latency <= new.latency for old in self._states[cost]):
                return
        for cost in self._by_cost[bisect_left(self._by_cost, new.cost) :]:
            self._states[cost] = [
                old for old in self._states[cost] if not (new.rate >= old.rate and new.latency <= old.latency)
            ]
        if new.cost not in self._states:
            insort(self._by_cost, new.cost)
            self._states[new.cost] = []
        self._states[new.cost].append(new)
