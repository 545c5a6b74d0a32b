"""The figure of a load over time: the load above, machines by hardware type below, a panel per plan (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from euclio.core.figures import INK, Look, grid, hardware_looks, hardware_patches, new_figure
from euclio.core.result import AnyResult
from euclio.core.words import amount, full
from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.figures import machines_by_type
from euclio.problems.day.instance import HOUR_S, Day
from euclio.questions.day_rules import DayComparison

WIDTH_IN = 7.2
DRAWN = ("day-exact", "day-per-step")
"""Solvers that have a panel if none are chosen."""


def draw_day(comparison: DayComparison, chosen: Sequence[str] = DRAWN) -> Figure:
    """The figure.

    Args:
        comparison: the results.
        chosen: names of the solvers that have a panel each, from the top; those without a plan are left out.
    """
    day = comparison.day
    by_name = {own.solver: own for own in comparison.results if own.value is not None and own.evaluation is not None}
    plans = [(own, _machines(own)) for own in (by_name[name] for name in chosen if name in by_name)]
    with new_figure(WIDTH_IN, 2.1 + 1.9 * len(plans)) as figure:
        panels = figure.subplots(1 + len(plans), 1, sharex=True, squeeze=False)[:, 0]
        times = _times(day)
        _draw_load(panels[0], day, times)
        most = max((sum(row) for _, on in plans for row in on), default=1)
        for axes, (result, on) in zip(panels[1:], plans, strict=True):
            _draw_machines(axes, comparison, result, on, times)
            axes.set_ylim(0, 1.08 * max(most, 1))
        panels[-1].set(xlabel="hours", xlim=(times[0], times[-1]))
        handles = _patches(day, [on for _, on in plans])
        figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return figure


def draw_load_on(axes: Axes, day: Day) -> None:
    """The load alone, by the hour."""
    _draw_load(axes, day, _times(day))
    axes.set_xlabel("hours")


def draw_best_on(axes: Axes, comparison: DayComparison) -> None:
    """The machines of the cheapest plan by the hour; the load if there is no plan."""
    best, day = comparison.best, comparison.day
    if best is None:
        draw_load_on(axes, day)
        return
    on = _machines(best)
    _draw_machines(axes, comparison, best, on, _times(day))
    axes.set(ylim=(0, 1.08 * max(1, *map(sum, on))), xlabel="hours")
    axes.legend(handles=_patches(day, [on]))


def _times(day: Day) -> list[float]:
    """Hours at which steps begin, and the end."""
    return [float(t) for t in accumulate((step.length_s / HOUR_S for step in day.steps), initial=0)]


def _patches(day: Day, plans: Sequence[list[list[int]]]) -> list[Patch]:
    """The hardware types that some plan uses, for a legend."""
    used = [any(row[h] for on in plans for row in on) for h in range(len(day.session.hardware))]
    return hardware_patches({name: look for (name, look), some in zip(_looks(day).items(), used, strict=True) if some})


def _looks(day: Day) -> dict[str, Look]:
    """The look of each hardware type."""
    return hardware_looks(hardware.name for hardware in day.session.hardware)


def _draw_load(axes: Axes, day: Day, times: list[float]) -> None:
    sources = [m for m, parents in enumerate(day.session.parents()) if not parents]
    rates = [float(sum(step.rates_rps[m] for m in sources)) for step in day.steps]
    axes.stairs(rates, times, baseline=None, color=INK, linewidth=1.1)
    axes.set(ylim=(0, 1.08 * max(rates) or 1), ylabel="req/s")
    axes.set_title(f"{day.name}: load")
    grid(axes, "y")


def _machines(result: AnyResult) -> list[list[int]]:
    evaluation: DayEvaluation | None = result.evaluation
    assert evaluation is not None
    return machines_by_type(evaluation)


def _draw_machines(
    axes: Axes, comparison: DayComparison, result: AnyResult, by_type: list[list[int]], times: list[float]
) -> None:
    below = [0] * len(by_type)
    for h, look in enumerate(_looks(comparison.day).values()):
        above = [base + row[h] for base, row in zip(below, by_type, strict=True)]
        # Equal steps are drawn as one, so that a plan that seldom changes makes a small figure.
        pairs = list(zip(below, above, strict=True))
        first = [k for k in range(len(pairs)) if not k or pairs[k] != pairs[k - 1]]
        low, high = zip(*(pairs[k] for k in first), strict=True)
        edges = [*(times[k] for k in first), times[-1]]
        if low != high:
            axes.stairs(
                high, edges, baseline=low, fill=True, facecolor=look.colour, hatch=look.hatch, edgecolor="white", lw=0
            )
        below = above
    regret = comparison.regret(result)
    least = "bound" if comparison.optimum is None else "optimum"
    over = "" if not regret or regret < 5e-5 else f", {full(100 * regret, digits=3)} % over the {least}"
    evaluation: DayEvaluation | None = result.evaluation
    changes = f"{evaluation.starts} starts, {evaluation.stops} stops" if evaluation is not None else ""
    axes.set_title(f"{result.solver}: {amount(result.value, digits=6)} in all{over}; {changes}")
    axes.set_ylabel("machines on")
    grid(axes, "y")
