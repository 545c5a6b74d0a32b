"""Clusters of many GPUs: what every plan of small loss has in common is set aside, the few GPUs left are packed (ours).

A plan that loses little serves almost what the linear program does with almost the same pipelines. How far a
pipeline's requests may fall is a linear program too; below that, its virtual GPUs are the *bulk*. What is left is a
problem of few GPUs with the same prices, whose patterns of the bulk's columns start at the bulk.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Linear
from formulations.pipeline.columns.dominance import EQUAL, undominated, unmerged
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.level import Setting, what_may_be_lost
from formulations.pipeline.columns.patterns import columns_within
from formulations.pipeline.columns.progress import Counts
from formulations.pipeline.columns.relaxation import usage
from formulations.pipeline.columns.task import ROUNDING

MOST_TRIED = 100
"""Whole GPUs that are left where plans may differ by more, as a mean over types."""
MOST_TRIED_OF_TYPE = 1000
"""The same of any type."""
LOOSE = 0.5
"""Part of its requests per second in the linear program down to which a column is thought to be needed."""
HALVINGS = 40
"""How often what plans may differ by is halved; after that nothing but rounding is left."""
SPARE = 1e-6
"""Part of the linear program's requests per second that it may lack by its own rounding."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What is left of an instance.

    Attributes:
        setting: the bulk, what is left, and a progress of its own.
        exact: every plan that loses no more than the gap has this bulk.
    """

    setting: Setting
    exact: bool

    @property
    def plan(self) -> Counts:
        """The plan found, the bulk included."""
        return [*self.setting.bulk, *(self.setting.progress.plan or [])]


def narrow(setting: Setting, gap: float) -> list[Narrowed]:
    """Set aside what every plan has in common that loses no more than the gap; nothing is left: there is no such plan.

    Where much is left then, the first of what is returned is less: there more is set aside than plans have in common.
    """
    parts = _parts(setting, gap)
    if parts is None:
        return []
    less, left = parts
    found = [] if less is left else [Narrowed(less, False)]
    return [*found, Narrowed(left, setting.task.whole)]


def few_left(setting: Setting, gap: float) -> Setting | None:
    """About as few GPUs as hold the whole numbers of the linear program's pipelines; None: no plan loses so little.

    More is set aside than plans have in common that lose no more than the gap.
    """
    parts = _parts(setting, gap)
    return None if parts is None else parts[0]


def loosest(setting: Setting) -> list[int]:
    """Columns of the linear program that plans better than the incumbent can do without, by their worth."""
    common = _common(setting, what_may_be_lost(setting))
    if common is None:
        return []
    _, least, basis = common
    worth = {c: served * float(setting.relaxation.model[setting.columns.model[c]]) for c, served in basis.items()}
    return sorted((c for c in least if least[c] < LOOSE * basis[c]), key=lambda c: (-worth[c], c))


def _parts(setting: Setting, gap: float) -> tuple[Setting, Setting] | None:
    """Little that is left if more is set aside, and all that is left; None: no plan loses so little."""
    common = _common(setting, gap)
    left = None if common is None else _left(common[0], common[1], gap)
    return None if common is None or left is None else (_less(*common, gap, left), left)


def _common(setting: Setting, gap: float) -> tuple[Setting, dict[int, float], dict[int, float]] | None:
    """The setting of the columns that matter, and what `_served` finds; None: no plan loses so little."""
    near = _near(setting, gap)
    served = _served(setting, near, gap)
    if served is None:
        return None
    others = np.setdiff1d(np.arange(len(setting.columns)), near)
    return replace(setting, relaxation=setting.relaxation.beside(others)), *served


def _left(setting: Setting, least: Mapping[int, float], gap: float) -> Setting | None:
    """What is left next to the bulk of all plans; None: it needs two pipelines where there may be only one."""
    bulk = _bulk(setting, least)
    allowed = _allowed(setting, bulk)
    return None if len(allowed) < len(bulk) else _beside(setting, gap, allowed)


def _less(
    setting: Setting, least: Mapping[int, float], basis: Mapping[int, float], gap: float, left: Setting
) -> Setting:
    """What is left if more is set aside until it is little."""
    worth = setting.relaxation.model[setting.columns.model]
    aside = abs(setting.relaxation.bound)
    for _ in range(HALVINGS):
        count = left.task.count
        if np.log1p(count).mean() <= math.log1p(MOST_TRIED) and count.max() <= MOST_TRIED_OF_TYPE:
            break
        aside /= 2
        more = {column: max(served, basis[column] - aside / float(worth[column])) for column, served in least.items()}
        left = _beside(setting, gap, _allowed(setting, _bulk(setting, more)))
    return left


def rounded(setting: Setting) -> Counts:
    """The linear program's pipelines, rounded so that they fit or, at least cost, serve the rates."""
    columns, basis = setting.columns, setting.relaxation.basis
    if not setting.task.cost:
        return list(_allowed(setting, _bulk(setting, basis)))
    up = [(c, np.ceil(served / columns.rate[c] * (1 + SPARE)).astype(np.int64)) for c, served in basis.items()]
    return list(_allowed(setting, tuple(up)))


