"""The prover's counts of whole machines under Poisson requests (ours, docs/model/holding.md).

It shares no code with the solver of bounds, which solves for the least machines that cover needs and halves the plan
space. This search goes through all counts of machines that are cheap enough, by hardware and concurrency. It shows that
each is too little by itself: in some span too few requests can be within its reach. Erlang's formula then gives the
lost share, as a sum of products here and not as a recursion. All rounding favours plans.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.session.instance import Module, Session
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort
from euclio.proving.paths import path_after, path_before

SCALE = 1 << 80
ROUNDED = 1e-9
LONG = 8
"""The search looks at spans of up to so many of the longest batches ..."""
MOST_SPANS = 60
MOST_COMING = 300
"""... in which no more requests than that come in the mean."""

Counts = tuple[int, ...]
Beaten = Callable[[int, Fraction, float], bool]
"""Whether a capacity of the module with this number, in invocations per second, is too little in a window."""
Queued = Callable[[float, float], bool]
"""Whether a capacity, in requests per second, is so small that too many requests find more than so many before them."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Machines of one hardware type and concurrency: price, batches at a time, batches with their durations."""

    price: float
    slots: int
    sizes: tuple[tuple[int, float], ...]

    @property
    def shortest(self) -> float:
        """The shortest time of a batch."""
        return min(d for _, d in self.sizes)

    def rate(self, sizes: Sequence[tuple[int, float]]) -> float:
        """Invocations per second of one machine, by batches of these sizes."""
        return self.slots * max(b / d for b, d in sizes)


def entering(session: Session) -> Fraction:
    """Requests per second of the session."""
    return max(m.rate_rps for m, parents in zip(session.modules, session.parents(), strict=True) if not parents)


