"""Prior, workloads as arrays and as sessions, and systems without the checker."""

from dataclasses import replace

import numpy as np
import pytest

from euclio import solve
from euclio.session import FULL_SPACE
from euclio.session.arrays import session_arrays
from euclio.session.workloads.applications import profiles
from euclio.studies.posterior.bridge import protocol_draws
from euclio.studies.posterior.generator import Generator, templates
from euclio.studies.posterior.prior import NAMES, PRIORS, Choice, Setting, draw, draw_unit, from_unit, to_unit
from euclio.studies.posterior.simulation import accepted, simulate
from euclio.studies.posterior.systems import run, run_all, systems_of

OWN = Setting(
    duration=1.8,
    own_kernels=False,
    fixed_share=0.3,
    second_kernel=True,
    second_start=0.62,
    second_slope=0.18,
    gain=2.2,
    gain_fall=0.05,
    gain_decay=0.7,
    streams=4,
    largest_batch=32,
    speed_excess=0.8,
    price_ratio=1.478,
    heavy_which="longest",
    heavy_machines=8.0,
    heavy_spread=3.0,
    light_machines=0.3,
    light_spread=5.0,
    slo=4.0,
    slo_spread=2.0,
    slo_step_s=0.001,
    three_weight=1.0,
    in_turn=True,
    actdet_modules=3,
    round_robin="literal",
    scrooge_split="throughput-based",
    two_dummies=True,
    given="pose",
)
"""The readings of the solvers' own rows."""
FAIR = replace(OWN, round_robin="even", scrooge_split="latency-cost efficiency", two_dummies=False)


def test_draws_depend_on_seed_and_number_alone() -> None:
    assert draw(3, 7) == draw(3, 7)
    assert draw(3, 7) != draw(3, 8)
    assert draw(3, 7) != draw(4, 7)
    assert np.array_equal(draw_unit(3, 7), draw_unit(3, 7))


def test_every_parameter_has_a_range_and_comes_back_from_its_place() -> None:
    setting = draw(1, 1)
    back = from_unit(to_unit(setting))
    for name in NAMES:
        prior, value = PRIORS[name], getattr(setting, name)
        if isinstance(prior, Choice):
            assert value in prior.values
            assert getattr(back, name) == value
        else:
            assert prior.low <= value <= prior.high
            assert getattr(back, name) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("number", range(8))
def test_arrays_are_those_of_the_session(number: int) -> None:
    generator = Generator.of(draw(11, number), 5)
    for slot in range(3):
        workload = generator.draw(slot, 0)
        ours, theirs = workload.arrays(FULL_SPACE), session_arrays(workload.session("w"), FULL_SPACE)
        for name in ("first", "batch", "duration", "throughput", "price", "rate", "order", "parent", "child"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
        assert ours.slo == theirs.slo
        assert workload.slo_s >= workload.least_s


def test_a_workload_depends_on_its_place_alone() -> None:
    setting = draw(2, 3)
    first, second = Generator.of(setting, 9), Generator.of(setting, 9)
    second.draw(0, 0)
    a, b = first.draw(4, 1), second.draw(4, 1)
    assert a.application == b.application
    assert a.slo_s == b.slo_s
    np.testing.assert_array_equal(a.rate_rps, b.rate_rps)


def test_systems_cost_what_solve_says() -> None:
    """Fifty sessions, every system with the checker and without it."""
    generator = Generator.of(OWN, 17)
    rows = systems_of(OWN, generator.template)
    compared = 0
    for slot in range(50):
        workload = generator.draw(slot, 0)
        session = workload.session(f"w{slot}")
        for name, row in rows.items():
            outcome, result = run(row, workload), solve(session, name)
            assert (outcome is None) == (result.plan is None), (slot, name)
            if outcome is not None:
                assert outcome.cost == pytest.approx(float(result.cost), rel=1e-9), (slot, name)
                compared += 1
    assert compared > 800


def test_readings_change_the_rows_they_are_about() -> None:
    generator = Generator.of(OWN, 17)
    own, read = (systems_of(setting, generator.template) for setting in (OWN, FAIR))
    changed = {name for name in own if own[name] != read[name]}
    assert changed == {"nexus", "inferline", "clipper", "scrooge", "harpagon:2d", "harpagon:dt", "harpagon:2c"}
    workload = generator.draw(1, 0)
    outcome = run(read["inferline"], workload)
    result = solve(workload.session("w"), "inferline", policy="rr-even")
    assert outcome is not None
    assert outcome.cost == pytest.approx(float(result.cost), rel=1e-9)


def test_a_refused_workload_names_who_refused() -> None:
    generator = Generator.of(OWN, 17)
    rows = systems_of(OWN, generator.template)
    for slot in range(30):
        outcomes, against = run_all(rows, generator.draw(slot, 0))
        assert (against == "") == (set(outcomes) == set(rows))


def test_simulations_repeat() -> None:
    once, twice = simulate(FAIR, 3, 12), simulate(FAIR, 3, 12)
    assert once == twice
    assert once.figures
    assert 0 < once.facts["accepted"] <= 1


def test_a_setting_that_no_system_can_serve_is_given_up() -> None:
    solved, refused, drawn = accepted(replace(FAIR, slo=1.0, slo_spread=1.0), 1, 40)
    assert solved == []
    assert refused.total() <= drawn < 100


def test_a_setting_gives_the_protocol_its_workloads() -> None:
    draws = protocol_draws(FAIR, 3, 12)
    solved, _, drawn = accepted(FAIR, 3, 12)
    assert draws.drawn == drawn
    assert len(draws.workloads) == len(solved)
    for workload, one in zip(draws.workloads, solved, strict=True):
        result = solve(workload.session, "harpagon")
        assert float(result.cost) == pytest.approx(one.outcomes["harpagon"].cost, rel=1e-9)
        assert workload.session.name.startswith(workload.application)


def test_own_kernels_at_the_usual_values_are_those_of_the_profiles() -> None:
    own = replace(
        OWN,
        duration=1.0,
        own_kernels=True,
        second_start=0.79,
        second_slope=0.26,
        gain=1.0,
        gain_fall=0.05,
        gain_decay=0.2,
        speed_excess=1.0,
        actdet_modules=5,
    )
    vehicle = templates(own)["traffic"].modules[1].profile
    assert {(c.hardware, c.batch, c.concurrency, c.duration_s) for c in vehicle} == {
        (c.hardware, c.batch, c.concurrency, c.duration_s) for c in profiles()["vehicle"]
    }
