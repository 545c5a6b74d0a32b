"""Figures of Harpagon's page that need the runs of some solvers only: `euclio reproduce harpagon --only FIGURE`."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.report import Figure
from euclio.report.analysis.statistics import Measured, measured
from euclio.workloads.session.acceptance import ABLATIONS, BASELINES
from studies.costs import costs
from studies.harpagon import figures
from studies.harpagon.measures import ABLATION_RUNS, PLAN_OPTIMUM, REPRICED_RUN, SPLIT_OPTIMUM
from studies.inference.reference import reference_setting
from studies.modules import majority_configurations, module_figures
from studies.papers.costs import extras, normalized
from studies.papers.harpagon import HARPAGON, NO_DUMMIES
from studies.papers.modules import dispatch, given_module, less
from studies.study import Part

Tables = Mapping[str, pd.DataFrame]
Values = Mapping[str, float]


def _runs(*ablations: str) -> tuple[str, ...]:
    """Harpagon and some of its ablations."""
    return (HARPAGON, *(f"{HARPAGON}:{name}" for name in ablations))


def _figure_6(tables: Tables, published: Values) -> Figure:
    ratio = normalized(costs(tables["runs"]), HARPAGON)
    return figures.figure_6(measured(extras(ratio, HARPAGON, ABLATIONS)), published)


def _figure_7(tables: Tables, published: Values) -> Figure:
    allocations = tables["allocations"]
    found = measured(dispatch(majority_configurations(allocations, REPRICED_RUN)))
    return figures.figure_7(found, module_figures(allocations), published)


def _figure_8(tables: Tables, published: Values) -> Figure:
    modules = module_figures(tables["allocations"])
    return figures.figure_8(tables["runs"], modules, reference_setting(HARPAGON).given, published)


def _figure_9(tables: Tables, published: Values) -> Figure:
    modules = module_figures(tables["allocations"])
    given = given_module(modules, HARPAGON, reference_setting(HARPAGON).given)
    names = ("nb", "nhc", "nhe")
    found: dict[str, Measured] = measured(
        {f"{name}_throughput_less": less(modules, f"{HARPAGON}:{name}", given) for name in names}
    )
    return figures.figure_9(found, published)


PARTS = {
    "figure-5": Part(
        (HARPAGON, *BASELINES, SPLIT_OPTIMUM, PLAN_OPTIMUM),
        lambda t, _: figures.figure_5(t["runs"]),
        figures.figure_5.question,
    ),
    "figure-6": Part((HARPAGON, *ABLATION_RUNS), _figure_6, figures.figure_6.question),
    "figure-7": Part(_runs("2d", "dt"), _figure_7, figures.figure_7.question),
    "figure-8": Part((*_runs("1c", "2c"), NO_DUMMIES), _figure_8, figures.figure_8.question),
    "figure-9": Part(_runs("nb", "nhc", "nhe"), _figure_9, figures.figure_9.question),
    "figure-10": Part(
        _runs("0re", "1re"), lambda t, published: figures.figure_10(t["runs"], published), figures.figure_10.question
    ),
    "figure-11": Part(
        _runs("tb"),
        lambda t, _: figures.figure_11(t["runs"], module_figures(t["allocations"])),
        figures.figure_11.question,
    ),
    "figure-12": Part(
        _runs("q0.01", "q0.1"), lambda t, published: figures.figure_12(t["runs"], published), figures.figure_12.question
    ),
    "figure-map": Part(
        (HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM), lambda t, _: figures.figure_map(t["runs"]), figures.figure_map.question
    ),
    "figure-gaps": Part(
        (HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM),
        lambda t, _: figures.figure_gaps(t["runs"]),
        figures.figure_gaps.question,
    ),
}
"""By key of the figure; the pictures that the page opens with and all tables need more than that."""
