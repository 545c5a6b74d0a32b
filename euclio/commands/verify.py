"""`euclio verify`: price a written result again, under the plan space that stands in it."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import REFUSED, SOLVED

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs
    from euclio.families import Checked
    from euclio.files import WrittenResult

WRITTEN_TOLERANCE = Fraction(1, 10**9)
"""A written figure may be off by this share of the checked one, no more."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "verify",
        help="check and price a written result again",
        description="Check a result against its instance. Exit code 0: accepted, 1: refused, with the reason.",
        allow_abbrev=False,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="session or cluster (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print the verdict."""
    from euclio.families import family_of
    from euclio.files import load_instance, load_result

    instance = load_instance(arguments.instance)
    family = family_of(instance)
    written = load_result(arguments.result, instance)
    if written.plan is None:
        print(f"refused: the result has no plan (status {written.status.value})")
        return REFUSED
    evaluation = family.evaluate(instance, written.plan, written.space)
    reasons = list(evaluation.violations)
    if not reasons:
        figures = family.plan_files().figures(instance, written.plan, evaluation)
        reasons = _false_claims(written, evaluation, figures)
    if reasons:
        print(f"refused: {'; '.join(reasons)}")
        return REFUSED
    limits = ", ".join(f"{key} {value}" for key, value in written.space.describe().items())
    print(f"accepted: {family.summary(instance, written.space, evaluation)}\nplan space: {limits}")
    return SOLVED


def _false_claims(written: WrittenResult, evaluation: Checked, figures: dict[str, Fraction]) -> list[str]:
    """What the file says about a feasible plan and the checker does not find."""
    from euclio.result import Status

    value, goal, bound = evaluation.value, written.goal, written.bound
    assert value is not None
    reasons = [_difference(goal.value_field, written.value, value)]
    reasons += [_difference(name, written.figures.get(name), checked) for name, checked in figures.items()]
    reasons.append(goal.contradiction(value, bound))
    if written.status is Status.OPTIMAL and not reasons[-1] and not goal.proven(value, bound):
        reasons.append(f"status is optimal, but {goal.bound_field} does not reach the {goal.name}")
    if written.status not in (Status.OPTIMAL, Status.FEASIBLE):
        reasons.append(f"status is {written.status.value}, but there is a feasible plan")
    return [reason for reason in reasons if reason]


def _difference(name: str, written: Fraction | None, checked: Fraction) -> str:
    if written is not None and abs(written - checked) <= WRITTEN_TOLERANCE * checked:
        return ""
    shown = "null" if written is None else f"{float(written):.12g}"
    return f"{name} is written as {shown}, checked as {float(checked):.12g}"
