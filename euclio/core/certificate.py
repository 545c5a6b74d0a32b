"""Certificates: the verdict of an independent prover on a claim (ours).

Each claim gives a cutoff. An optimum claims that no plan is better than its value by more than the tolerance. A bound
claims that no plan is better than the bound. Infeasibility claims that no plan exists. A prover of the family then
searches for a plan beyond the cutoff, in exact arithmetic and with code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from euclio.core.lazy import late_value
from euclio.core.showing import Shown


class Verdict(StrEnum):
    """The verdict on a claim."""

    CERTIFIED = "certified"
    REFUTED = "refuted"
    OPEN = "open"
    """The prover showed neither within the limit."""


class NoProofError(Exception):
    """A claim holds but no proof file can be made of it; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Search:
    """Outcome of a search for a plan that is strictly better than a cutoff.

    Attributes:
        plan: a strictly better plan, which `certify` lets the checker confirm; None if the search found none.
        exhausted: whether the search proved that there is none; False with a plan, or if the deadline passed.
        nodes: nodes of the search, a measure of its work.
        reason: in one line, why the search found neither a plan nor a proof.
    """

    plan: Any | None
    exhausted: bool
    nodes: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProofFile:
    """A proof file that was written.

    Attributes:
        path: its path as given.
        size: its size in bytes.
    """

    path: str
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(Shown):
    """The verdict on the claim of one result.

    Values are in the unit of the objective.

    Attributes:
        instance: name of the instance.
        solver: name of the solver whose claim it is.
        space: plan space that the claim is about.
        verdict: certified, refuted or open.
        claim: the claim in words.
        cutoff: no plan is better than this if the claim holds. None if the claim is infeasibility or needs no search.
        reason: why the claim is refuted or open, in one line; empty if it is certified.
        plan: a plan that refutes the claim; None if there is none.
        value: value of that plan as the checker priced it.
        nodes: nodes of the search; 0 if the checker alone decided.
        wall_s: wall-clock seconds of the proof.
        prover: module of the prover, or `CHECKER` where no search was needed.
        provenance: versions, machine and git revision (`euclio.core.versions.provenance`).
        instance_sha256: SHA-256 of the instance's text as euclio writes it, in hex.
        plan_sha256: the same of the result's plan; None if it has none or the checker cannot price it.
        changes: changes of the named instance whose result it is (`euclio.core.result.Result`).
        proof: the written proof file; None if there is none.
        no_proof: why there is none although one was requested, in one line.
        of_instance: the instance itself, with these changes, for tables; None if it is not at hand. Equality of
            certificates ignores it.
    """

    _view = late_value("euclio.proving.table", "CERTIFICATE")

    instance: str
    solver: str
    space: Any
    verdict: Verdict
    claim: str
    cutoff: Fraction | None
    reason: str
    plan: Any | None
    value: Fraction | None
    nodes: int
    wall_s: float
    prover: str
    provenance: dict[str, Any] = field(repr=False)
    instance_sha256: str
    plan_sha256: str | None
    changes: Any = None
    proof: ProofFile | None = None
    no_proof: str = ""
    of_instance: Any = field(default=None, compare=False)

    @property
    def evidence(self) -> str:
        """The evidence for a certified claim: "file", "independent search" or "checker"; empty if not certified."""
        if self.verdict is not Verdict.CERTIFIED:
            return ""
        if self.proof is not None:
            return "file"
        return CHECKER if self.prover == CHECKER else "independent search"


CHECKER = "checker"
"""Prover of a claim that needs no search: the checker's verdict is enough."""
