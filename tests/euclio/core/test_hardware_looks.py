"""One colour per hardware type in all figures, told apart by people of any sight, in light and dark pages."""

from itertools import combinations

import numpy as np
import pytest

from euclio.core.figures import HARDWARE_COLOURS, hardware_looks

# Machado, Oliveira and Fernandes (2009), severity 1.
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    """Red, green and blue as amounts of light."""
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light):
    """CIELAB, in which distances are about as large as they look."""
    x, y, z = np.cbrt(np.clip(light, 0, 1) @ XYZ.T / (0.9505, 1, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_differ_for_people_of_any_sight(sight):
    """A distance of 2 is just seen between large areas; bars of a legend need several times that."""
    seen = [lab(np.array(SIGHTS[sight]) @ linear(colour)) for colour in HARDWARE_COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


@pytest.mark.parametrize("paper", ["#ffffff", "#16181b"])
def test_colours_stand_out_on_light_and_dark_pages(paper):
    lights = [float(XYZ[1] @ linear(colour)) + 0.05 for colour in (paper, *HARDWARE_COLOURS)]
    assert min(max(lights[0], one) / min(lights[0], one) for one in lights[1:]) > 2.2


def test_a_name_has_the_same_colour_whatever_stands_next_to_it():
    """Written out, so that another process has them too: Python's own hash differs from process to process."""
    alone = {name: hardware_looks([name])[name] for name in ("V100", "T4", "my-machine", "type-07")}
    together = hardware_looks(["type-07", "A100", "T4", "my-machine", "V100", "P100"])
    assert {name: together[name].colour for name in alone} == {name: look.colour for name, look in alone.items()}
    assert [look.colour for look in alone.values()] == ["#0072b2", "#009e73", "#d55e00", "#009e73"]


@pytest.mark.parametrize("count", [2, 6, 12, 24])
@pytest.mark.parametrize("pattern", ["type-{:02d}", "gpu{}", "{}-core machine", "V100-{}"])
def test_hardware_types_of_one_figure_look_different(count, pattern):
    looks = hardware_looks(pattern.format(k) for k in range(count))
    assert len(set(looks.values())) == count


def test_six_numbered_types_have_six_colours():
    assert len({look.colour for look in hardware_looks(f"type-{k:02d}" for k in range(1, 7)).values()}) == 6


def test_more_types_than_looks_still_have_one_each():
    assert len(hardware_looks(map(str, range(100)))) == 100


def test_what_pages_draw_together_has_solid_colours():
    """The machines of the planner's day, of PPipe's profiles and of Harpagon's."""
    for names in (("L4", "T4", "cpu", "A100"), ("L4", "V100", "T4", "P4"), ("P100", "V100")):
        assert {look.hatch for look in hardware_looks(names).values()} == {""}
