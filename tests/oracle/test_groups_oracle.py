"""Largest shares of groups of types: models and enumeration agree on tiny sessions; provers accept; laws."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.resources import lacks_others
from euclio.proving.session.certifying import find_better

NAMES = ("spot-a", "spot-b", "own", "far")
WHOLE, SHARE = PlanSpace(charging="whole"), PlanSpace()
SPACES = (
    WHOLE,
    SHARE,
    PlanSpace("tc-shared", charging="whole"),
    PlanSpace("rr", "continuous", charging="whole"),
    PlanSpace("rr-even", "none"),
    PlanSpace("machine-rate", "machine", 2, charging="whole"),
)
LEAST = Fraction(1, 10**18)


def drawn(seed: int) -> Session:
    """Up to two modules on up to four types, some of them for nothing or in stock, with up to three groups."""
    rng = random.Random(f"groups {seed}")
    names = NAMES[: rng.randint(2, 4)]
    hardware = [Hardware(name, rng.choice([0, "0.3", 1, 1, 2, 3]), rng.choice([None, None, 1, 3])) for name in names]
    groups: dict[frozenset[str], LargestShare] = {}
    for _ in range(rng.randint(1, 3)):
        types = rng.sample(names, rng.randint(1, min(3, len(names))))
        groups[frozenset(types)] = LargestShare(types, rng.choice(["0.1", "0.5", "0.5", "0.3333", "0.75", "1"]))
    modules = [Module(name, rng.choice([3, 5, "7.5", 10, 12]), _profile(rng, names)) for name in "xy"[: 1 + seed % 2]]
    slo = Fraction(rng.randint(8, 60), 40)
    edges = [("x", "y")] if len(modules) == 2 and rng.random() < 0.6 else []
    spare = rng.choice((0, 0, 0, 1))
    return Session(f"{seed}", slo, hardware, modules, edges, spare_machines=spare, largest_shares=list(groups.values()))


def _profile(rng: random.Random, names: tuple[str, ...]) -> list[Configuration]:
    """One configuration on each of some types; one type alone now and then, which a group may forbid."""
    chosen = rng.sample(names, rng.randint(1 if rng.random() < 0.1 else 2, len(names)))
    return [
        Configuration(name, rng.choice([1, 2, 4]), rng.choice([1, 1, 2]), Fraction(rng.randint(2, 8), 40))
        for name in chosen
    ]


@pytest.mark.parametrize("seed", range(40))
def test_models_enumeration_and_provers_agree(seed):
    """Guards the rows, cuts and lists of groups that overlap, and the machines for nothing that serve beside others."""
    session = drawn(seed)
    assert session_from_text(session_to_text(session)) == session
    space = SPACES[seed % len(SPACES)]
    listed = solve(session, "plan-bruteforce", space=space, time_limit=20)
    assert listed.status in (Status.OPTIMAL, Status.INFEASIBLE)
    for name in ("exact", "milp", "cpsat"):
        if name not in solvers() or solvers()[name].uncovered(session, space):
            continue
        found = solve(session, name, space=space, time_limit=20)
        assert (found.status, found.value) == (listed.status, listed.value), name
    assert find_better(session, space, listed.value, math.inf).plan is None
    if listed.value is not None:
        above = listed.value + max(listed.value, Fraction(1)) * LEAST
        assert not find_better(session, space, above, math.inf).exhausted


@pytest.mark.parametrize("seed", range(10))
def test_a_group_of_one_is_the_share_of_that_type(seed):
    """The same session, so that all answers are the same to the last digit."""
    session = drawn(seed)
    plain = replace(
        session, largest_shares=(), hardware=tuple(replace(h, largest_share=None) for h in session.hardware)
    )
    one = replace(plain, largest_shares=(LargestShare([NAMES[0]], "0.5"),))
    first, *others = plain.hardware
    assert one == replace(plain, hardware=(replace(first, largest_share="0.5"), *others))
    assert one.largest_shares == ()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("space", [WHOLE, SHARE])
def test_a_larger_share_and_a_smaller_group_never_cost_more(seed, space):
    """Every plan of the tighter session is one of the looser sessions."""
    session = drawn(seed)
    tight = solve(session, "milp", space=space, time_limit=20)
    wider = [LargestShare(group.hardware, (1 + group.share) / 2) for group in session.largest_shares]
    for groups in (wider, _smaller(session)):
        loose = solve(replace(session, largest_shares=groups), "milp", space=space, time_limit=20)
        assert tight.value is None or (loose.value is not None and loose.value <= tight.value)


def _smaller(session: Session) -> list[LargestShare]:
    """The groups without their first types, where that is no group of the session."""
    known = {frozenset(group.hardware) for group in session.share_groups}
    found: dict[frozenset[str], LargestShare] = {}
    for group in session.largest_shares:
        rest = frozenset(group.hardware[1:])
        if rest not in known:
            found.setdefault(rest, LargestShare(group.hardware[1:], group.share))
    return list(found.values())


def test_types_for_nothing_of_which_each_pair_is_a_group_serve_by_three():
    """Without any pair the third type takes half; any two types are a group, so that two are not enough."""
    hardware = [Hardware(name, 0) for name in "abc"]
    profile = [Configuration(name, 1, 1, "0.1") for name in "abc"]
    groups = [LargestShare(pair, "0.5") for pair in ("ab", "bc", "ac")]
    session = Session("pairs", 1, hardware, [Module("m", 20, profile)], largest_shares=groups)
    for name in ("plan-bruteforce", "exact", "milp", "cpsat"):
        found = solve(session, name, space=WHOLE)
        assert (found.status, found.value) == (Status.OPTIMAL, 0), name
        assert len(found.plan.modules[0].allocations) == 3
    at_most_two = replace(WHOLE, max_allocations=2)
    for name in ("plan-bruteforce", "exact", "milp", "cpsat"):
        assert solve(session, name, space=at_most_two).status is Status.INFEASIBLE, name


def test_a_group_of_all_types_of_a_module_leaves_no_plan_which_is_said():
    """Ten requests per second on two types: without both nobody takes half of them."""
    session = Session(
        "all",
        1,
        [Hardware("a", 1), Hardware("b", 1)],
        [Module("m", 10, [Configuration("a", 1, 1, "0.1"), Configuration("b", 1, 1, "0.1")])],
        largest_shares=[LargestShare("ab", "0.5")],
    )
    for space in (WHOLE, SHARE):
        for name in ("plan-bruteforce", "exact", "milp", "cpsat"):
            found = solve(session, name, space=space)
            assert found.status is Status.INFEASIBLE, name
    assert lacks_others(session, WHOLE) == (
        "module m runs on a and b alone, and at most 0.5 of its requests may need a and b; "
        "add other machines to its profile, or give a share of 1"
    )
    assert not lacks_others(replace(session, largest_shares=[LargestShare("ab", 1)]), WHOLE)
