"""Demands of sessions and their plan spaces: features that not every solver covers (`euclio.core.parameters`)."""

from __future__ import annotations

from euclio.core.parameters import Demand
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import has_floors, least_machines, paid_for
from euclio.problems.session.policies import Form, Policy
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.services import is_plain, without_objective
from euclio.problems.session.space import PlanSpace

NO_PAPER = "no paper asks for it"
SEVERAL_OBJECTIVES = frozenset({"objectives", "no_objective"})
"""Demands that a method covers if it knows the lengths of paths only by the session's DAG, with its delays and ends."""
FLOORS = frozenset({"at_least", "least_machines"})
"""Demands that a method covers if it ignores idle machines, which the checker adds to any plan."""
FEWER_DUMMIES = ("dummy", DummyRule.MACHINE)


def quick_when_partial(session: Session, space: PlanSpace) -> bool:
    """Whether some machine that is nearly full is faster than a full one: d + b/t against form `FIXED`'s latency."""
    return space.policy.form is Form.FIXED and not _fastest_full(session, space)


def _fastest_full(session: Session, space: PlanSpace) -> bool:
    return space.policy.fastest_full(
        c for module in session.modules for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)
    )


def never_cheaper_at_more(session: Session, space: PlanSpace) -> bool:
    """Whether it is proven that the least cost does not fall, and no plan appears, if all rates rise alike.

    If machines are charged whole, dummies fill them at no cost. Fill the machines of a plan with dummies. The plan
    costs the same. It has as many machines of each type, and stock, resources, changes and spare machines ask for no
    more. The types that may be lost leave no less. The plan is no slower if no machine is slower when it is full
    (`Policy.fastest_full`). A policy sees only rates with dummies, so these full machines take as long at every lower
    rate. So the plan is a plan there too: all limits but one are about machines, and the requests that must be served
    without a type fall with the rate.

    There is no such proof by share, where a machine is paid for the share in use, and none without dummies. Nor is
    there one where a full machine is slower (`rr` with several batches at a time, a user's own policy), or where
    modules share machines that are not full.
    """
    return space.fills and not space.charging.packs and _fastest_full(session, space)


def _continuous_by_share(space: PlanSpace) -> bool:
    return not space.dummy.countable and not space.charging.whole


def _continuous_whole(session: Session, space: PlanSpace) -> bool:
    """Whether rule `continuous` adds useful plans to those of rule `machine` although machines are charged whole."""
    return not space.dummy.countable and space.charging.whole and quick_when_partial(session, space)


def is_limited_by_changes(session: Session) -> bool:
    """Whether changes to running machines are limited or cost anything."""
    running = session.running
    return running is not None and (running.binds or any(session.state.values()))


def _limited(session: Session) -> bool:
    """Whether a plan has limits that are no sums over its machines, as a stock and resources are."""
    return bool(is_limited_by_changes(session) or session.spare_machines or session.share_groups or has_floors(session))


