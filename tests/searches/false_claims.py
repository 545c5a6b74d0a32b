"""Ways to make a false claim from a true result, and what a claim has to keep to be true.

A way may by chance leave a claim true, such as a plan space that is wider and holds nothing better; `holds` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.result import Status, WrittenResult
from euclio.core.space_fields import contains, variants_of
from tests.drawn.truth import Truth

from .plan_edits import BATCHES, COUNTS, RATES, changed, rearranged, scaled
from .true_claims import Base, proven
from .written_claims import claim

WRITTEN = Fraction(1, 10**9)
"""A figure in a file may be off by this share (docs/formats/result.md)."""
CLAIMED = Fraction(1, 10**6)
"""A solver's claim may be off by this share."""

NEXT_TO = (Fraction(1, 10**12), Fraction(1, 10**18), Fraction(1, 10))

Way = Callable[[Random, Base], WrittenResult | None]


def _infeasible(rng: Random, base: Base) -> WrittenResult | None:
    return replace(base.result, status=Status.INFEASIBLE, plan=None, value=None, bound=None, figures={})


def _infeasible_with_plan(rng: Random, base: Base) -> WrittenResult | None:
    return replace(base.result, status=Status.INFEASIBLE)


def _optimal_without_plan(rng: Random, base: Base) -> WrittenResult | None:
    return replace(base.result, status=Status.OPTIMAL, plan=None, value=None, figures={}, bound=Fraction(1))


def _figures(times: Fraction, *names: str) -> Way:
    """The result with a number of its own another one."""

    def way(rng: Random, base: Base) -> WrittenResult | None:
        name = rng.choice(names)
        value = getattr(base.result, name)
        return None if value is None else replace(base.result, **{name: value * times})

    return way


def _latency(times: Fraction) -> Way:
    """The result with another figure of its plan: a latency or, for clusters, the rate of a pipeline."""

    def way(rng: Random, base: Base) -> WrittenResult | None:
        if not base.result.figures:
            return None
        name = rng.choice(sorted(base.result.figures))
        return replace(base.result, figures={**base.result.figures, name: base.result.figures[name] * times})

    return way


def _figure_left_out(rng: Random, base: Base) -> WrittenResult | None:
    return replace(base.result, figures=dict(list(base.result.figures.items())[1:])) if base.result.figures else None


def _bound_beyond(rng: Random, base: Base) -> WrittenResult | None:
    """A bound without a plan, beyond the optimum by a little or much more than its tolerance."""
    best = base.truth.lower if base.result.goal.maximised else base.truth.upper
    if best is None:
        return None
    goal = base.result.goal
    room, beyond = Fraction(str(goal.tolerance)), rng.choice(NEXT_TO)
    # The bound that with its tolerance lies at the cutoff.
    cutoff = best * (1 - beyond) if goal.maximised else best * (1 + beyond) or beyond
    bound = cutoff / (1 + room if goal.maximised else 1 - room)
    return claim(base.case.instance, base.case.space, Status.UNKNOWN, bound=bound)


def _bound_beyond_the_plan(rng: Random, base: Base) -> WrittenResult | None:
    """Plan and bound contradict each other."""
    return _with_bound(base, 2)


def _bound_short_of_the_plan(rng: Random, base: Base) -> WrittenResult | None:
    """Optimal, but the bound does not reach the value."""
    return _with_bound(base, -2)


def _with_bound(base: Base, tolerances: int) -> WrittenResult | None:
    value, goal = base.result.value, base.result.goal
    if value is None:
        return None
    share = tolerances * Fraction(str(goal.tolerance)) * (-1 if goal.maximised else 1)
    return replace(base.result, bound=value + share * (value or 1))


def _edited(edit: Callable[[Random, Any], Any | None]) -> Way:
    """The plan another one, every figure as it was."""

    def way(rng: Random, base: Base) -> WrittenResult | None:
        plan = None if base.result.plan is None else edit(rng, base.result.plan)
        return None if plan is None else replace(base.result, plan=plan)

    return way


def _worse_plan(rng: Random, base: Base) -> WrittenResult | None:
    """Another plan that the checker accepts, with the figures that it has, as the optimum."""
    space, instance = base.case.space, base.case.instance
    narrower = [one for _, one in _variants(base) if one != space and contains(space, one)]
    found = proven(replace(base.case, space=rng.choice(narrower))) if narrower else None
    # The best plan of a narrower space is one of the wider space too; where there is none, more machines do no harm.
    plan = found.plan if found is not None and found.plan is not None else None
    if plan is None and base.result.plan is not None:
        plan = changed(rng, base.result.plan, COUNTS, lambda n: n + 1)
    checked = None if plan is None else base.family.evaluate(instance, plan, space)
    if checked is None or not checked.feasible or checked.value is None:
        return None
    return claim(instance, space, Status.OPTIMAL, bound=checked.value, plan=plan)


def _plan_of_another(rng: Random, base: Base) -> WrittenResult | None:
    """The plan of an instance that differs in one number, with the figures that it has there."""
    return base.sibling if base.sibling is not None and base.sibling.plan is not None else None


def _value_of_another(rng: Random, base: Base) -> WrittenResult | None:
    """Status and bound of an instance that differs in one number, without the plan."""
    other = base.sibling
    if other is None or other.status is Status.INFEASIBLE:
        return None if other is None else replace(other, changed=base.case.instance)
    return claim(base.case.instance, base.case.space, Status.UNKNOWN, bound=other.value)


