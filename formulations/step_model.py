"""Latency splitting as a MILP in steps, for large DAGs, on HiGHS (ours).

    minimise    Σ_m cost_m,0 + Σ_m Σ_i≥1 (cost_m,i − cost_m,i−1) · z_m_i
    step        z_m_i ≥ z_m_i+1
    after       start_c ≥ start_p + latency_p,0 + Σ_i≥1 (latency_p,i − latency_p,i−1) · z_p_i   for every edge (p, c)
    end         the same with the SLO in place of start_c, for every last module
    z_m_i ∈ {0, 1}: module m takes mode i or a slower one;  earliest start ≤ start_m ≤ latest start

Branching on a step halves a module's modes, branching on a single mode hardly changes anything. Times are in
milliseconds, so that the engine's absolute tolerance is small against them.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix

from euclio.session.arrays import TIE, Floats, Ints
from formulations.mode_dag import ModeDag, path_lengths

SCALE = 1e3
INTEGRALITY = 1e-6
"""The engine makes fewer cutting planes at a finer one; what it lets through is forbidden row by row."""


class StepAnswer(NamedTuple):
    """What the engine says.

    Attributes:
        chosen: mode per module, shape (modules,); None: nothing found.
        bound: lower bound on every choice; infinite: there is none.
        nodes: nodes of its search.
    """

    chosen: Ints | None
    bound: float
    nodes: int


class _Rows:
    """Rows of the model as they are written down."""

    def __init__(self) -> None:
        self.row: list[int] = []
        self.column: list[int] = []
        self.value: list[float] = []
        self.upper: list[float] = []

    def at_most(self, terms: list[tuple[int, float]], upper: float) -> None:
        self.row += [len(self.upper)] * len(terms)
        self.column += [column for column, _ in terms]
        self.value += [value for _, value in terms]
        self.upper.append(upper)


def solve_steps(dag: ModeDag, start: Ints | None, seconds: float) -> StepAnswer:
    """The cheapest choice of modes that meets the SLO, solved on one core.

    The engine works with tolerances. Where its choice misses the SLO, a row demands a faster mode of one of the
    modules on the path that is too long, and the model is solved again; no choice within the SLO breaks such a row.

    Args:
        dag: the problem; every module has a mode.
        start: a mode per module that meets the SLO, shape (modules,); None: none is known.
        seconds: time limit; infinite: none.
    """
    deadline, nodes = time.perf_counter() + seconds, 0
    forbidden: list[list[tuple[int, int]]] = []
    while True:
        answer = _run(dag, start, deadline - time.perf_counter(), forbidden)
        nodes += answer.nodes
        path = [] if answer.chosen is None else _too_long(dag, answer.chosen)
        if not path:
            return answer._replace(nodes=nodes)
        if time.perf_counter() >= deadline:
            return StepAnswer(None, answer.bound, nodes)
        forbidden.append(path)


def _run(dag: ModeDag, start: Ints | None, seconds: float, forbidden: list[list[tuple[int, int]]]) -> StepAnswer:
    import highspy

    highspy.Highs.resetGlobalScheduler(True)  # its number of threads cannot be changed otherwise
    highs = highspy.Highs()
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "mip_allow_restart": False,  # a restart throws the tree away, and here the tree is what proves
        "mip_pscost_minreliable": 2,  # strong branching on more takes longer than the nodes it saves
        "mip_heuristic_effort": 0.01,
        "mip_feasibility_tolerance": INTEGRALITY,
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    if math.isfinite(seconds):
        highs.setOptionValue("time_limit", max(0.0, seconds))
    first = np.concatenate(([0], np.cumsum(dag.modes.size - 1)))
    highs.passModel(_model(dag, first, forbidden))
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = _values(dag, start)
        highs.setSolution(solution)
    highs.run()
    answer = _read(highs, first)
    highspy.Highs.resetGlobalScheduler(True)
    return answer


def _model(dag: ModeDag, first: Ints, forbidden: list[list[tuple[int, int]]]) -> Any:
    """The model; columns are the steps of all modules, then their starts."""
    import highspy

    modes, steps, size = dag.modes, int(first[-1]), dag.modes.size.size
    before, after = path_lengths(dag.arrays, modes.latency[:, 0])
    rows = _Rows()
    for m in range(size):
        for z in range(first[m], first[m + 1] - 1):
            rows.at_most([(z + 1, 1.0), (z, -1.0)], 0.0)
    ends = [(p, c) for p, c in dag.edges] + [(m, -1) for m in _last(dag)]
    for p, c in ends:
        terms = [(steps + p, 1.0)] + ([(steps + c, -1.0)] if c >= 0 else [])
        terms += [(int(first[p]) + i, x * SCALE) for i, x in enumerate(np.diff(modes.latency[p, : modes.size[p]]))]
        upper = dag.arrays.slo if c < 0 else 0.0
        rows.at_most(terms, (upper - modes.latency[p, 0]) * SCALE)
    for path in forbidden:
        rows.at_most([(int(first[m]) + i - 1, 1.0) for m, i in path], len(path) - 1.0)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = steps + size, len(rows.upper)
    model.col_cost_ = np.concatenate([*(np.diff(modes.cost[m, : modes.size[m]]) for m in range(size)), np.zeros(size)])
    latest = np.maximum(dag.arrays.slo - after - modes.latency[:, 0], before)
    model.col_lower_ = np.concatenate((np.zeros(steps), before * SCALE))
    model.col_upper_ = np.concatenate((np.ones(steps), latest * SCALE))
    model.row_lower_ = np.full(len(rows.upper), -np.inf)
    model.row_upper_ = np.array(rows.upper)
    model.offset_ = float(modes.cost[:, 0].sum())
    matrix = coo_matrix(
        (np.array(rows.value), (np.array(rows.row), np.array(rows.column))), shape=(len(rows.upper), steps + size)
    ).tocsc()
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    kinds = highspy.HighsVarType
    model.integrality_ = [kinds.kInteger] * steps + [kinds.kContinuous] * size
    return model


def _last(dag: ModeDag) -> list[int]:
    """Modules without children."""
    return [m for m, (a, b) in enumerate(pairwise(dag.arrays.child_first)) if a == b]


def _values(dag: ModeDag, chosen: Ints) -> list[float]:
    """The model's columns for a choice of modes."""
    modes = dag.modes
    latency: Floats = modes.latency[np.arange(chosen.size), chosen]
    before, _ = path_lengths(dag.arrays, latency)
    steps = [float(i < chosen[m]) for m in range(chosen.size) for i in range(modes.size[m] - 1)]
    return steps + list(before * SCALE)


