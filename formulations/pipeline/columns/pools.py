"""Packing one model's patterns with pools, as far as its states may stand in a better plan."""

from __future__ import annotations

from dataclasses import dataclass

from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.level import Setting
from formulations.pipeline.columns.packing import Grid
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.reach import NOTHING_KNOWN, Reach, Table
from formulations.pipeline.columns.sharing import pack_pools, usage_of, whole_gpus
from formulations.pipeline.columns.states import States


@dataclass(frozen=True, slots=True)
class Pools:
    """A model's packed states.

    Attributes:
        model: its index.
        patterns: its patterns.
        states: ways to pack them.
        whole: whole GPUs by state, shape (states, types).
    """

    model: int
    patterns: Patterns
    states: States
    whole: Ints

    def least_loss(self, setting: Setting, target: float) -> float:
        """Least worth lost on whole GPUs by a state that serves the target; infinite: none does."""
        prices, alive = setting.relaxation, self.states.alive
        served = self.states.served[alive]
        loss = self.whole[alive] @ prices.gpu - served * prices.model[self.model]
        enough = served * prices.model[self.model] >= self._need(setting, target) - prices.slack
        return max(0.0, float(loss[enough].min()) - prices.slack) if enough.any() else float("inf")

    def _need(self, setting: Setting, target: float) -> float:
        return setting.task.least(self.model, target) * float(setting.relaxation.model[self.model])


def reach_of(
    setting: Setting,
    model: int,
    grid: Grid,
    target: float,
    gap: float,
    share: float = 1.0,
    rest: Table | None = None,
    more: Table | None = None,
) -> Reach:
    """Limits of a model's states in plans that exceed the target, if it may lose this gap.

    The worth of its GPUs exceeds that of the requests that it has to serve by no more than the gap.
    Only states are let through that lose no more than the `share` of it. `rest` and `more` are as in `Reach`.
    """
    prices = setting.relaxation
    slack = prices.slack
    request = float(prices.model[model])
    need = setting.task.least(model, target) * request
    part, most = prices.gpu / grid.unit, need + gap + slack
    return Reach(part, request, share * gap + slack, most, need - slack, rest or NOTHING_KNOWN, more or NOTHING_KNOWN)


def pack_model(setting: Setting, model: int, patterns: Patterns, grid: Grid, reach: Reach) -> Pools:
    """Pack a model's patterns with pools.

    Raises:
        TooManyError: there are too many states.
        OutOfTimeError: the deadline has passed.
    """
    usage = usage_of(setting.columns, patterns, grid.unit)
    stage, required = setting.stages(patterns), setting.required(model, patterns)
    found, pairs = pack_pools(grid, usage, patterns.served, reach, stage, setting.deadline, required)
    setting.progress.count("pool_states", len(found.served))
    setting.progress.count("pairs", pairs)
    return Pools(model, patterns, found, whole_gpus(found.amount, found.odd, usage.gpu, grid.unit))
