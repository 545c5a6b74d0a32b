import json
import random
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from random_modules import random_module, session_with
from tiny_sessions import answering

from euclio import explain
from euclio.cli import main
from euclio.core.families import find_family
from euclio.core.numbers import rounded_up
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, DummyRule, Module, PlanSpace, Policy
from euclio.problems.session.files.instances import save_session
from euclio.problems.session.least_latency import least_latency
from euclio.problems.session.policies import POLICIES
from euclio.questions.explain.text import describe, one_line, page

SEARCH = "euclio.problems.session.least_latency.solve"
SPACES = [
    PlanSpace(),
    PlanSpace(Policy.RR, DummyRule.NONE, 2, single_hardware=True, concurrency=False),
    PlanSpace(Policy.RR, DummyRule.NONE, 1, concurrency=False),
    PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE, 2),
    PlanSpace(Policy.TC, DummyRule.NONE),
    PlanSpace(Policy.TC_SHARED, DummyRule.MACHINE),
]


def module(name, *rows, rate=10):
    """A module; rows are hardware, batch, concurrency, duration."""
    return Module(name, rate, [Configuration(*row) for row in rows])


FAST_ON_A = module("a", ("A", 1, 1, "0.01"), ("B", 1, 1, "0.2"))
FAST_ON_B = module("b", ("A", 1, 1, "0.2"), ("B", 1, 1, "0.01"))
STEADY = [module(name, ("A", 1, 1, "0.1")) for name in "abc"]
"""Each takes 0.1 s + 1/10 s at 10 req/s."""


def random_session(rng, count=3):
    modules = [Module(f"m{i}", m.rate_rps, m.profile) for i, m in enumerate(random_module(rng) for _ in range(count))]
    edges = [(f"m{i}", f"m{j}") for j in range(count) for i in range(j) if rng.random() < 0.6]
    return session_with(1, *modules, edges=edges)


def names(found):
    return [[found.session.modules[i].name for i in conflict.modules] for conflict in found.conflicts]


@pytest.mark.fifth("space")
@pytest.mark.parametrize("space", SPACES)
def test_explanation_and_exact_method_agree_just_at_and_below_the_least_slo(space):
    rng = random.Random(str(space))
    for _ in range(8):
        session = random_session(rng)
        least = explain(session, space).least_slo_s
        if least is None:
            assert solve(session, "exact", space=space).status is Status.INFEASIBLE
            continue
        for slo, status in ((least, Status.FEASIBLE), (least * Fraction(99, 100), Status.INFEASIBLE)):
            tried = replace(session, slo_s=slo)
            assert explain(tried, space).status is status
            assert (solve(tried, "exact", space=space).status is Status.INFEASIBLE) == (status is Status.INFEASIBLE)


@pytest.mark.fifth("space")
@pytest.mark.parametrize("space", [*SPACES, *(PlanSpace(policy, DummyRule.CONTINUOUS) for policy in POLICIES)])
def test_least_latency_of_a_module_is_known_without_a_limit(space):
    rng = random.Random(str(space))
    for _ in range(10):
        session = session_with(1, random_module(rng))
        least = least_latency(session, session.modules[0], space)
        assert least is None or least.known


@pytest.mark.fifth("space")
@pytest.mark.parametrize("space", SPACES[1:])
def test_conflict_is_gone_without_any_of_its_modules(space):
    rng = random.Random(f"minimal {space}")
    seen = 0
    for _ in range(12):
        session = replace(random_session(rng), slo_s=Fraction(rng.randint(5, 60), 100))
        found = explain(session, space)
        for conflict in found.conflicts if found.status is Status.INFEASIBLE and len(found.conflicts) == 1 else ():
            needs = [least.bound_s for least in conflict.least if least is not None]
            if len(needs) == len(conflict.least):
                seen += 1
                assert sum(needs) > session.slo_s
                assert all(sum(needs) - need <= session.slo_s for need in needs)
    assert seen > 2


def test_fewest_modules_of_the_path_are_named():
    light = module("light", ("A", 1, 1, "0.001"), rate=1000)
    session = session_with("0.39", STEADY[0], light, STEADY[1], edges=[("a", "light"), ("light", "b")])
    assert names(explain(session, PlanSpace())) == [["a", "b"]]


def test_modules_side_by_side_do_not_conflict():
    assert explain(session_with("0.2", *STEADY), PlanSpace()).status is Status.FEASIBLE


def test_restrictions_that_do_not_matter_are_left_out_of_the_conflict():
    space = PlanSpace(hardware=("B",), max_allocations=1, batching=False)
    found = explain(session_with("0.15", FAST_ON_A), space)
    assert [r.option for r in found.kept] == ["--hardware B"]


