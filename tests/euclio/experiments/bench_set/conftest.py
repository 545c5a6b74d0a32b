"""A small benchmark set that tests may spoil."""

from __future__ import annotations

import shutil

import pytest
from bench_set_changes import NAMES

from euclio.experiments.bench_set.build import build


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set")
    build(folder, chosen=lambda design: design.name in NAMES)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A set of three instances that a test may spoil."""
    return shutil.copytree(made, tmp_path / "set")
