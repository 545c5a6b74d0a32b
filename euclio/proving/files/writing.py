"""Proofs as VIPR 1.0 texts (Cheung, Gleixner and Steffy 2017: "Verifying integer programming results")."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from euclio.proving.files.model import Model, Proof

COMPRESSED = ".gz"
LINE = 400
"""Characters of a comment at most."""


def proof_text(proof: Proof) -> str:
    """A proof as a VIPR text; the same proof gives the same text."""
    return "\n".join(_lines(proof)) + "\n"


def packed(text: str, path: str | Path) -> bytes:
    """What a file of this name holds: the text, compressed where the name ends in ``.gz``; the same for the same."""
    data = text.encode("ascii")
    return gzip.compress(data, 9, mtime=0) if str(path).endswith(COMPRESSED) else data


def _lines(proof: Proof) -> Iterator[str]:
    model, n = proof.model, len(proof.model.variables)
    yield from (f"% {line}" for line in comment_lines(model))
    yield "VER 1.0"
    yield f"VAR {n}"
    yield from (variable.name for variable in model.variables)
    whole = [j for j, variable in enumerate(model.variables) if variable.integer]
    yield f"INT {len(whole)}"
    yield " ".join(map(str, whole))
    yield "OBJ min"
    yield _terms({j: variable.cost for j, variable in enumerate(model.variables) if variable.cost})
    yield f"CON {2 * n + len(model.rows)} {2 * n}"
    yield from (f"lower_{j} G {variable.lower} 1 {j} 1" for j, variable in enumerate(model.variables))
    yield from (f"upper_{j} L {variable.upper} 1 {j} 1" for j, variable in enumerate(model.variables))
    yield from (f"{row.name} {'E' if row.equal else 'L'} {row.most} {_terms(row.terms)}" for row in model.rows)
    yield _promise(proof)
    yield from _solution(proof)
    yield f"DER {len(proof.derivations)}"
    for k, one in enumerate(proof.derivations):
        terms = "OBJ" if one.terms is None else _terms(one.terms)
        # The -1 at the end leaves open which step uses this one last.
        yield f"d{k} {one.sense} {one.number} {terms} {{ {one.reason} }} -1"


def comment_lines(model: Model) -> Iterator[str]:
    """What a model says, in lines of ASCII: names may have any letters, and every program is to read the same."""
    for note in model.notes:
        yield " ".join(note.split())[:LINE].encode("ascii", "backslashreplace").decode()


def _promise(proof: Proof) -> str:
    """What the file is to show: no feasible point, or a range of the least cost."""
    if proof.cutoff is None:
        return "RTP infeas"
    return f"RTP range {proof.cutoff} {'inf' if proof.point is None else proof.model.cost(proof.point)}"


def _solution(proof: Proof) -> Iterator[str]:
    if proof.point is None:
        yield "SOL 0"
        return
    yield "SOL 1"
    yield f"best {_terms({j: value for j, value in sorted(proof.point.items()) if value})}"


def _terms(terms: Mapping[int, Fraction]) -> str:
    return " ".join([str(len(terms)), *(f"{j} {value}" for j, value in terms.items())])