def _near(setting: Setting, gap: float) -> Ints:
    """Columns that may be part of plans that lose no more than the gap, none that others replace."""
    task, columns = setting.task, setting.columns
    near = columns_within(task, columns, setting.relaxation, gap)
    # A plan may use a column more where its sequence has no other, or has any number of them.
    alone = np.bincount(columns.sequence[near])[columns.sequence[near]] == 1
    across = alone if task.one_per_sequence else np.ones(len(near), dtype=bool)
    # Only those that lose nothing leave open how much each of them serves.
    best = setting.relaxation.excess[near] <= EQUAL * setting.relaxation.model[columns.model[near]]
    kept = near[best][undominated(columns.take(near[best]), across[best])]
    near = np.sort(np.concatenate([near[~best], kept]))
    candidates = np.flatnonzero(np.isin(near, kept))
    return near[unmerged(columns.take(near), candidates, alone=task.one_per_sequence)]


def _served(setting: Setting, near: Ints, gap: float) -> tuple[dict[int, float], dict[int, float]] | None:
    """Requests per second of some columns in plans that lose no more than the gap: at least, and in one of them.

    GPUs may be fractions there. None: there is no such plan. Nothing is known of them where HiGHS fails.
    """
    task, prices = setting.task, setting.relaxation
    chosen = setting.columns.take(near)
    used = usage(chosen, len(task.count))
    need = np.array([task.least(m, prices.bound - gap) for m in range(len(task.weight))])
    serves = (chosen.model[None, :] == np.arange(len(need))[:, None]).astype(float)
    # At least cost, scarce GPUs that are left over lose as well, so the cost itself is limited.
    spent, most_spent = (task.price, -prices.bound) if task.cost else (prices.gpu, float(prices.model @ need))
    matrix = np.vstack([used.T, -serves, used @ spent])
    upper = np.concatenate([task.count, -need, [most_spent + gap]])
    upper += ROUNDING * np.abs(upper)
    most = (task.count / np.maximum(used, 1e-300)).min(axis=1)
    linear = Linear(matrix, upper)
    best = linear.solve(used @ spent if task.cost else prices.excess[near])
    if best is None:
        return None if not len(near) or linear.has_none(matrix, upper, most) else ({}, {})
    least = {}
    for c in np.flatnonzero(best.values > 0):
        cost = (np.arange(len(near)) == c).astype(float)
        optimum = linear.solve(cost)
        # Any duals prove a bound; the linear solver's tolerances do not matter.
        duals = np.zeros(len(upper)) if optimum is None else optimum.duals
        terms = np.concatenate([np.minimum(cost + duals @ matrix, 0.0) * most, -duals * upper])
        least[int(near[c])] = max(0.0, float(terms.sum() - ROUNDING * np.abs(terms).sum()))
    return least, {column: float(best.values[near == column][0]) for column in least}


def _bulk(setting: Setting, least: Mapping[int, float]) -> tuple[tuple[int, Ints], ...]:
    """Whole GPUs of every position that serve no more than this; only columns that need some."""
    columns, found = setting.columns, []
    for column, served in least.items():
        share, rate = columns.share[column], columns.rate[column]
        count = np.floor(served * (1 - ROUNDING) / rate / share).astype(np.int64) * share
        if count.any():
            found.append((column, count))
    return tuple(found)


def _allowed(setting: Setting, bulk: tuple[tuple[int, Ints], ...]) -> tuple[tuple[int, Ints], ...]:
    """The largest of each sequence of GPU types, where a plan may have only one pipeline of it."""
    if not setting.task.one_per_sequence:
        return bulk
    first: dict[int, tuple[int, Ints]] = {}
    for column, count in sorted(bulk, key=lambda entry: -int(entry[1].sum())):
        first.setdefault(int(setting.columns.sequence[column]), (column, count))
    return tuple(first.values())


def _beside(setting: Setting, gap: float, bulk: tuple[tuple[int, Ints], ...]) -> Setting:
    task, columns, prices = setting.task, setting.columns, setting.relaxation
    gpus = np.zeros((len(task.weight), len(task.count)))
    for column, count in bulk:
        for k in np.flatnonzero(columns.live[column]):
            gpus[columns.model[column], columns.gpu[column, k]] += count[k] // columns.share[column, k]
    served = gpus @ prices.gpu / prices.model
    left = replace(task, served=served, spent=gpus @ task.price)
    need = sum(left.least(m, prices.bound - gap) * prices.model[m] for m in range(len(served)))
    most = np.floor((need + gap) * (1 + ROUNDING) / prices.gpu + 1e-6)
    count = np.maximum(np.minimum(task.count - gpus.sum(axis=0), most), 0).astype(np.int64)
    return replace(setting, task=replace(left, count=count), bulk=bulk, progress=replace(setting.progress, trace=[]))
