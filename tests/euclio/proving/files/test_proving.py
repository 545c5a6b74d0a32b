"""Proofs of tiny programs against their optimum in fractions: what is true is proven, and nothing else."""

from __future__ import annotations

import gzip
import time
from fractions import Fraction

import pytest
from drawn_programs import drawn_program, reference
from exact_milp import minimum, relaxation

from euclio.proving.files.branch_and_bound import UnprovenError, prove
from euclio.proving.files.checker import check_text
from euclio.proving.files.model import Model, Row, Variable
from euclio.proving.files.text import packed, proof_text

SMALL = [Fraction(1, 10**9), Fraction(1, 10**30)]


@pytest.mark.parametrize("seed", range(300))
def test_a_cutoff_is_proven_where_it_holds_and_nowhere_else(seed):
    """Integers, continuous variables, equations, ties and numbers as floats print them; about half have no point."""
    model = drawn_program(seed)
    least = minimum(reference(model))
    true = [None, Fraction(7)] if least is None else [least, least - SMALL[0], least - 1]
    false = [] if least is None else [least + SMALL[0], least + SMALL[1], least + 1, None]
    for cutoff in true:
        shown = check_text(proof_text(prove(model, cutoff)))
        assert (shown.bound, shown.infeasible) == (cutoff, cutoff is None)
    for cutoff in false:
        with pytest.raises(UnprovenError):
            prove(model, cutoff)


@pytest.mark.parametrize("seed", range(100))
def test_a_point_stands_in_the_file_and_is_checked(seed):
    """The best point of the relaxation, where it is whole: the file then has both ends."""
    model = drawn_program(seed)
    program = reference(model)
    found = relaxation(program.variables, program.cost, program.rows)
    if found is None or found[1] is None or any(found[1][j].denominator > 1 for j in program.integer):
        return
    point = {j: value for j, value in enumerate(found[1]) if value}
    assert model.problems(point) == []
    shown = check_text(proof_text(prove(model, found[0], point)))
    assert shown.bound == shown.solved == model.cost(point)


@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_the_same_program_gives_the_same_bytes(seed):
    """Files are named by their hash, so the order of rows and derivations must not depend on sets or addresses."""
    model = drawn_program(seed)
    least = minimum(reference(model))
    texts = {proof_text(prove(model, least)) for _ in range(2)}
    assert len(texts) == 1
    assert len({packed(texts.copy().pop(), "a.vipr.gz") for _ in range(2)}) == 1


def test_a_name_that_ends_in_gz_is_packed_and_no_other():
    assert packed("VER 1.0\n", "a.vipr") == b"VER 1.0\n"
    assert gzip.decompress(packed("VER 1.0\n", "a.vipr.gz")) == b"VER 1.0\n"
    # No time and no name, which would make the same proof another file.
    assert packed("VER 1.0\n", "a.gz")[3:8] == b"\0" * 5


def test_names_of_any_letters_become_comments_of_ascii():
    row = Row("r", {0: Fraction(1)}, Fraction(1))
    model = Model((Variable("x", Fraction(0), Fraction(1), True, Fraction(1)),), (row,), (), ("détection\nVER 2.0",))
    text = proof_text(prove(model, Fraction(0)))
    assert text.startswith("% d\\xe9tection VER 2.0\nVER 1.0\n")
    assert check_text(text).bound == 0


def knapsack(n: int) -> Model:
    """Even weights and an odd room, which no bound of a relaxation shows to be unreachable."""
    variables = tuple(Variable(f"x{j}", Fraction(0), Fraction(1), True) for j in range(n))
    terms = {j: Fraction(2) for j in range(n)}
    return Model(variables, (Row("odd", terms, Fraction(n | 1), True),))


def test_a_search_that_takes_too_long_is_given_up():
    with pytest.raises(UnprovenError, match="time limit"):
        prove(knapsack(40), None, deadline=time.perf_counter() + 0.05)
    with pytest.raises(UnprovenError, match="nodes"):
        prove(knapsack(40), None, most_nodes=30)


def test_a_deep_branch_is_given_up_before_the_interpreter_does():
    """One unit a time, from 0 to a hundred thousand: no end but the depth's."""
    variables = (
        Variable("x", Fraction(0), Fraction(10**5), True),
        Variable("y", Fraction(0), Fraction(10**5), True),
    )
    model = Model(variables, (Row("odd", {0: Fraction(2), 1: Fraction(-2)}, Fraction(1), True),))
    with pytest.raises(UnprovenError, match="nodes"):
        prove(model, None)
