"""Complete enumeration of the plans of a session with constraints beyond latency and cost (ours).

It applies if machines are charged whole or limited by a stock, changes of running machines are limited or cost money,
the session needs spare machines, or types have a largest share (docs/model/whole-machines.md). `bought_choices.py`
lists the plans of a module.

- If they are finitely many, it lists all of them.
- Otherwise plans are in sequence, and dummies cost nothing. If each machine has a price or a stock, finitely many plans
  cost at most a cutoff, changes included. Cutoffs rise from the least cost of the rate. The cheapest plan below a
  cutoff is the cheapest of all, because any other plan costs more than the cutoff.
- Without a plan, cutoffs would rise forever. So the enumeration first checks whether any plan exists at any cost, with
  all machines without a stock free. If changes are limited, the plans are finitely many.

The cost of changes is a sum over modules, so each module's share is part of its plan's cost. A limit on the number of
changes acts like a stock. Spare machines are charged once all modules' types are known, and they reduce the stock.

A module's plan is dropped if another one equals or beats it in cost, latency, types and all limited resources at once.
All combinations of the others are enumerated, pruned only by cost, path and limits. Arithmetic is exact.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from math import inf

from bruteforce.session.bought_choices import Choice, Latency, Listing, all_choices, choices_within, no_more
from bruteforce.session.combination import TimeUpError
from bruteforce.session.demands import asked_of
from euclio.problems.session import DummyRule, Module, Plan, PlanSpace, Session
from euclio.problems.session.latency.paths import path_length
from euclio.problems.session.policies import Form
from euclio.problems.session.services import latest_ends

GROWTH = Fraction(4, 3)
"""Factor from one cutoff on the cost to the next."""


def cheapest_bought(session: Session, space: PlanSpace, deadline: float) -> tuple[Fraction, Plan] | str:
    """Cost and plan of the cheapest plan, or in words why there is none.

    Args:
        session: the instance.
        space: plan space without `single_hardware`, in which machines are charged whole, or the session has constraints
            beyond latency and cost.
        deadline: `time.perf_counter` value at which to give up.

    Raises:
        InapplicableError: more count vectors than `MOST_VECTORS`.
        TimeUpError: the deadline has passed.
    """
    space = _countable(space)
    listing = Listing(session, space, asked_of(session), frozenset(), deadline)
    if not space.fills or not space.policy.form.in_sequence or listing.asked.most_changes is not None:
        return _cheapest(listing, [all_choices(listing, module) for module in session.modules]) or _none(session)
    endless = frozenset(h.name for h in session.hardware if h.name not in listing.asked.stock)
    anything = replace(listing, asked=asked_of(session, close=False), free=endless)
    if _cheapest(anything, [choices_within(anything, module, None) for module in session.modules]) is None:
        return _none(session)
    return _by_cutoffs(listing, frozenset(h for h in endless if session.price[h] == 0))


def _by_cutoffs(listing: Listing, for_nothing: frozenset[str]) -> tuple[Fraction, Plan]:
    """The cheapest plan, if one exists: the cheapest below a high enough cutoff.

    Args:
        listing: what is listed.
        for_nothing: types without a stock whose machines cost nothing. They are free in modules whose changes cost
            nothing either.
    """
    session, asked = listing.session, listing.asked
    paid = replace(listing, free=frozenset()), replace(listing, free=for_nothing)
    own = [paid[asked.change_price[module.name] == 0] for module in session.modules]
    least = [_least_cost(session, listing.space, module) for module in session.modules]
    # Any cutoff above 0 suffices if the rate may cost nothing.
    cutoff = sum(least, Fraction(0)) or min((p for p in session.price.values() if p), default=Fraction(1))
    while True:
        above = cutoff - sum(least, Fraction(0))
        choices = [
            choices_within(one, module, low + above)
            for one, module, low in zip(own, session.modules, least, strict=True)
        ]
        found = _cheapest(listing, choices)
        # Every plan that is not listed costs more than the cutoff and the removal of the machines of absent modules.
        if found is not None and found[0] <= cutoff + asked.gone_cost:
            return found
        cutoff *= GROWTH


def _none(session: Session) -> str:
    """A message that there is no plan."""
    asked = asked_of(session)
    limits = [
        *(["the stock"] if session.stock else []),
        *(["the resources"] if session.resources else []),
        *(["the most changes"] if asked.most_changes is not None else []),
        *(["the largest shares"] if asked.shares else []),
    ]
    return " and ".join([f"no plan within {float(session.slo_s):.9g} s", *limits])


def _countable(space: PlanSpace) -> PlanSpace:
    """The plan space, with rule `continuous` as `machine` where no machine is faster when it is not full."""
    if space.dummy.countable or space.policy.form is Form.FIXED:
        return space
    return replace(space, dummy=DummyRule.MACHINE)


def _least_cost(session: Session, space: PlanSpace, module: Module) -> Fraction:
    """The least cost of a module's rate: at the lowest price of a request, and at least one machine."""
    price = session.price
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    machines = [max(Fraction(1), module.rate_rps / c.throughput_rps) for c in allowed]
    return min((price[c.hardware] * n for c, n in zip(allowed, machines, strict=True)), default=Fraction(0))


