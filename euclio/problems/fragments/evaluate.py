"""The checker of fragments, which alone decides feasibility and GPU share (docs/model/fragments.md).

Exact rational arithmetic from the decimal text of the input; it shares no code with any solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.core.words import full
from euclio.problems.fragments.instance import Fleet, Network
from euclio.problems.fragments.memory import WHOLE_GPU_PCT
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE, Budgets, FragmentSpace, Sharing

QUEUEING = 2
"""Most execution times of a request, since it waits at most as long as it executes (Graft §4.3)."""


@dataclass(frozen=True, slots=True)
class StageEvaluation:
    """The checker's result for one stage.

    Attributes:
        first: its first layer.
        end: the layer behind its last one.
        latency_s: execution time of a batch in seconds.
        rate_rps: requests per second that it must serve.
        throughput_rps: requests per second that its instances can serve.
    """

    first: int
    end: int
    latency_s: Fraction
    rate_rps: Fraction
    throughput_rps: Fraction


@dataclass(frozen=True, slots=True)
class SetEvaluation:
    """The checker's result for one realigned set.

    Attributes:
        latency_s: the longest execution over its heads, own stage and shared stage together, in seconds; a request
            takes at most twice that with queueing.
        heads: per head its own stage; None if it has none.
    """

    latency_s: Fraction
    shared: StageEvaluation
    heads: tuple[StageEvaluation | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class FleetEvaluation(Framed):
    """The checker's answer on a plan.

    Attributes:
        violations: one line per broken rule; empty if the plan is feasible.
        value: GPU share of all instances in percent of one GPU; None if it could not be computed.
        sets: one entry per set (empty if one could not be priced).
    """

    _view = late_value("euclio.problems.fragments.views", "EVALUATION")

    violations: tuple[str, ...]
    value: Fraction | None
    sets: tuple[SetEvaluation, ...]

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def evaluate(fleet: Fleet, plan: FragmentPlan, space: FragmentSpace = FULL_FRAGMENT_SPACE) -> FleetEvaluation:
    """Check and price a plan.

    Args:
        fleet: the instance.
        plan: realigned sets of its fragments.
        space: plan space of the plan.

    Returns:
        The checker's answer; it never raises on a wrong plan.
    """
    violations = _misplaced(fleet, plan)
    for i, own in enumerate(plan.sets):
        violations += [f"set {i}: {line}" for line in _malformed(fleet, own)]
    if violations:
        return FleetEvaluation(tuple(violations), None, ())
    found = tuple(_priced(fleet, own) for own in plan.sets)
    for i, (own, priced) in enumerate(zip(plan.sets, found, strict=True)):
        lines = (
            *_outside(fleet, own, space),
            *_late(fleet, own, priced, space),
            *_overloaded(priced),
            *_crowded(fleet.network, own, priced),
        )
        violations += [f"set {i}: {line}" for line in lines]
    value = Fraction(sum(stage.total_pct for own in plan.sets for stage in own.stages))
    return FleetEvaluation(tuple(violations), value, found)


def _misplaced(fleet: Fleet, plan: FragmentPlan) -> list[str]:
    """Fragments in no set or in several, and places without a fragment."""
    served = [0] * len(fleet.fragments)
    lines = []
    for i, own in enumerate(plan.sets):
        for k in own.fragments:
            if 0 <= k < len(served):
                served[k] += 1
            else:
                lines.append(f"set {i}: there is no fragment at place {k}")
    for fragment, times in zip(fleet.fragments, served, strict=True):
        if times != 1:
            lines.append(f"fragment {fragment.name} is served {times} times; it must be served once")
    return lines


def _malformed(fleet: Fleet, own: RealignedSet) -> Iterator[str]:
    """Errors that prevent the pricing of a set."""
    layers, point = fleet.network.layers, own.repartition_point
    if not 0 <= point < layers:
        yield f"re-partition point {point} is outside of the network; its layers are 0 to {layers - 1}"
    if not own.heads:
        yield "has no fragments"
    for stage in own.stages:
        if stage.batch not in fleet.network.batches or stage.share_pct not in fleet.network.shares_pct:
            yield f"batch {stage.batch} at {stage.share_pct} % of a GPU was not measured"
        if stage.instances < 1:
            yield f"a stage has {stage.instances} instances; at least 1 is needed"
    for head in own.heads:
        yield from _malformed_head(fleet, head, point)


def _malformed_head(fleet: Fleet, head: Head, point: int) -> Iterator[str]:
    members = [fleet.fragments[k] for k in head.fragments if 0 <= k < len(fleet.fragments)]
    if not head.fragments:
        yield "a head has no fragments"
    if len({fragment.partition_point for fragment in members}) > 1:
        yield f"fragments {members[0].name} and others of a head have different partition points"
    for fragment in members:
        begin = fragment.partition_point
        if head.stage is None and begin != point:
            yield f"fragment {fragment.name} begins at layer {begin}, not {point}, and has no stage of its own"
        if head.stage is not None and begin >= point:
            yield f"fragment {fragment.name} begins at layer {begin}; no layers are left for a stage before {point}"


def _priced(fleet: Fleet, own: RealignedSet) -> SetEvaluation:
    rates = [sum((fleet.fragments[k].rate_rps for k in head.fragments), Fraction(0)) for head in own.heads]
    shared = _stage(fleet, own.shared, own.repartition_point, fleet.network.layers, sum(rates, Fraction(0)))
    heads = tuple(
        None
        if head.stage is None
        else _stage(fleet, head.stage, fleet.fragments[head.fragments[0]].partition_point, own.repartition_point, rate)
        for head, rate in zip(own.heads, rates, strict=True)
    )
    before = max((head.latency_s for head in heads if head is not None), default=Fraction(0))
    return SetEvaluation(before + shared.latency_s, shared, heads)


def _stage(fleet: Fleet, stage: Stage, first: int, end: int, rate_rps: Fraction) -> StageEvaluation:
    latency = fleet.network.latency_s(first, end, stage.batch, stage.share_pct)
    assert latency is not None
    return StageEvaluation(first, end, latency, rate_rps, stage.instances * stage.batch / latency)


def _outside(fleet: Fleet, own: RealignedSet, space: FragmentSpace) -> Iterator[str]:
    """Rules of the plan space that a set breaks."""
    members = [fleet.fragments[k] for k in own.fragments]
    if space.max_members is not None and len(members) > space.max_members:
        yield f"has {len(members)} fragments; {space.max_members} may share instances"
    if space.max_instances is not None:
        for stage in own.stages:
            if stage.instances > space.max_instances:
                yield f"a stage has {stage.instances} instances; {space.max_instances} are allowed"
    if space.sharing is Sharing.REALIGNED:
        return
    if any(head.stage is not None for head in own.heads):
        yield "a stage ends before the last layer; fragments may not be realigned"
    if space.sharing is Sharing.ALONE and len(members) > 1:
        yield f"has {len(members)} fragments; each has to be served alone"
    if space.sharing is Sharing.UNIFORM and len({(f.partition_point, f.budget_s) for f in members}) > 1:
        yield "has fragments of different partition points or time budgets; only uniform ones may share instances"


def _late(fleet: Fleet, own: RealignedSet, priced: SetEvaluation, space: FragmentSpace) -> Iterator[str]:
    """Fragments with a broken time budget."""
    least = min(fleet.fragments[k].budget_s for k in own.fragments)
    for head, stage in zip(own.heads, priced.heads, strict=True):
        needed = QUEUEING * (priced.shared.latency_s + (stage.latency_s if stage is not None else 0))
        for k in head.fragments:
            fragment = fleet.fragments[k]
            budget = least if space.budgets is Budgets.LEAST else fragment.budget_s
            if needed > budget:
                whose = "its time budget" if budget == fragment.budget_s else "the least time budget of the set"
                yield (
                    f"fragment {fragment.name}: {full(needed)} s, queueing included, exceed {whose} of {full(budget)} s"
                )


def _overloaded(priced: SetEvaluation) -> Iterator[str]:
    """Stages with instances that serve less than their rate."""
    for stage in (priced.shared, *priced.heads):
        if stage is not None and stage.throughput_rps < stage.rate_rps:
            yield (
                f"layers {stage.first} to {stage.end - 1}: the instances serve {full(stage.throughput_rps)} of "
                f"{full(stage.rate_rps)} requests per second"
            )


def _crowded(network: Network, own: RealignedSet, priced: SetEvaluation) -> Iterator[str]:
    """Stages with instances that do not fit into the server's memory, or its most instances per GPU."""
    heads = [(head.stage, found) for head, found in zip(own.heads, priced.heads, strict=True)]
    for stage, found in ((own.shared, priced.shared), *heads):
        if stage is None or found is None or network.server is None:
            continue
        where, memory = f"layers {found.first} to {found.end - 1}", network.server.gpu_memory_mb
        taken, share = network.memory_mb(found.first, found.end), Fraction(stage.share_pct, WHOLE_GPU_PCT)
        if memory is not None and taken > share * memory:
            yield (
                f"{where}: an instance takes {full(taken)} MB; {stage.share_pct} % of a GPU hold "
                f"{full(share * memory)} of its {full(memory)} MB (network.server.gpu_memory_mb)"
            )
        most = network.server.gpu_instances
        if most is not None and share * most < 1:
            yield (
                f"{where}: {stage.share_pct} % of a GPU are less than the share of each of {most} instances, the most "
                "on one (network.server.gpu_instances)"
            )
