"""A first plan of given sets by a MIP, whose word proves nothing (ours)."""

from __future__ import annotations

import math
import time

import numpy as np

from formulations.engines.highs_arrays import Program, solve_mip
from formulations.fragments.columns.master import Counts
from formulations.fragments.columns.types import Ints


def best_partition(
    columns: dict[Counts, int], counts: Ints, deadline: float, most_nodes: int | None = None
) -> dict[Counts, int] | None:
    """The best plan of some sets by a MIP: how often each is taken; None: it found none.

    Args:
        columns: sets, with their GPU shares in percent.
        counts: fragments of each type, shape (types,).
        deadline: `time.perf_counter` value.
        most_nodes: nodes after which the MIP stops; None: no limit.
    """
    program = Program()
    program.variables(len(columns), 0.0, math.inf, whole=True)
    program.cost = [float(share) for share in columns.values()]
    rows: list[tuple[list[int], list[int]]] = [([], []) for _ in counts]
    for place, column in enumerate(columns):
        for kind, number in column:
            rows[kind][0].append(place)
            rows[kind][1].append(number)
    for (places, numbers), count in zip(rows, counts.tolist(), strict=True):
        program.row(places, numbers, float(count), math.inf)
    found = solve_mip(program, deadline - time.perf_counter(), 0.0, most_nodes)
    if found.values is None:
        return None
    taken = np.rint(found.values).astype(np.int64)
    return {column: number for column, number in zip(columns, taken.tolist(), strict=True) if number}
