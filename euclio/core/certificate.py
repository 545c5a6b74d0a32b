"""Certificates: what an independent prover says about a claim (ours).

A claim is turned into a cutoff: an optimum claims that no plan is better than its value by more than the tolerance, a
bound that none is better than the bound, infeasibility that there is none at all. A prover of the family then searches
for a plan beyond the cutoff, in exact arithmetic and with code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from euclio.core.lazy import late_value
from euclio.core.showing import Shown


class Verdict(StrEnum):
    """What became of a claim."""

    CERTIFIED = "certified"
    REFUTED = "refuted"
    OPEN = "open"
    """Neither was shown within the limit."""


class NoProofError(Exception):
    """No proof file can be made of a claim that holds; says why in one line."""


@dataclass(frozen=True, slots=True)
class Search:
    """Outcome of a search for a plan that is strictly better than a cutoff.

    Attributes:
        plan: a plan that is strictly better, which `certify` has the checker confirm; None: none was found.
        exhausted: whether it is proven that there is none; False with a plan, or where the deadline passed.
        nodes: nodes of the search, a measure of its work.
        reason: where neither a plan nor a proof was found, why, in one line.
    """

    plan: Any | None
    exhausted: bool
    nodes: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProofFile:
    """A proof file that was written.

    Attributes:
        path: where, as it was asked for.
        size: its bytes.
    """

    path: str
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(Shown):
    """What became of the claim of one result.

    Values are in the unit of the objective.

    Attributes:
        instance: name of the instance.
        solver: name of the solver whose claim it is.
        space: plan space that the claim is about.
        verdict: certified, refuted or open.
        claim: the claim in words.
        cutoff: no plan may be better than this if the claim holds; None: the claim is that there is no plan at all, or
            nothing had to be searched for.
        reason: why it was refuted or left open, in one line; empty: it is certified.
        plan: a plan that refutes the claim; None: there is none.
        value: value of that plan as the checker priced it.
        nodes: nodes of the search; 0: the checker alone decided.
        wall_s: seconds that it took.
        prover: module of the prover, or `CHECKER` where no search was needed.
        provenance: versions, machine and git revision (`euclio.core.versions.provenance`).
        instance_sha256: SHA-256 of the instance's text as euclio writes it, in hex.
        plan_sha256: the same of the result's plan; None: it has none, or the checker cannot price it.
        changes: changes of the named instance whose result it is (`euclio.core.result.Result`).
        proof: the proof file that was written; None: none was.
        no_proof: why none was, in one line, where one was asked for.
        of_instance: the instance itself, with these changes, for tables; None: it is not at hand. It is no part of what
            makes two certificates equal.
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
        """What a certified claim rests on: "file", "independent search" or "checker"; empty: it is not certified."""
        if self.verdict is not Verdict.CERTIFIED:
            return ""
        if self.proof is not None:
            return "file"
        return CHECKER if self.prover == CHECKER else "independent search"


CHECKER = "checker"
"""Prover of a claim that needs no search: the checker's word is enough."""
