"""What workers see of the load: input rates and execution times of their modules (Scrooge §3.5)."""

from __future__ import annotations

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

    def __init__(self, application: ScroogeApplication, passed_only: bool) -> None:
        """Begin before anything was seen.

        Args:
            application: the modules.
            passed_only: whether rates are those of what reaches a module; else of what would if nothing were dropped.
        """
        typical = application.application.typical_factors()
        modules = application.application.modules
        index = {module.name: m for m, module in enumerate(modules)}
        self.factors: Floats = np.array([float(typical[module.name]) for module in modules])
        self.balloons: Floats = np.ones(len(modules))
        self._parent = [index[module.parents[0]] if module.parents else -1 for module in modules]
        self._passed_only = passed_only
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
        passed = np.ones(ready.size)
        if self._passed_only:
            passed = np.where(ended > 0, ended / np.maximum(ended + dropped, 1), passed)
        factors = self.factors.copy()
        for m, parent in enumerate(self._parent):
            if parent >= 0 and ended[parent] > 0:
                factors[m] = factors[parent] * passed[parent] * ready[m] / ended[parent]
        self.factors = factors
