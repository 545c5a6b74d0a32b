"""Plans that hold at a quantile of the measured durations."""

import json
from fractions import Fraction

import pytest

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_instance, save_instance
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.changes import SessionChanges
from euclio.workloads.session.csv_profiles import profiles_text, read_profiles

TIMES = {1: ("0.010", "0.015", "0.02"), 4: ("0.030", "0.033", "0.05"), 8: ("0.050", "0.080", "0.09")}


def measured(**changes):
    """A session of one module whose durations have p95 and p99."""
    profile = [Configuration("A", b, 1, d, quantiles_s={"p99": p99, "p95": p95}) for b, (d, p95, p99) in TIMES.items()]
    return Session("s", "0.5", [Hardware("A", 2)], [Module("m", 100, profile)], **changes)


def slow():
    """The same with the p95 as durations, and no quantiles."""
    profile = [Configuration("A", b, 1, p95) for b, (_, p95, _) in TIMES.items()]
    return Session("s", "0.5", [Hardware("A", 2)], [Module("m", 100, profile)])


def test_a_plan_at_p95_is_the_plan_of_that_profile():
    """A quantile asked for is a profile of its own: 100 requests/s at 4 per 33 ms are 0.825 machines."""
    asked, expected = euclio.solve(measured(), durations="p95"), euclio.solve(slow())
    assert asked.cost == expected.cost == 1.65
    assert asked.plan == expected.plan
    assert asked.cost > euclio.solve(measured()).cost


def test_the_result_states_it_and_is_checked_by_it(tmp_path):
    """The result names its quantile, and `verify` prices the plan at it."""
    file, out = str(tmp_path / "s.json"), str(tmp_path / "r.json")
    save_instance(measured(), file)
    assert main(["solve", file, "--durations", "p95", "--out", out]) == 0
    assert json.loads((tmp_path / "r.json").read_text())["changes"] == {"durations": "p95"}
    assert main(["verify", file, out]) == 0
    plain = json.loads((tmp_path / "r.json").read_text())
    del plain["changes"]
    (tmp_path / "r.json").write_text(json.dumps(plain))
    assert main(["verify", file, out]) == 1


@pytest.mark.parametrize("verb", ["compare", "explain", "what_if"])
def test_neighbouring_verbs_take_it(verb):
    """The other verbs accept every quantile that one verb can plan for."""
    asked, expected = (
        {
            "compare": lambda s, **k: euclio.compare(s, "harpagon", **k).optimum,
            "explain": lambda s, **k: euclio.explain(s, **k).least_slo_s,
            "what_if": lambda s, **k: [p.result.value for p in euclio.what_if(s, rate="50,100", **k).points.values()],
        }[verb](session, **keywords)
        for session, keywords in ((measured(), {"durations": "p95"}), (slow(), {}))
    )
    assert asked == expected


def test_a_configuration_without_the_quantile_is_named(tmp_path, capsys):
    """Using its duration in place of the quantile would promise an unmeasured value."""
    modules = [Module("m", 100, [*measured().modules[0].profile, Configuration("A", 16, 1, "0.1")])]
    session = Session("s", "0.5", [Hardware("A", 2)], modules)
    with pytest.raises(InputError, match=r"^durations: is 'p95', which module m on A with batch 16 .*\(it has none\)"):
        SessionChanges(durations="p95").applied_to(session)
    file = str(tmp_path / "s.json")
    save_instance(measured(), file)
    assert main(["solve", file, "--durations", "p90"]) == 2
    said = capsys.readouterr().err
    assert "--durations: is 'p90', which module m on A with batch 1 and concurrency 1 does not say" in said
    assert "(it has p95 and p99)" in said


@pytest.mark.parametrize("level", ["95", "p0", "p100", "P95", "p95.1234", "median"])
def test_what_is_no_quantile_is_refused(level):
    """p100 would be the longest of all batches, which is never measured."""
    with pytest.raises(InputError, match="give a quantile such as p50, p95 or p99"):
        SessionChanges(durations=level)


