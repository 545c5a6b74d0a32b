"""A question about a session over a grid: the given axes, and points around the session's own for the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.numbers import Number
from euclio.core.progress import waiting
from euclio.core.solver import AnySolver
from euclio.core.solving import solve, solver_for
from euclio.core.space_fields import word
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.costs import cost_by_hardware
from euclio.problems.session.evaluate import bought_machines
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.problems.session.space import PlanSpace
from euclio.questions.question import Solving
from euclio.questions.sweep.axes import (
    KINDS,
    OBJECTIVE,
    PRICE,
    RATE,
    RATE_OF,
    RESOURCE,
    SLO,
    STOCK,
    Axis,
    Given,
    Kind,
    axis,
    changed,
)
from euclio.questions.sweep.grid import CHARGINGS, Grid, Swept
from euclio.questions.varied import Several

MOST_PLANS = 2000
"""The most plans that are computed beforehand: places of the grid times ways of charging."""
FACTORS = tuple(Fraction(text) for text in ("0.5", "0.75", "1", "1.5", "2"))
"""Default rates and SLOs, as multiples of the session's own."""
PRICE_FACTORS = tuple(Fraction(text) for text in ("0.5", "1", "2"))
"""Default prices of the hardware type that the session's own plan spends most on, as multiples of its price."""


def question(
    session: Session,
    *,
    rates: Several = (),
    slos: Several = (),
    prices: Given | None = None,
    stock: Given | None = None,
    resources: Given | None = None,
    chargings: Iterable[Charging | str] = CHARGINGS,
    changes: SessionChanges | None = None,
    solver: str | AnySolver | None = None,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
    solving: Solving = solve,
    most: int = MOST_PLANS,
) -> Grid:
    """A question about a session over a grid.

    Default rates and SLOs are a half, three quarters, one, one and a half and two times the session's; of several
    objectives the first one varies.
    Default prices and stocks are about the hardware type that the session's own plan in whole machines spends most on.
    If there are several types, the prices are a half, one and two times its own. The stocks are half of the machines in
    the plan, all of them, and no limit. For a type with a limit they are a half of the limit, the limit and twice the
    limit. A price or stock in `changes` is kept.

    Args:
        session: the session.
        rates: requests per second of all sources together, or by name of applications.
        slos: objectives in seconds, or by name.
        prices: money per hour, by hardware.
        stock: most machines, by hardware; None among them means no limit.
        resources: capacities, by name of a resource.
        chargings: ways of charging machines.
        changes: other changes, at all points.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own.
        time_limit_s: limit of each run in seconds; None means no limit.
        solving: the function that solves the session's own point, whose hardware the default axes are about.
        most: plans that the grid may have.

    Raises:
        InputError: no point on an axis, a point that does not fit the session, more plans than `most`, an unknown
            solver or way of charging.
    """
    chosen = solver_for(family_of(session), solver)
    ways = tuple(dict.fromkeys(Charging(word(way, Charging, "--machines")) for way in chargings))
    asked = Grid(session, changes, chosen, space or chosen.space, time_limit_s, ways, ())
    given: list[tuple[Kind, Mapping[str, Iterable[Number | None]]]] = [
        (RATE_OF, rates) if isinstance(rates, Mapping) else (RATE, {"": list(rates)} if rates else {}),
        (OBJECTIVE, slos) if isinstance(slos, Mapping) else (SLO, {"": list(slos)} if slos else {}),
        (PRICE, prices or {}),
        (STOCK, stock or {}),
        (RESOURCE, resources or {}),
    ]
    # A resource that only changes give to machines needs a capacity; the largest limits the session's own point least.
    own = [
        (RESOURCE, of, max(RESOURCE.read(value, RESOURCE.field) or Fraction() for value in values))
        for of, values in (resources or {}).items()
        if of in ((changes and changes.takes) or {}) and of not in session.resources
    ]
    here = changed(own, changes).applied_to(session)
    axes = [axis(here, kind, values, of) for kind, named in given for of, values in named.items()]
    axes += _default_axes(replace(asked, session=here, changes=None), axes, changes, solving)
    order = sorted((one for one in axes if len(one.values) > 1), key=lambda one: KINDS.index(one.kind))
    fixed = [(one.kind, one.of, one.values[0]) for one in axes if len(one.values) == 1 and one.values[0] is not None]
    found = replace(asked, axes=tuple(order), changes=changed(fixed, changes) if fixed else changes)
    if found.plans > most:
        raise InputError(
            f"the points make {_product(found)} = {found.plans:,} plans, and at most {most:,} are computed; give fewer "
            f"points, one value of {order[-1].label} for example"
        )
    return found