SESSION_DEMANDS = (
    Demand("packed", "packed machines", lambda session, space: space.charging.packs),
    Demand("whole", "whole machines", lambda session, space: space.charging.whole and not space.charging.packs),
    # By share it limits a sum of shares, by whole machines a number, and not every method covers both.
    Demand("stock", "a stock of machines", lambda session, space: bool(session.stock) and space.charging.whole),
    Demand(
        "shares",
        "a stock of machines by share",
        lambda session, space: bool(session.stock) and not space.charging.whole,
        kept=NO_PAPER,
    ),
    Demand("resources", "a capacity of a resource", lambda session, space: bool(session.resources)),
    Demand("changes", "a limit on changes or a price of them", lambda session, space: is_limited_by_changes(session)),
    Demand("spare", "spare machines", lambda session, space: bool(session.spare_machines)),
    Demand("largest_share", "a largest share of some hardware", lambda session, space: bool(session.share_groups)),
    Demand(
        "at_least",
        "machines that are paid for, used or not",
        lambda session, space: bool(paid_for(session)),
    ),
    Demand(
        "least_machines",
        "least machines of a module",
        lambda session, space: bool(least_machines(session)) and space.charging.whole,
    ),
    Demand(
        "least_machines_share",
        "least machines of a module by share",
        lambda session, space: bool(least_machines(session)) and not space.charging.whole,
        kept="they are whole machines",
        instead=("charging", Charging.WHOLE),
    ),
    Demand("objectives", "objectives of modules or delays between them", lambda session, space: not is_plain(session)),
    Demand(
        "no_objective",
        "modules that lead to no objective",
        lambda session, space: bool(without_objective(session)),
        meets=("objectives",),
    ),
    Demand("share", "machines by share", lambda session, space: not space.charging.whole, assumed=True),
    Demand("one_hardware", "one hardware type per session", lambda session, space: space.single_hardware, assumed=True),
    Demand("one_allocation", "one allocation per module", lambda session, space: space.max_allocations == 1, True),
    Demand(
        "other_policies",
        f"other policies than {Policy.MACHINE_RATE}",
        lambda session, space: space.policy is not Policy.MACHINE_RATE,
        assumed=True,
    ),
    Demand(
        "own_policies",
        "a policy of your own, whose latencies may depend on the plan in any way",
        lambda session, space: space.policy.form is Form.GENERAL,
        assumed=True,
        named=lambda session, space: space.policy.name,
    ),
    Demand(
        "shared_last",
        "policies under which all machines of the last allocation share its rate",
        lambda session, space: space.policy.form is Form.EVEN,
        assumed=True,
        meets=("other_policies",),
        named=lambda session, space: space.policy.name,
    ),
    Demand(
        "own_policies_filled",
        "a policy of your own where dummies fill machines for nothing",
        lambda session, space: space.policy.form is Form.GENERAL and space.fills,
        assumed=True,
        meets=("own_policies",),
        instead=("dummy", DummyRule.NONE),
    ),
    Demand(
        "countable",
        "dummy rules none and machine, which keep no capacity free as --dummy continuous does",
        lambda session, space: space.dummy.countable,
        assumed=True,
    ),
    Demand("dummies", "dummies", lambda session, space: space.dummy.adds, assumed=True),
    Demand(
        "continuous",
        "dummy rule continuous by share",
        lambda session, space: _continuous_by_share(space),
        assumed=True,
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "continuous_whole",
        "dummy rule continuous where a machine that is not full may be faster than a full one",
        _continuous_whole,
        assumed=True,
        meets=("whole",),
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "shares_continuous",
        "a stock of machines by share under dummy rule continuous",
        lambda session, space: bool(session.stock) and _continuous_by_share(space),
        assumed=True,
        meets=("shares", "continuous"),
        kept=NO_PAPER,
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "resources_continuous",
        "a capacity of a resource under dummy rule continuous by share",
        lambda session, space: bool(session.resources) and _continuous_by_share(space),
        assumed=True,
        meets=("resources", "continuous"),
        kept=NO_PAPER,
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "resources_spare",
        "a capacity of a resource with spare machines",
        lambda session, space: bool(session.resources and session.spare_machines),
        assumed=True,
        meets=("resources", "spare"),
    ),
    Demand(
        "changes_continuous",
        "changes under dummy rule continuous by share",
        lambda session, space: is_limited_by_changes(session) and _continuous_by_share(space),
        assumed=True,
        meets=("changes", "continuous"),
        kept=NO_PAPER,
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "changes_continuous_whole",
        "changes under dummy rule continuous where a machine that is not full may be faster than a full one",
        lambda session, space: is_limited_by_changes(session) and _continuous_whole(session, space),
        assumed=True,
        meets=("changes", "continuous_whole"),
        kept=NO_PAPER,
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "at_least_coupled",
        "machines that are paid for, used or not, with spare machines or a limit on changes or a price of them",
        lambda session, space: (
            bool(paid_for(session)) and (session.spare_machines > 0 or is_limited_by_changes(session))
        ),
        assumed=True,
        meets=("at_least",),
    ),
    Demand(
        "at_least_continuous",
        "machines that are paid for, used or not, under dummy rule continuous by share",
        lambda session, space: bool(paid_for(session)) and _continuous_by_share(space),
        assumed=True,
        meets=("at_least", "continuous"),
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "least_machines_unfilled",
        "least machines of a module under dummy rule none",
        lambda session, space: bool(least_machines(session)) and space.charging.whole and not space.fills,
        assumed=True,
        meets=("least_machines",),
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "least_coupled",
        "least machines of a module or a largest share with a limit on changes or a price of them, or where a machine "
        "that is not full may be faster than a full one",
        lambda session, space: (
            bool(least_machines(session) or session.share_groups)
            and (is_limited_by_changes(session) or quick_when_partial(session, space))
        ),
        assumed=True,
        meets=("least_machines", "largest_share"),
    ),
    Demand(
        "share_continuous",
        "a largest share under dummy rule continuous by share",
        lambda session, space: bool(session.share_groups) and _continuous_by_share(space),
        assumed=True,
        meets=("largest_share", "continuous"),
        instead=FEWER_DUMMIES,
    ),
    Demand(
        "packed_limits",
        "packed machines within other limits than a stock and resources, machines that cost nothing, or dummy rule "
        "continuous",
        lambda session, space: (
            space.charging.packs and (_limited(session) or not all(session.price.values()) or not space.dummy.countable)
        ),
        assumed=True,
        meets=("packed",),
        instead=("charging", Charging.WHOLE),
    ),
)
"""The demands in the order in which refusals name them."""
