"""Prior, workloads as arrays and as sessions, and systems without the checker."""

from dataclasses import replace

import numpy as np
import pytest

from euclio import solve
from euclio.problems.session import FULL_SPACE
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.acceptance import BASELINES, SYSTEMS
from euclio.workloads.session.applications import profiles
from heuristics.session.systems import PICCOLO_SYSTEMS
from studies.drawn_workloads import protocol_draws
from studies.inference import simulation
from studies.inference.generator import Generator, templates
from studies.inference.prior import (
    NAMES,
    PAPERS,
    PRIORS,
    Choice,
    Setting,
    draw,
    flat,
    setting_of,
)
from studies.inference.simulation import accepted, simulate
from studies.inference.systems import run, run_all, systems_of

FAIR = Setting(
    duration=1.8,
    own_kernels=False,
    shape_spread=0.0,
    shape_draw=0,
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
    one_rate=False,
    acceptance="all",
    heavy_which="longest",
    heavy_machines=8.0,
    heavy_spread=3.0,
    light_machines=0.3,
    light_spread=5.0,
    whole_share=0.0,
    rate_step=0.0,
    slo=4.0,
    slo_spread=2.0,
    slo_step_s=0.001,
    three_weight=1.0,
    round_robin="even",
    given="pose",
    reassign_first=True,
    own_scrooge=True,
    two_dummies=False,
    few_filled=False,
)
"""The readings of Harpagon's systems by the solvers' own rows."""
LITERAL = replace(
    FAIR, round_robin="literal", own_scrooge=False, two_dummies=True, few_filled=True, reassign_first=False
)
LOOSE = replace(FAIR, slo=5.0)
FAIRS = {"harpagon": FAIR, "piccolo": replace(FAIR, slo=5.0, reassign_first=False)}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_random_setting_is_the_same_again_and_within_its_ranges(paper: str) -> None:
    setting = draw(paper, 7)
    assert setting == draw(paper, 7) != draw(paper, 8)
    assert tuple(flat(setting)) == NAMES
    assert setting_of(paper, flat(setting)) == setting
    for name, value in flat(setting).items():
        prior = PRIORS[paper][name]
        if isinstance(prior, Choice):
            assert prior.value(prior.place(value)) == value
        else:
            assert prior.low <= value <= prior.high
            assert prior.value(prior.place(value)) == pytest.approx(value, rel=1e-12)


def test_rates_fill_whole_machines_where_asked_for() -> None:
    """Machines of the best configuration, at least one of them; next to the draws that stay what they are without."""
    whole = Generator.of(replace(FAIR, whole_share=1.0), 5)
    for slot in range(5):
        workload, free = whole.draw(slot, 0), Generator.of(FAIR, 5).draw(slot, 0)
        arrays = session_arrays(workload.template, FULL_SPACE)
        machines = workload.rate_rps / arrays.throughput[arrays.first[:-1]]
        np.testing.assert_allclose(machines, np.maximum(1, np.round(machines)), rtol=1e-5)
        np.testing.assert_array_less(abs(machines - free.rate_rps / arrays.throughput[arrays.first[:-1]]), 1.0)


def test_rates_are_multiples_of_their_step() -> None:
    rates = np.concatenate([Generator.of(replace(FAIR, rate_step=10.0), 5).draw(n, 0).rate_rps for n in range(5)])
    assert set(rates % 10) == {0.0}
    assert rates.min() >= 10


def test_networks_differ_by_the_spread_of_shapes() -> None:
    """How the duration grows from one request to eight: the same of all networks of one shape, of others not."""

    def growth(setting: Setting) -> set[float]:
        found = set()
        for module in (m for session in templates(setting).values() for m in session.modules):
            times = {
                c.batch: float(c.duration_s) for c in module.profile if c.concurrency == 1 and c.hardware == "P100"
            }
            if 32 in times:
                found.add(round(times[2] / times[1], 2))
        return found

    assert len(growth(FAIR)) == 1 < len(growth(replace(FAIR, shape_spread=0.5)))
    assert growth(replace(FAIR, shape_spread=0.5)) != growth(replace(FAIR, shape_spread=0.5, shape_draw=1))


