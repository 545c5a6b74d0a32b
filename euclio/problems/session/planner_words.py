"""A plan in the words of who plans capacity, where tables of research say it in those of the papers (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from euclio.core.space_fields import in_words
from euclio.core.words import counted, plain
from euclio.problems.session.charging import Charging
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.plan import Plan
from euclio.problems.session.policies import Form
from euclio.problems.session.space import PlanSpace

MOST_SAID = Fraction(995, 1000)
"""The largest share of a machine that two digits show as less than one."""


def space_for_planners(space: PlanSpace) -> str:
    """What plans may be: how requests are dispatched, whether capacity may be spare, then only what narrows them."""
    policy = str(space.policy)
    dispatch = f"{space.policy.words} ({policy})" if space.policy.words else policy
    rest = in_words(space).removeprefix(f"{policy}, {space.dummy.words}")
    return f"dispatch: {dispatch}; {space.dummy.spare}{rest}"


def machines_in_words(plan: Plan, evaluation: Evaluation, space: PlanSpace) -> str:
    """Machines by hardware type, such as "A100 3 whole and 0.46 of one".

    It is empty where machines are charged whole, so that none is used in part, and where machines that are alike take
    equal rates, so that none is whole.
    """
    if space.charging is not Charging.SHARE or space.policy.form is Form.EVEN:
        return ""
    whole: dict[str, int] = {}
    parts: dict[str, list[Fraction]] = {}
    for module, found in zip(plan.modules, evaluation.modules, strict=True):
        for place, allocation in enumerate(module.allocations):
            hardware = allocation.configuration.hardware
            whole[hardware] = whole.get(hardware, 0) + allocation.machines
            if place == len(module.allocations) - 1 and found.partial_rps:
                parts.setdefault(hardware, []).append(found.partial_rps / allocation.configuration.throughput_rps)
    return ", ".join(f"{name} {_machines(count, parts.get(name, ()))}" for name, count in whole.items())


def _machines(whole: int, parts: Sequence[Fraction]) -> str:
    """Whole machines and those of which a part is used."""
    used = sum(parts, Fraction(0))
    if not parts:
        return f"{whole:,} whole"
    # What is less than one machine is not to be read as one.
    said = "more than 0.99" if MOST_SAID <= used < 1 else plain(float(used), 2)
    of = f"{said} of one" if len(parts) == 1 else f"parts of {counted(len(parts), 'machine')}, {said} in all"
    return f"{whole:,} whole and {of}" if whole else of