def test_quantiles_are_kept_in_files(tmp_path):
    """Instances are read as they were written, and those without quantiles look as before."""
    save_instance(measured(), tmp_path / "s.json")
    assert load_instance(tmp_path / "s.json").modules[0].profile[0].quantiles_s == {
        "p95": Fraction("0.015"),
        "p99": Fraction("0.02"),
    }
    save_instance(slow(), tmp_path / "t.json")
    assert "quantiles" not in (tmp_path / "t.json").read_text()


def test_quantiles_are_kept_in_csv(tmp_path):
    """`profile --append` has to write again all that it reads."""
    profiles = {"m": measured().modules[0].profile, "n": (Configuration("A", 1, 1, "0.1"),)}
    (tmp_path / "p.csv").write_text(profiles_text(profiles), encoding="utf-8")
    found = read_profiles(tmp_path / "p.csv")
    assert found == profiles
    assert [c.quantiles_s for c in found["m"]] == [c.quantiles_s for c in profiles["m"]]
    assert found["n"][0].quantiles_s == {}


def test_repetitions_tell_the_median_and_the_quantiles_that_they_are_enough_for(tmp_path):
    """20 durations 1, 2, ..., 20 ms: the median is 10.5, 95 % take at most 19, and p99 would take 100 of them."""
    rows = "".join(f"m,A,4,{k / 1000}\n" for k in range(20, 0, -1))
    (tmp_path / "p.csv").write_text(f"module,hardware,batch,duration_s\n{rows}", encoding="utf-8")
    (c,) = read_profiles(tmp_path / "p.csv")["m"]
    assert c.duration_s == Fraction("0.0105")
    assert c.quantiles_s == {"p90": Fraction("0.018"), "p95": Fraction("0.019")}


def test_a_median_is_the_duration_where_there_is_no_other(tmp_path):
    """Benchmarks print quantiles, and often no mean."""
    (tmp_path / "p.csv").write_text("module,hardware,batch,p50_s,p95_s\nm,A,4,0.03,0.04\n", encoding="utf-8")
    (c,) = read_profiles(tmp_path / "p.csv")["m"]
    assert (c.duration_s, c.quantiles_s) == (Fraction("0.03"), {"p50": Fraction("0.03"), "p95": Fraction("0.04")})


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_the_currency_stands_with_every_price(tmp_path, capsys):
    """A number of money without its currency is one of another."""
    (tmp_path / "p.csv").write_text("module,hardware,batch,duration_s\nm,A,1,0.01\nm,A,4,0.03\n", encoding="utf-8")
    file, out = tmp_path / "s.json", tmp_path / "r.json"
    given = ["--prices", "A=2", "--rates", "100", "--slo", "0.5", "--currency", "EUR"]
    printed(capsys, "import", "csv", tmp_path / "p.csv", *given, "--out", file)
    (tmp_path / "load.csv").write_text("time_s,factor\n0,1\n3600,0.5\n7200,1\n", encoding="utf-8")
    solved = printed(capsys, "solve", file, "--out", out)
    assert "1.5 EUR per hour" in solved
    assert "cost/h: in EUR" in solved
    compared = printed(capsys, "compare", file, "--solvers", "harpagon")
    assert "optimum 1.5 EUR per hour" in compared
    assert "cost/h (EUR)" in compared
    assert "prices in EUR" in printed(capsys, "what-if", file, "--rate", "50,100")
    assert "1.5 EUR per hour" in printed(capsys, "verify", file, out)
    printed(capsys, "export", file, out, "--to", "triton", "--out", tmp_path / "triton")
    assert "1.5 EUR per hour" in "".join(path.read_text() for path in tmp_path.rglob("*.pbtxt"))
    assert " EUR in all, proven" in printed(capsys, "plan-day", file, "--load", tmp_path / "load.csv")
    session = euclio.load(file)
    assert "1.5 EUR per hour" in repr(euclio.compare(session, "harpagon"))
    assert "cost 1.5 to 2 EUR per hour" in repr(euclio.what_if(session, rate=100))
