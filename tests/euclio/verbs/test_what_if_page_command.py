"""`euclio what-if --html`: the page, what is said of it, and points that are refused in one line."""

import json

import pytest
from tiny_sessions import TEXT

from euclio.cli import main

POINTS = ["--rate", "5,20", "--slo", "0.1,0.9", "--price", "V100=1.5,3,P100=1", "--stock", "V100=5,any"]


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


def test_it_writes_the_page_and_says_how_many_plans_it_has(instance, tmp_path, capsys):
    """2 x 2 x 2 x 2 places by two ways; the one price of P100 is a change at all of them."""
    out = tmp_path / "page.html"
    assert main(["what-if", instance, *POINTS, "--html", str(out)]) == 0
    said = capsys.readouterr().out.strip()
    assert (
        said
        == f"{out}: 32 plans over rate 5 to 20, SLO 0.1 to 0.9, price of V100 1.5 to 3, stock of V100 5 to no limit"
    )
    text = out.read_text()
    assert "price of P100 1 per hour" in text
    assert "<title>What if: tiny</title>" in text


def test_json_prints_what_the_page_holds(instance, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["what-if", instance, *POINTS, "--html", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "euclio/what-if-sweep/1"
    assert [len(axis["values"]) for axis in found["grid"]["axes"]] == [2, 2, 2, 2]
    assert len(found["points"]) == 16


def test_a_capacity_of_a_resource_is_an_axis(tmp_path, capsys):
    data = json.loads(TEXT)
    data["hardware"][0]["takes"] = {"power": 300}
    path, out = tmp_path / "capped.json", tmp_path / "page.html"
    path.write_text(json.dumps(data))
    asked = ["--rate", "5", "--slo", "2", "--price", "V100=1", "--stock", "V100=9", "--resource", "power=600,1e6"]
    assert main(["what-if", str(path), *asked, "--html", str(out)]) == 0
    assert "4 plans over capacity of power 600 to 1000000" in capsys.readouterr().out


def test_what_machines_take_may_be_given_next_to_the_capacities(instance, tmp_path, capsys):
    """The page says the capacities as an axis, and what machines take as a change at all points."""
    out = tmp_path / "page.html"
    asked = ["--rate", "5", "--slo", "2", "--price", "V100=1", "--stock", "V100=9", "--takes", "watts=V100:72"]
    assert main(["what-if", instance, *asked, "--resource", "watts=600,1e6", "--html", str(out)]) == 0
    assert "4 plans over capacity of watts 600 to 1000000" in capsys.readouterr().out
    assert "of watts in all" not in out.read_text()


def test_without_a_plan_anywhere_it_is_infeasible(instance, tmp_path):
    asked = ["--rate", "20", "--slo", "0.1,0.2", "--price", "V100=1", "--stock", "V100=9"]
    assert main(["what-if", instance, *asked, "--html", str(tmp_path / "page.html")]) == 3


def test_a_way_of_charging_that_the_solver_does_not_cover_is_left_out_and_said(instance, tmp_path, capsys):
    out = str(tmp_path / "page.html")
    asked = ["--rate", "5,6", "--slo", "2", "--price", "V100=1", "--stock", "V100=9", "--solver", "milp", "--html", out]
    assert main(["what-if", instance, *asked, "--machines", "share,packed"]) == 0
    captured = capsys.readouterr()
    assert "--machines packed is left out: milp does not cover packed machines" in captured.err
    assert captured.out.startswith(f"{out}: 2 plans")
    assert main(["what-if", instance, *asked, "--machines", "packed"]) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rate", ""], "argument --rate: '' must be a number greater than 0"),
        (["--rate", "5,0"], "argument --rate: is 0; it must be greater than 0"),
        (["--price", "V100=1,-1"], "argument --price: is -1; it must be at least 0"),
        (["--price", "1,2"], "argument --price: '1' must be NAME=VALUE"),
        (["--price", "V100=1,V100=2"], "argument --price: 'V100' is given twice"),
        (["--stock", "V100=1.5"], "argument --stock: '1.5' must be a whole number, at least 0"),
        (["--stock", "V10=1,2"], "tiny.json: --stock: unknown hardware 'V10'; did you mean V100?"),
        (["--price", "V10=1"], "tiny.json: --price: unknown hardware 'V10'; did you mean V100?"),
        (
            ["--rate", ",".join(map(str, range(1, 90)))],
            "= 8,010 plans, and at most 2,000 are computed; give fewer points",
        ),
        (["--out", "table.csv"], "--out: is of the table; ask for the page without it"),
    ],
)
def test_bad_points_are_refused_in_one_line(instance, tmp_path, capsys, options, words):
    out = tmp_path / "page.html"
    assert main(["what-if", instance, *options, "--html", str(out)]) == 2
    error = capsys.readouterr().err.strip()
    assert words in error
    assert "\n" not in error
    assert not out.exists()


def test_several_prices_need_the_page(instance, capsys):
    """The table has no column for them; one price stays a change of all rows, as before."""
    assert main(["what-if", instance, "--price", "V100=1,2"]) == 2
    assert "--price: gives 2 points of V100; give one number, or --html OUT" in capsys.readouterr().err


def test_the_file_that_is_read_is_not_written_over(instance, capsys):
    assert main(["what-if", instance, "--html", instance]) == 2
    assert "would be lost" in capsys.readouterr().err
