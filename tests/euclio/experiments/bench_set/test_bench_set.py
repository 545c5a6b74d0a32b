"""The benchmark set that comes with euclio: complete, priced again, reproducible from its seed."""

from __future__ import annotations

import pytest

from euclio.core.errors import InputError
from euclio.core.solving import solve
from euclio.experiments.bench_set import best, entries, instances, load
from euclio.experiments.bench_set.build import SEED, designs
from euclio.experiments.bench_set.check import defects, defects_of_set
from euclio.experiments.bench_set.manifest import Difficulty, instance_path, instance_text, set_folder
from euclio.workloads.session.designs import is_series_parallel

LARGEST_BYTES = 8.5e6


@pytest.mark.slow
def test_every_plan_has_the_value_that_stands_there():
    assert defects(set_folder(), entries()) == []


def test_the_set_is_whole_and_holds_nothing_twice():
    assert defects_of_set(set_folder(), entries()) == []


@pytest.mark.parametrize(("family", "least"), [("session", 200), ("pipeline", 40), ("fragments", 40)])
def test_there_are_enough_instances(family, least):
    assert len(entries(family=family)) >= least


@pytest.mark.parametrize("difficulty", Difficulty)
def test_every_class_has_instances(difficulty):
    assert entries(difficulty)


@pytest.mark.parametrize("family", ["session", "pipeline", "fragments"])
@pytest.mark.parametrize("difficulty", [Difficulty.EASY, Difficulty.MEDIUM, Difficulty.OPEN])
def test_all_families_have_what_is_quick_and_what_is_open(difficulty, family):
    """The reference method of clusters proves a cluster within seconds or leaves it open: none of them is hard."""
    assert entries(difficulty, family)


def test_the_manifest_lists_the_designs_in_order():
    assert [entry.name for entry in entries()] == [design.name for design in designs()]


@pytest.mark.fifth("design")
@pytest.mark.parametrize("design", designs()[::19], ids=lambda design: design.name)
def test_instances_are_made_again_from_the_seed(design):
    entry = next(entry for entry in entries() if entry.name == design.name)
    assert instance_text(design.make(SEED)) == instance_path(set_folder(), entry).read_text(encoding="utf-8")


@pytest.mark.parametrize(("shape", "reduces"), [("chain", True), ("sp", True), ("diamond", True), ("dag", False)])
def test_shapes_are_what_their_names_say(shape, reduces):
    named = [entry.name for entry in entries("easy", "session") if entry.design["shape"] == shape]
    assert {is_series_parallel(load(name)) for name in named[:8]} == {reduces}


@pytest.mark.parametrize("name", [entry.name for entry in entries("easy", "session")][::60])
def test_the_effort_of_the_reference_method_is_the_same_again(name):
    """Its counters do not depend on the machine: no limit was hit."""
    entry = next(entry for entry in entries() if entry.name == name)
    result = solve(load(name), entry.effort.solver, space=best(name).space, time_limit_s=entry.time_limit_s)
    assert result.stats == entry.effort.counters


def test_both_objectives_have_instances():
    assert {entry.design["objective"] for entry in entries(family="pipeline")} == {"throughput", "cost"}


def test_the_set_stays_small():
    assert sum(path.stat().st_size for path in set_folder().rglob("*.json")) < LARGEST_BYTES


def test_instances_of_a_class_can_be_walked_through():
    assert next(instances("hard", "session")).name == entries("hard", "session")[0].name


def test_the_best_known_result_has_plan_and_plan_space():
    name = next(entry.name for entry in entries() if "continuous" in entry.name)
    assert best(name).space.dummy == "continuous"


def test_message_on_an_unknown_name_lists_its_neighbours():
    with pytest.raises(InputError, match="has no instance 's-chain-m1'; did you mean s-chain"):
        load("s-chain-m1")


def test_message_on_an_unknown_class_lists_all_classes():
    with pytest.raises(InputError, match="must be one of easy, medium, hard, open"):
        entries("heavy")