def test_conflict_without_restrictions_says_that_it_holds_in_the_full_plan_space():
    found = explain(session_with("0.15", STEADY[0]), PlanSpace(hardware=("A",)))
    assert found.kept == ()
    assert "it holds in the full plan space" in page(found)


def test_restriction_that_makes_it_feasible_when_lifted_is_named():
    found = explain(session_with("0.15", FAST_ON_A), PlanSpace(hardware=("B",), max_allocations=1))
    assert [r.option for r in found.lifts] == ["--hardware B"]


@pytest.mark.parametrize(("rate", "slo", "minimal"), [(119, "0.45", True), (119.99999999999999, "0.5", False)])
def test_what_a_tie_leaves_open_is_not_called_minimal(rate, slo, minimal):
    """`--no-concurrency` was kept as nothing said whether it matters, and "take away any one" was printed of it."""
    tied = module("tied", ("A", 6, 4, "0.4"), ("B", 6, 4, "0.4"), rate=rate)
    found = explain(session_with(slo, tied), PlanSpace(dummy=DummyRule.NONE, concurrency=False))
    assert (found.status, found.minimal) == (Status.INFEASIBLE, minimal)
    assert ("take away any one" in page(found)) is minimal
    assert describe(found)["minimal"] is minimal


def test_each_of_two_restrictions_in_a_conflict_resolves_it():
    only = module("only", ("A", 1, 1, "0.01"), ("B", 2, 1, "0.01"))
    found = explain(session_with(1, only), PlanSpace(hardware=("B",), batching=False))
    assert [r.option for r in found.kept] == [r.option for r in found.lifts] == ["--hardware B", "--no-batching"]


def test_one_hardware_type_is_explained_type_by_type():
    found = explain(session_with("0.25", FAST_ON_A, FAST_ON_B), PlanSpace(single_hardware=True))
    assert [(c.hardware, n) for c, n in zip(found.conflicts, names(found), strict=True)] == [("A", ["b"]), ("B", ["a"])]


def test_module_without_a_configuration_is_the_conflict():
    only_a = module("only", ("A", 2, 1, "0.01"))
    space = PlanSpace(hardware=("B",))
    found = explain(session_with(1, only_a), space)
    assert one_line(found, "exact").startswith("module only has no configuration with only hardware B")
    assert found.least_slo_s is None


def test_module_that_needs_most_is_the_bottleneck():
    slow = module("slow", ("A", 1, 1, "0.3"))
    found = explain(session_with("0.5", STEADY[0], slow, edges=[("a", "slow")]), PlanSpace())
    assert found.session.modules[found.bottleneck].name == "slow"


def test_slack_is_what_is_left_of_the_slo():
    session = session_with(1, *STEADY, edges=[("a", "b"), ("b", "c")])
    assert explain(session, PlanSpace()).slack_s == 1 - 3 * Fraction("0.2")


def test_least_slo_as_written_is_feasible():
    rng = random.Random(3)
    for _ in range(10):
        session = random_session(rng)
        written = describe(explain(session, PlanSpace()))["least_slo_s"]
        assert explain(replace(session, slo_s=written), PlanSpace()).status is Status.FEASIBLE


@pytest.mark.parametrize(
    ("value", "up"), [("0.2", "0.2"), ("0.12345678912", "0.12345679"), ("1234567891", "1234567900")]
)
def test_rounding_goes_up_to_nine_digits(value, up):
    assert rounded_up(Fraction(value)) == Fraction(up)


def test_explanation_of_a_heuristic_that_misses_a_plan_says_that_there_is_one():
    found = explain(session_with(1, STEADY[0]), PlanSpace())
    assert one_line(found, "nexus").startswith("nexus found no plan, but its plan space has one")


@pytest.mark.parametrize(("proven", "words"), [(True, "proved that no plan meets"), (False, "why is open")])
def test_open_explanation_does_not_call_a_proof_open(monkeypatch, proven, words):
    """A solver may prove what the search for the reason leaves open: only the reason is."""
    monkeypatch.setattr(SEARCH, lambda session, *_, **__: solve(session, answering(None)))
    partial = module("partial", ("A", 1, 1, "0.1"), ("A", 2, 1, "0.2"), rate=15)
    session, space = session_with("0.25", partial), PlanSpace(Policy.RR, DummyRule.NONE)
    result = solve(session, answering(None, infeasible=proven), space=space)
    assert words in find_family("session").why_infeasible(session, result, None)


