"""What changes between plans, counted in machines."""

from fractions import Fraction

import pytest
from tiny_sessions import one_configuration_plan, tiny_session

from euclio.core.numbers import exact
from euclio.problems.session import Allocation, Configuration, ModulePlan, Plan
from euclio.problems.session.machine_limits import NamedPlan, machine_changes, machine_counts, named_plan
from euclio.questions.difference import plan_difference


def plan(shared=(), **modules):
    """A plan from rows (hardware, batch, whole machines, rate of the partial one); a batch takes 1 s."""
    return NamedPlan(
        {
            name: ModulePlan(
                tuple(Allocation(Configuration(h, b, 1, 1), n, exact(partial)) for h, b, n, partial in rows)
            )
            for name, rows in modules.items()
        },
        shared,
    )


def moves(before, after):
    found = plan_difference(before, after)
    return [(m.machines, m.from_module, m.from_hardware, m.to_module, m.to_hardware) for m in found.moves]


def test_a_plan_and_itself_have_no_changes():
    one = plan(a=[("L4", 8, 3, "0.5")], b=[("T4", 1, 0, "0.5")])
    found = plan_difference(one, one)
    assert (found.changes.total, found.resets, found.shifts, found.moves) == (0, (), (), ())


def test_a_partial_machine_counts_as_a_machine():
    changes = machine_changes(plan(a=[("L4", 8, 3, 0)]), plan(a=[("L4", 8, 3, "0.5")]))
    assert (changes.added, changes.removed, changes.total) == ({("a", "L4"): 1}, {}, 1)


def test_a_partial_machine_that_becomes_whole_is_no_change():
    assert machine_changes(plan(a=[("L4", 8, 3, "0.5")]), plan(a=[("L4", 8, 4, 0)])).total == 0


def test_another_batch_is_no_change():
    """Of three machines of batch 8 one stays, two take batch 4."""
    before, after = plan(a=[("L4", 8, 3, 0)]), plan(a=[("L4", 8, 1, 0), ("L4", 4, 2, 0)])
    found = plan_difference(before, after)
    assert (found.changes.total, found.shifts) == (0, ())
    assert [(r.before.batch, r.after.batch, r.machines) for r in found.resets] == [(8, 4, 2)]


def test_what_no_other_setting_takes_is_removed():
    """Three of batch 8 become one of batch 4 and one of batch 2; one goes."""
    before, after = plan(a=[("L4", 8, 3, 0)]), plan(a=[("L4", 4, 1, 0), ("L4", 2, 1, 0)])
    found = plan_difference(before, after)
    assert [(r.after.batch, r.machines) for r in found.resets] == [(4, 1), (2, 1)]
    assert [(s.setting.batch, s.machines) for s in found.shifts] == [(8, -1)]
    assert found.changes.removed == {("a", "L4"): 1}


def test_a_machine_that_moves_to_another_module_is_two_changes():
    before = plan(a=[("L4", 8, 3, 0)], b=[("L4", 1, 1, 0)])
    after = plan(a=[("L4", 8, 2, 0)], b=[("L4", 1, 2, 0)])
    assert machine_changes(before, after).total == 2
    assert moves(before, after) == [(1, "a", "L4", "b", "L4")]


def test_a_machine_that_moves_to_another_type_is_two_changes():
    before, after = plan(a=[("L4", 8, 3, 0)]), plan(a=[("T4", 8, 1, 0), ("L4", 8, 2, 0)])
    assert machine_changes(before, after).total == 2
    assert moves(before, after) == [(1, "a", "L4", "a", "T4")]


def test_moves_between_modules_are_read_before_those_between_types():
    before = plan(a=[("L4", 8, 1, 0)], b=[("T4", 8, 1, 0)])
    after = plan(a=[("T4", 8, 1, 0)], b=[("L4", 8, 1, 0)])
    assert moves(before, after) == [(1, "a", "L4", "b", "L4"), (1, "b", "T4", "a", "T4")]


def test_a_module_that_only_one_plan_has_is_without_machines_in_the_other():
    changes = machine_changes(plan(a=[("L4", 8, 1, 0)]), plan(b=[("L4", 8, 2, "0.5")]))
    assert (changes.added, changes.removed) == ({("b", "L4"): 3}, {("a", "L4"): 1})


def test_a_shared_machine_counts_once():
    rows = {"a": [("L4", 8, 2, "0.5")], "b": [("L4", 1, 0, "0.5")]}
    shared = plan((("a", "b"),), **rows)
    assert machine_counts(shared) == {("a", "L4"): 2, ("a + b", "L4"): 1}
    changes = machine_changes(plan(**rows), shared)
    assert (changes.added, changes.removed) == ({("a + b", "L4"): 1}, {("a", "L4"): 1, ("b", "L4"): 1})


@pytest.mark.parametrize("machines", [10**9, 10**12])
def test_many_machines_take_no_longer(machines):
    before, after = plan(a=[("L4", 8, machines, 0)]), plan(a=[("L4", 4, machines - 1, 0)])
    found = plan_difference(before, after)
    assert [r.machines for r in found.resets] == [machines - 1]
    assert found.changes.total == 1


def test_changes_there_are_those_back():
    before, after = plan(a=[("L4", 8, 3, 0), ("T4", 1, 2, 0)]), plan(a=[("T4", 2, 4, "0.5")], b=[("L4", 1, 1, 0)])
    there, back = machine_changes(before, after), machine_changes(after, before)
    assert (there.added, there.removed) == (back.removed, back.added)


def test_plans_of_a_session_are_found_by_name():
    session = tiny_session()
    made = one_configuration_plan(session)
    assert named_plan(session, Plan(made.modules, ((1, 0),))).shared == (("classify", "detect"),)
    assert machine_counts(named_plan(session, made)) == {("detect", "V100"): 1, ("classify", "V100"): 1}


def test_a_rate_in_thirds_is_no_change():
    third = Fraction(1, 3)
    assert machine_changes(plan(a=[("L4", 8, 0, third)]), plan(a=[("L4", 8, 0, "0.333333333333333")])).total == 0
