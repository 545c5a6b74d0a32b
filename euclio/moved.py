"""Modules under the names that they had before version 0.2, for scripts and notebooks that import them by those.

An import of an old name gives the very module that has the new one, so that its classes are the same classes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

PACKAGES = ("euclio.", "heuristics.", "formulations.", "bruteforce.")
NEW_NAME = {
    "bruteforce.combination": "bruteforce.session.combination",
    "bruteforce.pipeline_enumeration": "bruteforce.pipeline.plan_enumeration",
    "bruteforce.pipeline_shapes": "bruteforce.pipeline.shapes",
    "bruteforce.plan_enumeration": "bruteforce.session.plan_enumeration",
    "bruteforce.scaled_module": "bruteforce.session.scaled_module",
    "bruteforce.scrooge_bruteforce": "bruteforce.session.scrooge_bruteforce",
    "bruteforce.split_ends": "bruteforce.session.split_ends",
    "bruteforce.split_grids": "bruteforce.session.split_grids",
    "bruteforce.split_search": "bruteforce.session.split_search",
    "bruteforce.split_solver": "bruteforce.session.split_solver",
    "euclio.alarm": "euclio.supervision.alarm",
    "euclio.analysis.spaces": "euclio.analysis.references",
    "euclio.bench_set.cluster_grid": "euclio.pipeline.designs.grid",
    "euclio.bench_set.clusters": "euclio.pipeline.designs.clusters",
    "euclio.bench_set.layout": "euclio.files.json_writing",
    "euclio.bench_set.session_grid": "euclio.session.designs.grid",
    "euclio.bench_set.sessions": "euclio.session.designs.sessions",
    "euclio.bench_set.shapes": "euclio.session.designs.shapes",
    "euclio.certificate": "euclio.core.certificate",
    "euclio.certificate_table": "euclio.certification.table",
    "euclio.certifying": "euclio.certification.certifying",
    "euclio.chains": "euclio.session.chains",
    "euclio.commands.arguments": "euclio.core.values",
    "euclio.commands.progress": "euclio.core.progress",
    "euclio.commands.saying": "euclio.core.progress",
    "euclio.comparing": "euclio.comparison.comparing",
    "euclio.comparison_figure": "euclio.comparison.figure",
    "euclio.comparison_table": "euclio.comparison.table",
    "euclio.compiled": "euclio.core.compiled",
    "euclio.contract.surroundings": "euclio.contract.child",
    "euclio.contract.table": "euclio.contract.findings",
    "euclio.contract.trials": "euclio.core.trials",
    "euclio.cores": "euclio.supervision",
    "euclio.decomposing": "euclio.comparison.decomposing",
    "euclio.decomposition_figure": "euclio.comparison.decomposition_figure",
    "euclio.decomposition_table": "euclio.comparison.table",
    "euclio.errors": "euclio.core.errors",
    "euclio.exact": "euclio.core.numbers",
    "euclio.experiment_report": "euclio.report.experiment",
    "euclio.experiment_report.cells": "euclio.core.words",
    "euclio.experiment_report.writing": "euclio.report.experiment.page",
    "euclio.explaining": "euclio.session.explain",
    "euclio.explanation_text": "euclio.session.explanation_text",
    "euclio.families": "euclio.core.family",
    "euclio.figure_files": "euclio.report.figure_files",
    "euclio.files.bytes_reading": "euclio.core.bytes_reading",
    "euclio.files.pipeline_files": "euclio.pipeline.files",
    "euclio.files.pipeline_plans": "euclio.pipeline.plan_files",
    "euclio.files.session_files": "euclio.session.files",
    "euclio.files.session_plans": "euclio.session.plan_files",
    "euclio.gap": "euclio.comparison.gap",
    "euclio.goal": "euclio.core.objective",
    "euclio.least_latency": "euclio.session.least_latency",
    "euclio.own_solver": "euclio.core.own_solver",
    "euclio.pipeline_table": "euclio.pipeline.table",
    "euclio.proof_trials": "euclio.certification.proof_trials",
    "euclio.provenance": "euclio.core.provenance",
    "euclio.registry": "euclio.core.registry",
    "euclio.report.svg": "euclio.core.figures",
    "euclio.reproduce": "euclio.studies",
    "euclio.reproduce.charts": "euclio.analysis.charts",
    "euclio.reproduce.harpagon.findings": "euclio.studies.harpagon.theorems",
    "euclio.reproduce.harpagon.frames": "euclio.studies.harpagon.measures",
    "euclio.reproduce.harpagon.measure_costs": "euclio.studies.harpagon.measures",
    "euclio.reproduce.harpagon.measure_modules": "euclio.studies.harpagon.modules",
    "euclio.reproduce.harpagon.measure_residual": "euclio.studies.harpagon.modules",
    "euclio.reproduce.harpagon.optimality_map": "euclio.studies.harpagon.figures",
    "euclio.reproduce.harpagon.page": "euclio.studies.harpagon.text",
    "euclio.reproduce.ppipe.findings": "euclio.studies.ppipe.text",
    "euclio.reproduce.ppipe.loads": "euclio.studies.ppipe.measures",
    "euclio.reproduce.ppipe.page": "euclio.studies.ppipe.text",
    "euclio.reproduce.ppipe.planning": "euclio.studies.ppipe.cases",
    "euclio.reproduce.ppipe.sampling": "euclio.studies.ppipe.cases",
    "euclio.reproduce.published": "euclio.studies.scorecard",
    "euclio.reproduce.scrooge.page": "euclio.studies.scrooge.text",
    "euclio.reproduce.scrooge.reasons": "euclio.studies.scrooge.text",
    "euclio.reproduce.stages": "euclio.core.progress",
    "euclio.restrictions": "euclio.session.restrictions",
    "euclio.result": "euclio.core.result",
    "euclio.runs.keeping": "euclio.runs.folder",
    "euclio.signals": "euclio.supervision.ending",
    "euclio.simulator": "euclio.pipeline.simulation",
    "euclio.simulator.arrivals": "euclio.simulation.arrivals",
    "euclio.simulator.trace_files": "euclio.simulation.trace_files",
    "euclio.solving": "euclio.core.solving",
    "euclio.supervised": "euclio.commands.supervised",
    "euclio.verifying": "euclio.core.verifying",
    "euclio.warm_up": "euclio.core.warm_up",
    "euclio.workloads.acceptance": "euclio.session.workloads.acceptance",
    "euclio.workloads.applications": "euclio.session.workloads.applications",
    "euclio.workloads.csv_profiles": "euclio.session.workloads.csv_profiles",
    "euclio.workloads.latencies": "euclio.session.workloads.protocol",
    "euclio.workloads.paths": "euclio.core.data_files",
    "euclio.workloads.pipelines": "euclio.pipeline.workloads",
    "euclio.workloads.pipelines.commands": "euclio.pipeline.workloads.instances",
    "euclio.workloads.protocol": "euclio.session.workloads.protocol",
    "euclio.workloads.published": "euclio.session.workloads.published",
    "euclio.workloads.random_sessions": "euclio.session.workloads.random_sessions",
    "euclio.workloads.scrooge_sessions": "euclio.session.workloads.scrooge_sessions",
    "euclio.workloads.synthesis": "euclio.session.workloads.synthesis",
    "euclio.workloads.worker_types": "euclio.session.workloads.worker_types",
    "formulations.candidates": "formulations.session.joint.candidates",
    "formulations.columns": "formulations.pipeline.columns",
    "formulations.columns.branching": "formulations.pipeline.columns.branch_and_bound",
    "formulations.columns.deepening": "formulations.pipeline.columns.search",
    "formulations.columns.dividing": "formulations.pipeline.columns.division",
    "formulations.columns.exact_patterns": "formulations.pipeline.columns.exact_packing",
    "formulations.columns.highs": "formulations.engines.highs_arrays",
    "formulations.columns.joining": "formulations.pipeline.columns.combination",
    "formulations.columns.level": "formulations.pipeline.columns.division",
    "formulations.columns.narrowing": "formulations.pipeline.columns.assignment",
    "formulations.columns.packing": "formulations.pipeline.columns.knapsack",
    "formulations.columns.progress": "formulations.pipeline.columns.problem",
    "formulations.columns.reach": "formulations.pipeline.columns.labels",
    "formulations.columns.sharing": "formulations.pipeline.columns.pools",
    "formulations.columns.states": "formulations.pipeline.columns.labels",
    "formulations.columns.task": "formulations.pipeline.columns.problem",
    "formulations.columns.valuing": "formulations.pipeline.columns.plans",
    "formulations.continuous_budgets": "formulations.session.continuous.budgets",
    "formulations.continuous_curve": "formulations.session.continuous.curve",
    "formulations.continuous_module": "formulations.session.continuous.module_search",
    "formulations.continuous_plan": "formulations.session.continuous.plan",
    "formulations.continuous_problem": "formulations.session.continuous.problem",
    "formulations.cpsat": "formulations.session.cpsat",
    "formulations.cpsat.engine": "formulations.engines.cpsat",
    "formulations.cpsat.scaling": "formulations.engines.scaling",
    "formulations.exact": "formulations.session.exact.solver",
    "formulations.frontier_search": "formulations.session.exact.frontier_search",
    "formulations.frontiers": "formulations.session.splitting.frontiers",
    "formulations.joint_problem": "formulations.session.joint.problem",
    "formulations.milp": "formulations.session.milp",
    "formulations.milp.cbc": "formulations.engines.cbc",
    "formulations.milp.engine": "formulations.engines.milp",
    "formulations.milp.highs": "formulations.engines.highs",
    "formulations.mode_dag": "formulations.session.splitting.mode_dag",
    "formulations.mode_search": "formulations.session.exact.mode_search",
    "formulations.modes": "formulations.session.exact.modes",
    "formulations.module_search": "formulations.session.exact.module_search",
    "formulations.per_hardware": "formulations.session.exact.per_hardware",
    "formulations.plan_store": "formulations.session.exact.plan_store",
    "formulations.ppipe": "formulations.pipeline.ppipe",
    "formulations.rational_budgets": "formulations.session.rational.budgets",
    "formulations.rational_continuous": "formulations.session.rational.continuous",
    "formulations.rational_module": "formulations.session.rational.module",
    "formulations.rational_session": "formulations.session.rational.session",
    "formulations.rational_split": "formulations.session.rational.split",
    "formulations.relaxation": "formulations.session.exact.relaxation",
    "formulations.remaining_rate": "formulations.session.exact.remaining_rate",
    "formulations.scrooge": "formulations.session.scrooge",
    "formulations.split_branching": "formulations.session.splitting.branching",
    "formulations.split_exact": "formulations.session.splitting.solver",
    "formulations.split_network": "formulations.session.splitting.network",
    "formulations.split_problem": "formulations.session.splitting.problem",
    "formulations.split_proof": "formulations.session.splitting.proof",
    "formulations.split_search": "formulations.session.splitting.search",
    "formulations.split_simplex": "formulations.session.splitting.simplex",
    "formulations.session.joint.spare": "formulations.session.joint.surplus",
    "formulations.tightening": "formulations.session.joint.tightening",
    "heuristics.dart_r": "heuristics.pipeline.dart_r",
    "heuristics.dummy_generator": "heuristics.session.dummy_generator",
    "heuristics.even_splitting": "heuristics.session.even_splitting",
    "heuristics.exact_counts": "heuristics.pipeline.exact_counts",
    "heuristics.gpu_counts": "heuristics.pipeline.gpu_counts",
    "heuristics.gpu_pair": "heuristics.pipeline.gpu_pair",
    "heuristics.latency_reassigner": "heuristics.session.latency_reassigner",
    "heuristics.latency_splitting": "heuristics.session.latency_splitting",
    "heuristics.module_scheduler": "heuristics.session.module_scheduler",
    "heuristics.no_partitioning": "heuristics.pipeline.no_partitioning",
    "heuristics.placement": "heuristics.session.placement",
    "heuristics.planner": "heuristics.session.planner",
    "heuristics.quantized_splitting": "heuristics.session.quantized_splitting",
    "heuristics.schedule": "heuristics.session.schedule",
    "heuristics.scrooge_greedy": "heuristics.session.scrooge_greedy",
    "heuristics.scrooge_refinement": "heuristics.session.scrooge_refinement",
    "heuristics.scrooge_space": "heuristics.session.scrooge_space",
    "heuristics.solver": "heuristics.session.solver",
    "heuristics.split_optimizer": "heuristics.session.split_optimizer",
    "heuristics.systems": "heuristics.session.systems",
    "heuristics.whole_models": "heuristics.pipeline.whole_models",
}
"""New name by old name; modules below an old package have moved along with it."""


DIVIDED = {
    "euclio.simulator.highest_load": ("euclio.simulation.highest_load", "euclio.pipeline.simulation.simulation"),
    "euclio.tables": ("euclio.core.tables", "euclio.core.words", "euclio.session.table"),
}
"""Old modules whose contents are now in several."""


def new_name(name: str) -> str | None:
    """The new name of a module by its old one; None: it has not moved."""
    parent, below = name, ""
    while parent:
        if parent in NEW_NAME:
            return NEW_NAME[parent] + below
        parent, _, last = parent.rpartition(".")
        below = f".{last}{below}"
    return None


class _Moved:
    """Finds modules by their old names; no subclass of what `importlib.abc` has, which is slow to import."""

    def __init__(self) -> None:
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(PACKAGES):
            return None
        moved = fullname if fullname in DIVIDED else new_name(fullname)
        return None if moved is None else ModuleSpec(fullname, cast("Loader", self), origin=moved)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name in DIVIDED:
            return None
        module = import_module(str(spec.origin))
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module where it was divided; else put back what the import system wrote over its own spec."""
        old_name = str(module.__spec__ and module.__spec__.name)
        if old_name not in DIVIDED:
            module.__spec__ = self._own.pop(old_name)
            return
        for part in DIVIDED[old_name]:
            vars(module).update({k: v for k, v in vars(import_module(part)).items() if not k.startswith("_")})


def find_moved() -> None:
    """Let the import system find modules by their old names; a second call changes nothing."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Moved())
