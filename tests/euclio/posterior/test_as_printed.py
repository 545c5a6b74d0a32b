"""Settings that keep to print: what is printed is not varied, and the search goes down."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.posterior.generator import Generator, templates
from euclio.posterior.population import Search, apart_in, nearest_setting
from euclio.posterior.printed import (
    FIXED,
    FREE,
    GRID,
    as_printed,
    as_printed_of,
    places_of,
    printed_path,
    printed_setting,
    write_printed,
)
from euclio.posterior.prior import DEFAULTS
from euclio.posterior.simulation import accepted, simulate

MIDDLE = as_printed("harpagon", np.full(len(FREE), 0.5))


def test_machines_cost_and_are_as_fast_as_in_table_2_of_scrooge():
    for session in templates(MIDDLE).values():
        assert [h.price_per_h for h in session.hardware] == [Fraction("2.07"), Fraction("3.06")]
    detector = templates(MIDDLE)["traffic"].modules[0].profile
    slow, fast = (
        next(c.duration_s for c in detector if c.hardware == name and c.batch == 1) for name in ("P100", "V100")
    )
    assert float(slow / fast) == pytest.approx(1.11, rel=1e-3)


def test_no_application_has_more_than_three_modules():
    """A brute force of 35.9 s rules out the five modules of actdet."""
    assert {name: len(own.modules) for name, own in templates(MIDDLE).items()} == {
        "traffic": 3,
        "face": 2,
        "pose": 2,
        "caption": 2,
        "actdet": 3,
    }


@pytest.mark.parametrize("paper", GRID)
def test_workloads_of_two_and_three_modules_are_as_many_as_the_percentages_say(paper):
    """94.36 % is 184 of 195 workloads, and no number of 663."""
    count = sum(GRID[paper].values())
    generator = Generator.of(as_printed(paper, np.full(len(FREE), 0.5)), 7)
    sizes = Counter(len(generator.draw(slot, 0).template.modules) for slot in range(count))
    assert {size: pytest.approx(own, abs=2) for size, own in GRID[paper].items()} == sizes
    assert round(100 * 184 / GRID[paper][2], 2) == 94.36


def test_a_setting_stands_in_a_file_as_it_was_found(tmp_path):
    write_printed("harpagon", MIDDLE, {"seed": 1}, tmp_path / "s.json")
    stored = json.loads((tmp_path / "s.json").read_text())["setting"]
    assert set(stored) == set(FREE)
    assert not set(stored) & set(FIXED)
    assert as_printed_of("harpagon", json.loads((tmp_path / "s.json").read_text())["setting"]) == MIDDLE
    assert places_of(MIDDLE)[:5] == pytest.approx(np.full(5, 0.5), abs=0.26)


def test_the_stored_setting_reads_all_systems_as_the_solvers_do():
    """Sessions of it are solved by the solvers' own rows."""
    own = printed_setting("harpagon")
    readings = {name: value for name, value in DEFAULTS["harpagon"].items() if name != "acceptance"}
    assert {name: getattr(own, name) for name in readings} == readings
    assert (own.printed, own.acceptance, own.one_dummies) == (True, "own", False)


def test_the_stored_setting_has_all_five_applications():
    solved, _, _ = accepted("harpagon", printed_setting("harpagon"), 20240917, 60)
    assert {one.workload.application for one in solved} == {"traffic", "face", "pose", "caption", "actdet"}


def test_a_paper_without_such_a_setting_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr("euclio.posterior.printed.printed_path", lambda paper: tmp_path / f"{paper}.json")
    with pytest.raises(InputError, match="--as-printed"):
        printed_setting("piccolo")


def test_averages_are_over_the_workloads_that_a_system_has_a_plan_for():
    """Harp-1c has none for captions; a share or a mean that counted these would be of something else."""
    solved, _, _ = accepted("harpagon", printed_setting("harpagon"), 3, 40)
    assert any(one.outcomes["harpagon:1c"] is None for one in solved)
    figures = simulate("harpagon", printed_setting("harpagon"), 3, 40).figures
    assert figures["1c_mean_extra"] > 0
    assert 0 <= figures["2c_same_share"] <= 100


def test_a_search_goes_down_and_gives_the_same_twice(tmp_path):
    fixed = {**DEFAULTS["harpagon"], "acceptance": "own", "one_dummies": False}
    search = Search("harpagon", 3, generations=2, size=4, starts=4, workloads=6, fixed=fixed)
    found = [nearest_setting(search, 1, tmp_path / f"{n}.json", sizes=(6, 6)) for n in range(2)]
    assert found[0] == found[1]
    setting, how = found[0]
    assert (setting.printed, setting.acceptance) == (True, "own")
    assert how["distance"]["judging"] > 0
    assert not list(tmp_path.glob("*.journal"))


def test_the_distance_leaves_the_share_out():
    """What is asked of a setting is no part of how it is chosen."""
    assert apart_in({}, ["harpagon:nb_mean_extra"]) > apart_in(
        {"harpagon:nb_mean_extra": 1e6}, ["harpagon:nb_mean_extra"]
    )
    near = {"harpagon:1c_mean_extra": 66.5, "harpagon:optimal_share": 0.0}
    assert apart_in(near, ["harpagon:1c_mean_extra"]) == 0.0
    assert printed_path("harpagon").name == "harpagon-as-printed.json"
