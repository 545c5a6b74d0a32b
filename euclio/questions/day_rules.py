"""Every rule and the optimum on one load over time, next to each other (ours)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.progress import progress_bar
from euclio.core.result import AnyResult, Status
from euclio.core.showing import Framed, Plotted
from euclio.core.words import DASH, amount, figures, percent, rounded_down
from euclio.problems.day.evaluate import WHOLE, DayEvaluation
from euclio.problems.day.figures import DayFigures, figures_of
from euclio.problems.day.instance import Day
from euclio.problems.day.sharing import DaySpace
from euclio.problems.session.costs import money
from euclio.questions.question import described, stated
from euclio.serving.attainment.demand import Demand

SCHEMA = "euclio/day-comparison/1"
Solving = Callable[..., AnyResult]


@dataclass(frozen=True, slots=True, repr=False)
class DayComparison(Framed, Plotted):
    """Results on one load over time.

    Attributes:
        results: one per solver, in the order of the solvers.
        bound: the largest proven bound on the cost of all plans; None if there is none.
        demand: the demand that every step keeps under random arrivals; None means no demand.
        space: the plan space of all results; None if each solver has its own.
    """

    _view = late_value("euclio.questions.day_views", "COMPARISON")

    day: Day
    results: tuple[AnyResult, ...]
    bound: float | None
    demand: Demand | None = None
    space: DaySpace | None = None

    @property
    def best(self) -> AnyResult | None:
        """The cheapest plan, the first of equals; None if there is no plan."""
        found = [(result.value, k) for k, result in enumerate(self.results) if result.value is not None]
        return self.results[min(found)[1]] if found else None

    @property
    def optimum(self) -> Fraction | None:
        """The cost of a plan that is proven to be the cheapest."""
        return next((own.value for own in self.results if own.status is Status.OPTIMAL), None)

    def regret(self, result: AnyResult) -> float | None:
        """How much more a plan costs than the optimum, as a share of it; if that is not proven, than the bound.

        If plans keep a demand, nothing is proven, and the plan is compared with the cheapest plan that was found.
        """
        least = self.bound if self.optimum is None else self.optimum
        if self.demand is not None and self.best is not None:
            least = self.best.value
        if result.value is None or least is None:
            return None
        if not least:  # nothing comes all day, or machines are free: a plan that costs nothing has no regret
            return None if result.value else 0.0
        return float(result.value) / float(least) - 1

    def describe(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "schema": SCHEMA,
            "instance": self.day.name,
            "steps": len(self.day.steps),
            "hours": self.day.hours,
            "optimum_in_all": self.optimum,
            "bound_in_all": self.bound,
            **({} if self.space is None else self.space.describe()),
            **({} if self.demand is None else {"attainment": self.demand.describe(WHOLE.policy)}),
            "solvers": [self._described(result) for result in self.results],
        }

    def _described(self, result: AnyResult) -> dict[str, Any]:
        data: dict[str, Any] = {"solver": result.solver, "status": result.status.value, "reason": result.reason}
        found = self._figures(result)
        if found is not None:
            data |= {"cost_in_all": result.value, "regret": self.regret(result)}
            data |= {"running_in_all": found.running, "changes_in_all": found.changing}
            data |= {"peak_machines": found.peak_machines, "mean_machines": found.mean_machines}
            if self.demand is not None:
                data |= described(stated(result))
            data |= {"machine_hours": found.machine_hours_by_hardware, "starts": found.starts, "stops": found.stops}
        return data | {"wall_s": result.wall_s}

    def _figures(self, result: AnyResult) -> DayFigures | None:
        evaluation: DayEvaluation | None = result.evaluation
        return None if result.value is None or evaluation is None else figures_of(self.day, evaluation)

    def table(self) -> RenderableType:
        """The comparison for people."""
        day = self.day
        table = table_of(map(self._described, self.results), self._columns())
        head = f"{day.name}: {len(day.steps)} steps, {figures(day.hours)} h"
        said = [f"{own.solver}: {own.status.value}: {own.reason}" for own in self.results if own.reason]
        return Group(Text(f"{head}; {self._least()}"), Text(""), table, *map(Text, said))

    def _columns(self) -> list[Column]:
        currency, number = self.day.session.currency, partial(Column, none=DASH)
        kept = [
            number("in time", "attainment", percent),
            number("each step", "attainment_at_least", _at_least, means="at least, with 95 % confidence each"),
        ]
        return [
            Label("solver"),
            number("cost", "cost_in_all", partial(amount, digits=7), means=f"in {currency}" if currency else ""),
            *([] if self.demand is None else kept),
            number("regret", form=percent),
            number("peak", "peak_machines", spare=6, means="most machines on"),
            number("mean", "mean_machines", figures, spare=5, means="machines on"),
            number("machine-h", "machine_hours", _in_all, spare=7, means="hours of all machines together"),
            number("starts", spare=4),
            number("stops", spare=3),
            number("changes cost", "changes_in_all", figures, 2, "part of the cost that starts and stops make"),
            Column("time s", "wall_s", figures, spare=1),
        ]

    def _least(self) -> str:
        if self.demand is not None:
            return f"each step keeps {self.demand.in_words()}; regret is against the cheapest plan found"
        if self.optimum is not None:
            return f"optimum {money(self.day.session, self.optimum)} in all, proven; regret is against it"
        if self.bound is None:
            return "there is no proven bound"
        return f"bound {money(self.day.session, self.bound)} in all, proven; regret is against it"


def _at_least(share: float | None) -> str:
    return percent(None if share is None else rounded_down(share))


def _in_all(by_type: dict[str, Fraction]) -> str:
    return figures(sum(by_type.values(), Fraction(0)))


def compare_day(
    day: Day,
    solvers: Iterable[Any],
    solving: Solving,
    done: Callable[[], None] = lambda: None,
    demand: Demand | None = None,
    **options: Any,
) -> DayComparison:
    """Run solvers on a load over time.

    Args:
        day: the instance.
        solvers: the solvers.
        solving: as `euclio.core.solving.solve`.
        done: called after each run.
        demand: the demand that `solving` has every step keep under random arrivals; None means no demand.
        **options: of each run, such as a time limit.
    """
    results: list[AnyResult] = []
    chosen = list(solvers)
    with progress_bar("solvers", len(chosen)) as count:
        for solver in chosen:
            results.append(solving(day, solver, **options))
            count()
            done()
    bound = max((own.bound for own in results if own.bound is not None), default=None)
    return DayComparison(day, tuple(results), bound, demand, options.get("space"))
