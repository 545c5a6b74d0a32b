"""The least price of whole machines that cover needs (ours): a search through counts, kind after kind.

Numbers are floats. Needs are given a little lower than they are, so that rounding only adds machines that do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

ROUNDED = 1e-9
MOST_NODES = 20_000
"""After so many steps the least price of machines that may be divided is the answer."""


@dataclass(slots=True)
class _Search:
    prices: list[float]
    gives: list[list[float]]
    """What a machine of each kind gives, by need."""
    best: float
    nodes: int = 0
    left_out: float = field(default=math.inf)
    """The least bound of what was not searched, once there were too many steps."""

    def below(self, kind: int, needs: list[float], price: float) -> None:
        """Counts of this kind and those behind it."""
        self.nodes += 1
        if all(need <= 0 for need in needs):
            self.best = min(self.best, price)
            return
        bound = price + self.divided(kind, needs)
        if bound >= self.best * (1 - ROUNDED):
            return
        if self.nodes > MOST_NODES:
            self.left_out = min(self.left_out, bound)
            return
        gives, own = self.gives[kind], self.prices[kind]
        # One more where the quotient is a whole number: rounding may leave a trace of a need that is covered.
        enough = max(math.floor(need / give) + 1 if give else 0 for need, give in zip(needs, gives, strict=True))
        for count in range(enough, -1, -1):
            left = [need - count * give for need, give in zip(needs, gives, strict=True)]
            self.below(kind + 1, left, price + count * own)

    def divided(self, kind: int, needs: list[float]) -> float:
        """The least price of machines that may be divided, for the need that costs most."""
        most = 0.0
        for n, need in enumerate(needs):
            if need > 0:
                rest = zip(self.gives[kind:], self.prices[kind:], strict=True)
                most = max(most, min((need * p / give[n] for give, p in rest if give[n]), default=math.inf))
        return most


def least_price(
    prices: Sequence[float], gives: Sequence[Sequence[float]], needs: Sequence[float], below: float = math.inf
) -> float:
    """The least price of counts of machines that cover all needs, or a number below it; `below` if it is no less.

    Args:
        prices: price of a machine, by kind, above 0.
        gives: what a machine of a kind gives to each need, at least 0.
        needs: how much of each is needed.
        below: prices from here on are all alike.
    """
    kinds = [k for k in range(len(prices)) if not any(_is_better(prices, gives, j, k) for j in range(len(prices)))]
    kinds.sort(key=lambda k: prices[k] / max(gives[k][0], 1e-300))
    search = _Search([prices[k] for k in kinds], [list(gives[k]) for k in kinds], below)
    search.below(0, [need - ROUNDED * abs(need) for need in needs], 0.0)
    return min(search.best, search.left_out)


def _is_better(prices: Sequence[float], gives: Sequence[Sequence[float]], a: int, b: int) -> bool:
    """Whether kind a costs no more than b and gives no less; of kinds alike the first."""
    if a == b or prices[a] > prices[b] or any(x < y for x, y in zip(gives[a], gives[b], strict=True)):
        return False
    return a < b or prices[a] < prices[b] or any(x > y for x, y in zip(gives[a], gives[b], strict=True))