def lost(coming: float, most: int) -> float:
    """Erlang's loss formula from below, by 1/B = Σ_j Π_{i < j} (N − i)/a, a sum of positive terms.

    Args:
        coming: a, requests that come within the span in the mean.
        most: N, requests that can be taken.
    """
    a = max(1, math.floor(coming * (1 - ROUNDED) * (1 << 30)))
    term = total = SCALE
    for place in range(most):
        term = -(-term * ((most - place) << 30) // a)
        total += term
    return SCALE / total * (1 - ROUNDED)


class Counted:
    """The search for machines that are cheap enough and not shown to be too few."""

    def __init__(self, session: Session, space: PlanSpace, late: Fraction, cutoff: float, effort: Effort) -> None:
        """Nothing is searched yet.

        Args:
            session: the instance.
            space: the plan space: whole machines, policy tc.
            late: share of requests that may be late.
            cutoff: cost per hour.
            effort: deadline and count of nodes.
        """
        self._session, self._late, self._effort = session, float(late), effort
        self._cutoff = cutoff * (1 - ROUNDED)
        self._rate = float(entering(session))
        self._groups = [_groups(session, space, module) for module in session.modules]
        self._slo = float(session.slo_s) * (1 + ROUNDED)

    def may_be_cheaper(self, beaten: Beaten, queued: Queued | None = None) -> bool:
        """Whether counts of machines that cost less than the cutoff are not shown to be too few.

        Args:
            beaten: whether a capacity is too little.
            queued: the same where requests are served in the order in which they come. None means that they are not.

        Raises:
            GivenUpError: the deadline came first.
        """
        if not all(self._groups):
            return False
        shortest = [min(group.shortest for group in groups) for groups in self._groups]
        windows, budgets = self._left(shortest, passing=True), self._left(shortest, passing=False)
        least = [
            min(float(module.rate_rps) / group.rate(group.sizes) * group.price for group in groups)
            for module, groups in zip(self._session.modules, self._groups, strict=True)
        ]
        options = []
        for m, groups in enumerate(self._groups):
            room = self._cutoff - sum(least) + least[m]
            own = [
                (cost, counts)
                for cost, counts in self._counts(groups, room)
                if not self._is_too_few(m, counts, windows[m], budgets[m])
            ]
            options.append(sorted(own))
        return any(not self._shown(chosen, beaten, queued) for chosen in self._combined(options))

    def _counts(self, groups: Sequence[_Group], room: float) -> Iterator[tuple[float, Counts]]:
        """All counts that cost less than there is room for, with their cost."""
        if not groups:
            yield 0.0, ()
            return
        own, count = groups[0].price, 0
        while count * own < room:
            for cost, rest in self._counts(groups[1:], room - count * own):
                self._effort.step()
                yield cost + count * own, (count, *rest)
            count += 1

    def _combined(self, options: Sequence[Sequence[tuple[float, Counts]]]) -> Iterator[list[Counts]]:
        """One option of each module, the cheapest first, as long as they cost less than the cutoff together."""
        if not all(options):
            return
        rest = [sum(own[0][0] for own in options[m:]) for m in range(len(options) + 1)]

        def chosen(m: int, cost: float) -> Iterator[list[Counts]]:
            if m == len(options):
                yield []
                return
            for own, counts in options[m]:
                self._effort.step()
                if cost + own + rest[m + 1] >= self._cutoff:
                    return
                for others in chosen(m + 1, cost + own):
                    yield [counts, *others]

        yield from chosen(0, 0.0)

    def _shown(self, chosen: Sequence[Counts], beaten: Beaten, queued: Queued | None) -> bool:
        """Whether some module has too few machines, in the windows that these machines leave."""
        used = [
            [group for group, n in zip(groups, counts, strict=True) if n]
            for groups, counts in zip(self._groups, chosen, strict=True)
        ]
        windows = self._left([min(group.shortest for group in own) for own in used], passing=True)
        worst = []
        for groups, counts, own in zip(self._groups, chosen, used, strict=True):
            # No machine collects from more than all of the module's machines take.
            most = sum(n * group.rate(group.sizes) for group, n in zip(groups, counts, strict=True))
            worst.append(max(min(d + b / most for b, d in group.sizes) for group in own))
        budgets = self._left(worst, passing=False)
        for m, counts in enumerate(chosen):
            if self._is_too_few(m, counts, windows[m], budgets[m]):
                return True
        for m, counts in enumerate(chosen):
            fit = self._fitting(m, counts, windows[m], budgets[m])
            assert fit is not None
            rate = sum(n * g.rate(own) for n, g, own in zip(counts, self._groups[m], fit, strict=True) if n)
            if beaten(m, Fraction(rate * (1 + ROUNDED)), windows[m]):
                return True
            if queued is not None and self._queues(m, counts, fit, windows[m], queued):
                return True
        return False

    def _queues(
        self, m: int, counts: Counts, fit: Sequence[tuple[tuple[int, float], ...]], window: float, queued: Queued
    ) -> bool:
        """Whether too many requests are late where machines start them in the order of arrival and drop none.

        A request in time, and all before it, start at least the shortest time of a batch before its window ends. Until
        then a slot starts what it can execute, and one batch more, none larger than the largest that it can collect.
        Larger batches only make both more.
        """
        each = math.floor(self._session.modules[m].rate_rps / entering(self._session))
        if self._session.parents()[m] or each < 1:
            return False
        rate, more, shortest = 0.0, 0.0, math.inf
        for n, group, own in zip(counts, self._groups[m], fit, strict=True):
            if n:
                largest = max(b for b, _ in own)
                rate += n * group.rate([size for size in group.sizes if size[0] <= largest])
                more += n * group.slots * largest
                shortest = min(shortest, group.shortest)
        found = rate * max(0.0, window - shortest) + more
        return queued(rate * (1 + ROUNDED) / each, found * (1 + 4 * ROUNDED) / each)

    def _left(self, takes: Sequence[float], *, passing: bool) -> list[float]:
        """The SLO less the time of the others on the longest path through each module.

        Args:
            takes: seconds of each module, at least.
            passing: whether a module that some requests do not invoke counts for nothing.
        """
        session = self._session
        own = [
            0.0 if passing and float(module.rate_rps) < self._rate else time * (1 - ROUNDED)
            for module, time in zip(session.modules, takes, strict=True)
        ]
        after, before = path_after(session, own), path_before(session, own)
        return [self._slo - late - early for late, early in zip(after, before, strict=True)]

    def _fitting(
        self, m: int, counts: Counts, window: float, budget: float
    ) -> list[tuple[tuple[int, float], ...]] | None:
        """By group, the batches that can be collected and executed in time; None if one of the groups has none."""
        groups = self._groups[m]
        fit = [group.sizes for group in groups]
        for _ in range(2):
            most = sum(n * group.rate(own) for n, group, own in zip(counts, groups, fit, strict=True) if n)
            fit = [
                tuple((b, d) for b, d in own if d <= window and most and d + b / most <= budget) for own in fit
            ]  # fmt: skip
            if any(n and not own for n, own in zip(counts, fit, strict=True)):
                return None
        return fit

    def _is_too_few(self, m: int, counts: Counts, window: float, budget: float) -> bool:
        self._effort.step()
        module = self._session.modules[m]
        fit = self._fitting(m, counts, window, budget)
        if fit is None or not any(counts):
            return True
        rows = [
            (n * group.slots, own) for n, group, own in zip(counts, self._groups[m], fit, strict=True) if n
        ]  # fmt: skip
        if sum(slots * max(b / d for b, d in own) for slots, own in rows) < float(module.rate_rps) * (1 - ROUNDED):
            return True
        window *= 1 + ROUNDED
        until = window + LONG * max(d for _, own in rows for _, d in own)
        done = [(slots, _done(own, until)) for slots, own in rows]
        # A span ends before the batch does that would come within its reach at its end.
        least = until * ROUNDED
        spans = sorted(
            {moment - window - least for _, times in done for moment in times if window + least < moment <= until}
        )
        ratio = float(module.rate_rps) / self._rate
        for span in spans[:: max(1, -(-len(spans) // MOST_SPANS))]:
            coming = self._rate * span
            if coming > MOST_COMING:
                break
            executed = sum(slots * bisect_left(times, span + window) for slots, times in done)
            if self._loses(module, coming, executed, ratio):
                return True
        return False

    def _loses(self, module: Module, coming: float, executed: int, ratio: float) -> bool:
        """Whether too many requests are late if machines can execute only so many invocations of a span."""
        exact = module.rate_rps / entering(self._session)
        few, many = math.floor(exact), math.ceil(exact)
        if few and lost(coming, executed // few) > self._late * (1 + ROUNDED):
            return True
        if few == many:
            return False
        requests = executed / ratio
        above = math.ceil(requests)
        here, more = lost(coming, above), lost(coming * (1 + 4 * ROUNDED), above + 1)
        work = here + max(0.0, here - more * (1 + 8 * ROUNDED)) * max(0.0, above - requests - 4 * ROUNDED)
        return work * ratio > self._late * many * (1 + 16 * ROUNDED)


def _groups(session: Session, space: PlanSpace, module: Module) -> list[_Group]:
    price: Mapping[str, Fraction] = session.price
    sizes: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for c in module.profile:
        if space.allows(c.hardware, c.batch, c.concurrency) and c.duration_s <= session.slo_s:
            sizes.setdefault((c.hardware, c.concurrency), []).append((c.batch, float(c.duration_s) * (1 - ROUNDED)))
    return [_Group(float(price[name]) * (1 - ROUNDED), e, tuple(own)) for (name, e), own in sizes.items()]


def _done(sizes: Sequence[tuple[int, float]], until: float) -> list[float]:
    """The least times in which a slot executes 1, 2, … invocations."""
    times = [0.0]
    while times[-1] <= until:
        times.append(min(times[max(0, len(times) - b)] + d for b, d in sizes))
    return times[1:]