def _cheapest(listing: Listing, choices: list[list[Choice]]) -> tuple[Fraction, Plan] | None:
    """Cost and plan of the cheapest combination within SLO and limits; None if there is none."""
    if not all(choices):
        return None
    session, asked = listing.session, listing.asked
    order, price = session.order, session.price
    parents = [[(p, Latency(session.delay_between(p, m))) for p in own] for m, own in enumerate(session.parents())]
    # A module without an end has children, and those have to keep their ends.
    most = [Latency(end) for end in latest_ends(session)]
    limits, nothing = asked.limits(), Latency(Fraction(0))
    least_after = [sum((choices[i][0].cost_per_h for i in order[k:]), Fraction(0)) for k in range(len(order) + 1)]
    finish, chosen = [nothing] * len(order), [choices[i][0] for i in range(len(order))]
    best_cost: float | Fraction = inf
    best: list[Choice] | None = None

    def extend(position: int, spent: Fraction, used: tuple[Fraction, ...], types: frozenset[str]) -> None:
        nonlocal best_cost, best
        if time.perf_counter() > listing.deadline:
            raise TimeUpError
        # Only strictly cheaper combinations reach this point, but for machines that are paid for and not used.
        if position == len(order):
            bought = {name: sum((one.bought[i] for one in chosen), Fraction(0)) for i, name in enumerate(asked.paid)}
            total = spent + asked.unused_cost(price, bought)
            if total < best_cost:
                best_cost, best = total, chosen.copy()
            return
        i = order[position]
        start = max((finish[p].plus(delay) for p, delay in parents[i]), default=nothing)
        for choice in choices[i]:
            # Choices come by rising cost: every later one is beaten as well.
            if spent + choice.cost_per_h + least_after[position + 1] >= best_cost:
                break
            spare = asked.spare * sum((price[name] for name in choice.types - types), Fraction(0))
            cost = spent + choice.cost_per_h + spare
            end = start.plus(choice.latency)
            taken = tuple(a + b for a, b in zip(used, choice.used, strict=True))
            within = no_more(taken, limits if not asked.spare else asked.limits_without_spare(types | choice.types))
            if end <= most[i] and within and cost + least_after[position + 1] < best_cost:
                finish[i], chosen[i] = end, choice
                extend(position + 1, cost, taken, types | choice.types)

    extend(0, asked.gone_cost, (Fraction(0),) * len(limits), frozenset())
    if best is None:
        return None
    assert isinstance(best_cost, Fraction)
    return best_cost, _plan(session, best)


def _plan(session: Session, best: list[Choice]) -> Plan:
    """The plan of a combination; machines of free types become so many that the SLO is met."""
    above = session.slo_s
    if any(choice.latency.above for choice in best):
        # Paths with an infinitesimal are shorter than the SLO: some halving fits.
        while path_length(session, [c.latency.seconds + c.latency.above * above for c in best]) > session.slo_s:
            above /= 2
    return Plan(tuple(choice.plan(above) for choice in best))
