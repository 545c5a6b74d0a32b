"""Clusters of many GPUs: most of them run the linear programme's pipelines, the few left are packed exactly (ours).

The linear programme uses as many pipelines as there are GPU types and models, on fractions of GPUs. With thousands of
GPUs, numbers of virtual GPUs near its solution are found that lose almost nothing, the *bulk*. What is left is a
cluster of few GPUs with the same prices, which the tables pack. A loss that counts there is nothing beside the whole,
so the relaxation's bound proves the plan, or almost. The fewer GPUs are left, the faster; the more, the less is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from formulations.columns.enumeration import Floats, Ints
from formulations.columns.level import Setting, TooLargeError
from formulations.columns.packing import grid_of
from formulations.columns.patterns import ROUNDING
from formulations.columns.plans import together
from formulations.columns.progress import Counts, Progress
from formulations.columns.relaxation import usage
from formulations.columns.search import find_incumbent, search
from formulations.columns.sharing import TooManyError
from formulations.columns.task import OutOfTimeError, Task
from formulations.columns.valuing import gpus_of, served_by, value_of

FEWEST_LEFT = 32
"""GPUs of the most frequent type that are left at first."""
MOST_LEFT = 3 * 10**4
"""Amounts of GPUs that tables of what is left may have."""
MOST_SHARED = 3000
"""Amounts of GPUs up to which pipelines may share GPUs of what is left."""
TRIED = 32
"""Numbers of virtual GPUs that are tried per pipeline and bottleneck."""


def place_bulk(setting: Setting) -> None:
    """Look for plans of small loss until the bound proves one; the best one goes to the setting's progress.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    progress = setting.progress
    seen: set[tuple[int, ...]] = set()
    for left in _parts_left(setting.task):
        setting.deadline.check()
        bulk = _bulk(setting, left)
        rest = _rest(setting, bulk, left)
        if rest is None or grid_of(rest.count, np.ones_like(rest.count)).size > MOST_LEFT:
            continue
        if tuple(rest.count) in seen:
            continue
        seen.add(tuple(rest.count))
        plan = together([*bulk, *_pack_rest(setting, bulk, rest)])
        value = value_of(setting.task, setting.columns, plan)
        if value > progress.value:
            progress.improve(value, plan)
            progress.stats["packed_gpus"] = int(rest.count.sum())
        if progress.closed:
            return


def _parts_left(task: Task) -> Iterator[float]:
    """Parts of the GPUs to leave: doubled until tables cannot hold them."""
    left = FEWEST_LEFT / float(task.count.max())
    while (
        left < 0.5 and grid_of(np.ceil(task.count * left).astype(np.int64), np.ones_like(task.count)).size <= MOST_LEFT
    ):
        yield left
        left *= 2


def _bulk(setting: Setting, left: float) -> Counts:
    """Virtual GPUs of the linear programme's pipelines, a little below its solution."""
    found: Counts = []
    # The linear programme may mix pipelines of a sequence where a plan may not: the one that serves most stays.
    for column, served in sorted(setting.relaxation.basis.items(), key=lambda entry: -entry[1]):
        if setting.task.one_per_sequence and _same_sequence(setting, column)[[other for other, _ in found]].any():
            continue
        count = _least_losing(setting, column, served * (1 - left))
        if count is not None:
            found.append((column, count))
    return found


def _least_losing(setting: Setting, column: int, most: float) -> Ints | None:
    """Virtual GPUs by position that lose least for what they serve: a little less than `most` requests per second."""
    columns, prices = setting.columns, setting.relaxation
    live = columns.live[column]
    rate, share = columns.rate[column, live], columns.share[column, live]
    top = np.floor(most / rate).astype(np.int64)
    served = np.concatenate([np.arange(max(1, n - TRIED), n + 1) * own for n, own in zip(top, rate, strict=True)])
    if not len(served):
        return None
    counts = np.ceil(served[:, None] / rate * (1 - ROUNDING)).astype(np.int64)
    gpus = -(-counts // share) if setting.task.whole else counts / share
    loss = gpus @ prices.gpu[columns.gpu[column, live]] - served * prices.model[columns.model[column]]
    best = np.zeros(len(live), dtype=np.int64)
    best[live] = counts[np.argmin(loss)]
    return best


def _rest(setting: Setting, bulk: Counts, left: float) -> Task | None:
    """What the bulk leaves: GPUs, and requests per second that are missing to the bound; None: too little."""
    task, columns = setting.task, setting.columns
    idle = task.count - sum(
        served * usage(columns.take(np.array([column])), len(task.count))[0]
        for column, served in setting.relaxation.basis.items()
    )
    count = task.count - np.ceil(gpus_of(task, columns, bulk) - ROUNDING) - np.floor(np.maximum(idle, 0) * (1 - left))
    served = served_by(task, columns, bulk)
    weight = task.weight - served / task.enough if task.cost else setting.relaxation.bound * task.weight - served
    if (count < 0).any() or (weight <= 0).any():
        return None
    return replace(task, count=count.astype(np.int64), weight=weight)


def _pack_rest(setting: Setting, bulk: Counts, rest: Task) -> Counts:
    """Pipelines on the GPUs that the bulk leaves, within what the whole plan may lose; none: there are none."""
    task, prices = setting.task, setting.relaxation
    if task.cost:
        scale = 1.0
        bound = float((prices.gpu - task.price) @ rest.count - task.enough * (prices.model @ rest.weight))
    else:
        scale = float(prices.model @ rest.weight)
        bound = float(prices.gpu @ rest.count) / scale
    own = replace(
        prices, gpu=prices.gpu / scale, model=prices.model / scale, bound=bound, excess=_excess(setting, bulk) / scale
    )
    inner = Setting(rest, setting.columns, own, Progress(bound), setting.deadline)
    few = grid_of(rest.count, np.ones_like(rest.count)).size <= MOST_SHARED
    with suppress(TooLargeError, TooManyError, OutOfTimeError):
        (search if few else find_incumbent)(inner)
    return inner.progress.plan or []


def _excess(setting: Setting, bulk: Counts) -> Floats:
    """What columns lose per request; infinite for those that may not stand beside the bulk.

    Where a plan has only one pipeline of a sequence of GPU types, what is left may only add to the bulk's.
    """
    excess = setting.relaxation.excess.copy()
    if setting.task.one_per_sequence:
        for column, _ in bulk:
            same = _same_sequence(setting, column)
            same[column] = False
            excess[same] = np.inf
    return excess


def _same_sequence(setting: Setting, column: int) -> npt.NDArray[np.bool_]:
    """Columns of the same model on the same sequence of GPU types, itself included."""
    columns = setting.columns
    same: npt.NDArray[np.bool_] = columns.model == columns.model[column]
    same &= np.all(columns.gpu == columns.gpu[column], axis=1)
    return same
