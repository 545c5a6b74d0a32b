"""The plan of machines that run now, as a user states them."""

from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.deployed import deployed
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.rules import DummyRule


def session(rate=100, slo="0.5"):
    """Module detect may run batches of 1 or 8 on L4, 8 also two at a time on A10G; embed of 4 on either."""
    detect = [Configuration("L4", 1, 1, "0.02"), Configuration("L4", 8, 1, "0.1"), Configuration("A10G", 8, 2, "0.16")]
    embed = [Configuration("A10G", 4, 1, "0.05"), Configuration("L4", 4, 1, "0.1")]
    modules = [Module("detect", rate, detect), Module("embed", rate, embed)]
    return Session("two", slo, [Hardware("L4", "0.7"), Hardware("A10G", "1.1")], modules, [("detect", "embed")])


def test_machines_are_charged_whole_and_share_the_rate():
    """3 L4 take 240 of 100 requests per second: 140 dummies, more than the 80 of a machine, and 0.1 + 8/240 s.

    2 A10G take 160, and 60 dummies are fewer than a machine's 80: 0.05 + 4/160 s. 3·0.7 + 2·1.1 = 4.3.
    """
    plan, space = deployed(session(), {"detect:L4": 3, "embed:A10G": 2}, {"detect": (8, None)})
    found = evaluate(session(), plan, space)
    assert (found.violations, found.cost_per_h, space.dummy) == ((), Fraction("4.3"), DummyRule.CONTINUOUS)
    assert found.latency_s == Fraction("0.1") + Fraction(8, 240) + Fraction("0.05") + Fraction(4, 160)
    assert [own.dummy_rps for own in plan.modules] == [140, 60]


def test_exactly_full_machines_have_no_dummies():
    """At 160 requests per second 2 L4 with batch 8 are full; one more is too much for them."""
    places = {"detect:L4": 2, "embed:A10G": 2}
    plan, space = deployed(session(160), places, {"detect": (8, None)})
    assert ([own.dummy_rps for own in plan.modules], space.dummy) == ([0, 0], DummyRule.MACHINE)
    assert evaluate(session(160), plan, space).feasible
    with pytest.raises(InputError, match="2 L4, batch 8, take 160 of 161 requests per second, so that requests wait"):
        deployed(session(161), places, {"detect": (8, None)})


def test_types_of_a_module_stand_in_the_order_of_rank():
    """L4 with batch 8 gives 80/0.7 per money, A10G 100/1.1: L4 first, whichever is named first; each has its batch."""
    places = {"detect:A10G": 1, "embed:L4": 1, "detect:L4": 1, "embed:A10G": 1}
    plan, space = deployed(session(), places, {"detect:L4": (8, None), "detect:A10G": (8, 2)})
    assert [a.configuration.hardware for a in plan.modules[0].allocations] == ["L4", "A10G"]
    assert evaluate(session(), plan, space).feasible


def test_a_plan_that_is_too_slow_is_priced():
    """Who runs too slow a plan asks by how much."""
    plan, space = deployed(session(slo="0.1"), {"detect:L4": 3, "embed:A10G": 2}, {"detect": (8, None)})
    found = evaluate(session(slo="0.1"), plan, space)
    assert (found.cost_per_h, len(found.violations)) == (Fraction("4.3"), 1)


def test_a_session_of_one_module_needs_no_names():
    alone = Session("one", 1, [Hardware("L4", 1)], [Module("detect", 40, [Configuration("L4", 1, 1, "0.02")])])
    assert deployed(alone, {"L4": 2})[0].modules[0].dummy_rps == 60


@pytest.mark.parametrize(
    ("machines", "batches", "message"),
    [
        ({"detect:L4": 3}, (8, None), "--machines: names no machine of module embed; add embed:TYPE=N"),
        ({"detec:L4": 3}, None, "--machines: names 'detec:L4'; give MODULE:TYPE=N: did you mean detect:L4"),
        ({"L4": 3}, None, "--machines: names 'L4'; give MODULE:TYPE=N"),
        (
            {"detect:L4": 3, "embed:A10G": 2},
            None,
            "--batch: is missing for detect on L4, which has 1, 8; give one of them, such as --batch detect=1",
        ),
        (
            {"detect:L4": 3, "embed:A10G": 2},
            {"detect": (4, None)},
            "--batch: is not in the profile for detect on L4, which has 1, 8; give one of them",
        ),
        ({"detect:L4": 3, "embed:A10G": 2}, {"detekt": (8, None)}, "--batch: names 'detekt'; did you mean detect"),
    ],
)
def test_names_and_batches_that_do_not_fit_are_refused(machines, batches, message):
    """A batch that is guessed is a plan that nobody runs."""
    with pytest.raises(InputError) as refused:
        deployed(session(), machines, batches)
    assert str(refused.value).startswith(message)


def test_hardware_that_a_module_has_no_profile_on_is_refused():
    kinds = [Hardware("L4", 1), Hardware("T4", 1)]
    alone = Session("one", 1, kinds, [Module("detect", 40, [Configuration("L4", 1, 1, "0.02")])])
    # The option is that of the verb: `compare` has another one.
    with pytest.raises(InputError, match="--now: module detect has no profile on T4; it has one on L4"):
        deployed(alone, {"detect:T4": 2}, option="--now")