@pytest.mark.parametrize("number", range(8))
def test_arrays_are_those_of_the_session(number: int) -> None:
    generator = Generator.of(draw("harpagon", number), 5)
    for slot in range(3):
        workload = generator.draw(slot, 0)
        ours, theirs = workload.arrays(FULL_SPACE), session_arrays(workload.session("w"), FULL_SPACE)
        for name in ("first", "batch", "duration", "throughput", "price", "rate", "order", "parent", "child"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
        assert ours.slo == theirs.slo
        assert workload.slo_s >= workload.least_s


def test_a_workload_depends_on_its_place_alone() -> None:
    setting = draw("harpagon", 3)
    first, second = Generator.of(setting, 9), Generator.of(setting, 9)
    second.draw(0, 0)
    a, b = first.draw(4, 1), second.draw(4, 1)
    assert a.application == b.application
    assert a.slo_s == b.slo_s
    np.testing.assert_array_equal(a.rate_rps, b.rate_rps)


@pytest.mark.fifth("paper")
@pytest.mark.parametrize("paper", PAPERS)
def test_systems_cost_what_solve_says(paper: str) -> None:
    """Twenty-five sessions, every system with the checker and without it."""
    fair = FAIRS[paper]
    generator = Generator.of(fair, 17)
    rows = systems_of(paper, fair, generator.template)
    compared = 0
    for slot in range(25):
        workload = generator.draw(slot, 0)
        session = workload.session(f"w{slot}")
        for name, row in rows.items():
            outcome, result = run(row, workload), solve(session, name)
            assert (outcome is None) == (result.plan is None), (slot, name)
            if outcome is not None:
                assert outcome.cost == pytest.approx(float(result.cost), rel=1e-9), (slot, name)
                compared += 1
    assert compared > 400


def test_systems_are_those_of_the_papers() -> None:
    template = Generator.of(FAIR, 1).template
    assert set(systems_of("harpagon", FAIR, template)) == set(SYSTEMS)
    own = systems_of("piccolo", FAIR, template)
    assert set(own) == {row.name for row in PICCOLO_SYSTEMS} | set(BASELINES)
    assert len(own) == 18


@pytest.mark.parametrize(
    ("paper", "literal"),
    [
        ("harpagon", {"inferline", "clipper", "scrooge", "harpagon:2c", "harpagon:1re"}),
        ("piccolo", {"inferline", "clipper", "piccolo:1bpc", "piccolo:2bpc", "piccolo:1re"}),
    ],
)
def test_readings_change_the_rows_they_are_about(paper: str, literal: set[str]) -> None:
    fair = FAIRS[paper]
    other = replace(LITERAL, reassign_first=not fair.reassign_first)
    generator = Generator.of(fair, 17)
    usual, read = (systems_of(paper, setting, generator.template) for setting in (fair, other))
    assert {name for name in usual if usual[name] != read[name]} == literal
    assert all(usual[name].system.name == name for name in usual)
    workload = generator.draw(1, 0)
    result = solve(workload.session("w"), "inferline:literal")
    outcome = run(read["inferline"], workload)
    assert (outcome is None) == (result.plan is None)
    if outcome is not None:
        assert outcome.cost == pytest.approx(float(result.cost), rel=1e-9)


def test_a_refused_workload_names_who_refused() -> None:
    generator = Generator.of(LITERAL, 17)
    rows = systems_of("harpagon", LITERAL, generator.template)
    for slot in range(30):
        outcomes, against = run_all(rows, generator.draw(slot, 0))
        assert (against == "") == (set(outcomes) == set(rows))


@pytest.mark.fifth("paper")
@pytest.mark.parametrize("paper", PAPERS)
def test_simulations_repeat(paper: str) -> None:
    once, twice = simulate(paper, FAIRS[paper], 3, 12), simulate(paper, FAIRS[paper], 3, 12)
    assert once == twice
    assert once.figures
    assert 0 < once.facts["accepted"] <= 1


def test_a_setting_that_no_system_can_serve_is_given_up() -> None:
    tight = replace(FAIR, slo=1.0, slo_spread=1.0)
    solved, refused, drawn = accepted("harpagon", tight, 1, 40)
    assert solved == []
    assert refused.total() <= drawn < 1200


@pytest.mark.parametrize("paper", PAPERS)
def test_a_setting_gives_the_protocol_its_workloads(paper: str) -> None:
    draws = protocol_draws(paper, FAIRS[paper], 3, 12)
    solved, _, drawn = accepted(paper, FAIRS[paper], 3, 12, exactly=True)
    assert draws.drawn == drawn
    assert len(draws.workloads) == len(solved) == 12
    for workload, one in zip(draws.workloads, solved, strict=True):
        result = solve(workload.session, paper)
        assert float(result.cost) == pytest.approx(one.outcomes[paper].cost, rel=1e-9)
        assert workload.session.name.startswith(workload.application)


def test_places_that_stay_empty_are_taken_by_further_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "ATTEMPTS", 2)
    strict = replace(FAIR, acceptance="all")
    some, _, _ = accepted("harpagon", strict, 2, 30)
    exactly, _, _ = accepted("harpagon", strict, 2, 30, exactly=True)
    assert 0 < len(some) < len(exactly) == 30
    assert [s.workload.slo_s for s in exactly[: len(some)]] == [s.workload.slo_s for s in some]


def test_long_objectives_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "LONGEST_SLO_S", 0.0)
    solved, refused, _ = accepted("piccolo", FAIR, 1, 8)
    assert solved == []
    assert set(refused) == {"objective"}


def test_own_kernels_at_the_usual_values_are_those_of_the_profiles() -> None:
    own = replace(
        FAIR,
        duration=1.0,
        own_kernels=True,
        second_start=0.79,
        second_slope=0.26,
        gain=1.0,
        gain_fall=0.05,
        gain_decay=0.2,
        speed_excess=1.0,
    )
    vehicle = templates(own)["traffic"].modules[1].profile
    assert {(c.hardware, c.batch, c.concurrency, c.duration_s) for c in vehicle} == {
        (c.hardware, c.batch, c.concurrency, c.duration_s) for c in profiles()["vehicle"]
    }
