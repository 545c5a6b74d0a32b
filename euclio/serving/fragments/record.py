"""What a simulation has found: the fate and the way of every request, every execution of every instance."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.lazy import late_value
from euclio.core.showing import Framed, Plotted
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan
from euclio.serving.fragments.setup import Setup
from euclio.serving.fragments.system import ServedStage
from euclio.serving.requests import Requests
from euclio.serving.units import Ints


@dataclass(frozen=True, slots=True)
class Passages:
    """How the requests of one fragment passed its stages, in the order of arrival; -1: they did not.

    Attributes:
        own_start_ns: begin of their execution at the own stage.
        own_end_ns: its end.
        shared_start_ns: begin of their execution at the shared stage; its end is when they are served.
    """

    own_start_ns: Ints
    own_end_ns: Ints
    shared_start_ns: Ints


@dataclass(frozen=True, slots=True)
class Executions:
    """Executions of batches, one entry each, stage by stage in the order of dispatch.

    Attributes:
        stage: place of the stage in `Simulation.stages`.
        instance: number of the instance, counted over all stages.
        requests: how many.
        start_ns: begin.
        end_ns: end.
    """

    stage: Ints
    instance: Ints
    requests: Ints
    start_ns: Ints
    end_ns: Ints


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Framed, Plotted):
    """A simulated plan.

    Attributes:
        fleet: the instance.
        plan: what serves it.
        setup: arrivals, load, queues.
        offered_rps: mean rate of each fragment.
        stages: stages of the plan, own ones before the shared one behind them.
        requests: per fragment.
        passages: per fragment.
        executions: every execution.
        wall_s: seconds that the loop over all queues took.
    """

    _view = late_value("euclio.serving.tables", "FLEET")

    fleet: Fleet
    plan: FragmentPlan
    setup: Setup
    offered_rps: tuple[float, ...]
    stages: tuple[ServedStage, ...]
    requests: tuple[Requests, ...]
    passages: tuple[Passages, ...]
    executions: Executions
    wall_s: float
