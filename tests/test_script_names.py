"""Scripts and helpers whose folder comes first on the import path do not hide a package that others import."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIRST = {folder: ROOT / folder for folder in ("docs/tools", "tests/helpers", "tests/notebooks")}
"""Folders that Python or pytest puts on the import path, before installed packages."""


@pytest.mark.parametrize("folder", FIRST)
def test_no_file_hides_an_installed_package(folder):
    """Numba imports `coverage` where there is one: a script of that name ended the figures drawn after it."""
    path = [entry for entry in sys.path if "site-packages" in entry]
    names = sorted(file.stem for file in FIRST[folder].glob("*.py"))
    assert names
    assert [name for name in names if PathFinder.find_spec(name, path)] == []
