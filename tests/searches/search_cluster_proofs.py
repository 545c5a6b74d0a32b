"""Whether a cluster's proof file can state what is false: tiny clusters, at their best value and next to it."""

from __future__ import annotations

import time
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.pipeline import Objective
from euclio.proving.files.checker import check_text
from euclio.proving.files.text import proof_text
from euclio.proving.pipeline.proof import NothingToDivideError, cluster_proof
from tests.drawn.cases import drawn, truth_of

from .search import Found, Search

LIMIT_S = 10.0
NEXT_TO = (Fraction(1, 10**9), Fraction(1, 10**15))
"""Shares by which a cutoff is worse than the best, so that a plan is better."""


def look(seed: int) -> Found:
    """A cluster at its best value by enumeration, which may have a file, and at worse ones, which may not."""
    case = drawn("pipeline", seed)
    cluster, space, truth = case.instance, case.space, truth_of(case, case.space)
    if truth is None:
        return Found(0)
    best = truth.lower
    if best == 0:
        return Found(1)
    undecided, faults = 0, []
    try:
        check_text(proof_text(cluster_proof(cluster, space, None, best, time.perf_counter() + LIMIT_S)))
    except NothingToDivideError:
        pass
    except NoProofError:
        undecided = 1
    sign = -1 if space.objective is Objective.THROUGHPUT else 1
    cutoffs: list[Fraction | None] = [] if best is None else [None, *(best * (1 + sign * part) for part in NEXT_TO)]
    for cutoff in cutoffs:
        try:
            cluster_proof(cluster, space, None, cutoff, time.perf_counter() + LIMIT_S)
        except NoProofError:
            continue
        faults.append(f"{cutoff} has a proof, but the best is {best}: {cluster!r}, {space}")
    return Found(1 + len(cutoffs), tuple(faults), undecided)


SEARCH = Search(
    "cluster-proofs",
    "no cluster's proof file says that a plan is best which is not (open: prices too far apart for any linear program)",
    "cutoffs",
    look,
    range(20),
)
