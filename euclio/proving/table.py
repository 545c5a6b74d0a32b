"""A certificate as text for people."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.certificate import CHECKER, Certificate, Verdict
from euclio.core.families import family_of
from euclio.core.showing import Head, View
from euclio.core.words import duration
from euclio.proving.certifying import better_result

COLOURS = {Verdict.CERTIFIED: "green", Verdict.REFUTED: "bold red", Verdict.OPEN: "yellow"}


def certificate_table(instance: Any, certificate: Certificate) -> RenderableType:
    """Verdict, claim and reason; where a better plan refutes the claim, that plan as `solve` shows it."""
    family = family_of(instance)
    head = Text(f"{certificate.instance}: ")
    head.append(certificate.verdict.value, style=COLOURS[certificate.verdict])
    lines = [f"claim by {certificate.solver}: {certificate.claim}"]
    lines += [f"why: {certificate.reason}"] if certificate.reason else []
    lines += [] if certificate.changes is None else [f"with {certificate.changes.in_words()}"]
    lines.append(f"plan space: {family.describe_space(certificate.space)}")
    caveat = "" if certificate.plan is not None else family.caveat(instance, certificate.space, None, None)
    lines += [caveat] if caveat else []
    lines.append(f"{prover_in_words(certificate)} in {duration(certificate.wall_s)}")
    lines += evidence_in_words(certificate)
    body = Text("\n".join(lines))
    if certificate.plan is None:
        return Group(head, body)
    return Group(head, body, Text(""), family.table(instance, better_result(instance, certificate)))


def evidence_in_words(certificate: Certificate) -> list[str]:
    """The basis of a certified claim, and why a requested proof file is missing; a line each."""
    lines = [f"evidence: {certificate.evidence}"] if certificate.evidence else []
    if certificate.proof is not None:
        lines[-1] += f" {certificate.proof.path} ({certificate.proof.size:,} bytes)"
    return lines + ([f"no proof file: {certificate.no_proof}"] if certificate.no_proof else [])


def prover_in_words(certificate: Certificate) -> str:
    """The prover that decided, and its amount of work."""
    if certificate.prover == CHECKER:
        return "decided by the checker alone,"
    return f"prover {certificate.prover}: {certificate.nodes:,} nodes"


def _head(found: Certificate) -> Head:
    claim = f"claim by {found.solver}: {found.claim}"
    why = (f"why: {found.reason}",) if found.reason else ()
    by = f"{prover_in_words(found)} in {duration(found.wall_s)}"
    return Head(found.instance, found.verdict.value, (claim, *why, by))


def _table(found: Certificate) -> RenderableType | None:
    return None if found.of_instance is None else certificate_table(found.of_instance, found)


CERTIFICATE = View(_head, _table)
