"""Whether given GPUs suffice for one model: a tree search with bounds from prices (ours)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.problems.pipeline.instance import Cluster
from euclio.problems.pipeline.space import PipelineSpace
from euclio.proving.effort import Effort
from euclio.proving.pipeline.demand import Demand, sharpened
from euclio.proving.pipeline.lumps import Floats, LumpMaker, Lumps, Whole, joined
from euclio.proving.pipeline.pricing import Box, ExactLumps, Proposal, bound, exact_bound, propose
from euclio.proving.pipeline.templates import Template

# Branching of the search for one model's pipelines: children together hold every plan of their parent (ours).

WHOLE = 1e-6
"""A value of the linear program this close to a whole number counts as whole; it only guides branching."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the search: all plans of some lumps on no more GPUs than a box has.

    Attributes:
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        forced: groups of which one lump has to be in the plan.
        limited: groups whose use the linear program limits to at most once.
        prices: the last proposed prices, per pool.
    """

    lumps: Lumps
    box: Box
    forced: frozenset[int]
    limited: frozenset[int]
    prices: Floats


def children_of(node: Node, proposal: Proposal | None, *, whole: bool) -> list[Node]:
    """Nodes that together hold every plan of a node; empty if its only plan has all of its lumps.

    Args:
        node: the node to divide.
        proposal: the linear program's proposal; it only decides where to divide.
        whole: GPUs are counted up to whole ones.
    """
    # Pools first: as long as GPUs can move between them, prices do not see the waste of counting up.
    pool = _fractional_pool(node, proposal) if whole and proposal is not None else None
    return _divided(node, *pool) if pool is not None else _split(node, proposal)


def _fractional_pool(node: Node, proposal: Proposal) -> tuple[int, int] | None:
    """A pool with a fraction of a GPU that is not to be had, and the whole GPUs below it."""
    use = proposal.part @ node.lumps.use
    best, found = WHOLE, None
    for available, own in zip(node.box.available, node.box.of_type, strict=True):
        # Counted up, the type's pools fit: nothing is lost here.
        if sum(math.ceil(use[p] - WHOLE) for p in own) <= available:
            continue
        for p in own:
            below = math.floor(use[p] + WHOLE)
            distance = min(use[p] - below, below + 1 - use[p])
            # The fraction farthest from whole numbers: either side of it moves the bound most.
            if node.box.least[p] <= below < node.box.most[p] and distance > best:
                best, found = distance, (p, below)
    return found


def _divided(node: Node, pool: int, below: int) -> list[Node]:
    """The node with at most `below` GPUs of a pool, and the node with more, if there are more to have."""
    box = node.box
    available, own = next(pair for pair in zip(box.available, box.of_type, strict=True) if pool in pair[1])
    low = tuple(below if p == pool else n for p, n in enumerate(box.most))
    children = [replace(node, box=replace(box, most=low))]
    high = tuple(below + 1 if p == pool else n for p, n in enumerate(box.least))
    left = math.floor(available) - sum(high[p] for p in own)
    # Where the other pools' least leaves no GPU more for this one, that side is empty.
    if left >= 0:
        most = tuple(min(n, high[p] + left) if p in own else n for p, n in enumerate(box.most))
        children.append(replace(node, box=replace(box, least=high, most=most)))
    return children


def _split(node: Node, proposal: Proposal | None) -> list[Node]:
    """Two nodes: without a group of lumps, or with it; a group that is forced already is divided in two parts."""
    lumps = node.lumps
    part = np.zeros(len(lumps.served)) if proposal is None else proposal.part
    own = _undecided(node, part)
    # Every group is decided: one plan is left, which the caller checks.
    if own is None:
        return []
    group = int(lumps.group[own[0]])
    # First whether the group is used at all, then by which of its lumps; the last child is searched first.
    if group not in node.forced:
        without = np.ones(len(part), bool)
        without[own] = False
        return [
            replace(node, lumps=lumps.only(without), limited=node.limited - {group}),
            replace(node, forced=node.forced | {group}),
        ]
    first = _half(lumps, part, own)
    return [_with_lumps(node, own, first), _with_lumps(node, own, ~first)]


def _undecided(node: Node, part: Floats) -> Whole | None:
    """The lumps of a group that the search has not decided yet; None if there is none.

    Prefers those that the linear program leaves undecided as well; of these, the group that serves most.
    """
    lumps = node.lumps
    starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
    if not len(starts):
        return None
    ends = np.append(starts[1:], len(lumps.group))
    total = np.add.reduceat(part, starts)
    weight = np.add.reduceat(part * lumps.served, starts)
    largest = np.maximum.reduceat(part, starts)
    fractional = (largest < np.minimum(np.maximum(total, WHOLE), 1) - WHOLE) | ((total > WHOLE) & (total < 1 - WHOLE))
    open_ = ~np.isin(lumps.group[starts], list(node.forced)) | (ends - starts > 1)
    # A group that the program leaves in fractions first: dividing it changes the bound.
    for candidates in (fractional & open_, open_):
        if candidates.any():
            i = int(np.argmax(np.where(candidates, weight, -1.0)))
            return np.arange(starts[i], ends[i])
    return None


def _half(lumps: Lumps, part: Floats, own: Whole) -> NDArray[np.bool_]:
    """Which lumps of a group go to the first of two nodes; some do and some do not."""
    shares = part[own]
    if shares.sum() > WHOLE:
        taken = own[shares > WHOLE]
        # Cut through the program's mix, by template or else by throughput, so that neither side can mix it.
        if len(np.unique(lumps.template[taken])) > 1:
            first = np.asarray(lumps.template[own] == int(np.argmax(np.bincount(lumps.template[own], shares))))
        else:
            middle = float((shares * lumps.served[own]).sum() / shares.sum())
            first = np.asarray(lumps.served[own] <= middle)
        if first.any() and not first.all():
            return first
    # The program says nothing of this group: halve it, so that the search ends.
    return np.asarray(np.arange(len(own)) < len(own) // 2)


def _with_lumps(node: Node, own: Whole, chosen: NDArray[np.bool_]) -> Node:
    kept = np.ones(len(node.lumps.served), bool)
    kept[own[~chosen]] = False
    return replace(node, lumps=node.lumps.only(kept))


# Which lumps still fit next to those that have to be in a plan (ours).

SLACK = 1e-9
"""Part of a GPU by which rounding may exceed the stock; fractions decide the fit at the end."""


def fitting_lumps(lumps: Lumps, box: Box, forced: frozenset[int], whole: bool) -> NDArray[np.bool_]:
    """Which lumps fit on the GPUs next to the least use of each other forced group."""
    held = np.zeros(lumps.use.shape[1])
    own = np.zeros_like(lumps.use)
    for group in forced:
        members = np.flatnonzero(lumps.group == group)
        if len(members):
            least = lumps.use[members].min(axis=0)
            held += least
            own[members] = least
    use: Floats = lumps.use + (held - own)
    fits = np.asarray((use <= np.array(box.most) * (1 + SLACK) + SLACK).all(axis=1))
    for available, pools in zip(box.available, box.of_type, strict=True):
        taken = use[:, list(pools)]
        # Lowered before counting up, so that rounding never adds a GPU.
        if whole:
            taken = np.maximum(np.ceil(taken * (1 - SLACK) - SLACK), np.array([box.least[p] for p in pools]))
        fits &= np.asarray(taken.sum(axis=1) <= float(available) * (1 + SLACK) + SLACK)
    return fits


ROUNDING = 1e-9
"""Margin for rounding in the first choice of lumps, with much to spare."""

CHUNK = 200
"""Templates whose lumps are made at once."""

Serving = tuple[tuple[Template, tuple[int, ...]], ...]
"""Pipelines of one model: templates, each with the virtual GPUs of its partitions."""

PLENTY = 1.1
"""GPUs worth this many demands by fractions end a question that only asks for too few GPUs."""

KEPT = 0.9
"""If a bound leaves less than this part of the lumps, the search looks for new prices before dividing."""

TIE = 1e-9
"""A bound above the demand by less than this part is computed again in fractions."""


class UndecidedError(Exception):
    """The search was cut short before it had an answer."""


class PlentyError(Exception):
    """The GPUs are so plentiful that a search for too few was not begun."""


class ModelServer:
    """One model with its demand: decides whether given GPUs suffice.

    Args:
        cluster: the instance.
        templates: the model's templates.
        demand: the model's demand.
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
        # Shares are added up per position and type before counting up, else per type.
        self._pools = [
            [k * self._types + t if self._whole else t for t in range(self._types)] for k in range(self._positions)
        ]
        self._of_type = tuple(tuple(sorted({own[t] for own in self._pools})) for t in range(self._types))
        order = sorted(range(len(templates)), key=lambda i: groups[i])
        self._templates = [templates[i] for i in order]
        counts = [gpu.count for gpu in cluster.gpus]
        self._maker = LumpMaker(self._templates, [groups[i] for i in order], self._pools, counts, self._demand)
        self._exact = ExactLumps(self._templates, self._pools, self._demand.rate)

    def fluid_use(self) -> Floats:
        """Per template, GPUs of each type that meet the demand with fractions of virtual GPUs."""
        use = self._maker.fluid.use
        return np.stack([use[:, list(own)].sum(axis=1) for own in self._of_type], axis=1)

    def serve(self, available: Sequence[Fraction], patience: int | None = None) -> Serving | None:
        """Pipelines that meet the demand on these GPUs, one number per type; None if there are none.

        Args:
            available: GPUs of each type.
            patience: most nodes to visit. None means no limit.

        Raises:
            UndecidedError: more nodes would be needed.
            PlentyError: GPUs are plentiful, and patience is limited.
            GivenUpError: the deadline passed, or a number of virtual GPUs is beyond what is supported.
        """
        pools = sum(map(len, self._of_type))
        most = [0] * pools
        for t, own in enumerate(self._of_type):
            for p in own:
                most[p] = math.ceil(available[t])
        box = Box((0,) * pools, tuple(most), tuple(available), self._of_type)
        prices, worth = self._fluid_prices(box)
        # Asked for too few GPUs only: with plenty there is no search.
        if patience is not None and worth > PLENTY:
            raise PlentyError
        lumps = self._promising(box, prices, worth)
        stack = [Node(lumps, box, frozenset(), frozenset(), prices)]
        visited = 0
        while stack:
            visited += 1
            if patience is not None and visited > patience:
                raise UndecidedError
            self._effort.step()
            node = stack.pop()
            reduced = self._reduced(node)
            # Its bound falls short of the demand: no plan in this node.
            if reduced is None:
                continue
            node, proposal = reduced
            children = children_of(node, proposal, whole=self._whole)
            # Where nothing is left to divide, every lump has to be in the plan.
            whole = proposal.part > 0.5 if children and proposal is not None else np.ones(len(node.lumps.served), bool)
            found = self._candidate(node.lumps.only(whole), available)
            if found is not None:
                return found
            stack += children
        return None

    def _reduced(self, node: Node) -> tuple[Node, Proposal | None] | None:
        """The node without lumps that are in none of its plans, and a proposal; None if it has no plan."""
        while True:
            lumps = node.lumps.only(fitting_lumps(node.lumps, node.box, node.forced, self._whole))
            proposal = propose(lumps, node.box, node.forced, node.limited, node.prices, self._effort)
            prices = np.zeros(lumps.use.shape[1]) if proposal is None else proposal.prices
            found = bound(lumps, node.box, node.forced, prices)
            # Below the demand even with rounding in its favour.
            if found.value < 1:
                return None
            node = replace(node, lumps=lumps.only(found.fits), prices=prices)
            # Without a proposal there are no better prices to try: divide as it is.
            if proposal is None:
                return node, None
            # A tie to many digits: fractions decide it.
            if self._falls_short(node, lumps, proposal, found.value):
                return None
            limited = node.limited | proposal.overfull
            # New limits, or many lumps fewer, make other prices worth a try before dividing.
            if limited == node.limited and len(node.lumps.served) >= KEPT * len(lumps.served):
                return node, replace(proposal, part=proposal.part[found.fits])
            node = replace(node, limited=limited)

    def _falls_short(self, node: Node, lumps: Lumps, proposal: Proposal, value: float) -> bool:
        """Whether a bound that meets the demand to many digits does not meet it exactly."""
        if value > 1 + TIE or not len(lumps.served):
            return False
        found = exact_bound(self._exact, lumps, node.box, (node.forced, node.limited), proposal)
        return found is not None and (found <= 1 if self._demand.strict else found < 1)

    def _fluid_prices(self, box: Box) -> tuple[Floats, float]:
        """Prices at which no template serves more than it pays for, and the GPUs' worth at them, in demands.

        The worth is infinite where there are none.
        """
        fluid = self._maker.fluid
        nothing = np.zeros(fluid.use.shape[1])
        proposal = propose(fluid, box, frozenset(), frozenset(), nothing, self._effort)
        charge = fluid.use @ (nothing if proposal is None else proposal.prices)
        if proposal is None or not charge.min() > 0:
            return nothing, math.inf
        prices = proposal.prices * max(1.0, (1 + 1e-12) / float(charge.min()))
        return prices, box.worth(prices)

    def _promising(self, box: Box, prices: Floats, worth: float) -> Lumps:
        """The lumps that can be in a plan, by their use beyond that of fractions of virtual GPUs.

        Together the lumps of a plan overpay by at most the GPUs' worth beyond the demand.
        """
        spare = worth - 1.0 + ROUNDING * (1.0 + worth)
        loss = self._maker.least * np.maximum(self._maker.fluid.use @ prices - 1.0, 0.0)
        numbers = np.flatnonzero(~(loss > spare))
        parts = [self._maker.lumps([], self._effort)]
        for first in range(0, len(numbers), CHUNK):
            lumps = self._maker.lumps([int(i) for i in numbers[first : first + CHUNK]], self._effort)
            lumps = lumps.only(~(lumps.use @ prices - lumps.served > spare))
            parts.append(lumps.only(fitting_lumps(lumps, box, frozenset(), self._whole)))
        return joined(parts)

    def _candidate(self, lumps: Lumps, available: Sequence[Fraction]) -> Serving | None:
        """The plan of some lumps, if they are a plan that meets the demand in fractions; None otherwise."""
        plan: list[tuple[Template, tuple[int, ...]]] = []
        for number, virtual in zip(lumps.template, lumps.virtual, strict=True):
            template = self._templates[int(number)]
            plan.append((template, tuple(int(n) for n in virtual[: len(template.stages)])))
        # A group is one pipeline at most: two of its lumps make no plan.
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
