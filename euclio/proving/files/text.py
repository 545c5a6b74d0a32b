"""Proofs as VIPR 1.0 texts (Cheung, Gleixner and Steffy 2017: "Verifying integer programming results")."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

from euclio.proving.files.model import ZERO, Model, Proof, Row, Variable

COMPRESSED = ".gz"
LINE = 400
"""Most characters of a comment."""


def proof_text(proof: Proof) -> str:
    """A proof as a VIPR text; the same proof gives the same text."""
    return "\n".join(_lines(proof)) + "\n"


def packed(text: str, path: str | Path) -> bytes:
    """The bytes of a file of this name: the text, compressed if the name ends in ``.gz``; deterministic."""
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
    """A model's notes as lines of ASCII: names may have any letters, and every program has to read the same."""
    for note in model.notes:
        yield " ".join(note.split())[:LINE].encode("ascii", "backslashreplace").decode()


def _promise(proof: Proof) -> str:
    """The statement of the file: no feasible point, or a range of the least cost."""
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


# Programs and points as files that solvers read: free MPS, and MIPLIB's format of solutions (ours).
#
# Every number is a decimal that is exact: if a row's coefficients do not end as decimals, a factor is applied that
# makes them end, which changes no solution. Solvers read such numbers into floating point; the file itself is exact.
# Formats: MIPLIB 2017 (https://miplib.zib.de).

COST = "cost"
"""Row of the objective."""
TOTAL = "total_cost"
"""Variable that is the objective where its coefficients do not end as decimals."""
START, END = "'INTORG'", "'INTEND'"
"""The lines before and behind variables that take whole numbers."""
SHOWN_DIGITS = 30
"""Digits of a value that no decimal equals."""


def mps_text(model: Model, name: str, *, maximised: bool = False) -> str:
    """A program as a text in free MPS; the same program gives the same text.

    Args:
        model: the program, to be minimised.
        name: its name, without spaces.
        maximised: whether the file states that its objective times -1 is maximised.

    Raises:
        ValueError: a bound of a variable does not end as a decimal.
    """
    return "\n".join(_mps_lines(_with_decimal_costs(model), name, -1 if maximised else 1)) + "\n"


def solution_text(model: Model, point: Mapping[int, Fraction], *, maximised: bool = False) -> str:
    """A point as MIPLIB writes solutions: its objective, then each variable that is not 0, one to a line.

    Args:
        model: the program.
        point: values by index of the variable.
        maximised: as of `mps_text`.
    """
    lines = [f"=obj= {_shown(model.cost(point) * (-1 if maximised else 1))}"]
    lines += [f"{model.variables[j].name} {_shown(value)}" for j, value in sorted(point.items()) if value]
    return "\n".join(lines) + "\n"


def _with_decimal_costs(model: Model) -> Model:
    """The same program with an objective whose coefficients end as decimals: a variable, and a row that it stands in.

    Multiplying the objective like a row would change the value that solvers print.
    """
    costs = {j: variable.cost for j, variable in enumerate(model.variables) if variable.cost}
    if _unending(costs.values()) == 1:
        return model
    free = [Variable(v.name, v.lower, v.upper, v.integer) for v in model.variables]
    ends = [sorted((v.cost * v.lower, v.cost * v.upper)) for v in model.variables]
    least, most = (math.floor(sum(low for low, _ in ends)), math.ceil(sum(high for _, high in ends)))
    total = Variable(TOTAL, Fraction(least), Fraction(most), cost=Fraction(1))
    row = Row(f"is_{TOTAL}", {**costs, len(free): Fraction(-1)}, ZERO, True)
    return Model((*free, total), (*model.rows, row), model.alternatives, model.notes)


def _mps_lines(model: Model, name: str, sign: int) -> Iterator[str]:
    yield from (f"* {line}" for line in comment_lines(model))
    yield f"NAME {name}"
    if sign < 0:
        yield from ("OBJSENSE", " MAX")
    yield "ROWS"
    yield f" N {COST}"
    yield from (f" {'E' if row.equal else 'L'} {row.name}" for row in model.rows)
    yield "COLUMNS"
    yield from _columns(model, sign)
    yield "RHS"
    for row in model.rows:
        if row.most:
            yield f" RHS {row.name} {decimal(row.most * _factor(row))}"
    yield "BOUNDS"
    for variable in model.variables:
        yield from _bounds(variable)
    yield "ENDATA"


def _columns(model: Model, sign: int) -> Iterator[str]:
    entries: list[list[str]] = [[f"{COST} {decimal(sign * variable.cost)}"] for variable in model.variables]
    for row in model.rows:
        factor = _factor(row)
        for j, a in row.terms.items():
            entries[j].append(f"{row.name} {decimal(a * factor)}")
    inside = False
    for k, (variable, own) in enumerate(zip(model.variables, entries, strict=True)):
        if variable.integer is not inside:
            inside = variable.integer
            yield f" MARKER{k} 'MARKER' {START if inside else END}"
        # A variable without entries gets a cost of 0, so that the file has it at all.
        stands = own if variable.cost or len(own) == 1 else own[1:]
        yield from (f" {variable.name} {entry}" for entry in stands)
    if inside:
        yield f" MARKER_END 'MARKER' {END}"


def _bounds(variable: Variable) -> Iterator[str]:
    if variable.integer and variable.lower == 0 and variable.upper == 1:
        yield f" BV BND {variable.name}"
        return
    if variable.lower == variable.upper:
        yield f" FX BND {variable.name} {decimal(variable.lower)}"
        return
    if variable.lower:
        yield f" LO BND {variable.name} {decimal(variable.lower)}"
    yield f" UP BND {variable.name} {decimal(variable.upper)}"


def _factor(row: Row) -> Fraction:
    """The factor of a row that makes its numbers end as decimals; a power of ten in it keeps them near 1."""
    unending = _unending([*row.terms.values(), row.most])
    if unending == 1:
        return Fraction(1)
    largest = max(abs(a) for a in row.terms.values()) * unending
    return Fraction(unending) / Fraction(10) ** (len(str(math.floor(largest))) - 1)


def _unending(values: Iterable[Fraction]) -> int:
    """The least whole number times which all values end as decimals."""
    found = 1
    for value in values:
        rest = value.denominator
        for prime in (2, 5):
            while rest % prime == 0:
                rest //= prime
        found = math.lcm(found, rest)
    return found


def decimal(value: Fraction) -> str:
    """The decimal text that equals a value, of any length.

    Raises:
        ValueError: there is none.
    """
    below, places = value.denominator, 0
    while below > 1 and 10**places % below:
        places += 1
        if places > below.bit_length():
            raise ValueError(f"{value} does not end as a decimal")
    digits = str(abs(value.numerator) * 10**places // below).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else sign + digits


def _shown(value: Fraction) -> str:
    """A value's decimal text, rounded if none equals it."""
    if _unending([value]) == 1:
        return decimal(value)
    with localcontext() as context:
        context.prec = SHOWN_DIGITS
        return str(Decimal(value.numerator) / Decimal(value.denominator))
