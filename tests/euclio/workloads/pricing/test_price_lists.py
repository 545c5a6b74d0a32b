"""Price lists of clouds: what a machine costs by them, and what has to be said as they do not say it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from places import ROOT
from price_lists import APART, GO, INSTANCES, SKYPILOT, price_list, priced_session

import euclio
from euclio.core.errors import InputError
from euclio.problems.session.files.instances import session_from_text, session_to_text
from euclio.workloads.pricing.catalogues import read_catalogue
from euclio.workloads.pricing.machine_prices import Terms, chosen_prices, with_prices

MEASURED = ROOT.parent / "shared" / "data" / "prices"


@pytest.fixture
def chosen(tmp_path):
    def prices(text: str, what: dict[str, str], name: str = "list.csv", **terms):
        return chosen_prices(read_catalogue(price_list(tmp_path, name, text)), what, Terms(**terms))

    return prices


def test_an_instance_is_divided_by_its_accelerators_and_the_cheapest_offer_counts(chosen):
    """24.8 / 8 = 3.1 is less than 3.2 for one; the source says so."""
    (found,) = chosen(SKYPILOT, {"V100": "V100"}, per="hour", region="east")
    assert found.price_per_h == Fraction("3.1")
    assert found.source == "list.csv, east, on demand: v100-8 24.8 per hour / 8"


def test_an_instance_type_is_taken_as_it_is_named(chosen):
    """A price that is no decimal is rounded to fifteen digits, so that files hold it."""
    big, small = chosen(SKYPILOT, {"a": "v100-1", "b": "t4-3"}, per="hour", region="east")
    assert big.price_per_h == Fraction("3.2")
    assert small.price_per_h == Fraction("0.333333333333333")


def test_spot_prices_are_of_a_zone(chosen):
    """The cheapest zone is named, as it is where the price holds."""
    (found,) = chosen(SKYPILOT, {"V100": "V100"}, per="hour", region="east", spot=True)
    assert found.price_per_h == Fraction("0.9")
    assert found.source == "list.csv, east, spot: v100-1 in east-b 0.9 per hour"


@pytest.mark.parametrize(("per", "hours"), [("second", Fraction(1, 3600)), ("day", 24), ("month", 730)])
def test_prices_are_turned_into_those_of_an_hour(chosen, per, hours):
    """A month has 730 hours, as elsewhere."""
    (found,) = chosen(SKYPILOT, {"V100": "v100-1"}, per=per, region="west")
    assert found.price_per_h == pytest.approx(Fraction("2.5") / hours, rel=1e-14)


def test_what_is_sold_apart_is_added_up(chosen):
    """Half of the host for two, and one accelerator."""
    accelerators = {"host-2g": Fraction(2)}
    (found,) = chosen(APART, {"A100": "A100+host-2g"}, per="hour", accelerators=accelerators)
    assert found.price_per_h == Fraction("2.9") + Fraction("0.75")
    assert found.source == "list.csv, east, on demand: A100 2.9 per hour + host-2g 1.5 per hour / 2"


CLOUDS = """Cloud,GPU Type,GPU Arch,GPUs,On-demand,Per-GPU,Spot,Name
AWS,T4 (16 GB),Turing,1,0.53,0.53,0.16,g4dn.xlarge
AWS,T4 (16 GB),Turing,8,4.00,0.50,,g4dn.metal
GCP,T4 (16 GB),Turing,2,0.90,0.45,,
"""


def test_a_comparison_of_clouds_is_read_with_the_cloud_as_region(chosen):
    """4.00 / 8 = 0.5 is the cheapest at AWS; what has no name is called by its GPUs."""
    (aws,) = chosen(CLOUDS, {"T4": "T4 (16 GB)"}, per="hour", region="AWS")
    (gcp,) = chosen(CLOUDS, {"T4": "T4 (16 GB)"}, per="hour", region="GCP")
    (spot,) = chosen(CLOUDS, {"T4": "g4dn.xlarge"}, per="hour", region="AWS", spot=True)
    assert [found.price_per_h for found in (aws, gcp, spot)] == [Fraction("0.5"), Fraction("0.45"), Fraction("0.16")]
    assert gcp.source == "list.csv, GCP, on demand: 2 x T4 (16 GB) 0.9 per hour / 2"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("AWS,T4,,x,1,,,a", "line 2, GPUs: is 'x'; it must be a number greater than 0"),
        (",T4,,1,1,,,a", "line 2, Cloud: is empty; say which cloud"),
        ("AWS,T4,,1,-1,,,a", "line 2, On-demand: is '-1'"),
        ("AWS,T4,,,1,,,a", "line 2, GPUs: is empty"),
    ],
)
def test_rows_of_a_comparison_that_say_nothing_are_named(chosen, row, said):
    with pytest.raises(InputError) as error:
        chosen(f"{CLOUDS.partition(chr(10))[0]}\n{row}\n", {"T4": "T4"}, per="hour")
    assert said in str(error.value)


def test_a_comparison_of_many_clouds_asks_which(chosen):
    with pytest.raises(InputError, match="--region: is needed, as the list has 2 regions: AWS, GCP"):
        chosen(CLOUDS, {"T4": "T4 (16 GB)"}, per="hour")


@pytest.mark.parametrize(("text", "name", "per"), [(INSTANCES, "list.csv", None), (GO, "list.go", "hour")])
def test_lists_of_instances_are_read_in_both_forms(chosen, text, name, per):
    """A column that is called price_per_h says its unit, Go source does not."""
    counts = {"v100.big": Fraction(4), "t4.small": Fraction(1)}
    found = chosen(text, {"V100": "v100.big", "T4": "t4.small"}, name, per=per, accelerators=counts)
    assert [own.price_per_h for own in found] == [Fraction("3.06"), Fraction("0.526")]


@pytest.mark.parametrize(
    ("text", "what", "terms", "said"),
    [
        (SKYPILOT, "V100", {"region": "east"}, "--per: is needed, as the list does not say what its prices are per"),
        (SKYPILOT, "V100", {"per": "hour"}, "--region: is needed, as the list has 2 regions: east, west"),
        (SKYPILOT, "V100", {"per": "hour", "region": "eest"}, "--region: is 'eest', which the list does not have; did"),
        (SKYPILOT, "v10", {"per": "hour", "region": "east"}, "did you mean V100 or v100-8?"),
        (SKYPILOT, "h100", {"per": "hour", "region": "east"}, "--map: names 'h100', which the list does not have"),
        (SKYPILOT, "T4", {"per": "hour", "region": "west"}, "--region: is 'west', where the list has no T4; it is in"),
        (
            SKYPILOT,
            "T4",
            {"per": "hour", "region": "east", "spot": True},
            "--spot: finds no spot price of T4 in the li",
        ),
        (SKYPILOT, "cpu-4", {"per": "hour", "region": "east"}, "--accelerators: is needed for cpu-4: the list does no"),
        (APART, "A100", {"per": "hour"}, "sold apart from the instance that hosts it; add that, as in A100+INSTANCE"),
        (INSTANCES, "t4.small", {}, "give t4.small=N, and 1 where the whole instance is one machine"),
        (INSTANCES, "t4.small", {"per": "month"}, "--per: is 'month', but the list's prices are per hour"),
        (INSTANCES, "t4.small", {"region": "east"}, "--region: is not known, as the list names no regions"),
    ],
)
def test_what_is_not_said_is_asked_for_and_never_guessed(chosen, text, what, terms, said):
    """A price that is wrong by a factor of eight, or of another region, looks like any other."""
    with pytest.raises(InputError) as error:
        chosen(text, {"V100": what}, **terms)
    assert said in str(error.value)


RESERVED = """InstanceType,AcceleratorName,AcceleratorCount,Price,Region,Term
v100-1,V100,1,3.2,east,OnDemand
v100-1,V100,1,1.4,east,Reserved
v100-8,V100,8,24.8,east,OnDemand
v100-8,V100,8,24.8,east,OnDemand
"""


def test_a_reservation_next_to_on_demand_is_asked_for(chosen):
    """1.4 was taken, and named "on demand"; of equal rows either one is right: 24.8 / 8 = 3.1."""
    with pytest.raises(
        InputError, match=r"--map: finds two prices of v100-1 in the same place, 1\.4 and 3\.2; keep one"
    ):
        chosen(RESERVED, {"V100": "V100"}, per="hour")
    (found,) = chosen(RESERVED, {"V100": "v100-8"}, per="hour")
    assert found.price_per_h == Fraction("3.1")


def test_accelerators_that_contradict_the_list_are_refused(chosen):
    """So are those of an instance type that is not there."""
    for counts, said in (({"v100-8": 4}, "v100-8 has 4, but the list says 8"), ({"v100-9": 8}, "did you mean v100-8")):
        with pytest.raises(InputError) as error:
            chosen(
                SKYPILOT,
                {"V100": "v100-8"},
                per="hour",
                region="east",
                accelerators={name: Fraction(count) for name, count in counts.items()},
            )
        assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "time_s,rate_rps\n0,1\n", "a.csv: line 1: names the columns 'time_s, rate_rps'; a price list has"),
        ("a.csv", "instance,price_per_h\n", "offers nothing"),
        (
            "a.csv",
            "instance,price_per_h\nx,1e999\n",
            "line 2, price_per_h: is '1e999'; it must be a number of at least",
        ),
        ("a.csv", "instance,price_per_h\nx,\n", "line 2: has an empty cell"),
        ("a.csv", SKYPILOT.replace("8.0,64", "0,64"), "AcceleratorCount: is '0'; it must be a number greater than 0"),
        ("a.csv", SKYPILOT.replace("8.0,64", ",64"), "AcceleratorCount: is empty"),
        ("a.go", "package main", "has no variable InitialOnDemandPrices"),
        ("none.csv", None, "none.csv: cannot be read"),
        ("none.go", None, "none.go: cannot be read"),
    ],
)
def test_a_list_that_is_none_is_refused_in_one_line(tmp_path, name, text, said):
    """With the file, the line and the column."""
    path = str(tmp_path / name) if text is None else price_list(tmp_path, name, text)
    with pytest.raises(InputError) as error:
        read_catalogue(path)
    assert said in str(error.value)


def test_a_session_with_new_prices_says_where_they_are_from(tmp_path):
    """Files keep it; a price that is changed by hand has lost it, and two sessions are equal without it."""
    found = euclio.prices(
        priced_session(), price_list(tmp_path, "l.csv", SKYPILOT), map="V100", currency="USD", per="hour", region="west"
    )
    session = session_from_text(session_to_text(found.session))
    v100, t4, _ = session.hardware
    assert (v100.price_per_h, v100.price_source) == (
        Fraction("2.5"),
        "l.csv, west, on demand: v100-1 2.5 per hour",
    )
    assert (t4.price_per_h, t4.price_source, session.currency) == (9, None, "USD")
    assert found.left_out == ("T4", "cpu")
    assert "v100-1 2.5 per hour" in session._repr_html_()
    assert "price from" not in priced_session()._repr_html_()
    assert session == with_prices(session, [replace(found.prices[0], source=None)], "USD")
    solved = euclio.solve(session, price={"V100": 1})
    assert solved.changes.applied_to(session).hardware[0].price_source is None


def test_prices_in_another_currency_are_not_mixed(tmp_path):
    """No rates of exchange are known; all prices together may be replaced."""
    path = price_list(tmp_path, "l.csv", INSTANCES)
    counts = {"v100.big": 4, "t4.small": 1, "c5.xlarge": 1}
    keywords = {"currency": "USD", "accelerators": counts}
    with pytest.raises(InputError, match="but the session's prices are in EUR, and that of T4 stays"):
        euclio.prices(priced_session("EUR"), path, map={"V100": "v100.big"}, **keywords)
    every = {"V100": "v100.big", "T4": "t4.small", "cpu": "c5.xlarge"}
    assert euclio.prices(priced_session("EUR"), path, map=every, **keywords).session.currency == "USD"


def test_prices_are_what_imports_and_solvers_take(tmp_path):
    """As an object, as a dict, and as a file; only the dict has lost where they are from."""
    profiles = price_list(tmp_path, "p.csv", "module,hardware,batch,concurrency,duration_s\nm,V100,1,1,0.1\n")
    catalogue = price_list(tmp_path, "l.csv", INSTANCES)
    out = tmp_path / "prices.csv"
    found = euclio.prices(profiles, catalogue, map="V100=v100.big", currency="USD", accelerators="v100.big=4", out=out)
    for given, source in ((found, True), (out, True), (str(out), True), (found.by_name, False), (found.text, False)):
        session = euclio.import_csv(profiles, prices=given, rates=10, slo=1)
        assert session.price == {"V100": Fraction("3.06")}
        assert (session.hardware[0].price_source is not None) is source
        assert session.currency == ("USD" if source else None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hardware,price\nV100,1\n", "line 1: lacks column price_per_h"),
        ("hardware,price_per_h,unit\nV100,1,h\n", "names column 'unit'"),
        ("hardware,price_per_h\nV100,1\nV100,2\n", "line 3: prices 'V100' a second time"),
        ("hardware,price_per_h\nV100,x\n", "line 2, price_per_h: x is not a finite number"),
        ("hardware,price_per_h,currency\nV100,1,USD\nT4,1,EUR\n", "line 3, currency: is another one than above"),
        ("hardware,price_per_h\n", "has no rows below its header"),
    ],
)
def test_a_file_of_prices_that_is_wrong_names_the_line(tmp_path, text, said):
    """A hand-written one has two columns; what else it says has to be what is meant."""
    profiles = price_list(tmp_path, "p.csv", "module,hardware,batch,concurrency,duration_s\nm,V100,1,1,0.1\n")
    with pytest.raises(InputError) as error:
        euclio.import_csv(profiles, prices=price_list(tmp_path, "prices.csv", text), rates=10, slo=1)
    assert said in str(error.value)


@pytest.mark.skipif(not MEASURED.is_dir(), reason="the public price lists (../shared/data/prices) are absent")
def test_public_lists_are_read():
    """An eighth of AWS's p3.16xlarge costs 24.48 / 8; Lambda's eight V100 6.32 per hour together, an A6000 1.09."""
    session = priced_session()
    aws = next(MEASURED.glob("aws_us_east_1_*.csv"))
    assert len(read_catalogue(aws).offers) > 1000
    found = euclio.prices(session, aws, map="V100=p3.16xlarge", currency="USD", accelerators="p3.16xlarge=8")
    assert found.by_name == {"V100": Fraction("3.06")}
    sky = MEASURED / "skypilot_lambda_sample.csv"
    found = euclio.prices(session, sky, map="V100,T4=A6000", currency="USD", per="hour")
    assert found.by_name == {"V100": Fraction("0.79"), "T4": Fraction("1.09")}
