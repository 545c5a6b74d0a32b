"""Proofs before an independent prover: how many there are, and what became of those that were tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from euclio.core.certificate import Certificate, Verdict
from euclio.core.result import AnyResult, Status
from euclio.proving.certifying import certify, is_proof


class ProofTrials:
    """Counts the proofs among results and tries each, as a comparison goes along.

    Args:
        instance: the instance that all results are of.
        time_limit_s: limit of each search in seconds; None: nothing is tried, only counted.

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
