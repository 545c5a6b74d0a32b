"""Slices of GPUs: rows against positions, layouts, what files and options say, and solvers that agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from euclio import export, solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.core.tables import to_text
from euclio.problems.session import Charging, PlanSpace, Session, evaluate
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.problems.session.gpu_slices import COMPUTE_SLICES, PROFILES, ROWS, contents, layout, least_gpus
from euclio.problems.session.instance import Configuration, Hardware, Module
from euclio.problems.session.table import plan_table

WHOLE = PlanSpace(charging=Charging.WHOLE)


def counted(content: tuple[tuple[str, int], ...]) -> tuple[int, ...]:
    found = Counter(name for name, _ in content)
    return tuple(found[name] for name in PROFILES)


def test_a_content_of_one_gpu_has_positions_of_its_own_and_obeys_the_rows() -> None:
    # A row that excluded a content would exclude plans that fit, and make false proofs.
    assert len({counted(content) for content in contents()}) == len(contents()) == 77
    for content in contents():
        used = [slice_ for name, start in content for slice_ in range(start, start + PROFILES[name].memory)]
        assert len(used) == len(set(used))
        assert max(used) < 8
        assert all(start in PROFILES[name].starts for name, start in content)
        assert sum(PROFILES[name].compute for name, _ in content) <= COMPUTE_SLICES
        for row in ROWS:
            assert sum(row.takes.get(name, 0) for name, _ in content) <= row.capacity


@pytest.mark.parametrize("gpus", [1, 2])
def test_parts_that_obey_the_rows_are_those_that_fit(gpus: int) -> None:
    one = {(0,) * len(PROFILES), *map(counted, contents())}
    fits = {(0,) * len(PROFILES)}
    for _ in range(gpus):
        fits = {tuple(a + b for a, b in zip(some, more, strict=True)) for some in fits for more in one}
    most = [max(parts[i] for parts in fits) + 1 for i in range(len(PROFILES))]
    for numbers in product(*map(range, most)):
        parts = dict(zip(PROFILES, numbers, strict=True))
        assert (least_gpus(parts) <= gpus) == (numbers in fits), parts
        found = layout(parts, gpus)
        assert (found is not None) == (numbers in fits), parts
        if found is not None:
            placed = Counter(name for cut in found for name, _ in cut.parts for _ in range(cut.gpus))
            assert placed == Counter({name: n for name, n in parts.items() if n})
            assert sum(cut.gpus for cut in found) <= gpus


TAKES = np.array([[row.takes.get(name, 0) for name in PROFILES] for row in ROWS])
CAPACITY = np.array([row.capacity for row in ROWS])
ONE_GPU = np.array([counted(()), *map(counted, contents())])


def test_the_corners_of_the_rows_are_contents_of_one_gpu() -> None:
    # So parts on seven or more GPUs, a sum of at most seven corners, have a corner at least once: it can be taken off.
    rows = np.vstack((TAKES, -np.eye(len(PROFILES))))
    most = np.concatenate((CAPACITY, np.zeros(len(PROFILES))))
    found = set()
    for tight in map(list, combinations(range(len(rows)), len(PROFILES))):
        if abs(np.linalg.det(rows[tight])) > 0.5:  # A whole number, since all of the rows are.
            corner = np.linalg.solve(rows[tight], most[tight])
            if (rows @ corner <= most + 1e-9).all():
                assert np.allclose(corner, np.rint(corner), rtol=0, atol=1e-9)
                found.add(tuple(np.rint(corner).astype(int).tolist()))
    assert len(found) == 19
    assert found <= set(map(tuple, ONE_GPU.tolist()))


@pytest.mark.parametrize(
    "gpus", [2, 3, 4, pytest.param(5, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)]
)
def test_a_content_can_be_taken_off_all_parts_that_obey_the_rows(gpus: int) -> None:
    # Together with the corners this makes `layout` find positions for all parts that obey the rows of any number.
    axes = [range(int((gpus * CAPACITY[own > 0] // own[own > 0]).min()) + 1) for own in TAKES.T]
    for first in axes[0]:
        obey = np.array(list(product([first], *axes[1:])))
        obey = obey[(obey @ TAKES.T <= gpus * CAPACITY).all(axis=1)]
        can = np.zeros(len(obey), bool)
        for content in ONE_GPU:
            rest = obey - content
            can |= (rest >= 0).all(axis=1) & (rest @ TAKES.T <= (gpus - 1) * CAPACITY).all(axis=1)
        assert can.all(), obey[~can][0]


def test_many_parts_have_a_line_for_each_content_once() -> None:
    rng = Random(6)
    for _ in range(100):
        parts = {name: rng.randrange(10 ** rng.randrange(1, 13)) for name in PROFILES}
        found = layout(parts, least_gpus(parts))
        assert found is not None
        assert len({cut.parts for cut in found}) == len(found) <= 10
        placed = Counter[str]()
        for cut in found:
            placed += Counter({name: n * cut.gpus for name, n in Counter(name for name, _ in cut.parts).items()})
        assert placed == Counter({name: n for name, n in parts.items() if n})


@pytest.mark.parametrize(
    ("parts", "gpus"),
    [
        ({"3g": 2, "1g": 1}, 2),
        # The first position of the 3g, slice 0, leaves room for one 2g alone.
        ({"3g": 1, "2g": 2}, 1),
        ({"4g": 2}, 2),
        ({"2g": 4}, 2),
        ({"1g": 7}, 1),
        ({"1g": 8}, 2),
        ({"1g-double": 4}, 1),
        ({"4g": 1, "3g": 1}, 1),
        ({"4g": 1, "3g": 1, "1g": 1}, 2),
        ({"3g": 2_000_001, "2g": 4, "1g": 3}, 1_000_002),
    ],
)
def test_known_parts_need_their_gpus(parts: dict[str, int], gpus: int) -> None:
    found = layout(parts, gpus + 3)
    assert found is not None
    assert sum(cut.gpus for cut in found) == gpus
    assert layout(parts, gpus - 1) is None


def session(gpus: int | str = 1, **changed: str) -> Session:
    """Three modules: one on a 3g, one on a 2g or a 3g, one on a 2g or two 1g; a machine of each keeps up."""
    slices = {"large": "3g", "middle": "2g", "small": "1g"} | changed
    price = {"large": "1.2", "middle": "0.8", "small": "0.3"}
    hardware = [Hardware(name, price[name], slices={"gpus": profile}) for name, profile in slices.items()]
    slow = Configuration("small", 1, 1, "0.1")
    modules = [
        Module("a", 40, (Configuration("large", 4, 1, "0.1"),)),
        Module("b", 20, (Configuration("middle", 2, 1, "0.1"), Configuration("large", 4, 1, "0.1"))),
        Module("c", 20, (Configuration("middle", 2, 1, "0.1"), slow)),
    ]
    return Session("three", "0.5", hardware, modules, resources={"gpus": gpus})


@pytest.mark.parametrize("solver", ["exact", "milp", "cpsat", "plan-bruteforce"])
def test_solvers_cut_the_gpus_alike(solver: str) -> None:
    # A 3g, a 2g and two 1g lie on one GPU, and a 4g, a 2g and two 1g do not: they would need eight slices of compute.
    assert solve(session(), solver, space=WHOLE).value == Fraction("2.6")
    assert solve(session(large="4g"), solver, space=WHOLE).status is Status.INFEASIBLE
    assert solve(session(2, large="4g"), solver, space=WHOLE).value == Fraction("2.6")


def test_the_checker_names_the_row_that_is_broken() -> None:
    plan = solve(session(2, large="4g"), "exact", space=WHOLE).plan
    assert plan is not None
    refused = evaluate(session(1, large="7g"), plan, WHOLE).violations
    assert refused[0] == "the plan takes 12 of memory slices of gpus, and there is 8"


def test_drawn_sessions_have_the_same_optimum_by_all_methods() -> None:
    rng = Random(66)
    for _ in range(40):
        profiles = dict(zip(("large", "middle", "small"), rng.choices(list(PROFILES), k=3), strict=True))
        one = session(rng.randrange(4), **profiles)
        found = {name: solve(one, name, space=WHOLE).value for name in ("exact", "milp", "plan-bruteforce")}
        assert len(set(found.values())) == 1, (one, found)


@pytest.mark.parametrize(("gpus", "said"), [("3", "gpus: 2 of 3 GPUs are cut"), (None, "gpus: 2 GPUs are cut")])
def test_a_plan_is_printed_with_its_positions(gpus: str | None, said: str) -> None:
    """A 4g, a 2g and two 1g need two GPUs; without a limit they are placed too."""
    one = replace(session(3, large="4g"), resources={} if gpus is None else {"gpus": Fraction(gpus)})
    text = to_text(plan_table(one, solve(one, "exact", space=WHOLE)), 200)
    assert f"{said}, by first slice of memory: " in text


def test_a_file_keeps_slices() -> None:
    text = session_to_text(session())
    assert session_from_text(text) == session()
    assert '"slices"' in text
    assert '"slices"' not in session_to_text(
        Session("s", 1, [Hardware("h", 1)], [Module("m", 1, (Configuration("h", 1, 1, "0.1"),))])
    )


def test_options_say_slices() -> None:
    bare = session()
    changes = SessionChanges(resources={"gpus": Fraction(2)}, slices={"gpus": {"large": "4g"}})
    assert changes.applied_to(bare) == session(2, large="4g")
    assert changes.in_words() == "2 of gpus in all and a slice 4g of gpus for each large"
    with pytest.raises(
        InputError, match=r"slices\.gpus: large: is '3g.20gb'; give a profile of a GPU with seven slices"
    ):
        SessionChanges(slices={"gpus": {"large": "3g.20gb"}}).applied_to(bare)
    with pytest.raises(InputError, match=r"slices\.cards: limits nothing"):
        SessionChanges(slices={"cards": {"large": "3g"}}).applied_to(bare)
    with pytest.raises(InputError, match=r"takes\.gpus: large: a machine is a slice of gpus or takes an amount of it"):
        SessionChanges(takes={"gpus": {"large": Fraction(1)}}).applied_to(bare)
    with pytest.raises(
        InputError, match=r"slices\.cards: large: a machine is one slice of one GPU; keep one of gpus and c"
    ):
        SessionChanges(resources={"cards": Fraction(1)}, slices={"cards": {"large": "3g"}}).applied_to(bare)


@pytest.mark.parametrize(("gpus", "more"), [(0, "2 more GPUs"), (1, "1 more GPU")])
def test_exact_says_how_many_gpus_would_do(gpus: int, more: str) -> None:
    # Three 2g and two 1g lack one compute slice of one GPU alone, of which nobody can buy one.
    hardware = [Hardware("2g", 2, slices={"gpus": "2g"}), Hardware("1g", 1, slices={"gpus": "1g"})]
    modules = [Module(name, 10 * n, (Configuration(name, 1, 1, "0.1"),)) for name, n in (("2g", 3), ("1g", 2))]
    one = Session("five", "0.5", hardware, modules, resources={"gpus": gpus})
    found = solve(one, "exact", space=WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.reason == f"no plan meets the SLO with the resources (proven); {more} of gpus would do"
    assert solve(replace(one, resources={"gpus": Fraction(2)}), "exact", space=WHOLE).value == 8


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Hardware("h", 1, slices={"gpus": "5g"}), "slices.gpus: is '5g'; give a profile"),
        (
            lambda: Hardware("h", 1, slices={"gpus": "3g"}, takes={"gpus": 1}),
            "slices.gpus: a machine is a slice of gpus or takes an amount of it; keep",
        ),
        (
            lambda: Hardware("h", 1, slices={"a": "3g", "b": "3g"}),
            "slices.b: a machine is one slice of one GPU; keep one",
        ),
        (lambda: session("1.5"), "resources.gpus: is 1.5; it counts the GPUs that are cut into slices"),
    ],
)
def test_wrong_slices_are_refused_in_one_line(make: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert said in str(refused.value)


def test_kubernetes_names_a_slice_by_its_memory() -> None:
    one = session()
    result, keywords = solve(one, "exact", space=WHOLE), {"image": "x", "router": "own"}
    memory = {"large": 20480, "middle": 10240, "small": 5120}
    known = replace(one, hardware=tuple(replace(h, memory_mb=memory[h.name]) for h in one.hardware))
    text = str(
        export(known, replace(result, evaluation=evaluate(known, result.plan, WHOLE)), to="kubernetes", **keywords)
    )
    assert sorted(set(re.findall(r"nvidia\.com/\S+: 1", text))) == [
        "nvidia.com/mig-1g.5gb: 1",
        "nvidia.com/mig-2g.10gb: 1",
        "nvidia.com/mig-3g.20gb: 1",
    ]
    with pytest.raises(InputError, match=r"hardware\[0\]\.memory_mb: is missing; Kubernetes names a slice 3g"):
        export(one, result, to="kubernetes", **keywords)
