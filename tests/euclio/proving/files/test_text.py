"""Programs as MPS files: what is read back is what was written, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from drawn_programs import drawn_program, reference
from exact_milp import Program, minimum
from mps_files import read_mps

from euclio.proving.files.model import Model, Row, Variable
from euclio.proving.files.text import TOTAL, decimal, mps_text, solution_text

ONE, ZERO = Fraction(1), Fraction(0)


def as_program(found) -> Program:
    """What was read, for the plain solver."""
    place = {name: j for j, name in enumerate(found.bounds)}
    rows = [("G", low, {place[name]: ONE}) for name, (low, _) in found.bounds.items()]
    rows += [("L", high, {place[name]: ONE}) for name, (_, high) in found.bounds.items()]
    rows += [(sense, most, {place[n]: a for n, a in terms.items()}) for sense, most, terms in found.rows.values()]
    cost = {place[name]: a for name, a in found.cost.items()}
    return Program(len(place), frozenset(place[name] for name in found.integer), cost, tuple(rows))


@pytest.mark.parametrize("seed", range(60))
def test_a_file_has_the_program_that_was_written(seed):
    """The same rows up to a factor above 0, the same bounds and costs: thirds and sevenths among the coefficients."""
    model = drawn_program(seed)
    found = read_mps(mps_text(model, "p"))
    names = [variable.name for variable in model.variables]
    for row in model.rows:
        sense, most, terms = found.rows[row.name]
        own = {names[j]: a for j, a in row.terms.items()}
        factors = {terms[name] / a for name, a in own.items()}
        assert (len(factors), sense, set(terms)) == (1, "E" if row.equal else "L", set(own))
        factor = factors.pop()
        assert factor > 0
        assert most == row.most * factor
    for variable in model.variables:
        assert found.bounds[variable.name] == (variable.lower, variable.upper)
        assert (variable.name in found.integer) is variable.integer
    least = minimum(reference(model))
    assert minimum(as_program(found)) == least


def small(cost: Fraction, upper: Fraction = ONE) -> Model:
    variables = (Variable("x", ZERO, ONE, True, cost), Variable("y", ZERO, upper))
    return Model(variables, (Row("r", {0: Fraction(1, 3), 1: Fraction(1, 7)}, Fraction(2, 5)),), notes=("déjà\nvu",))


def test_a_row_that_does_not_end_is_multiplied():
    """x/3 + y/7 <= 2/5 times 21, so that all ends: 7 x + 3 y <= 8.4; a power of ten is left out."""
    sense, most, terms = read_mps(mps_text(small(ONE), "p")).rows["r"]
    assert (sense, most, terms) == ("L", Fraction("8.4"), {"x": 7, "y": 3})


def test_an_objective_that_does_not_end_is_a_variable():
    """It keeps its unit, which a factor would change: the value that a solver prints is the cost."""
    found = read_mps(mps_text(small(Fraction(1, 3)), "p"))
    assert found.cost == {TOTAL: 1}
    _, most, terms = found.rows[f"is_{TOTAL}"]
    assert (most, terms["x"] / -terms[TOTAL]) == (0, Fraction(1, 3))


def test_a_bound_that_does_not_end_is_refused():
    with pytest.raises(ValueError, match="does not end"):
        mps_text(small(ONE, Fraction(1, 3)), "p")


def test_letters_are_those_of_ascii():
    assert mps_text(small(ONE), "p").splitlines()[0] == "* d\\xe9j\\xe0 vu"


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 8), "0.125"), (Fraction(-3, 2), "-1.5"), (Fraction(10**50), "1" + "0" * 50), (ZERO, "0")],
)
def test_decimals_equal_their_value(value, text):
    assert decimal(value) == text
    assert Fraction(text) == value


def test_a_solution_has_what_is_not_0():
    text = solution_text(small(Fraction(1, 4)), {1: Fraction(1, 3), 0: ONE})
    assert text == "=obj= 0.25\nx 1\ny 0.333333333333333333333333333333\n"
    assert math.isclose(float(text.split()[-1]), 1 / 3)
