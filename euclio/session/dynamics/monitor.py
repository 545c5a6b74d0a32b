"""What workers see of the load: input rates and execution times of their modules (Scrooge §3.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from euclio.session.dynamics.serving import Counted
from euclio.session.workloads.scrooge_applications import ScroogeApplication
from euclio.simulation.units import Floats


class Monitor:
    """Factors of a session's modules as they were seen last; at first the middle of their ranges.

    Attributes:
        factors: invocations that become ready per frame that comes, by module.
        balloons: execution time over the profiled one, by module.
    """

    def __init__(self, application: ScroogeApplication, planned: Sequence[int]) -> None:
        """Begin before anything was seen.

        Args:
            application: the modules.
            planned: numbers of those that are planned for. What is dropped there would come again if there were enough
                machines, and is planned for further down; what others lose never reaches the modules after them.
        """
        typical = application.application.typical_factors()
        modules = application.application.modules
        index = {module.name: m for m, module in enumerate(modules)}
        self.factors: Floats = np.array([float(typical[module.name]) for module in modules])
        self.balloons: Floats = np.ones(len(modules))
        self._parent = [index[module.parents[0]] if module.parents else -1 for module in modules]
        self._lossy = np.array([m not in planned for m in range(len(modules))])
        nothing = np.zeros(len(modules), np.int64)
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
        for m, parent in enumerate(self._parent):
            if parent >= 0 and ended[parent] > 0:
                factors[m] = factors[parent] * passed[parent] * ready[m] / ended[parent]
        self.factors = factors
