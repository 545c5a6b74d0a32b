"""Certify a result: its claim becomes a cutoff, and an independent prover looks for a plan beyond it (ours).

All arithmetic on the way is rational: the checked value, the tolerance and the cutoff are fractions.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.certificate import CHECKER, Certificate, Search, Verdict
from euclio.core.compiled import before_timing
from euclio.core.errors import InputError
from euclio.core.families import family_of, find_family, homes
from euclio.core.family import Checked, Family
from euclio.core.numbers import exact
from euclio.core.objective import Goal
from euclio.core.progress import told
from euclio.core.result import Answer, AnyResult, Result, Status, WrittenResult
from euclio.core.solver import Limits
from euclio.core.solving import check
from euclio.core.system import LateError, interrupted_at
from euclio.core.versions import provenance
from euclio.files.json_writing import json_text
from euclio.files.result_files import reasons_against
from euclio.proving.proof_files import SPARE_S, Asked, file_proof

EXACT = "exact"
"""Kind of solvers whose word on infeasibility is a proof."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of a result.

    Attributes:
        words: the claim in words.
        cutoff: no plan may be better than this. None means that there may be no plan.
    """

    words: str
    cutoff: Fraction | None


@dataclass(frozen=True, slots=True)
class _Finding:
    """A verdict, with the plan and its value where one refutes the claim."""

    verdict: Verdict
    reason: str = ""
    plan: Any | None = None
    value: Fraction | None = None
    nodes: int = 0
    prover: str = CHECKER


@told("certifying")
def certify(
    instance: Any,
    result: AnyResult | WrittenResult,
    time_limit_s: float | None = None,
    proof: str | Path | None = None,
) -> Certificate:
    """Certify or refute the claim of a result.

    The claim is the strongest that the result makes. Status optimal: no plan is better than its own by more than the
    tolerance of the goal, a share of 1e-9 (1e-6 under dummy rule continuous). Status infeasible: there is no plan.
    Otherwise a bound: no plan is better than the bound by more than the tolerance. A result is refuted before any
    search if the checker refuses its plan or finds other figures. For a result that was asked for an attainment, the
    claim is about plans that keep it.

    Args:
        instance: the instance that it is a result of; of a written one with changes, `WrittenResult.changed`.
        result: a result of `solve`, or a written one (`euclio.files.load_result`).
        time_limit_s: limit of the search in seconds, and of making the proof file. None means no limit.
        proof: where to write a proof file of a certified claim, compressed if the name ends in ``.gz``; None disables
            it.

    Returns:
        The certificate. If no proof file can be made, it says why, and nothing is written.

    Raises:
        InputError: the result claims nothing that could be certified, or is of another instance; the proof file cannot
            be written.
    """
    family = family_of(instance)
    _warm_up(family.name)
    started = time.perf_counter()
    if result.instance != instance.name:
        raise InputError(f"is {result.instance!r}, but the instance is {instance.name!r}", field="instance")
    said = written(instance, result) if isinstance(result, Result) else result
    checked = None if said.plan is None else family.evaluate(instance, said.plan, said.space)
    claim = claim_of(said, checked)
    asked = Asked(family, instance, said, checked, claim.cutoff)
    finding = _by_checker(asked, claim)
    deadline = math.inf if time_limit_s is None else started + time_limit_s
    if finding is None:
        search = _search(family, instance, said, claim, deadline)
        finding = _judged(instance, family, said, claim, search)
    wall_s = time.perf_counter() - started
    written_proof, no_proof = None, ""
    if proof is not None:
        written_proof, no_proof = file_proof(asked, finding.verdict, deadline, proof)
    return Certificate(
        instance=instance.name,
        solver=said.solver,
        space=said.space,
        verdict=finding.verdict,
        claim=claim.words,
        cutoff=None if finding.prover == CHECKER else claim.cutoff,
        reason=finding.reason,
        plan=finding.plan,
        value=finding.value,
        nodes=finding.nodes,
        wall_s=wall_s,
        prover=finding.prover,
        provenance=provenance(),
        instance_sha256=instance_sha256(instance),
        plan_sha256=plan_sha256(instance, said.plan, checked),
        changes=said.changes,
        proof=written_proof,
        no_proof=no_proof,
        of_instance=instance,
    )


@before_timing
def _warm_up(family: str) -> None:
    """Compile a prover before it is timed, where that is asked for."""
    find_family(family).warm_up_prover()


def is_proof(status: Status, kind: str) -> bool:
    """Whether a status is a proof: optimal, or infeasible by the word of an exact solver.

    Args:
        status: outcome of a run.
        kind: kind of its solver.
    """
    return status is Status.OPTIMAL or (status is Status.INFEASIBLE and kind == EXACT)


def better_result(instance: Any, certificate: Certificate) -> AnyResult:
    """The plan that refutes a claim, as a checked result of the prover.

    Args:
        instance: the instance of the certificate.
        certificate: a certificate with a plan.
    """
    answer: Answer[Any] = Answer(certificate.plan, "better than claimed")
    result = check(instance, certificate.prover, certificate.space, Limits(), answer, certificate.wall_s)
    return replace(result, changes=certificate.changes)


def written(instance: Any, result: AnyResult) -> WrittenResult:
    """A result as if it stood in a file, its plan and value not rounded."""
    family = family_of(instance)
    checked, figures = result.evaluation, {}
    if checked is not None and checked.feasible:
        files = family.plan_files()
        figures = files.figures(instance, result.plan, checked) | files.parts(instance, result.plan, checked)
    return WrittenResult(
        instance=result.instance,
        solver=result.solver,
        space=result.space,
        goal=family.goal(result.space),
        status=result.status,
        value=result.value,
        claimed=None if result.claimed is None or not math.isfinite(result.claimed) else exact(result.claimed),
        bound=None if result.bound is None or not math.isfinite(result.bound) else exact(result.bound),
        figures=figures,
        plan=result.plan,
        changed=instance,
        changes=result.changes,
        options=result.options,
        planned_for=result.planned_for,
    )


def instance_sha256(instance: Any) -> str:
    """SHA-256 of an instance's text as euclio writes it, in hex."""
    return _sha256(family_of(instance).to_text(instance))


