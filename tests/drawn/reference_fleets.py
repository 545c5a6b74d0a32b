"""The least GPU share of a small fleet, by plain enumeration in fractions.

It follows docs/model/fragments.md and uses only euclio's data classes. It tries every division of the fragments into
sets, re-partition point, shared stage, division of the members into heads, and own stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from euclio.problems.fragments import Budgets, Fleet, FragmentSpace, Server, Sharing

from .truth import NO_PLAN, TooLargeError, Truth

MOST_FRAGMENTS = 6

Members = tuple[int, ...]


class _Stage(NamedTuple):
    seconds: Fraction
    share: int


def fleet_truth(fleet: Fleet, space: FragmentSpace) -> Truth:
    """The optimum of a fleet.

    Raises:
        TooLargeError: it has more than `MOST_FRAGMENTS` fragments.
    """
    number = len(fleet.fragments)
    if number > MOST_FRAGMENTS:
        raise TooLargeError
    prices = _Prices(fleet, space)
    of_set = cache(prices.of_set)
    best: int | None = None
    for division in _divisions(tuple(range(number))):
        shares = [of_set(members) for members in division]
        if None not in shares:
            total = sum(share for share in shares if share is not None)
            best = total if best is None else min(best, total)
    return NO_PLAN if best is None else Truth(Fraction(best), Fraction(best))


class _Prices:
    """Costs of sets of fragments."""

    def __init__(self, fleet: Fleet, space: FragmentSpace) -> None:
        self._fleet, self._space = fleet, space
        self._known: dict[tuple[int, int, Fraction], list[_Stage]] = {}

    def of_set(self, members: Members) -> int | None:
        """The least GPU share of a set of exactly these fragments; None if there is none."""
        own = [self._fleet.fragments[k] for k in members]
        if len(members) > (self._space.max_members or len(members)):
            return None
        if self._space.sharing is Sharing.ALONE and len(members) > 1:
            return None
        latest = max(fragment.partition_point for fragment in own)
        points = list(range(latest, self._fleet.network.layers))
        if self._space.sharing is not Sharing.REALIGNED:
            if len({(fragment.partition_point, fragment.budget_s) for fragment in own}) > 1:
                return None
            points = [latest]
        found = [share for point in points for share in self._at(members, point)]
        return min(found, default=None)

    def _at(self, members: Members, point: int) -> Iterator[int]:
        """GPU shares with this re-partition point, the least per shared stage."""
        fragments = self._fleet.fragments
        begins = {fragments[k].partition_point for k in members} - {point}
        for shared in self._stages(members, point, self._fleet.network.layers):
            if any(2 * shared.seconds > fragments[k].budget_s for k in members):
                continue
            least = min(fragments[k].budget_s for k in members)
            total: int | None = shared.share
            for begin in begins:
                group = tuple(k for k in members if fragments[k].partition_point == begin)
                heads = self._heads(group, begin, point, shared.seconds, least)
                total = None if total is None or heads is None else total + heads
            if total is not None:
                yield total

    def _heads(self, group: Members, begin: int, point: int, taken: Fraction, least: Fraction) -> int | None:
        """The least GPU share of own stages of fragments of one begin, however they are divided into heads."""
        best: int | None = None

        @cache
        def of_head(head: Members) -> int | None:
            budget = least
            if self._space.budgets is Budgets.OWN:
                budget = min(self._fleet.fragments[k].budget_s for k in head)
            stages = self._stages(head, begin, point)
            return min((stage.share for stage in stages if 2 * (stage.seconds + taken) <= budget), default=None)

        for division in _divisions(group):
            shares = [of_head(head) for head in division]
            if None not in shares:
                total = sum(share for share in shares if share is not None)
                best = total if best is None else min(best, total)
        return best

    def _stages(self, members: Members, first: int, end: int) -> list[_Stage]:
        """Every batch and share with the fewest instances that serve these fragments."""
        rate = sum((self._fleet.fragments[k].rate_rps for k in members), Fraction(0))
        if (first, end, rate) not in self._known:
            network, found = self._fleet.network, []
            taken = sum((network.layer_memory_mb or ())[first:end], network.instance_memory_mb or Fraction(0))
            for j, batch in enumerate(network.batches):
                for k, share in enumerate(network.shares_pct):
                    if not _has_room(network.server, share, taken):
                        continue
                    seconds = sum((network.layer_latency_s[i][j][k] for i in range(first, end)), Fraction(0))
                    needed = rate * seconds / batch
                    instances = needed.numerator // needed.denominator + (needed.denominator > 1)
                    if self._space.max_instances is None or instances <= self._space.max_instances:
                        found.append(_Stage(seconds, share * instances))
            self._known[first, end, rate] = found
        return self._known[first, end, rate]


def _has_room(server: Server | None, share: int, taken_mb: Fraction) -> bool:
    """Whether a share of a GPU has as large a part of its memory as is taken, and of its instances."""
    if server is None:
        return True
    memory, most = server.gpu_memory_mb, server.gpu_instances
    return (memory is None or 100 * taken_mb <= share * memory) and (most is None or share * most >= 100)


def _divisions(members: Members) -> Iterator[list[Members]]:
    """Every division into sets that are not empty."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for mask in range(1 << len(rest)):
        own = (first, *(k for i, k in enumerate(rest) if mask >> i & 1))
        for division in _divisions(tuple(k for k in rest if k not in own)):
            yield [own, *division]
