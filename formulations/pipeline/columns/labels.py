"""Label setting for one model: the best of all packings of its patterns for each use of resources (compiled).

A label is a packing of patterns, with its use of the cluster (its resources) and its requests per second. Among labels
with the same resources only the best stays; a hash table with open addressing finds it. A label is extended by one more
pattern, and dropped if no completion of it can be part of a plan better than the target.

Sums of whole parts of GPUs are exact. Worths, losses and requests per second are floats. They drop labels only with the
slacks of `CompletionBounds` in favour of plans.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.tolerances import SUMS

MOST_LABELS = 400_000
"""Most labels of a model; a table with this many does not grow any more."""
MOST_PAIRS = 3 * 10**7
"""Most pairs of label and pattern per model, about a second."""
PAIRS_BETWEEN_CHECKS = 100_000
"""Pairs after which the time is checked."""
MOST_WASTED = 1 - 1e-3
"""Largest part of the worth still to add that counts as lost; a part of 1 would divide by zero."""


class Resources(NamedTuple):
    """The resources of labels, and their limits.

    Attributes:
        unit: parts of a GPU, by type.
        limit: parts in the cluster, by type.
        pool: GPU type of every pool in which some pattern takes a part of a GPU.
    """

    unit: Ints
    limit: Ints
    pool: Ints


class Table(NamedTuple):
    """A float by amounts of GPUs of each type; empty if nothing is known.

    Attributes:
        values: the entries in the order of their flat index.
        strides: step of the flat index for one more step of each type.
        step: GPUs (or parts of GPUs) in one step, by type.
    """

    values: Floats
    strides: Ints
    step: Ints


NOTHING_KNOWN = Table(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def table_of(entries: Floats, step: Ints | None = None) -> Table:
    """The table of an array with one axis per GPU type; without `step`, neighbouring entries differ by one."""
    ordered = np.ascontiguousarray(entries, dtype=float)
    strides = np.array(ordered.strides, dtype=np.int64) // ordered.itemsize
    return Table(ordered.ravel(), strides, np.ones_like(strides) if step is None else step)


class CompletionBounds(NamedTuple):
    """Bounds that decide which labels of a model can be completed to a part of a plan better than the target.

    Worths are in the relaxation's prices. A completed label serves at least `need`, loses at most `gap`, and uses GPUs
    worth at most `most`. The rest up to `need` has to be added, and loses at least the part `wasted`.

    Attributes:
        part: worth of one part of a GPU, by type.
        request: worth of one request per second.
        gap: most that a label may lose.
        most: most that the GPUs used may be worth.
        need: worth of the requests per second that the model must serve.
        rest: by whole GPUs, the greatest worth of GPUs that the other models leave if they leave at least these.
        more: by parts of GPUs in use, the most requests per second that can still be added.
        wasted: least lost part of the worth of GPUs still to be added.
    """

    part: Floats
    request: float
    gap: float
    most: float
    need: float
    rest: Table
    more: Table
    wasted: float = 0.0

    def losses(self, amount: Ints, served: Floats) -> Floats:
        """Worth of the GPUs in use less the worth of their requests, by row."""
        return np.asarray(amount @ self.part - served * self.request)

    def with_only(self, amount: Ints, served: Floats) -> CompletionBounds:
        """These bounds, sharper if only certain patterns can still be added.

        Args:
            amount: parts of GPUs that each of those patterns uses, shape (patterns, types).
            served: requests per second that each of them serves.

        Returns:
            Bounds with the least lost part of all worth still to be added, rounded down by `SUMS`.
        """
        worth = amount @ self.part
        lost = np.maximum(worth - served * self.request, 0.0) / np.maximum(worth, 1e-300)
        return self._replace(wasted=min(max(0.0, float(lost.min(initial=1.0)) - SUMS), MOST_WASTED))

    def may_complete(self, amount: Ints, served: Floats) -> np.ndarray:
        """Whether labels can be completed to a part of a plan better than the target.

        Args:
            amount: parts of GPUs that each label uses, shape (labels, types).
            served: requests per second that each label serves.

        Returns:
            One flag per label; False only beyond the slacks of these bounds in favour of plans.
        """
        worth = amount @ self.part
        added = np.maximum(self.need - served * self.request, 0.0) / (1 - self.wasted)
        loss = worth - served * self.request + self.wasted * added
        possible = (worth + added <= self.most) & (loss <= self.gap)
        if self.more.values.size:
            more = self.more.values[amount // self.more.step @ self.more.strides]
            possible &= (served + more) * self.request >= self.need
        return np.asarray(possible)


class Labels(NamedTuple):
    """Labels in the order of their discovery, with room for more; row 0 is the empty label.

    Attributes:
        taken: parts of each GPU type, then parts of the last GPU of each pool, shape (room, types + pools).
        served: requests per second, shape (room,).
        parent: row of the label from which this label was extended, shape (room,).
        pattern: the added pattern, shape (room,).
        key: hash of the label's resources, shape (room,).
        best: whether no other label that takes equal amounts serves more, shape (room,).
        place: hash table from resources to the row of the best label with them, -1 for a free place; it has twice as
            many places as there is room for labels.
    """

    taken: Ints
    served: Floats
    parent: Ints
    pattern: Ints
    key: Ints
    best: np.ndarray
    place: Ints

    @property
    def alive(self) -> Ints:
        """Rows of the best labels."""
        return np.flatnonzero(self.best)

    def patterns_of(self, label: int) -> list[int]:
        """The patterns of a label, the last one first."""
        found = []
        while label:
            found.append(int(self.pattern[label]))
            label = int(self.parent[label])
        return found


class Extensions(NamedTuple):
    """Patterns by which labels are extended, by rising loss.

    Attributes:
        pattern: the patterns.
        taken: parts of each GPU type and of each pool's last GPU that they take, shape (patterns, types + pools).
        served: requests per second that they serve, shape (patterns,).
        lost: worth that they lose, shape (patterns,), rising.
        repeated: whether patterns may be packed more than once, so that a pass extends its own labels as well.
    """

    pattern: Ints
    taken: Ints
    served: Floats
    lost: Floats
    repeated: bool


class Pass(NamedTuple):
    """One pass of extending labels by a group of patterns, as far as it does not depend on the label.

    Attributes:
        sources: rows of the labels to extend.
        first: the row of the first new label of this pass.
        extensions: the patterns.
        resources: the resources and their limits.
        bounds: the bounds on completions.
        most_pairs: pairs of label and pattern after which it stops.
        until: time on `clock` at which it stops.
    """

    sources: Ints
    first: int
    extensions: Extensions
    resources: Resources
    bounds: CompletionBounds
    most_pairs: int
    until: float


class Fresh(NamedTuple):
    """Extensions of one label with a possible completion, with room for one of every pattern.

    Attributes:
        step: for each extension the index of the added pattern.
        taken: parts of each GPU type and of each pool's last GPU that it takes, shape (patterns, types + pools).
        filled: space for one extension's GPUs by type, with its pools counted up to whole GPUs.
    """

    step: Ints
    taken: Ints
    filled: Ints


def empty_label(resources: Resources) -> Labels:
    """The label that packs nothing, alone."""
    labels = _room_for(64, resources.unit.size + resources.pool.size)
    for array in (labels.taken, labels.served, labels.parent, labels.pattern):
        array[0] = 0
    keep_best(labels, np.zeros(1, dtype=np.int64))
    return labels


@compiled
def _room_for(size: int, width: int) -> Labels:
    """No labels, with room for `size` of them, which is a power of 2."""
    return Labels(
        np.empty((size, width), np.int64),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.zeros(size, np.bool_),
        np.full(2 * size, -1, np.int64),
    )


@compiled
def keep_best(labels: Labels, rows: Ints) -> None:
    """Keep, among some labels, the best of each set with equal resources; all other labels are dropped.

    Args:
        labels: all labels, which get a new hash table.
        rows: the labels to choose from.
    """
    taken, served, _, _, keys, best, place = labels
    place[:] = -1
    best[:] = False
    for row in rows:
        key = 0
        for amount in taken[row]:
            key = _hashed(key, amount)
        keys[row] = key
        slot = _slot(place, keys, taken, key, taken, row)
        other = place[slot]
        if other < 0 or served[row] > served[other]:
            place[slot], best[row] = row, True
            if other >= 0:
                best[other] = False


@compiled
def extend(labels: Labels, size: int, work: Pass) -> tuple[Labels, int, int]:
    """Extend labels by every pattern of a pass, and keep the best of each set of labels with equal resources.

    Args:
        labels: all labels.
        size: number of labels so far.
        work: the pass.

    Returns:
        The labels, their number, and the tried pairs of label and pattern. More than `work.most_pairs` means that it
        stopped, because of the pairs, the time or the number of labels.
    """
    steps = np.empty(work.extensions.pattern.size, np.int64)
    fresh = Fresh(steps, np.empty_like(work.extensions.taken), np.empty_like(work.resources.unit))
    turn, source, tried, checked = 0, 0, 0, 0
    while source >= 0 and tried <= work.most_pairs:
        turn, source, pairs, found = _next_extended(labels, size, turn, work, fresh)
        tried += pairs
        stored = 0
        while stored < found:
            size, stored = _store(labels, size, source, work, fresh, stored, found)
            if size == labels.served.size:
                if size >= MOST_LABELS:
                    return labels, size, work.most_pairs + 1
                labels = _doubled(labels)
        if tried - checked > PAIRS_BETWEEN_CHECKS:
            checked = tried
            if is_past(work.until):
                return labels, size, work.most_pairs + 1
    return labels, size, tried


@compiled
def _next_extended(labels: Labels, size: int, turn: int, work: Pass, fresh: Fresh) -> tuple[int, int, int, int]:
    """Go on to the next label with extensions that can be completed, and put those into `fresh`.

    Args:
        labels: all labels.
        size: number of labels so far.
        turn: number of labels that have had their turn.
        work: the pass.
        fresh: space for the extensions.

    Returns:
        The number of labels that have had their turn, the label (-1 if there is none), the tried pairs of label and
        pattern, and the number of extensions that can be completed. After many pairs it returns without any.
    """
    # Every use of an array in a tuple counts references, so the arrays are taken out once for many labels.
    sources, first, (_, added, added_served, lost, repeated), (unit, limit, pool), bounds, _, _ = work
    part, request, gap, most, need, (rest, rest_strides, rest_step), (more, more_strides, more_step), wasted = bounds
    (own, own_served, _, _, _, best, _), (steps, new, filled) = labels, fresh
    pairs, found = 0, 0
    # If patterns repeat, labels of this pass take their turns after the sources, in their order.
    while turn < sources.size or (repeated and first + turn - sources.size < size):
        source = sources[turn] if turn < sources.size else first + turn - sources.size
        turn += 1
        # The better label that replaced this one is extended in its place.
        if repeated and not best[source]:
            continue
        worth = 0.0
        for t in range(unit.size):
            worth += part[t] * own[source, t]
        # The loss that is left to the label; the slack of `gap` in favour of plans covers the rounding of these sums.
        room = gap - worth + own_served[source] * request
        for j in range(lost.size):
            # Patterns come by rising loss, so none of the later ones fits the gap either.
            if lost[j] > room:
                break
            pairs += 1
            served, worth, cell, fits = own_served[source] + added_served[j], 0.0, 0, True
            for t in range(unit.size):
                amount = own[source, t] + added[j, t]
                new[found, t] = filled[t] = amount
                worth += part[t] * amount
                fits = fits and amount <= limit[t]
                if more.size:
                    cell += more_strides[t] * (amount // more_step[t])
            # The missing requests are worth that much in GPUs, and more if a part of the GPUs is wasted.
            missing = max(need - served * request, 0.0) / (1 - wasted)
            if not fits or worth + missing > most or worth - served * request + wasted * missing > gap:
                continue
            # Even the most requests that can be added within the allowed amounts miss the need.
            if more.size and (served + more[cell]) * request < need:
                continue
            cell = 0
            for k in range(unit.size, new.shape[1]):
                new[found, k] = own[source, k] + added[j, k]
            _count_up_pools(new, found, filled, unit, pool)
            for t in range(unit.size):
                fits = fits and filled[t] <= limit[t]
                if rest.size:
                    cell += rest_strides[t] * (filled[t] // unit[t] // rest_step[t])
            # The other models leave GPUs of at most that worth if they leave at least these whole GPUs.
            if fits and not (rest.size and worth + missing > rest[cell] * (1 + SUMS)):
                steps[found] = j
                found += 1
        if found or pairs > PAIRS_BETWEEN_CHECKS:
            return turn, source, pairs, found
    return turn, -1, pairs, found


@compiled
def _count_up_pools(taken: Ints, row: int, filled: Ints, unit: Ints, pool: Ints) -> None:
    """Reduce a row's use of each pool to the pool's last GPU, and add the free part of that GPU to `filled`.

    Other pools cannot use the free part, so it counts as in use.
    """
    for k in range(pool.size):
        parts, odd = unit[pool[k]], taken[row, unit.size + k]
        # The sum mostly stays within one GPU, and division is slow.
        if odd >= parts:
            odd %= parts
        taken[row, unit.size + k] = odd
        if odd:
            filled[pool[k]] += parts - odd


@compiled
def _store(labels: Labels, size: int, source: int, work: Pass, fresh: Fresh, start: int, end: int) -> tuple[int, int]:
    """Store extensions that serve more than any label with equal resources, until there is no more room.

    Args:
        labels: all labels.
        size: number of labels so far.
        source: the label that was extended.
        work: the pass.
        fresh: the extensions.
        start: the first extension to store.
        end: the one after the last extension to store.

    Returns:
        The number of labels, and the next extension.
    """
    taken, rates, parents, patterns, keys, best, place = labels
    _, first, (pattern, _, served, _, repeated), _, _, _, _ = work
    steps, new, _ = fresh
    for i in range(start, end):
        key, rate = 0, rates[source] + served[steps[i]]
        for t in range(new.shape[1]):
            key = _hashed(key, new[i, t])
        slot = _slot(place, keys, taken, key, new, i)
        row = place[slot]
        if row >= 0 and rate <= rates[row]:
            continue
        # The new label overwrites the replaced one if no label can come from it: it is of this pass and, if patterns
        # repeat, its turn has not come.
        if row < first or (repeated and row <= source):
            if row >= 0:
                best[row] = False
            row = place[slot] = size
            best[row] = True
            size += 1
        for t in range(new.shape[1]):
            taken[row, t] = new[i, t]
        rates[row], keys[row], parents[row], patterns[row] = rate, key, source, pattern[steps[i]]
        if size == rates.size:
            return size, i + 1
    return size, end


@compiled
def _doubled(labels: Labels) -> Labels:
    """A copy of the labels with room for twice as many, and a hash table of twice the places."""
    size = labels.served.size
    larger = _room_for(2 * size, labels.taken.shape[1])
    larger.taken[:size], larger.served[:size], larger.best[:size] = labels.taken, labels.served, labels.best
    larger.parent[:size], larger.pattern[:size], larger.key[:size] = labels.parent, labels.pattern, labels.key
    # The labels in the table have different resources, so each takes the next free place without a comparison.
    for row in labels.place:
        if row >= 0:
            slot = labels.key[row] & (larger.place.size - 1)
            while larger.place[slot] >= 0:
                slot = (slot + 1) & (larger.place.size - 1)
            larger.place[slot] = row
    return larger


@compiled
def _hashed(key: int, number: int) -> int:
    """The hash of one more number after those behind `key`; whole numbers wrap around at 64 bits."""
    mixed = (key ^ number) * 0x9E3779B97F4A7C1
    return mixed ^ (mixed >> 29)


@compiled
def _slot(place: Ints, keys: Ints, taken: Ints, key: int, others: Ints, wanted: int) -> int:
    """The slot of the hash table for the resources of row `wanted` of `others`: its label's, or a free one."""
    last = place.size - 1
    slot = key & last
    while place[slot] >= 0:
        row = place[slot]
        # Equal hashes prove nothing, so the resources are compared too.
        if keys[row] == key:
            same = True
            for t in range(taken.shape[1]):
                same = same and taken[row, t] == others[wanted, t]
            if same:
                break
        slot = (slot + 1) & last
    return slot
