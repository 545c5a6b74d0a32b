"""Table III as code: every system is the row that the paper prints, every ablation one cell away from Harpagon."""

from dataclasses import fields

import pytest

from euclio.core.registry import solvers
from euclio.problems.session import DummyRule, PlanSpace, Policy
from heuristics.session.systems import ABLATIONS, BASELINES, HARPAGON, LITERAL, SYSTEMS, Hetero, Splitter, Start, System

CELLS = [f.name for f in fields(System) if f.name not in ("name", "summary")]

# What §IV-C says that each ablation disables. Some need a second cell: with one configuration nothing follows that
# dummies could replace, with two they leave the same plans as any number, and without Algorithm 2 there is no merging
# and nothing to undo.
CHANGED = {
    "2d": {"dispatch": Policy.RR},
    "dt": {"dispatch": Policy.MACHINE_RATE},
    "1c": {"allocations": 1, "dummy": DummyRule.NONE},
    "2c": {"allocations": 2, "dummy": DummyRule.NONE},
    "nb": {"batching": False},
    "nhc": {"hetero": Hetero.CHEAPEST},
    "nhe": {"hetero": Hetero.MOST_EXPENSIVE},
    "nd": {"dummy": DummyRule.NONE},
    "0re": {"reassignments": 0},
    "1re": {"reassignments": 1, "reassign_first": True},
    "tb": {"splitter": Splitter.THROUGHPUT, "merge": False, "direct": False},
    "q0.01": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.01},
    "q0.1": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.1},
    "nnm": {"merge": False},
    "ncd": {"direct": False},
}

# Worst-case latency, configurations, batch, several hardware types, residual optimization (dummy, reassign), split,
# split optimization (merge, direct), as Table III prints them; the rows of `LITERAL` take its words literally.
TABLE_III = {
    "harpagon": (Policy.TC, None, True, True, (True, True), Splitter.LATENCY_COST, (True, True)),
    "nexus": (Policy.RR, 2, True, False, (False, False), Splitter.QUANTIZED, (False, False)),
    "scrooge": (Policy.MACHINE_RATE_EVEN, 2, True, True, (False, False), Splitter.LATENCY_COST, (False, False)),
    "inferline": (Policy.RR_EVEN, 1, True, True, (False, False), Splitter.THROUGHPUT, (False, False)),
    "clipper": (Policy.RR_EVEN, 1, True, False, (False, False), Splitter.EVEN, (False, False)),
    "scrooge:literal": (Policy.MACHINE_RATE, 2, True, True, (False, False), Splitter.THROUGHPUT, (False, False)),
    "inferline:literal": (Policy.RR, 1, True, True, (False, False), Splitter.THROUGHPUT, (False, False)),
    "clipper:literal": (Policy.RR, 1, True, False, (False, False), Splitter.EVEN, (False, False)),
}

NONE, MACHINE = DummyRule.NONE, DummyRule.MACHINE
SPACES = {
    "harpagon": PlanSpace(Policy.TC, MACHINE),
    "scrooge": PlanSpace(Policy.MACHINE_RATE_EVEN, NONE, 2),
    "nexus": PlanSpace(Policy.RR, NONE, 2, single_hardware=True, concurrency=False),
    "inferline": PlanSpace(Policy.RR_EVEN, NONE, 1, concurrency=False),
    "clipper": PlanSpace(Policy.RR_EVEN, NONE, 1, single_hardware=True, concurrency=False),
}


def named(name: str) -> System:
    return next(system for system in (*SYSTEMS, *LITERAL.values()) if system.name == name)


def test_there_are_15_ablations():
    assert [system.name for system in ABLATIONS] == [f"harpagon:{label}" for label in CHANGED]


def test_there_are_4_baselines():
    assert {system.name for system in BASELINES} == {
        name for name in TABLE_III if name != "harpagon" and ":" not in name
    }


@pytest.mark.parametrize("label", CHANGED)
def test_ablation_is_harpagon_with_exactly_these_cells_changed(label):
    ablation = named(f"harpagon:{label}")
    # 0.01 s is what Harpagon's row holds too, where no splitter uses it.
    expected = {cell: getattr(HARPAGON, cell) for cell in CELLS} | CHANGED[label]
    assert {cell: getattr(ablation, cell) for cell in CELLS} == expected


@pytest.mark.parametrize("name", TABLE_III)
def test_system_is_its_row_of_table_iii(name):
    s = named(name)
    residual = (s.dummy is not DummyRule.NONE, s.reassignments != 0)
    row = (s.dispatch, s.allocations, s.batching, s.hetero is Hetero.ALL, residual, s.splitter, (s.merge, s.direct))
    assert row == TABLE_III[name]


@pytest.mark.parametrize("name", LITERAL)
def test_a_literal_row_differs_from_its_system_in_the_reading_alone(name):
    literal, system = LITERAL[name], named(name)
    assert literal.name in (f"{name}:literal", f"{name}-literal")
    readings = {"dispatch", "splitter", "dummy", "reassign_first"}
    changed = {cell for cell in CELLS if getattr(literal, cell) != getattr(system, cell)}
    assert changed
    assert changed <= readings


@pytest.mark.parametrize("name", SPACES)
def test_system_searches_its_plan_space(name):
    assert named(name).space == SPACES[name]


@pytest.mark.parametrize("label", ["nhc", "nhe"])
def test_homogeneous_ablation_keeps_the_session_on_one_hardware_type(label):
    assert named(f"harpagon:{label}").space == PlanSpace(single_hardware=True)


def test_nexus_splits_in_steps_of_10_ms():
    assert named("nexus").quantum_s == 0.01


def test_inferline_starts_at_the_least_latency():
    assert named("inferline").start is Start.LEAST_LATENCY


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_system_is_registered_as_a_heuristic(name):
    assert solvers()[name].kind == "heuristic"
