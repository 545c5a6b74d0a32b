"""Results as figures and tables: functions of the results frame (`euclio.experiments.results.load`).

Figures answer the question in their title, one row of panels per problem family and objective; where there is nothing
to draw, they say why. Pick runs after `with_references`, so that best known values stay those of all runs.
"""

from euclio.report.analysis.gap_and_performance_profiles import gap_ecdf, performance_profile
from euclio.report.analysis.growth import growth, growth_figure
from euclio.report.analysis.heat_map import cells, heat_map
from euclio.report.analysis.pairs import paired_figure, paired_ratios, pairwise, pairwise_figure
from euclio.report.analysis.proofs import cactus, proven_figure, proven_shares
from euclio.report.analysis.references import contradictions, performance_ratios, references, with_references
from euclio.report.analysis.summaries import hardest_instances, summary
from euclio.report.analysis.trace_figures import convergence_figure, integral_table, integrals, trace_figure

__all__ = [
    "cactus",
    "cells",
    "contradictions",
    "convergence_figure",
    "gap_ecdf",
    "growth",
    "growth_figure",
    "hardest_instances",
    "heat_map",
    "integral_table",
    "integrals",
    "paired_figure",
    "paired_ratios",
    "pairwise",
    "pairwise_figure",
    "performance_profile",
    "performance_ratios",
    "proven_figure",
    "proven_shares",
    "references",
    "summary",
    "trace_figure",
    "with_references",
]
