"""No files import each other in a circle; the contracts in pyproject.toml say the same of rooms."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("bruteforce", "euclio", "formulations", "heuristics", "studies")


def test_no_files_import_each_other_in_a_circle():
    """Files of a circle can only be read, tested and moved together: nobody knows which of them is to be read first.

    Imports inside functions and those for type checkers count too.
    """
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    try:
        TopologicalSorter({file: graph.find_modules_directly_imported_by(file) for file in graph.modules}).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
