"""Proofs of the families as the texts of their files."""

from __future__ import annotations

from euclio.proving.day.proof import day_proof
from euclio.proving.files.text import proof_text
from euclio.proving.fragments.proof import fleet_proof
from euclio.proving.pipeline.proof import cluster_proof
from euclio.proving.session.proof import session_proof


def session_text(*asked) -> str:
    return proof_text(session_proof(*asked))


def fleet_text(*asked) -> str:
    return proof_text(fleet_proof(*asked))


def day_text(*asked) -> str:
    return proof_text(day_proof(*asked))


def cluster_text(*asked) -> str:
    return proof_text(cluster_proof(*asked))
