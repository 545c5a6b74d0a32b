"""Runs with plan spaces of other solvers, limits of their own and measures; runs of measures without a solver."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from run_batches import HERE, LONG
from tiny_sessions import TEXT, tiny_session

import euclio
from euclio.core.registry import find_solver
from euclio.core.solving import solve
from euclio.experiments.execution import execute
from euclio.experiments.experiment import Experiment, GivenSource
from euclio.experiments.instances import InstanceEntry
from euclio.experiments.pool import local_pool
from euclio.experiments.record import MEASURED
from euclio.experiments.runner import Expansion, run
from euclio.experiments.solver_settings import measure, solver_settings
from euclio.experiments.task import Task, text_hash
from euclio.report.experiment.page import write_report

(HARPAGON,) = solver_settings("harpagon")
PRODUCTS = measure("measuring:products", "products", "session", factor=2, values=[1, 0.1])


def made(setting, limits=LONG):
    """The record of a run on the tiny session, made in this process."""
    task = Task("session", "tiny", text_hash(TEXT), setting, limits, 0, 0)
    return execute(task, TEXT, warm=True, started=lambda _: None, certifying=lambda *_: None)


def tasks(*settings, names=("one", "two")):
    entries = [InstanceEntry("session", name, name, HERE) for name in names]
    return list(Expansion(Experiment("e", (), settings), entries).tasks())


def test_the_plan_space_of_another_solver_is_taken_as_it_is_on_the_instance():
    record = made(replace(HARPAGON, space_of="harpagon:nhc"))
    space = find_solver("harpagon:nhc").space_on(tiny_session())
    assert record.options["hardware"] == list(space.hardware)
    assert record.value == solve(tiny_session(), "harpagon", space=space).cost


def test_fields_are_changed_in_the_plan_space_of_the_other_solver():
    (setting,) = solver_settings("harpagon", policy="rr")
    record = made(replace(setting, space_of="harpagon:nhc"))
    assert (record.options["policy"], len(record.options["hardware"])) == ("rr", 1)


def test_a_setting_may_have_a_time_limit_of_its_own():
    first, second = tasks(HARPAGON, replace(HARPAGON, label="h", time_s=3.0), names=("one",))
    assert (first.limits.time_s, second.limits.time_s, second.limits.hard_time_s) == (None, 3.0, 16.0)


def test_a_setting_is_run_on_the_instances_that_it_names():
    assert [task.instance for task in tasks(replace(HARPAGON, on=frozenset({"two"})))] == ["two"]


def test_where_it_is_run_is_no_part_of_a_key():
    assert tasks(HARPAGON)[1].key == tasks(replace(HARPAGON, on=frozenset({"two"})))[0].key


def test_keys_are_those_of_versions_without_measures():
    setting = replace(HARPAGON, version="euclio 0.1.0")
    assert Task("session", "tiny", "0" * 32, setting, LONG, 0, 0).key == "7100c05628ccac5d6a23b4e1e646aa00"


@pytest.mark.parametrize("change", [{"space_of": "nexus"}, {"measure": "measuring:sizes"}])
def test_what_is_asked_is_part_of_a_key(change):
    assert tasks(replace(HARPAGON, **change))[0].key != tasks(HARPAGON)[0].key


def test_a_measure_sees_instance_and_checked_result():
    record = made(replace(HARPAGON, measure="measuring:sizes"))
    assert record.measured == [{"modules": 2, "third": 1 / 3, "cost": record.value, "policy": "tc"}]
    assert record.cpu_s > 0


def test_a_measure_that_raises_is_an_error_of_the_run():
    record = made(replace(HARPAGON, measure="measuring:failing"))
    assert (record.status, record.raw_status) == ("error", "raised")


def test_a_measure_needs_no_solver():
    record = made(PRODUCTS)
    assert (record.status, record.solver, record.label) == (MEASURED, "measuring:products", "products")
    assert record.measured == [{"name": "tiny", "product": 2}, {"name": "tiny", "product": 0.2}]


def test_a_measure_without_a_solver_that_raises_is_an_error():
    record = made(measure("measuring:failing", "failing", "session"))
    assert (record.status, record.reason) == ("error", "ValueError: nothing to measure")


@pytest.mark.slow
def test_measures_are_supervised_kept_and_not_made_again(tmp_path):
    dying = measure("measuring:dying", "dying", "session")
    asked = Experiment("e", (GivenSource((tiny_session(),)),), (PRODUCTS, dying, HARPAGON))
    counted = []
    with local_pool(1) as pool:
        first = run(asked, tmp_path / "out", quiet=True, pool=pool, finished=counted.append)
        again = run(asked, tmp_path / "out", quiet=True, pool=pool, finished=counted.append)
    assert (first.made, again.made, counted) == (3, 0, [0, 1, 1, 1, 3])
    frame = again.frame().set_index("label")
    assert frame.status.to_dict() == {"products": MEASURED, "dying": "error", "harpagon": "feasible"}
    assert frame.reason["dying"] == "the worker process exited with code 3"
    rows = euclio.experiments.results.measured(again.frame())
    assert rows.to_dict("list") == {
        "instance": ["tiny"] * 2,
        "label": ["products"] * 2,
        "name": ["tiny"] * 2,
        "product": [2.0, 0.2],
    }


@pytest.mark.slow
def test_the_report_compares_solvers_alone(tmp_path):
    asked = Experiment("e", (GivenSource((tiny_session(),)),), (PRODUCTS, HARPAGON))
    run(asked, tmp_path / "out", quiet=True)
    page = write_report(tmp_path / "out").with_suffix(".md").read_text()
    assert "1 feasible, 1 measured" in page
    assert "| products |" not in page


def test_rows_that_were_measured_come_with_instance_and_label():
    text = json.dumps([{"a": 1}, {"a": 2, "b": None}])
    frame = pd.DataFrame({"instance": ["i", "j"], "label": ["l", "m"], "measured": [text, None]})
    assert euclio.experiments.results.measured(frame).a.tolist() == [1, 2]
