"""Certificates as JSON: schema ``euclio/certificate/1``."""

from __future__ import annotations

from typing import Any

from euclio.core.certificate import Certificate
from euclio.core.families import family_of
from euclio.files.json_writing import json_text
from euclio.files.result_files import stated

SCHEMA = "euclio/certificate/1"


def certificate_to_text(certificate: Certificate, instance: Any) -> str:
    """The JSON text of a certificate of an instance."""
    family = family_of(instance)
    goal, plan, better = family.goal(certificate.space), certificate.plan, None
    if plan is not None:
        better = family.plan_files().data(instance, plan, family.evaluate(instance, plan, certificate.space))
    data = {
        "schema": SCHEMA,
        "instance": certificate.instance,
        **stated(certificate.changes),
        "instance_sha256": certificate.instance_sha256,
        "solver": certificate.solver,
        "plan_sha256": certificate.plan_sha256,
        "space": {**certificate.space.describe(), "objective": goal.name},
        "verdict": certificate.verdict.value,
        "claim": certificate.claim,
        f"cutoff_{goal.suffix}": certificate.cutoff,
        "reason": certificate.reason,
        f"better_{goal.value_field}": certificate.value,
        "better_plan": better,
        "prover": certificate.prover,
        "evidence": certificate.evidence or None,
        "proof_file": None if certificate.proof is None else certificate.proof.path,
        "proof_bytes": None if certificate.proof is None else certificate.proof.size,
        "no_proof": certificate.no_proof or None,
        "nodes": certificate.nodes,
        "wall_s": certificate.wall_s,
        "provenance": certificate.provenance,
    }
    return json_text(data) + "\n"