def test_search_that_a_limit_stops_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr(SEARCH, lambda session, *_, **__: solve(session, answering(None)))
    partial = module("partial", ("A", 1, 1, "0.1"), ("A", 2, 1, "0.2"), rate=15)
    found = explain(session_with("0.25", partial), PlanSpace(Policy.RR, DummyRule.NONE))
    assert (found.status, found.least_slo_s, found.least_proven) == (Status.UNKNOWN, Fraction("0.3"), False)


def test_limit_is_that_of_all_searches_together(monkeypatch):
    given = []
    monkeypatch.setattr(
        SEARCH,
        lambda session, *_, time_limit_s, **__: given.append(time_limit_s) or solve(session, answering(None)),
    )
    partial = [module(name, ("A", 1, 1, "0.1"), ("A", 2, 1, "0.2"), rate=15) for name in "abc"]
    explain(session_with("0.25", *partial), PlanSpace(Policy.RR, DummyRule.NONE), 7)
    assert given == sorted(given, reverse=True)
    assert 0 < given[-1] < given[0] < 7


def test_partial_machine_decides_the_least_latency_where_dummies_are_forbidden():
    partial = module("partial", ("A", 1, 1, "0.1"), rate=15)
    found = explain(session_with("0.25", partial), PlanSpace(Policy.RR, DummyRule.NONE))
    assert (found.status, found.least_slo_s) == (Status.INFEASIBLE, Fraction("0.3"))
    assert found.free_slo_s == Fraction("0.15")


@pytest.fixture
def files(tmp_path):
    save_session(session_with("0.15", FAST_ON_A), tmp_path / "s.json")
    return tmp_path


def test_infeasible_session_ends_with_code_3_and_remedies(files, capsys):
    assert main(["explain", str(files / "s.json"), "--hardware", "B"]) == 3
    out = capsys.readouterr().out
    assert "feasible from an SLO of 0.3 s" in out
    assert "feasible without --hardware B" in out


def test_feasible_session_ends_with_code_0_and_its_slack(files, capsys):
    assert main(["explain", str(files / "s.json")]) == 0
    assert "% tighter" in capsys.readouterr().out


def test_json_names_modules_restrictions_and_remedies(files, capsys):
    assert main(["explain", str(files / "s.json"), "--hardware", "B", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [m["name"] for m in found["conflict"][0]["modules"]] == ["a"]
    assert (found["restrictions"], found["remedies"]["lift"]) == (["--hardware B"], ["--hardware B"])
    assert (found["remedies"]["least_slo_s"], found["bottleneck"]) == (0.3, "a")


def test_plan_space_of_a_solver_can_be_explained(files, capsys):
    assert main(["explain", str(files / "s.json"), "--solver", "harpagon:nhc"]) == 3
    assert "--hardware B" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.json"], "no.json"),
        (["s.json", "--hardware", "C"], "unknown hardware"),
        (["s.json", "--solver", "x"], "unknown solver"),
    ],
)
def test_bad_input_is_one_line(files, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(files)
    assert main(["explain", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_solve_gives_the_same_conflict_in_one_line(files, capsys):
    assert main(["solve", str(files / "s.json"), "--hardware", "B"]) == 3
    error = capsys.readouterr().err
    assert "module a needs at least 0.3 s with only hardware B" in error
    assert "more than the SLO of 0.15 s" in error


SLIVER = module("m", ("A", 4, 1, "0.3"), rate="26.666666666666668")
"""Two whole machines serve 80/3 req/s, the decimal text is 4/3e-15 more, which a third one collects for 3e15 s."""


@pytest.mark.parametrize("solver", ["plan-bruteforce", "milp"])
def test_plan_that_takes_longer_than_any_supported_slo_is_explained(capsys, tmp_path, solver):
    save_session(session_with(4, SLIVER), tmp_path / "s.json")
    code = main(["solve", str(tmp_path / "s.json"), "--solver", solver, "--dummy", "none"])
    error = capsys.readouterr().err
    assert code == 3
    assert "module m needs at least 3000000000000000 s with no dummy requests (A, batch 4, concurrency 1)" in error
    assert "feasible from an SLO of 0.4 s without any restriction" in error


def test_least_latency_beyond_any_supported_slo_is_bounded_by_the_longest_of_them():
    two = module("m", ("A", 4, 1, "0.3"), ("A", 8, 1, "0.6"), rate="26.666666666666668")
    least = least_latency(session_with(4, two), two, PlanSpace(dummy=DummyRule.NONE), time.perf_counter() + 5)
    assert least.bound_s <= 10**12 < least.latency_s


def test_slo_beyond_the_longest_supported_is_said_to_be():
    text = one_line(explain(session_with(4, SLIVER), PlanSpace(dummy=DummyRule.NONE)), "exact")
    assert (
        "feasible from an SLO of just above 3000000000000000 s, which is beyond the longest supported, 1000000000000 s"
        in text
    )