def _other_space(wider: bool) -> Way:
    """The same result as that of a plan space that allows more, or does not allow all that it did."""

    def way(rng: Random, base: Base) -> WrittenResult | None:
        found = [space for _, space in _variants(base) if contains(space, base.case.space) == wider]
        return replace(base.result, space=rng.choice(found)) if found else None

    return way


def _other_objective(rng: Random, base: Base) -> WrittenResult | None:
    found = [space for _, space in _variants(base) if base.family.goal(space).name != base.result.goal.name]
    return replace(base.result, space=found[0], goal=base.family.goal(found[0])) if found else None


def _variants(base: Base) -> list[tuple[str, Any]]:
    return list(variants_of(base.case.instance, base.case.space)) if base.case.family != "day" else []


WAYS: dict[str, Way] = {
    "infeasible": _infeasible,
    "infeasible, with a plan": _infeasible_with_plan,
    "optimal, without a plan": _optimal_without_plan,
    "value lower": _figures(1 - 2 * WRITTEN, "value"),
    "value higher": _figures(1 + 2 * WRITTEN, "value"),
    "claimed value off": _figures(1 - 3 * CLAIMED, "claimed"),
    "bound beyond the optimum": _bound_beyond,
    "bound beyond the plan": _bound_beyond_the_plan,
    "bound short of the plan": _bound_short_of_the_plan,
    "latency understated": _latency(1 - 2 * WRITTEN),
    "latency overstated": _latency(1 + 2 * WRITTEN),
    "latency left out": _figure_left_out,
    "machine removed": _edited(lambda rng, plan: changed(rng, plan, COUNTS, lambda n: n - 1)),
    "machine added": _edited(lambda rng, plan: changed(rng, plan, COUNTS, lambda n: n + 1)),
    "negative machines": _edited(lambda rng, plan: changed(rng, plan, COUNTS, lambda n: -n or -1)),
    "other batch": _edited(lambda rng, plan: changed(rng, plan, BATCHES, lambda b: b + 1)),
    "other dummy or partial rate": _edited(lambda rng, plan: changed(rng, plan, RATES, scaled)),
    "part of the plan left out": _edited(lambda rng, plan: rearranged(rng, plan, lambda some: some[1:])),
    "part of the plan twice": _edited(lambda rng, plan: rearranged(rng, plan, lambda some: (*some, *some[:1]))),
    "order reversed": _edited(lambda rng, plan: rearranged(rng, plan, lambda some: some[::-1])),
    "worse plan": _worse_plan,
    "plan of another instance": _plan_of_another,
    "value of another instance": _value_of_another,
    "wider plan space": _other_space(wider=True),
    "narrower plan space": _other_space(wider=False),
    "other objective": _other_objective,
}
"""What is done to a true result, by name."""


def true_claims(base: Base) -> dict[str, WrittenResult]:
    """The result as it is, and what follows from it."""
    result = base.result
    found = {"the result": result}
    if result.value is not None:
        half = Fraction(str(result.goal.tolerance)) / 2
        found["the bound alone"] = claim(base.case.instance, base.case.space, Status.UNKNOWN, bound=result.bound)
        found["feasible, with the bound"] = replace(result, status=Status.FEASIBLE)
        found["rounded"] = replace(result, value=result.value * (1 + WRITTEN / 2), bound=result.value * (1 - half))
    return found


def holds(claimed: WrittenResult, instance: Any, truth: Truth) -> bool | None:
    """Whether a claim is true and everything that stands next to it right; None: the truth is not known that well."""
    goal, status = claimed.goal, claimed.status
    cutoff_of = claimed.bound
    if claimed.plan is not None:
        try:
            checked = family_of(instance).evaluate(instance, claimed.plan, claimed.space)
        except InputError:
            return False
        value = checked.value
        if not checked.feasible or value is None or status not in (Status.OPTIMAL, Status.FEASIBLE):
            return False
        files = family_of(instance).plan_files()
        # Figures of objectives and applications may be left out, and are claims where they are written.
        parts = files.parts(instance, claimed.plan, checked)
        figures = files.figures(instance, claimed.plan, checked)
        figures |= {name: own for name, own in parts.items() if name in claimed.figures}
        pairs = [(claimed.value, value), *((claimed.figures.get(name), own) for name, own in figures.items())]
        if any(written is None or abs(written - own) > WRITTEN * own for written, own in pairs):
            return False
        unit = abs(value) or 1
        if claimed.claimed is not None and abs(claimed.claimed - value) > CLAIMED * unit:
            return False
        if claimed.bound is not None:
            beyond = (value - claimed.bound if goal.maximised else claimed.bound - value) / unit
            if beyond > Fraction(str(goal.tolerance)):
                return False
            if status is Status.OPTIMAL and abs(beyond) > Fraction(str(goal.tolerance)):
                return False
        elif status is Status.OPTIMAL:
            return False
        cutoff_of = value if status is Status.OPTIMAL else claimed.bound
    elif status in (Status.OPTIMAL, Status.FEASIBLE):
        return False
    if status is Status.INFEASIBLE:
        return truth.infeasible
    assert cutoff_of is not None
    return _none_beyond(truth, cutoff_of, Fraction(str(goal.tolerance)), maximised=goal.maximised)


def _none_beyond(truth: Truth, value: Fraction, tolerance: Fraction, *, maximised: bool) -> bool | None:
    """Whether no plan is better than a value by more than the tolerance; None: it lies within a bracket."""
    if truth.lower is None or truth.upper is None:
        return True
    if maximised:
        cutoff = value * (1 + tolerance)
        return True if truth.upper <= cutoff else False if truth.lower > cutoff else None
    cutoff = value * (1 - tolerance)
    return True if cutoff <= truth.lower else False if cutoff > truth.upper else None
