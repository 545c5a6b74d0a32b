"""What workers see of the load: input rates and execution times of their modules (Scrooge §3.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from euclio.problems.session import Session
from euclio.serving.dynamics.serving import Counted
from euclio.serving.units import Floats


class Monitor:
    """Factors of a session's modules as they were seen last.

    Attributes:
        factors: invocations that become ready per frame that comes, by module.
        balloons: execution time over the profiled one, by module.
    """

    def __init__(self, session: Session, planned: Sequence[int]) -> None:
        """Begin before anything was seen.

        Args:
            session: the modules, at the rates that are expected at first for one frame per second.
            planned: numbers of those that are planned for. What is dropped there would come again if there were enough
                machines, and is planned for further down; what others lose never reaches the modules after them.
        """
        modules = len(session.modules)
        self.factors: Floats = np.array([float(module.rate_rps) for module in session.modules])
        self.balloons: Floats = np.ones(modules)
        self._order = session.order
        self._parent = [next(iter(parents), -1) for parents in session.parents()]
        self._lossy = np.array([m not in planned for m in range(modules)])
        nothing = np.zeros(modules, np.int64)
        self._before = Counted(nothing, nothing, nothing, nothing, nothing)

    def look(self, counted: Counted) -> None:
        """Take note of what has been counted since the last look.

        What becomes ready in a module is counted per invocation that its first parent has ended. A module that nothing
        has reached keeps its factors.
        """
        ready, ended, dropped, worked, expected = (
            now - before for now, before in zip(counted, self._before, strict=True)
        )
        self._before = counted
        self.balloons = np.where(expected > 0, worked / np.maximum(expected, 1), self.balloons)
        passed = np.where(self._lossy & (ended > 0), ended / np.maximum(ended + dropped, 1), 1.0)
        factors = self.factors.copy()
        for m in self._order:
            parent = self._parent[m]
            if parent >= 0 and ended[parent] > 0:
                factors[m] = factors[parent] * passed[parent] * ready[m] / ended[parent]
        self.factors = factors
