"""From one plan to the next without loss of service, by shadow instances (Graft §6 names them, after GSLICE; ours).

New instances start as shadows next to those of the old plan, which go on serving. Once they are up, requests go to the
new plan, and old instances end when the requests under way have passed. Instances of both plans stay. An instance is
defined by its layers and its share of a GPU: both need a process of its own, while a running process can change its
batch size.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.progress import told
from euclio.problems.fragments.deployment import deployed, processes, share_of
from euclio.problems.fragments.evaluate import QUEUEING, SetEvaluation, evaluate
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan


@dataclass(frozen=True, slots=True)
class Switch:
    """Instances, shares and seconds of a switch; shares are in percent of one GPU.

    Attributes:
        kept: instances that both plans have.
        started: shadow instances: those that only the new plan has.
        ended: instances that only the old plan has.
        before_pct: share of the old plan.
        after_pct: share of the new plan.
        shadow_pct: share of the shadow instances, which is extra until they serve.
        ending_pct: share of the instances that end, which is extra from then on.
        start_s: seconds until the shadow instances are up.
        drain_s: seconds until the requests under way have passed the old instances.
    """

    kept: int
    started: int
    ended: int
    before_pct: int
    after_pct: int
    shadow_pct: int
    ending_pct: int
    start_s: Fraction
    drain_s: Fraction

    @property
    def most_pct(self) -> int:
        """Share while the instances of both plans run."""
        return self.before_pct + self.shadow_pct

    @property
    def seconds(self) -> Fraction:
        """Seconds from the first shadow instance to the end of the last old one."""
        return self.start_s + self.drain_s

    @property
    def extra_pct_s(self) -> Fraction:
        """Share beyond that of the serving plan, times the seconds for which it is held."""
        return self.shadow_pct * self.start_s + self.ending_pct * self.drain_s


@told("simulating a change of plans")
def switch(
    old_fleet: Fleet, old_plan: FragmentPlan, new_fleet: Fleet, new_plan: FragmentPlan, *, start_s: Number
) -> Switch:
    """Instances, shares and seconds of a switch from one plan to another.

    Args:
        old_fleet: the fleet of the old plan.
        old_plan: the plan that runs.
        new_fleet: the fleet of the new plan; of the same network.
        new_plan: the plan to come.
        start_s: seconds that an instance takes to start (Graft prints none).

    Returns:
        The switch. If all instances stay, it takes no time to start or to drain.

    Raises:
        InputError: a plan cannot be priced, or the fleets have different networks.
    """
    if old_fleet.network != new_fleet.network:
        raise InputError("the fleets have different networks; no instance can stay", field="new_fleet")
    priced = _priced(old_fleet, old_plan, "old_plan")
    _priced(new_fleet, new_plan, "new_plan")
    old, new = processes(deployed(old_fleet, old_plan)), processes(deployed(new_fleet, new_plan))
    started, ended = new - old, old - new
    latencies = (
        found.latency_s
        for own, found in zip(old_plan.sets, priced, strict=True)
        if processes(deployed(old_fleet, FragmentPlan((own,)))).keys() & ended.keys()
    )
    return Switch(
        (old & new).total(),
        started.total(),
        ended.total(),
        share_of(old),
        share_of(new),
        share_of(started),
        share_of(ended),
        exact_number(start_s, "start_s") if started else Fraction(0),
        QUEUEING * max(latencies, default=Fraction(0)),
    )


def _priced(fleet: Fleet, plan: FragmentPlan, which: str) -> tuple[SetEvaluation, ...]:
    evaluation = evaluate(fleet, plan)
    if not evaluation.sets:
        raise InputError(evaluation.violations[0], field=which)
    return evaluation.sets
