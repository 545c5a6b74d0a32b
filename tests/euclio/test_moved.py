"""Modules by the names that they had before version 0.2."""

from importlib import import_module

import pytest

from euclio.moved import DIVIDED, NEW_NAME


@pytest.mark.parametrize("old", NEW_NAME)
def test_an_old_name_gives_the_same_module(old):
    assert import_module(old) is import_module(NEW_NAME[old])


@pytest.mark.parametrize("old", NEW_NAME)
def test_a_module_keeps_its_own_name(old):
    import_module(old)
    new = import_module(NEW_NAME[old])
    assert new.__name__ == NEW_NAME[old]
    assert new.__spec__.name == NEW_NAME[old]


def test_a_module_below_a_moved_package_is_the_same_module():
    old = import_module("euclio.simulator.timeline_figure")
    assert old is import_module("euclio.pipeline.simulation.timeline_figure")


@pytest.mark.parametrize(("old", "name"), [("euclio.tables", name) for name in ("plan_table", "to_text", "duration")])
def test_a_divided_module_has_all_that_it_had(old, name):
    assert any(getattr(import_module(part), name, None) for part in DIVIDED[old])
    assert callable(getattr(import_module(old), name))
