"""Names that set parts of a solver: what they say, and what is said where they say too much."""

from __future__ import annotations

import pytest

from euclio import cite, solve
from euclio.core.errors import InputError
from euclio.core.registry import find_solver, offered, parts_of, with_parts
from euclio.workloads.session.random_sessions import random_session


def test_a_name_and_its_parts_make_each_other() -> None:
    parts = {"splitter": "even", "merge": "no"}
    assert parts_of(with_parts("harpagon:nd", parts)) == ("harpagon:nd", parts)


def test_a_name_without_parts_is_itself() -> None:
    assert parts_of("harpagon:q0.01") == ("harpagon:q0.01", {})


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("harpagon:merge=no", "harpagon:nnm"),
        ("harpagon:direct=no", "harpagon:ncd"),
        ("harpagon:reassignments=0", "harpagon:0re"),
        ("harpagon:reassignments=1:reassign_first=yes", "harpagon:1re"),
        ("harpagon:splitter=throughput:merge=no:direct=no", "harpagon:tb"),
        ("harpagon:splitter=q0.1", "harpagon:q0.1"),
    ],
)
def test_ablations_are_variants(name: str, row: str) -> None:
    """What Table III changes in a row is what the name sets: same answer, same plan space."""
    session = random_session(7, 3)
    mine, theirs = solve(session, name), solve(session, row)
    assert (mine.solver, mine.value, mine.plan) == (name, theirs.value, theirs.plan)
    assert find_solver(name).space == find_solver(row).space


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("harpagon:spliter=even", "did you mean splitter"),
        ("harpagon:splitter=evenly", "must be one of latency-cost, throughput, q0.01, q0.1, even"),
        ("exact:splitter=even", "has no parts that can be set"),
        ("harpagon:merge=no:merge=yes", "not set yet"),
        ("harpagon:merge=no:nd", "not set yet"),
        ("nobody:merge=no", "unknown solver"),
    ],
)
def test_what_cannot_be_set_is_refused(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        find_solver(name)


def test_a_name_from_elsewhere_is_not_refused() -> None:
    """A file may come from a version with other parts: who only asks what it rests on gets no answer."""
    assert offered("harpagon:splitter=evenly") is None


def test_a_variant_rests_on_the_papers_of_its_row() -> None:
    assert str(cite(solve(random_session(7, 3), "harpagon:merge=no"))) == str(cite(solver="harpagon:merge=no"))
    assert "Harpagon" in str(cite(solver="harpagon:merge=no"))
