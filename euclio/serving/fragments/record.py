"""The record of a simulation: the fate and the way of every request, every execution of every instance."""

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
    """Times of one fragment's requests at its stages, in the order of arrival; -1 if they did not pass."""

    own_start_ns: Ints  # begin of their execution at the own stage
    own_end_ns: Ints  # its end
    shared_start_ns: Ints  # begin of their execution at the shared stage; its end is when they are served


@dataclass(frozen=True, slots=True)
class Executions:
    """Executions of batches, one entry each, stage by stage in the order of dispatch."""

    stage: Ints  # place of the stage in `Simulation.stages`
    instance: Ints  # number of the instance, counted over all stages
    requests: Ints  # how many
    start_ns: Ints  # begin
    end_ns: Ints  # end


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Framed, Plotted):
    """A simulated plan."""

    _view = late_value("euclio.serving.tables", "FLEET")

    fleet: Fleet  # the instance
    plan: FragmentPlan  # its plan
    setup: Setup  # arrivals, load, queues
    offered_rps: tuple[float, ...]  # mean rate of each fragment
    stages: tuple[ServedStage, ...]  # stages of the plan, own ones before the shared one behind them
    requests: tuple[Requests, ...]  # per fragment
    passages: tuple[Passages, ...]  # per fragment
    executions: Executions  # every execution
    wall_s: float  # seconds that the loop over all queues took
