"""Figures of Piccolo's page that need the runs of some solvers only: `euclio reproduce piccolo --only FIGURE`."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.report import Figure
from euclio.report.analysis.statistics import measured
from studies.costs import costs
from studies.inference.reference import reference_setting
from studies.modules import majority_configurations, module_figures
from studies.papers.costs import extras, normalized
from studies.papers.modules import ROUND_ROBIN, dispatch
from studies.papers.piccolo import PICCOLO, throughputs
from studies.piccolo import figures
from studies.piccolo.measures import ALTERNATIVES
from studies.study import Part

Tables = Mapping[str, pd.DataFrame]
Values = Mapping[str, float]


def _runs(*alternatives: str) -> tuple[str, ...]:
    """Piccolo and some of its alternatives."""
    return (PICCOLO, *(f"{PICCOLO}:{name}" for name in alternatives))


def _figure_5(tables: Tables, published: Values) -> Figure:
    ratio = normalized(costs(tables["runs"]), PICCOLO)
    return figures.figure_5(measured(extras(ratio, PICCOLO, ALTERNATIVES)), published)


def _figure_6(tables: Tables, published: Values) -> Figure:
    modules, application = module_figures(tables["allocations"]), reference_setting(PICCOLO).given
    return figures.figure_6(measured(throughputs(modules, application)), modules, application, published)


def _figure_8(tables: Tables, published: Values) -> Figure:
    majority = majority_configurations(tables["allocations"], f"{PICCOLO}:{ROUND_ROBIN}")
    return figures.figure_8(measured(dispatch(majority)), published)


PARTS = {
    "figure-5": Part(_runs(*ALTERNATIVES), _figure_5, figures.figure_5.question),
    "figure-6": Part(_runs("np", "nb", "nh"), _figure_6, figures.figure_6.question),
    "figure-7": Part(
        _runs("1bpc", "2bpc"), lambda t, published: figures.figure_7(t["runs"], published), figures.figure_7.question
    ),
    "figure-8": Part(_runs("2d", "dt"), _figure_8, figures.figure_8.question),
    "figure-9": Part(
        _runs("tb"), lambda t, published: figures.figure_9(t["runs"], published), figures.figure_9.question
    ),
    "figure-10": Part(
        _runs("q0.01", "q0.1"), lambda t, published: figures.figure_10(t["runs"], published), figures.figure_10.question
    ),
    "figure-11": Part(
        _runs("0re", "1re"), lambda t, published: figures.figure_11(t["runs"], published), figures.figure_11.question
    ),
}
"""By key of the figure; those with the best split need runs that depend on others, as all tables do."""
