"""Claims about how a solver conducts itself: repeatable, in time, without side effects, indifferent to names."""

from __future__ import annotations

from euclio.contract.evidence import Evidence, Run
from euclio.contract.findings import Judgement, Verdict, judged
from euclio.contract.observation import Ending
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.trials import Purpose
from euclio.core.words import full

GRACE_S = 1.0
"""Seconds that a solver may be over its time limit."""
SEEN = (Ending.ANSWERED, Ending.INAPPLICABLE, Ending.RAISED)
"""Endings after which the process could be looked at."""


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


def _difference(a: Run, b: Run) -> str:
    assert a.answer is not None
    assert b.answer is not None
    if repr(a.answer.claimed) != repr(b.answer.claimed):
        return f"claims {a.answer.claimed!r}, then {b.answer.claimed!r}"
    if (a.answer.plan is None) != (b.answer.plan is None):
        return "a plan only once"
    if a.answer.plan != b.answer.plan:
        return f"another plan of {a.goal.name} {_value(a)}, then {_value(b)}"
    return ""


def _value(run: Run) -> str:
    return "unknown" if run.value is None else full(run.value)


def instance(evidence: Evidence) -> Judgement:
    """Leaves the instance as it was."""
    seen = [run for run in evidence.runs if run.seen.ending in SEEN]
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
    seen = [run for run in evidence.runs if run.seen.ending in SEEN]
    loud = [f"{run.trial.name}: printed {run.seen.printed.strip()[:60]!r}" for run in seen if run.seen.printed]
    return judged(loud, len(seen), "trials")


def surroundings(evidence: Evidence) -> Judgement:
    """Leaves its process as it was: folder, environment, locale, signals, random state, child processes."""
    seen = [run for run in evidence.runs if run.seen.ending in SEEN]
    left = [f"{run.trial.name}: {', '.join(run.seen.left)}" for run in seen if run.seen.left]
    return judged(left, len(seen), "trials")


def scaled(evidence: Evidence) -> Judgement:
    """Proves what follows for a like instance: prices or weights doubled, or times doubled and rates halved."""
    return _equal_optima(evidence, Purpose.SCALED)


def permuted(evidence: Evidence) -> Judgement:
    """Proves the same value whatever the order and the names."""
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