def _product(asked: Grid) -> str:
    """How many plans there are as a product."""
    return " x ".join(str(n) for n in (*(len(one.values) for one in asked.axes), len(asked.chargings)))


def _default_axes(
    asked: Grid, given: Sequence[Axis], changes: SessionChanges | None, solving: Solving
) -> Iterator[Axis]:
    """Axes around the session's own values, of kinds without given values."""
    here, kinds = asked.session, {one.kind for one in given}
    # Of several objectives the first one that the session names.
    first = here.objectives[0].name if here.objectives else ""
    for kind, by_name, of in ((RATE, RATE_OF, ""), (OBJECTIVE if first else SLO, OBJECTIVE, first)):
        if not {kind, by_name} & kinds:
            own = kind.own(here, of) or Fraction(1)
            yield axis(here, kind, _fitting(here, kind, [factor * own for factor in FACTORS], of), of)
    set_already = changes or SessionChanges()
    wanted = [kind for kind in (PRICE, STOCK) if kind not in kinds and getattr(set_already, kind.field) is None]
    if not wanted:
        return
    name, used = _most_bought(asked, solving)
    price = here.price[name]
    if PRICE in wanted and price and len(here.hardware) > 1:
        yield axis(here, PRICE, _fitting(here, PRICE, [factor * price for factor in PRICE_FACTORS], name), name)
    if STOCK in wanted and used:
        yield axis(here, STOCK, _around(here.stock.get(name), used), name)


def _around(limit: int | None, used: int) -> list[Number | None]:
    """Stocks around a limit or, without one, from half of the machines in use up to no limit."""
    if limit is None:
        return [-(-used // 2), used, None]
    return [-(-limit // 2), limit, 2 * limit]


def _fitting(session: Session, kind: Kind, values: Iterable[Fraction], of: str = "") -> list[Fraction]:
    """The values that fit a session; its own value does."""
    found = []
    for value in values:
        try:
            axis(session, kind, [value], of)
        except InputError:
            continue
        found.append(value)
    return found


def _most_bought(asked: Grid, solving: Solving) -> tuple[str, int]:
    """The hardware type that the session's own plan spends most on, and its number of machines of that type.

    Machines are bought whole if that is one of the ways of charging. Without a plan it is the first type, and 0.
    """
    session = asked.session
    way = next((way for way in asked.chargings if way.whole), asked.chargings[0])
    with waiting(f"solving {session.name} as it stands"):
        result = asked.solved(solving, session, replace(asked.space, charging=way))
    plan, found = result.plan, result.evaluation
    if plan is None or found is None or result.value is None:
        return session.hardware[0].name, session.hardware[0].count or 0
    costs = cost_by_hardware(session, plan, found)
    name = max(costs, key=lambda one: costs[one])
    used = bought_machines(session, plan, [module.partial_rps for module in found.modules], result.space)
    return name, math.ceil(used[name])


def sweep(session: Session, *, solving: Solving = solve, **asked: Any) -> Swept:
    """The plan of a session at each place of a grid.

    Args:
        session: the session.
        solving: the function that solves a point.
        **asked: as of `question`.
    """
    return Swept(question(session, solving=solving, **asked), solving).complete()
