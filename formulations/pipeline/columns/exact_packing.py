"""Packing one model's patterns with pools in exact arithmetic: the plain twin of the compiled packing (ours).

Requests per second are whole multiples of one common unit, which Python's integers hold however large they are. What
plans lose is measured in floating point, with a slack in their favour: it only says what need not be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from formulations.pipeline.columns.exact_patterns import ExactPattern
from formulations.pipeline.columns.level import Setting
from formulations.pipeline.columns.task import TooManyError

MOST_PAIRS = 10**6
"""Pairs of state and pattern to look at altogether, some seconds."""
CHECKED = 1024
"""Pairs after which the time is checked."""

Chosen = tuple[ExactPattern, "Chosen"] | None
"""Patterns of a state, the last one first."""


class State(NamedTuple):
    """A way to pack: requests per second in units, and the patterns."""

    served: int
    chosen: Chosen


@dataclass(slots=True)
class Effort:
    """Pairs tried so far; it stops what takes too long."""

    setting: Setting
    pairs: int = 0

    def spend(self) -> None:
        """Count a pair.

        Raises:
            TooManyError: there are too many.
            OutOfTimeError: the deadline has passed.
        """
        self.pairs += 1
        if self.pairs > MOST_PAIRS:
            raise TooManyError
        if self.pairs % CHECKED == 0:
            self.setting.deadline.check()


@dataclass(frozen=True, slots=True)
class Part:
    """What a pattern takes and serves: parts of GPUs by type, of each pool's last GPU, requests per second in units."""

    amount: tuple[int, ...]
    odd: tuple[int, ...]
    served: int
    pattern: ExactPattern


@dataclass(frozen=True, slots=True)
class Counting:
    """How GPUs of a model are counted.

    Attributes:
        unit: parts of a GPU by type.
        pools: position and type of the pools; none where fractions of GPUs are added up.
        most: parts that there are, by type.
    """

    unit: tuple[int, ...]
    pools: tuple[tuple[int, int], ...]
    most: tuple[int, ...]

    def filled(self, amount: Sequence[int], odd: Sequence[int]) -> tuple[int, ...]:
        """Parts of GPUs by type, every pool counted up to whole GPUs."""
        parts = list(amount)
        for (_, t), own in zip(self.pools, odd, strict=True):
            parts[t] += -own % self.unit[t]
        return tuple(parts)


def counting_of(setting: Setting, patterns: Iterable[ExactPattern]) -> Counting:
    """Parts of GPUs and pools that these patterns are counted in."""
    columns, task = setting.columns, setting.task
    used = {
        (k, int(columns.gpu[p.column, k]), int(columns.share[p.column, k]))
        for p in patterns
        for k in range(len(p.count))
    }
    unit = tuple(math.lcm(1, *(share for _, t, share in used if t == own)) for own in range(len(task.count)))
    pools = sorted({(k, t) for k, t, share in used if share > 1}) if task.whole else []
    return Counting(unit, tuple(pools), tuple(int(n) * u for n, u in zip(task.count, unit, strict=True)))


def pack_exactly(
    setting: Setting, model: int, patterns: Sequence[ExactPattern], target: float, gap: float, effort: Effort
) -> tuple[dict[tuple[Fraction, ...], State], int]:
    """The most that a model is served with every amount of GPUs that may be part of a plan that loses no more.

    Args:
        setting: the instance.
        model: index of the model.
        patterns: its patterns.
        target: value that a plan has to exceed.
        gap: what a plan may lose.
        effort: what has been tried.

    Returns:
        States by GPUs of each type, and units per request per second.

    Raises:
        TooManyError: there are too many pairs of state and pattern.
        OutOfTimeError: the deadline has passed.
    """
    counting = counting_of(setting, patterns)
    units = math.lcm(1, *(p.served.denominator for p in patterns))
    prices, nothing = setting.relaxation, ((0,) * len(counting.unit), (0,) * len(counting.pools))
    request = float(prices.model[model])
    need = setting.task.least(model, target) * request
    part = [float(worth) / u for worth, u in zip(prices.gpu, counting.unit, strict=True)]

    def hopeful(amount: tuple[int, ...], odd: tuple[int, ...], served: int) -> bool:
        if any(own > most for own, most in zip(counting.filled(amount, odd), counting.most, strict=True)):
            return False
        worth = sum(own * each for own, each in zip(amount, part, strict=True))
        value = served / units * request
        enough = worth + max(need - value, 0.0) <= need + gap + 2 * prices.slack
        return enough and worth - value <= gap + prices.slack

    states: dict[tuple[tuple[int, ...], tuple[int, ...]], State] = {nothing: State(0, None)}
    for group in _groups(setting, counting, patterns, units):
        before = list(states.items())
        for (amount, odd), state in before:
            for own in group:
                effort.spend()
                total = tuple(map(sum, zip(amount, own.amount, strict=True)))
                left = tuple(
                    (a + b) % counting.unit[t] for a, b, (_, t) in zip(odd, own.odd, counting.pools, strict=True)
                )
                served = state.served + own.served
                known = states.get((total, left))
                if (known is None or known.served < served) and hopeful(total, left, served):
                    states[total, left] = State(served, (own.pattern, state.chosen))
    found: dict[tuple[Fraction, ...], State] = {}
    for (amount, odd), state in states.items():
        gpus = tuple(Fraction(n, u) for n, u in zip(counting.filled(amount, odd), counting.unit, strict=True))
        if gpus not in found or found[gpus].served < state.served:
            found[gpus] = state
    return found, units


def _groups(setting: Setting, counting: Counting, patterns: Sequence[ExactPattern], units: int) -> list[list[Part]]:
    """Patterns of which a plan has only one: of a column, whose patterns make one together, or of a sequence."""
    columns = setting.columns
    key = columns.sequence if setting.task.one_per_sequence else range(len(columns))
    ordered = sorted(patterns, key=lambda p: int(key[p.column]))
    groups = []
    for _, members in groupby(ordered, key=lambda p: int(key[p.column])):
        best: dict[tuple[tuple[int, ...], tuple[int, ...]], Part] = {}
        for p in members:
            own = _part(setting, counting, p, units)
            if (own.amount, own.odd) not in best or best[own.amount, own.odd].served < own.served:
                best[own.amount, own.odd] = own
        groups.append(list(best.values()))
    return groups


def _part(setting: Setting, counting: Counting, pattern: ExactPattern, units: int) -> Part:
    columns, amount, odd = setting.columns, [0] * len(counting.unit), [0] * len(counting.pools)
    for k, n in enumerate(pattern.count):
        t = int(columns.gpu[pattern.column, k])
        parts = n * counting.unit[t] // int(columns.share[pattern.column, k])
        amount[t] += parts
        if (k, t) in counting.pools:
            odd[counting.pools.index((k, t))] += parts % counting.unit[t]
    return Part(tuple(amount), tuple(odd), int(pattern.served * units), pattern)
