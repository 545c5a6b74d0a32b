"""False claims made from true results in many ways: none is certified, and the true ones are not refuted."""

from __future__ import annotations

from random import Random

from euclio.core.certificate import Verdict
from euclio.core.result import WrittenResult
from euclio.proving.certifying import certify

from .false_claims import WAYS, holds, true_claims
from .search import Found, Search
from .true_claims import Base, base

LIMIT_S = 2.0
"""Seconds for one claim; what is not decided then is counted as open."""


def look(seed: int) -> Found:
    """All claims that are made from the true result of a seed."""
    known = base(seed)
    if known is None:
        return Found(0)
    rng = Random(f"ways/{seed}")
    claims = [*true_claims(known).items(), *((name, way(rng, known)) for name, way in WAYS.items())]
    judged = [judge(known, name, claimed) for name, claimed in claims if claimed is not None]
    faults = tuple(line for _, line in judged if line)
    return Found(sum(verdict is not None for verdict, _ in judged), faults, _open(judged))


def _open(judged: list[tuple[Verdict | None, str]]) -> int:
    return sum(verdict is Verdict.OPEN for verdict, _ in judged)


def judge(known: Base, name: str, claimed: WrittenResult) -> tuple[Verdict | None, str]:
    """The verdict on a claim, None where it is not known whether it is true; and what is wrong with the verdict."""
    truth = known.truth_in(claimed.space)
    true = None if truth is None else holds(claimed, known.case.instance, truth)
    if true is None:
        return None, ""
    found = certify(known.case.instance, claimed, LIMIT_S)
    if found.verdict is (Verdict.REFUTED if true else Verdict.CERTIFIED):
        return found.verdict, f"{known.case.family}: {name} is {true}, but {found.verdict} {found.reason}".strip()
    return found.verdict, ""


SEARCH = Search(
    "false-claims",
    "certify certifies no false claim that is made from a true result, and refutes no true one",
    "claims",
    look,
    # 140812: charged whole, two machines full of dummies make a session feasible; the reference had not listed them.
    (*range(20), 140812),
)
