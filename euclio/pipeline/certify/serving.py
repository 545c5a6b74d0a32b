"""Whether given GPUs suffice for one model: a tree search with bounds from prices (ours)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.pipeline.certify.demand import Demand, sharpened
from euclio.pipeline.certify.limits import Effort
from euclio.pipeline.certify.lumps import LumpMaker, Lumps, joined
from euclio.pipeline.certify.pricing import Bound, Box, Proposal, bound, propose
from euclio.pipeline.certify.room import fitting
from euclio.pipeline.certify.templates import Template
from euclio.pipeline.certify.ties import ExactLumps, exact_bound
from euclio.pipeline.instance import Cluster
from euclio.pipeline.space import PipelineSpace

WHOLE = 1e-6
"""What the linear program says is whole this close to a whole number; it only decides where to branch."""

ROUNDING = 1e-9
"""What rounding may change in the first choice of lumps, with much to spare."""

CHUNK = 200
"""Templates whose lumps are made at once."""

Serving = tuple[tuple[Template, tuple[int, ...]], ...]
"""Pipelines of one model: templates, each with the virtual GPUs of its partitions."""


TIE = 1e-9
"""A bound above the demand by less than this part is computed again in fractions."""


class UndecidedError(Exception):
    """The search was cut short before it had an answer."""


@dataclass(frozen=True, slots=True)
class _Node:
    lumps: Lumps
    box: Box
    forced: frozenset[int]
    limited: frozenset[int]


class ModelServer:
    """One model with what it has to serve: decides whether given GPUs suffice.

    Args:
        cluster: the instance.
        templates: the model's.
        demand: what has to be served.
        space: plan space.
        effort: deadline and count of nodes.
    """

    def __init__(
        self, cluster: Cluster, templates: Sequence[Template], demand: Demand, space: PipelineSpace, effort: Effort
    ) -> None:
        self._whole, self._effort = space.whole_gpus, effort
        self._demand = sharpened(demand, (s.rate for t in templates for s in t.stages))
        self._types = len(cluster.gpus)
        self._positions = max((len(t.stages) for t in templates), default=1)
        numbers: dict[object, int] = {}
        keys: list[object] = [t.sequence if space.one_per_sequence else i for i, t in enumerate(templates)]
        groups = [numbers.setdefault(key, len(numbers)) for key in keys]
        # Shares are added up per position and type before they are counted up; where they are not, per type.
        self._pools = [
            [k * self._types + t if self._whole else t for t in range(self._types)] for k in range(self._positions)
        ]
        self._of_type = tuple(tuple(sorted({own[t] for own in self._pools})) for t in range(self._types))
        order = sorted(range(len(templates)), key=lambda i: groups[i])
        self._templates = [templates[i] for i in order]
        counts = [gpu.count for gpu in cluster.gpus]
        self._maker = LumpMaker(self._templates, [groups[i] for i in order], self._pools, counts, self._demand)

        self._exact = ExactLumps(self._templates, self._pools, self._demand.rate)

    def serve(self, available: Sequence[Fraction], patience: int | None = None) -> Serving | None:
        """Pipelines that meet the demand on these GPUs, one number per type; None: there are none.

        Args:
            available: GPUs of each type.
            patience: most nodes to visit; None: as many as it takes.

        Raises:
            UndecidedError: more nodes would be needed.
            OutOfTimeError: the deadline passed.
            TooLargeError: a number of virtual GPUs is beyond what is supported.
        """
        pools = sum(map(len, self._of_type))
        most = [0] * pools
        for t, own in enumerate(self._of_type):
            for p in own:
                most[p] = math.ceil(available[t])
        box = Box((0,) * pools, tuple(most), tuple(available), self._of_type)
        lumps = self._promising(box)
        stack = [_Node(lumps, box, frozenset(), frozenset())]
        visited = 0
        while stack:
            visited += 1
            if patience is not None and visited > patience:
                raise UndecidedError
            self._effort.step()
            node = stack.pop()
            reduced = self._reduced(node)
            if reduced is None:
                continue
            node, proposal = reduced
            children = self._children(node, proposal)
            # Where nothing is left to divide, every lump has to be in the plan.
            whole = proposal.part > 0.5 if children and proposal is not None else np.ones(len(node.lumps.served), bool)
            found = self._candidate(node.lumps.only(whole), available)
            if found is not None:
                return found
            stack += children
        return None

    def _reduced(self, node: _Node) -> tuple[_Node, Proposal | None] | None:
        """The node without the lumps that no plan beyond it has, and a proposal; None: there is no plan in it."""
        while True:
            lumps = node.lumps
            fits = fitting(lumps, node.box, node.forced, self._whole)
            if not fits.all():
                lumps = lumps.only(fits)
            proposal = propose(lumps, node.box, node.forced, node.limited)
            prices = np.zeros(lumps.use.shape[1]) if proposal is None else proposal.prices
            found: Bound = bound(lumps, node.box, node.forced, prices)
            if found.value < 1 or (proposal is not None and self._falls_short(node, lumps, proposal, found.value)):
                return None
            kept = lumps.only(found.fits)
            limited = node.limited
            if proposal is not None:
                limited = limited | proposal.overfull
            before = len(lumps.served)
            again = limited != node.limited or len(kept.served) < 0.9 * before
            node = _Node(kept, node.box, node.forced, limited)
            if proposal is None:
                return node, None
            if not again:
                part = proposal.part[found.fits]
                return node, Proposal(proposal.prices, part, proposal.overfull)

    def _falls_short(self, node: _Node, lumps: Lumps, proposal: Proposal, value: float) -> bool:
        """Whether a bound that meets the demand to many digits does not meet it exactly."""
        if value > 1 + TIE or not len(lumps.served):
            return False
        found = exact_bound(self._exact, lumps, node.box, (node.forced, node.limited), proposal)
        return found is not None and (found <= 1 if self._demand.strict else found < 1)

    def _promising(self, box: Box) -> Lumps:
        """The lumps that can be in a plan, by what they use beyond what fractions of virtual GPUs would."""
        fluid = self._maker.fluid
        proposal = propose(fluid, box, frozenset(), frozenset())
        prices = np.zeros(fluid.use.shape[1]) if proposal is None else proposal.prices
        charge = fluid.use @ prices
        if not len(charge) or not charge.min() > 0:
            return self._maker.lumps(range(len(self._templates)), self._effort)
        # Raised until no template serves more than it pays for: then what a lump pays too much, all lumps of a plan
        # together, is at most what the GPUs are worth beyond the demand.
        prices = prices * max(1.0, (1 + 1e-12) / float(charge.min()))
        worth = box.worth(prices)
        spare = worth - 1.0 + ROUNDING * (1.0 + worth)
        loss = self._maker.least * np.maximum(fluid.use @ prices - 1.0, 0.0)
        numbers = np.flatnonzero(loss <= spare)
        parts = []
        for first in range(0, len(numbers), CHUNK):
            lumps = self._maker.lumps([int(i) for i in numbers[first : first + CHUNK]], self._effort)
            parts.append(lumps.only(lumps.use @ prices - lumps.served <= spare))
            parts[-1] = parts[-1].only(fitting(parts[-1], box, frozenset(), self._whole))
        return joined(parts) if parts else self._maker.lumps([], self._effort)

    def _candidate(self, lumps: Lumps, available: Sequence[Fraction]) -> Serving | None:
        """The plan of these lumps, if it is one and meets the demand, in fractions."""
        plan: list[tuple[Template, tuple[int, ...]]] = []
        for number, virtual in zip(lumps.template, lumps.virtual, strict=True):
            template = self._templates[int(number)]
            plan.append((template, tuple(int(n) for n in virtual[: len(template.stages)])))
        if len(np.unique(lumps.group)) < len(plan):
            return None
        served = sum((min(n * s.rate for n, s in zip(g, t.stages, strict=True)) for t, g in plan), Fraction(0))
        return tuple(plan) if self._demand.met(served) and self._fit(plan, available) else None

    def _fit(self, plan: list[tuple[Template, tuple[int, ...]]], available: Sequence[Fraction]) -> bool:
        use: dict[int, Fraction] = defaultdict(Fraction)
        for template, virtual in plan:
            for k, (stage, n) in enumerate(zip(template.stages, virtual, strict=True)):
                use[self._pools[k][stage.gpu]] += Fraction(n, stage.share)
        for t, own in enumerate(self._of_type):
            if sum(math.ceil(use[p]) if self._whole else use[p] for p in own) > available[t]:
                return False
        return True

    def _children(self, node: _Node, proposal: Proposal | None) -> list[_Node]:
        """Nodes that together hold every plan of this one; none: it holds only the one already tried."""
        if proposal is not None:
            pool = self._fractional_pool(node, proposal)
            if pool is not None:
                return self._divided(node, *pool)
        return self._split(node, proposal)

    def _fractional_pool(self, node: _Node, proposal: Proposal) -> tuple[int, int] | None:
        """A pool with a fraction of a GPU that is not to be had, and the whole GPUs below it."""
        if not self._whole:
            return None
        use = proposal.part @ node.lumps.use
        best, found = WHOLE, None
        for available, own in zip(node.box.available, node.box.of_type, strict=True):
            if sum(math.ceil(use[p] - WHOLE) for p in own) <= available:
                continue
            for p in own:
                below = math.floor(use[p] + WHOLE)
                distance = min(use[p] - below, below + 1 - use[p])
                if node.box.least[p] <= below < node.box.most[p] and distance > best:
                    best, found = distance, (p, below)
        return found

    def _divided(self, node: _Node, pool: int, below: int) -> list[_Node]:
        box, children = node.box, []
        own = next(own for own in box.of_type if pool in own)
        available = box.available[next(t for t, o in enumerate(box.of_type) if pool in o)]
        low = tuple(below if p == pool else n for p, n in enumerate(box.most))
        children.append(_Node(node.lumps, Box(box.least, low, box.available, box.of_type), node.forced, node.limited))
        high = tuple(below + 1 if p == pool else n for p, n in enumerate(box.least))
        left = available - sum(high[p] for p in own)
        if left >= 0:
            most = tuple(min(n, high[p] + int(left)) if p in own else n for p, n in enumerate(box.most))
            children.append(_Node(node.lumps, Box(high, most, box.available, box.of_type), node.forced, node.limited))
        return children

    def _split(self, node: _Node, proposal: Proposal | None) -> list[_Node]:
        lumps = node.lumps
        part = np.zeros(len(lumps.served)) if proposal is None else proposal.part
        starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
        if not len(starts):
            return []
        ends = np.append(starts[1:], len(lumps.group))
        total = np.add.reduceat(part, starts)
        weight = np.add.reduceat(part * lumps.served, starts)
        largest = np.maximum.reduceat(part, starts)
        # The group that serves most of those that the proposal leaves undecided; else any that the search has.
        open_ = largest < np.minimum(np.maximum(total, WHOLE), 1) - WHOLE
        open_ |= (total > WHOLE) & (total < 1 - WHOLE)
        if open_.any():
            i = int(np.argmax(np.where(open_, weight, -1.0)))
        else:
            undecided = [
                j for j in range(len(starts)) if int(lumps.group[starts[j]]) not in node.forced or ends[j] - starts[j] > 1
            ]
            if not undecided:
                return []
            i = max(undecided, key=lambda j: float(weight[j]))
        group, own = int(lumps.group[starts[i]]), np.arange(starts[i], ends[i])
        if group not in node.forced:
            without = np.ones(len(part), bool)
            without[own] = False
            return [
                _Node(lumps.only(without), node.box, node.forced, node.limited - {group}),
                _Node(lumps, node.box, node.forced | {group}, node.limited),
            ]
        first = self._half(lumps, part, own)
        return [self._keeping(node, own, first), self._keeping(node, own, ~first)]

    def _half(self, lumps: Lumps, part: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Which lumps of a group go to the first of two nodes; some do and some do not."""
        shares = part[own]
        if shares.sum() > WHOLE:
            taken = np.flatnonzero(shares > WHOLE)
            if len(set(lumps.template[own[taken]].tolist())) > 1:
                by_template = np.bincount(lumps.template[own], shares)
                first = lumps.template[own] == int(np.argmax(by_template))
            else:
                middle = float((shares * lumps.served[own]).sum() / shares.sum())
                first = lumps.served[own] <= middle
            if first.any() and not first.all():
                return first
        return np.arange(len(own)) < len(own) // 2

    def _keeping(self, node: _Node, own: np.ndarray, chosen: np.ndarray) -> _Node:
        kept = np.ones(len(node.lumps.served), bool)
        kept[own[~chosen]] = False
        return _Node(node.lumps.only(kept), node.box, node.forced, node.limited)
