"""`euclio prices` as a command."""

from __future__ import annotations

import json

import pytest
from price_lists import INSTANCES, SKYPILOT, price_list, priced_session

from euclio.cli import main
from euclio.files import load_instance, save_instance


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_instance(priced_session(), "session.json")
    price_list(tmp_path, "vms.csv", SKYPILOT)
    price_list(tmp_path, "aws.csv", INSTANCES)
    price_list(tmp_path, "profiles.csv", "module,hardware,batch,concurrency,duration_s\nm,my gpu,1,1,0.1\n")
    return tmp_path


def call(capsys, *arguments):
    code = main(["prices", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


EAST = ("--currency", "USD", "--per", "hour", "--region", "east")


def test_prices_are_printed_with_their_sources_and_as_an_option(capsys, folder):
    """The last line is pasted behind solve; the session that is written solves to the same cost."""
    what = "V100,cpu=cpu-4"
    code, out, _ = call(
        capsys, "session.json", "vms.csv", "--map", what, *EAST, "--accelerators", "cpu-4=1", "--out", "new.json"
    )
    assert code == 0
    assert "T4: keeps its price" in out
    assert "v100-8 24.8 per hour / 8" in " ".join(out.split())
    option = next(line for line in out.splitlines() if line.startswith("--price"))
    assert option == "--price V100=3.1,cpu=0.2"
    main(["solve", "session.json", *option.split(), "--out", "a.json"])
    main(["solve", "new.json", "--out", "b.json"])
    assert json.loads((folder / "a.json").read_text())["cost_per_h"] == 0.2
    assert json.loads((folder / "b.json").read_text())["cost_per_h"] == 0.2
    assert load_instance("new.json").hardware[2].price_source == "vms.csv, east, on demand: cpu-4 0.2 per hour"


def test_of_profiles_they_are_a_file_for_the_import(capsys, folder):
    """A name with a space is quoted, as it is in a shell."""
    options = ("--currency", "EUR", "--accelerators", "v100.big=4")
    code, out, _ = call(capsys, "profiles.csv", "aws.csv", "--map", "my gpu=v100.big", *options, "--out", "prices.csv")
    assert code == 0
    assert "--prices 'my gpu=3.06'" in out
    arguments = ("--prices", "prices.csv", "--rates", "10", "--slo", "1", "--out", "s.json")
    assert main(["import", "csv", "profiles.csv", *arguments]) == 0
    session = load_instance("s.json")
    assert session.currency == "EUR"
    assert session.hardware[0].price_source == "aws.csv, on demand: v100.big 12.24 per hour / 4"


def test_json_has_prices_and_sources(capsys, folder):
    """As a program reads them."""
    _, out, _ = call(capsys, "session.json", "vms.csv", "--map", "V100", *EAST, "--spot", "--json")
    assert json.loads(out) == {
        "schema": "euclio/price-list/1",
        "currency": "USD",
        "prices": [
            {
                "hardware": "V100",
                "price_per_h": 0.9,
                "source": "vms.csv, east, spot: v100-1 in east-b 0.9 per hour",
            }
        ],
        "left_out": ["T4", "cpu"],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("session.json", "vms.csv", "--map", "V10=V100", *EAST),
            "session.json: --map: names hardware 'V10', which is",
        ),
        (("session.json", "vms.csv", "--map", "V100=V101", *EAST), "vms.csv: --map: names 'V101', which the list does"),
        (("session.json", "vms.csv", "--map", "V100,V100", *EAST), "--map: 'V100' is given twice"),
        (("session.json", "vms.csv", "--map", "V100=", *EAST), "--map: 'V100=' must be HARDWARE=WHAT"),
        (("session.json", "vms.csv", "--map", "V100"), "the following arguments are required: --currency"),
        (("session.json", "vms.csv", "--map", "V100", *EAST[:2], "--per", "week"), "--per: is 'week'; give second"),
        (("session.json", "vms.csv", "--map", "V100", "--currency", " "), "--currency: ' ' must be the name of a curr"),
        (("none.json", "vms.csv", "--map", "V100", *EAST), "none.json"),
        (("session.json", "none.csv", "--map", "V100", *EAST), "none.csv: cannot be read"),
        (("session.json", "vms.csv", "--map", "V100", *EAST, "--out", "vms.csv"), "would be lost"),
    ],
)
def test_bad_input_is_one_line(capsys, folder, arguments, said):
    """Exit code 2, and what to do."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("term", "Reserved", "--map: finds g6 at a price that is not on demand (term Reserved)"),
        ("Term", "reserved-3yr", "(Term reserved-3yr)"),
        ("offer", "1yr no upfront", "(offer 1yr no upfront)"),
        ("reserved", "True", "(reserved True)"),
        ("currency", "EUR", "--currency: is USD, but the list has prices in EUR"),
        ("term", "OnDemand", ""),
        ("reserved", "false", ""),
        ("reserved_price", "0.3", ""),
        ("currency", "usd", ""),
        ("currency", "", ""),
    ],
)
def test_a_list_that_says_another_price_is_refused(capsys, folder, column, cell, said):
    """The price of a reservation was printed as one on demand, and euros as dollars."""
    price_list(folder, "own.csv", f"instance,price_per_h,{column}\ng6,0.51,{cell}\n")
    options = ("--currency", "USD", "--accelerators", "g6=1")
    code, _, err = call(capsys, "profiles.csv", "own.csv", "--map", "my gpu=g6", *options)
    assert (code, said in err) == (2 if said else 0, True)
