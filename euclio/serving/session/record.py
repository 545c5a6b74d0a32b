"""The record of a session's simulation: counts and histograms, whose size does not grow with the requests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from euclio.core.lazy import late_value
from euclio.core.showing import Framed, Plotted
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.serving.histogram import edges, quantiles
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import System
from euclio.serving.units import NS_PER_S, Floats, Ints


@dataclass(frozen=True, slots=True)
class Latencies:
    """A distribution of latencies.

    Attributes:
        bins: numbers of the bins that have entries (`euclio.serving.histogram`), ascending.
        count: entries of each.
        total_ns: sum of all latencies.
        largest_ns: the largest, exactly.
    """

    bins: Ints
    count: Ints
    total_ns: float
    largest_ns: int

    @property
    def entries(self) -> int:
        """Number of latencies."""
        return int(self.count.sum())

    @property
    def mean_s(self) -> float | None:
        """Their mean in seconds; None if there are none."""
        return self.total_ns / self.entries / NS_PER_S if self.entries else None

    @property
    def max_s(self) -> float | None:
        """The largest in seconds; None if there are none."""
        return self.largest_ns / NS_PER_S if self.entries else None

    def quantile_s(self, share: float) -> float | None:
        """The latency in seconds that a share of the entries does not exceed, to 0.1 %; None if there are none."""
        if not self.entries:
            return None
        histogram = np.zeros(self.bins[-1] + 1, np.int64)
        histogram[self.bins] = self.count
        return min(float(quantiles(histogram, np.array([share]))[0]), float(self.largest_ns)) / NS_PER_S

    def share_within(self, limit_ns: int) -> float | None:
        """Share of entries up to a limit, with those in its bin, at most 0.1 % above it; None if there are none."""
        if not self.entries:
            return None
        if self.largest_ns <= limit_ns:
            return 1.0
        return float(self.count[edges(self.bins) <= limit_ns].sum()) / self.entries


@dataclass(frozen=True, slots=True)
class ModuleTally:
    """Counts of a module.

    Attributes:
        ready: invocations that became ready, without dummies.
        dropped: invocations that were dropped.
        latencies: from ready until the last invocation of a request has ended, one entry per request.
    """

    ready: int
    dropped: int
    latencies: Latencies


@dataclass(frozen=True, slots=True)
class ObjectiveTally:
    """The requests that kept an objective of a module.

    Attributes:
        arrived: requests of the module's application.
        kept: of these, those whose invocations of the module, and before it, had all ended in time.
        latencies: from arrival until then, of those that were not dropped before.
    """

    arrived: int
    kept: int
    latencies: Latencies

    @property
    def attainment(self) -> float | None:
        """The share of requests that kept it. None means that no request arrived."""
        return self.kept / self.arrived if self.arrived else None


@dataclass(frozen=True, slots=True)
class MachineTallies:
    """Work of machines, one entry each.

    Attributes:
        busy: share of the time while requests come that its slots execute.
        batches: batches that it started.
        served: invocations in batches that ended, with dummies.
        most_waiting: most closed batches that waited at once, or behind a router invocations in the machine's queue.
    """

    busy: Floats
    batches: Ints
    served: Ints
    most_waiting: Ints


@dataclass(frozen=True, slots=True)
class Executions:
    """Executions of batches within a part of the time, one entry each, in the order of their ends.

    Attributes:
        begin_s: where the part begins.
        length_s: how long it is.
        module: number of the module.
        machine: number of the machine.
        invocations: how many, with dummies.
        start_ns: begin.
        end_ns: end.
    """

    begin_s: float
    length_s: float
    module: Ints
    machine: Ints
    invocations: Ints
    start_ns: Ints
    end_ns: Ints


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Framed, Plotted):
    """A simulated plan.

    Attributes:
        session: the instance.
        plan: its plan.
        setup: arrivals, load, dispatch.
        system: its machines and targets.
        dispatch: the dispatcher.
        offered_rps: mean rate of requests.
        arrived: requests.
        late: of these, answered after the SLO, or after they missed an objective of a module.
        dropped: of these, not answered.
        latencies: of answered requests, from end to end.
        modules: in the order of the session's modules.
        machines: in the order of `System.machines`.
        windows: requests that arrived, and of these those answered in time, by window of arrival, shape (windows, 2).
        executions: executions in the part of the time that a timeline shows.
        wall_s: seconds that the simulation took.
        objectives: in the order of the session's objectives.
    """

    _view = late_value("euclio.serving.tables", "SESSION")

    session: Session
    plan: Plan
    setup: Setup
    system: System
    dispatch: Dispatch
    offered_rps: float
    arrived: int
    late: int
    dropped: int
    latencies: Latencies
    modules: tuple[ModuleTally, ...]
    machines: MachineTallies
    windows: Ints
    executions: Executions
    wall_s: float
    objectives: tuple[ObjectiveTally, ...] = ()

    @property
    def attained(self) -> int:
        """Requests that were answered within the SLO, or kept all objectives of modules."""
        return self.arrived - self.late - self.dropped

    @property
    def attainment(self) -> float | None:
        """Their share of those that arrived; None if none did."""
        return self.attained / self.arrived if self.arrived else None
