"""The claims on every solver: each judges the evidence."""

from __future__ import annotations

import math
from numbers import Real

from euclio.contract.evidence import CheckedRun, Ending, Evidence
from euclio.contract.findings import Judgement, Verdict, judged
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.trials import Purpose
from euclio.core.words import full

# Claims about a solver's answers: plans, claimed values, bounds, statuses.

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


def _refusals(runs: list[CheckedRun], what: str, lacking: str = "there is no plan") -> Judgement:
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


def _wrong_bound(run: CheckedRun) -> str:
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


def _dishonest(run: CheckedRun) -> str:
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


# Claims about a solver's conduct: repeatable, in time, without side effects, indifferent to names.

GRACE_S = 1.0
"""Seconds that a solver may be over its time limit."""


SEEN = (Ending.ANSWERED, Ending.INAPPLICABLE, Ending.RAISED)
"""Endings after which the process could be inspected."""


def _seen(evidence: Evidence) -> list[CheckedRun]:
    return [run for run in evidence.runs if run.seen.ending in SEEN]


def repeatable(evidence: Evidence) -> Judgement:
    """Gives the same plan for the same seed in one process."""
    return _same_plans(evidence, Purpose.AGAIN)


def fresh(evidence: Evidence) -> Judgement:
    """Gives the same plan for the same seed in a process of its own, with other hashes."""
    return _same_plans(evidence, Purpose.FRESH)


def _same_plans(evidence: Evidence, purpose: Purpose) -> Judgement:
    pairs = [(a, b) for a, b in evidence.pairs(purpose) if a.in_time and b.in_time]
    other = [f"{a.trial.name}: {difference}" for a, b in pairs if (difference := _difference(a, b))]
    lacking = next((run.seen.message for run in evidence.of(purpose) if run.seen.ending is Ending.SKIPPED), "")
    return judged(other, len(pairs), "runs made again", lacking or "no run ended clear of its time limit")


def _difference(a: CheckedRun, b: CheckedRun) -> str:
    assert a.answer is not None
    assert b.answer is not None
    if repr(a.answer.claimed) != repr(b.answer.claimed):
        return f"claims {a.answer.claimed!r}, then {b.answer.claimed!r}"
    if (a.answer.plan is None) != (b.answer.plan is None):
        return "a plan only once"
    if a.answer.plan != b.answer.plan:
        return f"another plan of {a.goal.name} {_value(a)}, then {_value(b)}"
    return ""


def _value(run: CheckedRun) -> str:
    return "unknown" if run.value is None else full(run.value)


def instance(evidence: Evidence) -> Judgement:
    """Leaves the instance as it was."""
    seen = _seen(evidence)
    changed = [f"{run.trial.name}: another text of the instance after the run" for run in seen if run.seen.mutated]
    return judged(changed, len(seen), "instances compared as text")


def time_limit(evidence: Evidence) -> Judgement:
    """Keeps its time limit, on a larger instance and with a second of grace."""
    for run in evidence.of(Purpose.LARGE):
        limit = run.trial.limits.time_limit_s
        assert limit is not None
        if run.seen.ending is Ending.HUNG:
            return Judgement(Verdict.BROKEN, f"{run.trial.name}: {run.seen.message}; the limit was {full(limit)} s")
        if run.seen.ending is Ending.ANSWERED:
            over = run.seen.took_s - limit
            timing = f"{run.trial.name}: {run.seen.took_s:.2f} s of {full(limit)} s"
            if over > GRACE_S:
                return Judgement(Verdict.BROKEN, f"{timing}, {over:.2f} s over")
            return Judgement(Verdict.KEPT, timing)
    return judged([], 0, "", "it did not answer on the larger instance")


def silent(evidence: Evidence) -> Judgement:
    """Prints nothing to standard output."""
    seen = _seen(evidence)
    loud = [f"{run.trial.name}: printed {run.seen.printed.strip()[:60]!r}" for run in seen if run.seen.printed]
    return judged(loud, len(seen), "trials")


def surroundings(evidence: Evidence) -> Judgement:
    """Leaves its process as it was: folder, environment, locale, signals, random state, child processes."""
    seen = _seen(evidence)
    left = [f"{run.trial.name}: {', '.join(run.seen.left)}" for run in seen if run.seen.left]
    return judged(left, len(seen), "trials")


def scaled(evidence: Evidence) -> Judgement:
    """Proves what follows for a like instance: prices or weights doubled, or times doubled and rates halved."""
    return _equal_optima(evidence, Purpose.SCALED)


def permuted(evidence: Evidence) -> Judgement:
    """Proves the same value in any order and with any names."""
    return _equal_optima(evidence, Purpose.PERMUTED)


def _equal_optima(evidence: Evidence, purpose: Purpose) -> Judgement:
    pairs = [(a, b) for a, b in evidence.pairs(purpose) if a.proven and b.proven]
    other = []
    for a, b in pairs:
        assert a.value is not None
        assert b.value is not None
        expected = a.value * b.trial.factor
        if abs(a.goal.gap(b.value, expected)) > 2 * OPTIMALITY_TOLERANCE:
            other.append(f"{b.trial.name}: proves {full(b.value)}, {full(expected)} would be right")
    return judged(other, len(pairs), "pairs of proven optima", "it proves no optimum")
