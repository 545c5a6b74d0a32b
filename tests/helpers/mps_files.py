"""Programs in free MPS read with plain means; no code of `euclio.proving.files`."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Read:
    """What a file says: by name of a variable or a row."""

    name: str = ""
    cost: dict[str, Fraction] = field(default_factory=dict)
    integer: set[str] = field(default_factory=set)
    bounds: dict[str, tuple[Fraction, Fraction]] = field(default_factory=dict)
    rows: dict[str, tuple[str, Fraction, dict[str, Fraction]]] = field(default_factory=dict)


def read_mps(text: str) -> Read:
    """The program of a file whose variables are bounded from 0, or by both numbers that it gives."""
    found, section, inside, objective = Read(), "", False, ""
    senses, right, terms = {}, {}, {}
    for line in text.splitlines():
        if line.startswith("*"):
            continue
        words = line.split()
        if not line.startswith(" "):
            section = words[0]
            found.name = words[1] if section == "NAME" else found.name
        elif section == "ROWS":
            objective = words[1] if words[0] == "N" else objective
            senses[words[1]] = words[0]
        elif section == "COLUMNS" and words[1] == "'MARKER'":
            inside = words[2] == "'INTORG'"
        elif section == "COLUMNS":
            terms.setdefault(words[1], {})[words[0]] = Fraction(words[2])
            found.bounds.setdefault(words[0], (Fraction(0), None))
            if inside:
                found.integer.add(words[0])
        elif section == "RHS":
            right[words[1]] = Fraction(words[2])
        elif section == "BOUNDS":
            low, high = found.bounds[words[2]]
            ends = {"BV": (Fraction(0), Fraction(1))}
            if words[0] != "BV":
                number = Fraction(words[3])
                ends = {"LO": (number, high), "UP": (low, number), "FX": (number, number)}
            found.bounds[words[2]] = ends[words[0]]
    assert section == "ENDATA"
    found.cost = {name: a for name, a in terms.get(objective, {}).items() if a}
    for row, sense in senses.items():
        if row != objective:
            found.rows[row] = sense, right.get(row, Fraction(0)), terms[row]
    return found