def plan_sha256(instance: Any, plan: Any, checked: Checked | None) -> str | None:
    """SHA-256 of a plan's text as it stands in result files, in hex; None if there is no feasible plan."""
    if checked is None or not checked.feasible:
        return None
    return _sha256(json_text(family_of(instance).plan_files().data(instance, plan, checked)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def claim_of(said: WrittenResult, checked: Checked | None) -> Claim:
    """The claim of a written result, and its cutoff.

    Args:
        said: the result.
        checked: the checker's answer on its plan; None if it has none.

    Raises:
        InputError: it claims nothing.
    """
    claim = _of_all_plans(said, checked)
    if "attainment" not in said.options:
        return claim
    kept = "no plan of the plan space that keeps the attainment"
    return replace(claim, words=claim.words.replace("no plan", kept, 1))


def _of_all_plans(said: WrittenResult, checked: Checked | None) -> Claim:
    """The claim as one about all plans of the plan space.

    Raises:
        InputError: it claims nothing.
    """
    if said.status is Status.INFEASIBLE:
        return Claim("infeasible: there is no plan", None)
    if said.status is Status.OPTIMAL:
        value = said.value if checked is None else checked.value
        return Claim("optimal", None) if value is None else _no_better("optimal", value, said.goal)
    if said.bound is not None and said.status in (Status.FEASIBLE, Status.UNKNOWN):
        return _no_better("a bound", said.bound, said.goal)
    lacking = "no bound" if said.status in (Status.FEASIBLE, Status.UNKNOWN) else "so no claim"
    raise InputError(
        f"there is nothing to certify: status {said.status.value}, {lacking}; give a result that is optimal or "
        "infeasible, or that has a bound"
    )


def _no_better(kind: str, value: Fraction, goal: Goal) -> Claim:
    """The claim that no plan is better than a value by more than the tolerance."""
    room = abs(value) * exact(goal.tolerance)
    more = "more" if goal.maximised else "less"
    words = (
        f"{kind}: no plan has {more} {goal.name} than {float(value):.12g} {goal.unit}, tolerance {goal.tolerance:g} "
        "of it"
    )
    return Claim(words, value + room if goal.maximised else value - room)


def _by_checker(asked: Asked, claim: Claim) -> _Finding | None:
    """The checker's own verdict on the claim; None if only a search can decide it."""
    said, checked = asked.said, asked.checked
    if checked is None:
        if said.status in (Status.OPTIMAL, Status.FEASIBLE):
            return _Finding(Verdict.REFUTED, f"the status is {said.status.value}, but there is no plan")
    else:
        reasons = reasons_against(asked.instance, said, checked)
        if reasons:
            stands = checked.feasible and _refutes(said, checked, claim)
            found = (said.plan, checked.value) if stands else (None, None)
            return _Finding(Verdict.REFUTED, "; ".join(reasons), *found)
    return _Finding(Verdict.CERTIFIED) if asked.needs_none else None


def _refutes(said: WrittenResult, checked: Checked, claim: Claim) -> bool:
    """Whether the result's own plan contradicts its claim."""
    if checked.value is None or claim.cutoff is None:
        return said.status is Status.INFEASIBLE
    return _is_better(checked.value, claim.cutoff, maximised=said.goal.maximised)


def _is_better(value: Fraction, cutoff: Fraction, *, maximised: bool) -> bool:
    return value > cutoff if maximised else value < cutoff


def _search(family: Family, instance: Any, said: WrittenResult, claim: Claim, deadline: float) -> Search:
    """Ask the prover, and interrupt it where it overruns its deadline."""
    try:
        with interrupted_at(deadline + SPARE_S):
            asked = said.options.get("attainment")
            if asked is not None and family.find_better_keeping is not None:
                return family.find_better_keeping(instance, said.space, asked, claim.cutoff, deadline)
            return family.find_better(instance, said.space, claim.cutoff, deadline)
    except LateError:
        return Search(None, False, 0, "the prover overran its limit and was interrupted")


def _judged(instance: Any, family: Family, said: WrittenResult, claim: Claim, search: Search) -> _Finding:
    """The verdict of a search; the plan that it found counts only as far as the checker confirms it."""
    prover = prover_of(family)
    if search.plan is None:
        verdict = Verdict.CERTIFIED if search.exhausted else Verdict.OPEN
        reason = "" if search.exhausted else search.reason or "the limit came before a proof or a better plan"
        return _Finding(verdict, reason, nodes=search.nodes, prover=prover)
    checked = family.evaluate(instance, search.plan, said.space)
    value, goal = checked.value, said.goal
    wrong = "; ".join(checked.violations)
    if not wrong and (value is None or (claim.cutoff is not None and not _beats(value, claim, goal.maximised))):
        wrong = "it is not better than the claim allows"
    if wrong or value is None:
        reason = f"the prover found a plan that the checker does not confirm, please report it: {wrong}"
        return _Finding(Verdict.OPEN, reason, nodes=search.nodes, prover=prover)
    reason = f"there is a plan with a {goal.name} of {float(value):.12g} {goal.unit}"
    return _Finding(Verdict.REFUTED, reason, search.plan, value, search.nodes, prover)


def _beats(value: Fraction, claim: Claim, maximised: bool) -> bool:
    return claim.cutoff is None or _is_better(value, claim.cutoff, maximised=maximised)


def prover_of(family: Family) -> str:
    """The module of a family's prover, which names it in certificates."""
    module = homes()[family.name].partition(":")[0]
    home = module.rpartition(".")[0] or module
    return f"{home.replace('euclio.problems.', 'euclio.proving.')}.certifying"


class ProofTrials:
    """Counts the proofs among results and tries each, as a comparison goes along.

    Args:
        instance: the instance that all results are of.
        time_limit_s: limit of each search in seconds. None only counts proofs.

    Attributes:
        proofs: number of proofs seen.
        certificates: one per proof that was tried.
    """

    def __init__(self, instance: Any, time_limit_s: float | None) -> None:
        self._instance, self._time_limit_s = instance, time_limit_s
        self.proofs = 0
        self.certificates: list[Certificate] = []

    def seen(self, result: AnyResult, kind: str) -> AnyResult:
        """Take note of a result.

        Args:
            result: the result.
            kind: kind of its solver.

        Returns:
            The result; as an error without a value where its proof is refuted, so that nothing is measured against it.
        """
        if not is_proof(result.status, kind):
            return result
        self.proofs += 1
        if self._time_limit_s is None:
            return result
        found = certify(self._instance, result, self._time_limit_s)
        self.certificates.append(found)
        if found.verdict is not Verdict.REFUTED:
            return result
        reason = f"its proof is REFUTED ({found.claim}): {found.reason}"
        return replace(result, status=Status.ERROR, value=None, reason=reason)


def counts(proofs: int, verdicts: Iterable[Verdict]) -> str:
    """How many proofs were certified, refuted and left open, in words, such as "3 of 5 certified, 1 open"."""
    found = list(verdicts)
    counts = [f"{found.count(Verdict.CERTIFIED)} of {proofs} certified"]
    counts += [f"{found.count(Verdict.REFUTED)} REFUTED"] if Verdict.REFUTED in found else []
    counts += [f"{found.count(Verdict.OPEN)} open"] if Verdict.OPEN in found else []
    return ", ".join(counts)
