"""Certificates as JSON: schema ``euclio/certificate/1``."""

from __future__ import annotations

from typing import Any

from euclio.core.certificate import Certificate
from euclio.core.family import family_of
from euclio.files.json_writing import json_text

SCHEMA = "euclio/certificate/1"


def certificate_to_text(certificate: Certificate, instance: Any) -> str:
    """The JSON text of a certificate."""
    return json_text(certificate_to_json(certificate, instance)) + "\n"


def certificate_to_json(certificate: Certificate, instance: Any) -> dict[str, Any]:
    """A certificate as plain data with fractions.

    Args:
        certificate: the certificate.
        instance: its instance.
    """
    family = family_of(instance)
    goal = family.goal(certificate.space)
    return {
        "schema": SCHEMA,
        "instance": certificate.instance,
        "instance_sha256": certificate.instance_sha256,
        "solver": certificate.solver,
        "plan_sha256": certificate.plan_sha256,
        "space": {**certificate.space.describe(), "objective": goal.name},
        "verdict": certificate.verdict.value,
        "claim": certificate.claim,
        f"cutoff_{goal.suffix}": certificate.cutoff,
        "reason": certificate.reason,
        f"better_{goal.value_field}": certificate.value,
        "better_plan": _better_plan(certificate, instance),
        "prover": certificate.prover,
        "nodes": certificate.nodes,
        "wall_s": certificate.wall_s,
        "provenance": certificate.provenance,
    }


def _better_plan(certificate: Certificate, instance: Any) -> dict[str, Any] | None:
    if certificate.plan is None:
        return None
    family = family_of(instance)
    checked = family.evaluate(instance, certificate.plan, certificate.space)
    return family.plan_files().data(instance, certificate.plan, checked)
