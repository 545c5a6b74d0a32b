"""What every problem family has to keep to, so that the verbs serve it."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from euclio.core.certificate import Verdict
from euclio.core.families import families, family_of
from euclio.core.family import Family
from euclio.core.registry import solvers_of
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.tables import to_text
from euclio.files import load_instance, load_result, save_instance, save_result
from euclio.files.result_files import reasons_against
from euclio.proving.certifying import certify
from euclio.workloads.kinds import kinds

EVERY = pytest.mark.parametrize("family", families(), ids=lambda family: family.name)


def tiny(family: Family):
    return family.tiny(family.full_space)


@EVERY
def test_names_are_its_own(family):
    others = [other for other in families() if other is not family]
    assert family.schema == f"euclio/{family.name}/1"
    assert family.name.isidentifier()
    for attribute in ("name", "instances", "schema", "instance", "plan"):
        assert getattr(family, attribute) not in [getattr(other, attribute) for other in others]
    assert {solver.name for solver in solvers_of(family.name)} >= {family.default_solver, *family.sources().references}


@EVERY
def test_an_instance_is_the_same_after_writing_and_reading(family, tmp_path):
    instance, _ = tiny(family)
    save_instance(instance, tmp_path / "one.json")
    again = load_instance(tmp_path / "one.json")
    assert again == instance
    assert family_of(again) is family
    assert family.to_text(again) == (tmp_path / "one.json").read_text()


@EVERY
def test_a_field_that_is_unknown_is_named(family, tmp_path):
    data = json.loads(family.to_text(tiny(family)[0])) | {"colour": "green"}
    path = tmp_path / "one.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match="colour: is an unknown field"):
        load_instance(path)


@EVERY
def test_the_default_solver_proves_the_tiny_instance_and_the_prover_agrees(family):
    instance, space = tiny(family)
    result = solve(instance, space=space)
    assert result.status is Status.OPTIMAL
    assert certify(instance, result, time_limit_s=60).verdict is Verdict.CERTIFIED


@EVERY
def test_a_result_is_verified_after_writing_and_reading(family, tmp_path):
    instance, space = tiny(family)
    result = solve(instance, space=space)
    save_result(result, instance, tmp_path / "result.json")
    written = load_result(tmp_path / "result.json", instance)
    assert (written.space, written.plan, written.value) == (space, result.plan, pytest.approx(result.value))
    assert reasons_against(instance, written, family.evaluate(instance, written.plan, written.space)) == []


@EVERY
def test_what_is_said_has_no_python_in_it(family):
    instance, space = tiny(family)
    result = solve(instance, space=space)
    said = (
        to_text(family.table(instance, result)),
        family.summary(instance, space, result.evaluation),
        family.describe_space(space),
        family.explain(instance, space, 30.0).text,
    )
    for text in said:
        assert text.strip()
        assert not {"None", "True", "False", "nan"} & set(text.replace(",", " ").split())


@EVERY
def test_an_instance_with_a_plan_is_not_explained_as_infeasible(family):
    instance, space = tiny(family)
    assert family.explain(instance, space, 30.0).status is not Status.INFEASIBLE


@EVERY
def test_goals_follow_the_plan_space(family):
    assert family.goal(family.full_space).name == family.goals[0].name
    assert 0 < family.tolerance(family.full_space.describe()) <= 1e-6


@EVERY
def test_plan_spaces_are_plain_data_that_differ_where_the_spaces_do(family):
    instance, space = tiny(family)
    others = [other for _, other in family.sources().restricted(instance, space)]
    described = [json.dumps(one.describe()) for one in (space, *others)]
    assert len(set(described)) == len({space, *others})


@EVERY
def test_options_change_fields_of_the_plan_space(family):
    for option in family.space_options:
        assert hasattr(family.full_space, option.field), option.flag
        assert option.help


@EVERY
def test_features_are_finite_numbers(family):
    found = family.features(tiny(family)[0])
    assert found
    assert all(math.isfinite(value) for value in found.values())


@EVERY
def test_scaling_scales_the_optimum(family):
    instance, space = tiny(family)
    scaled, factor = family.sources().scaled(instance, family.goal(space))
    assert solve(scaled, space=space).value == factor * solve(instance, space=space).value
    assert isinstance(factor, Fraction)


@EVERY
def test_another_order_has_the_same_optimum(family):
    instance, space = tiny(family)
    assert solve(family.sources().permuted(instance), space=space).value == solve(instance, space=space).value


@EVERY
def test_its_part_of_the_benchmark_set_has_names_of_its_own(family):
    names = [design.name for design in family.designs()]
    assert len(set(names)) == len(names)


def test_kinds_of_instances_have_names_of_their_own():
    assert len(kinds()) == sum(len(family.kinds()) for family in families())


def test_importers_have_names_of_their_own():
    names = [importer.name for family in families() for importer in family.importers()]
    assert len(set(names)) == len(names)
