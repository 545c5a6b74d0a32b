"""Claims about what a solver answers: plans, claims, bounds, statuses."""

from __future__ import annotations

import math
from numbers import Real

from euclio.contract.evidence import Evidence, Run
from euclio.contract.findings import Judgement, Verdict, judged
from euclio.contract.observation import Ending
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.trials import Purpose
from euclio.core.words import full

FAILED = (Ending.RAISED, Ending.DIED, Ending.HUNG)


def ends(evidence: Evidence) -> Judgement:
    """Ends by itself, without an exception (beyond its time limit: see `time-limit`)."""
    tried = [run for run in evidence.runs if run.seen.ending is not Ending.SKIPPED]
    failed = [
        f"{run.trial.name}: {run.seen.message}"
        for run in tried
        if run.seen.ending in FAILED and not (run.seen.ending is Ending.HUNG and run.trial.purpose is Purpose.LARGE)
    ]
    return judged(failed, len(tried), "trials")


def finds(evidence: Evidence) -> Judgement:
    """Finds a plan on some of the small instances that have one."""
    able = [run for run in evidence.of(Purpose.SMALL) if run.optimum is not None and run.optimum.value is not None]
    asked = [run for run in able if run.seen.ending is Ending.ANSWERED]
    if not asked:
        return judged([], 0, "", "it answered on no instance that has a plan")
    found = sum(run.answer is not None and run.answer.plan is not None for run in asked)
    text = f"a plan on {found} of {len(asked)} small instances that have one"
    return Judgement(Verdict.KEPT if found else Verdict.BROKEN, text)


def accepted(evidence: Evidence) -> Judgement:
    """Every plan is accepted by the checker in the plan space that the solver searches by default."""
    return _refusals([run for run in evidence.runs if run.trial.purpose is not Purpose.RESTRICTED], "plans")


def plan_space(evidence: Evidence) -> Judgement:
    """Keeps to any other plan space that it is given, or says that it does not apply."""
    return _refusals(list(evidence.of(Purpose.RESTRICTED)), "plans in other plan spaces", "it applies to no other one")


def _refusals(runs: list[Run], what: str, lacking: str = "there is no plan") -> Judgement:
    planned = [run for run in runs if run.answer is not None and run.answer.plan is not None]
    refused = []
    for run in planned:
        if run.checked is None:
            refused.append(f"{run.trial.name}: the checker cannot read the plan: {run.unreadable}")
        elif not run.checked.feasible:
            refused.append(f"{run.trial.name}: refused: {'; '.join(run.checked.violations)}")
    return judged(refused, len(planned), what, lacking)


def claimed(evidence: Evidence) -> Judgement:
    """Claims the value that the checker finds, within 1e-6, or none."""
    made = [run for run in evidence.runs if run.answer is not None and run.answer.claimed is not None]
    wrong = []
    for run in made:
        assert run.answer is not None
        if not _finite(run.answer.claimed):
            wrong.append(f"{run.trial.name}: claims {run.answer.claimed!r}, no finite number")
        elif run.value is not None and (problem := run.goal.wrong_claim(run.value, run.answer.claimed)):
            wrong.append(f"{run.trial.name}: {problem}")
    return judged(wrong, len(made), "claims", "it claims no value")


def optimum(evidence: Evidence) -> Judgement:
    """No plan is better than the proven optimum of its plan space."""
    compared = [run for run in evidence.runs if run.value is not None and run.optimum is not None]
    beaten = []
    for run in compared:
        assert run.value is not None
        assert run.optimum is not None
        if run.optimum.value is None:
            beaten.append(f"{run.trial.name}: a plan where {run.optimum.by} proves that there is none")
        elif run.goal.gap(run.value, run.optimum.value) < -OPTIMALITY_TOLERANCE:
            best = f"{run.optimum.by} proves {full(run.optimum.value)}"
            beaten.append(f"{run.trial.name}: {run.goal.name} {full(run.value)}, {best}")
    return judged(beaten, len(compared), "plans against proven optima", "nothing to compare it with")


def bound(evidence: Evidence) -> Judgement:
    """A bound lies on the right side of its plan and of the proven optimum."""
    given = [run for run in evidence.runs if run.answer is not None and run.answer.bound is not None]
    wrong = [f"{run.trial.name}: {problem}" for run in given if (problem := _wrong_bound(run))]
    return judged(wrong, len(given), "bounds", "it gives no bound")


def _wrong_bound(run: Run) -> str:
    assert run.answer is not None
    if not _finite(run.answer.bound):
        return f"the bound is {run.answer.bound!r}, no finite number"
    against = [("its own plan", run.value)]
    if run.optimum is not None:
        against.append((f"what {run.optimum.by} proves", run.optimum.value))
    for what, value in against:
        if value is not None and run.goal.contradiction(value, run.answer.bound):
            side = "below" if run.goal.maximised else "above"
            return f"the bound {full(run.answer.bound)} lies {side} {what}, {full(value)}"
    return ""


def honest(evidence: Evidence) -> Judgement:
    """Says "optimal" only with a bound to show for it, and "infeasible" only without a plan."""
    answered = [run for run in evidence.runs if run.answer is not None]
    return judged([line for run in answered if (line := _dishonest(run))], len(answered), "answers")


def _dishonest(run: Run) -> str:
    assert run.answer is not None
    if run.answer.plan is not None and run.answer.infeasible:
        return f"{run.trial.name}: says infeasible and gives a plan"
    if run.answer.plan is not None and run.answer.raw_status.lower() == "optimal" and run.answer.bound is None:
        return f"{run.trial.name}: says {run.answer.raw_status!r} without a bound"
    return ""


def infeasible(evidence: Evidence) -> Judgement:
    """Says infeasible only where there is no plan, whether or not it gives bounds."""
    said = [run for run in evidence.runs if run.answer is not None and run.answer.infeasible]
    known = [run for run in said if run.optimum is not None]
    wrong = [
        f"{run.trial.name}: {run.optimum.by} has a plan of {run.goal.name} {full(run.optimum.value)}"
        for run in known
        if run.optimum is not None and run.optimum.value is not None
    ]
    return judged(wrong, len(known), "trials without a plan", "it never says so")


def _finite(value: object) -> bool:
    return isinstance(value, Real) and math.isfinite(value)
