"""`euclio verify`: price a written result again, under the plan space that stands in it."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import REFUSED, SOLVED

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs
    from euclio.files import WrittenResult
    from euclio.session import Evaluation, Session

WRITTEN_TOLERANCE = Fraction(1, 10**9)
"""A written cost or latency may be off by this share of the checked one, no more."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "verify",
        help="check and price a written result again",
        description="Check a result against its instance. Exit code 0: accepted, 1: refused, with the reason.",
        allow_abbrev=False,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="session instance (JSON, euclio/session/1)")
    parser.add_argument("result", metavar="RESULT", help="result (JSON, euclio/result/1)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print the verdict."""
    from euclio.files import load_result, load_session
    from euclio.session import evaluate

    session = load_session(arguments.instance)
    written = load_result(arguments.result, session)
    if written.plan is None:
        print(f"refused: the result has no plan (status {written.status.value})")
        return REFUSED
    evaluation = evaluate(session, written.plan, written.space)
    reasons = list(evaluation.violations) or _false_claims(session, written, evaluation)
    if reasons:
        print(f"refused: {'; '.join(reasons)}")
        return REFUSED
    print(_accepted(session, written, evaluation))
    return SOLVED


def _accepted(session: Session, written: WrittenResult, evaluation: Evaluation) -> str:
    assert evaluation.cost_per_h is not None
    assert evaluation.latency_s is not None
    limits = ", ".join(f"{key} {value}" for key, value in written.space.describe().items())
    return (
        f"accepted: cost {float(evaluation.cost_per_h):.9g} per hour, latency {float(evaluation.latency_s):.9g} s "
        f"of {float(session.slo_s):.9g} s\nplan space: {limits}"
    )


def _false_claims(session: Session, written: WrittenResult, evaluation: Evaluation) -> list[str]:
    """What the file says about a feasible plan and the checker does not find."""
    from euclio.result import OPTIMALITY_TOLERANCE, Status

    cost = evaluation.cost_per_h
    assert cost is not None
    claims = [
        ("cost_per_h", written.cost_per_h, cost),
        ("plan.latency_s", written.latency_s, evaluation.latency_s),
        *(
            (f"worst_case_latency_s of module {module.name}", latency, found.worst_case_latency_s)
            for module, latency, found in zip(
                session.modules, written.worst_case_latency_s, evaluation.modules, strict=True
            )
        ),
    ]
    reasons = [_difference(*claim) for claim in claims]
    bound = written.bound_per_h
    if bound is not None and bound > cost * (1 + Fraction(OPTIMALITY_TOLERANCE)):
        reasons.append(f"bound_per_h is {float(bound):.9g}, above the checked cost of {float(cost):.9g}")
    if written.status is Status.OPTIMAL and (bound is None or cost - bound > OPTIMALITY_TOLERANCE * float(cost)):
        reasons.append("status is optimal, but bound_per_h does not reach the cost")
    if written.status not in (Status.OPTIMAL, Status.FEASIBLE):
        reasons.append(f"status is {written.status.value}, but there is a feasible plan")
    return [reason for reason in reasons if reason]


def _difference(name: str, written: Fraction | None, checked: Fraction | None) -> str:
    assert checked is not None
    if written is not None and abs(written - checked) <= WRITTEN_TOLERANCE * checked:
        return ""
    shown = "null" if written is None else f"{float(written):.12g}"
    return f"{name} is written as {shown}, checked as {float(checked):.12g}"
