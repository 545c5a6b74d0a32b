"""What `euclio simulate` needs to know of a family's simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from euclio.core.words import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class Glance:
    """What is known at once of a plan under random arrivals.

    Attributes:
        share: of Poisson requests, those that it answers in time; None: that is not known at once.
        cost: what a plan costs that answers 99 % of them in time, in words; empty: that is not known either.
        never: which of its machines never catch up with them, in words; empty: all do.
    """

    share: float | None = None
    cost: str = ""
    never: str = ""

    def in_words(self) -> str:
        """The share, and what never catches up; empty: neither is known."""
        return ", ".join(filter(None, ["" if self.share is None else f"{percent(self.share)} in time", self.never]))


@dataclass(frozen=True, slots=True)
class Simulator:
    """The simulator of a problem family.

    Attributes:
        setup: class of its setups, made on `euclio.serving.setup.Setup`.
        offered_rps: instance, plan, setup and plan space in; mean rate of each stream of requests out.
        simulate: the same in; the simulation out.
        highest_loads: the same in; per stream the highest load factor at 99 % SLO attainment out.
        describe: a simulation as plain data; the same input gives the same.
        table: a simulation for people.
        loads_table: highest loads for people.
        speed: how long a simulation took, in words; empty: nothing happened.
        draw: a simulation as a timeline.
        draw_latencies: a simulation as a figure of its latencies' distribution.
        planned: a result in; the fields of setups that are as its plan was made for where nothing else is asked, out.
        as_planned: a result and a setup in; one line on whether the setup serves as planned, out (empty: nothing is
            known).
        planned_words: what a result says that its plan was made for (`Result.planned_for`) in; a few words out.
        glance: an instance and a checked result in; what is known at once of its plan under random arrivals, out.
        keeps: whether plans can be asked to keep an attainment under random arrivals.
        most_requests: requests beyond which a simulation takes too long, or does not fit into the memory of a usual
            machine.
    """

    setup: type[Any]
    offered_rps: Callable[[Any, Any, Any, Any], Sequence[float]]
    simulate: Callable[[Any, Any, Any, Any], Any]
    highest_loads: Callable[[Any, Any, Any, Any], dict[str, float]]
    describe: Callable[[Any], dict[str, Any]]
    table: Callable[[Any], RenderableType]
    loads_table: Callable[[dict[str, float]], RenderableType]
    speed: Callable[[Any], str]
    draw: Callable[[Any], Figure]
    draw_latencies: Callable[[Any], Figure]
    planned: Callable[[Any], dict[str, Any]] = lambda result: {}
    as_planned: Callable[[Any, Any], str] = lambda result, setup: ""
    planned_words: Callable[[Mapping[str, Any]], str] = lambda planned_for: ""
    glance: Callable[[Any, Any], Glance] = lambda instance, result: Glance()
    keeps: bool = False
    most_requests: int = 20_000_000