def _read(highs: Any, first: Ints) -> StepAnswer:
    import highspy

    info, status = highs.getInfo(), highs.getModelStatus()
    nodes = max(0, int(info.mip_node_count))
    if status == highspy.HighsModelStatus.kInfeasible:
        return StepAnswer(None, math.inf, nodes)
    bound = float(info.mip_dual_bound)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return StepAnswer(None, bound, nodes)
    values = np.rint(highs.getSolution().col_value[: first[-1]])
    taken = [values[a:b].sum() for a, b in pairwise(first)]
    return StepAnswer(np.array(taken, np.int64), bound, nodes)


def _too_long(dag: ModeDag, chosen: Ints) -> list[tuple[int, int]]:
    """Modules, with their modes, that could be faster on the longest path; empty: it is within the SLO."""
    s = dag.arrays
    latency: Floats = dag.modes.latency[np.arange(chosen.size), chosen]
    before, _ = path_lengths(s, latency)
    m = int((before + latency).argmax())
    if before[m] + latency[m] <= s.slo * (1.0 + TIE):
        return []
    path = [m]
    while s.parent_first[m] < s.parent_first[m + 1]:
        m = int(max(s.parent[s.parent_first[m] : s.parent_first[m + 1]], key=lambda p: before[p] + latency[p]))
        path.append(m)
    return [(m, int(chosen[m])) for m in path if chosen[m] > 0]
