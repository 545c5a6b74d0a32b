"""Values of keywords: numbers in all forms, exactly as written; errors name the keyword."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import TEXT, tiny_session

import euclio
from euclio.cli import main
from euclio.core.engine_packages import MissingEngineError
from euclio.core.errors import InputError, KeywordError
from euclio.core.parameters import option_text
from euclio.problems.session import PlanSpace
from euclio.problems.session.changes import SessionChanges

CHANGED = SessionChanges(rate_rps=Fraction(12), slo_s=Fraction(3, 2), stock={"V100": 40})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("rate", [12, 12.0, "12", Decimal(12), Fraction(12)])
@pytest.mark.parametrize("stock", [{"V100": 40}, "V100=40", {"V100": "40"}])
def test_numbers_are_taken_in_all_forms(rate, stock):
    """A notebook has numbers as they come; the result is that of the same number."""
    assert euclio.solve(tiny_session(), "harpagon", rate=rate, slo=1.5, stock=stock).changes == CHANGED


def test_a_number_that_no_decimal_says_stays_exact():
    """A third is a third, not 0.333."""
    assert euclio.solve(tiny_session(2), "harpagon", slo=Fraction(4, 3)).changes.slo_s == Fraction(4, 3)


def test_a_path_is_as_good_as_an_object(file):
    """Users need not load a file first."""
    by_path, by_object = euclio.solve(file, "harpagon", rate=12), euclio.solve(tiny_session(), "harpagon", rate=12)
    assert (by_path.value, by_path.changes) == (by_object.value, by_object.changes)


def test_the_command_gives_what_the_call_does(file, capsys):
    """There is one way of solving with changes, which the command calls."""
    assert main(["solve", str(file), "--solver", "harpagon", "--rate", "12", "--price", "V100=2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = euclio.solve(file, "harpagon", rate=12, price={"V100": 2})
    assert said["cost_per_h"] == pytest.approx(float(found.value))
    assert said["options"]["policy"] == found.options["policy"]


def test_options_of_the_plan_space_and_its_fields_are_the_same():
    """`charging=` and `batching=` were there first, and hold."""
    session = tiny_session()
    named = euclio.solve(session, "harpagon", no_batching=True, max_allocations=1, hardware="V100,P100")
    fields = euclio.solve(session, "harpagon", batching=False, max_allocations=1, hardware=("V100", "P100"))
    assert named.space == fields.space


def test_none_leaves_a_keyword_out_but_a_field_that_may_be_none():
    """A wrapper may pass on None for a keyword that it was not given; None still means any number of allocations."""
    limited = PlanSpace(max_allocations=1)
    assert euclio.solve(tiny_session(), "harpagon", space=limited, dummy=None).space.max_allocations == 1
    assert euclio.solve(tiny_session(), "harpagon", space=limited, max_allocations=None).space.max_allocations is None


REFUSED = [
    ({"rate": -3}, "rate=-3: must be greater than 0"),
    ({"rate": "x"}, "rate='x': must be a number greater than 0"),
    ({"rate": True}, "rate=True: must be a number greater than 0"),
    ({"slo": float("inf")}, "slo=inf: must be a number greater than 0"),
    ({"machines": "hole"}, "machines='hole': must be share, whole or packed"),
    ({"time_limit": 0}, "time_limit=0: must be a number greater than 0"),
    ({"seed": 1.5}, "seed=1.5: must be a whole number from 0 to 2^63 - 1"),
    ({"max_allocations": -2}, "max_allocations=-2: must be a whole number, at least 1"),
    ({"stock": {"T4": 1}}, "stock: unknown hardware 'T4'; known: V100, P100"),
    ({"changes": 2}, "changes=2: counts changes to a running plan; give it by from_=RESULT"),
    ({"cv": 2}, "cv=2: says what attainment is asked under; give that too, or leave this out"),
    ({"sharing": "any"}, "sharing='any': is an option for fleets, and this is one of sessions; leave it out"),
    ({"engine": "highs"}, "engine='highs': solver 'harpagon' does not take this option; leave it out"),
    ({"time_limit": 1, "time_limit_s": 2}, "time_limit_s=2: is given next to time_limit"),
]


@pytest.mark.parametrize(("keywords", "said"), REFUSED)
def test_a_bad_value_is_told_by_its_keyword(keywords, said):
    """Python has no options: an error that names one sends people to the wrong place."""
    with pytest.raises(InputError) as caught:
        euclio.solve(tiny_session(), "harpagon", **keywords)
    assert str(caught.value).startswith(said)


def test_the_command_names_the_option(file, capsys):
    """The same error from the command is about what was typed."""
    assert main(["solve", str(file), "--solver", "harpagon", "--changes", "2"]) == 2
    said = capsys.readouterr().err
    assert "--changes: counts changes to a running plan; give it by --from RESULT" in said


def test_an_error_names_file_and_keyword(file):
    """Of many files, which one; of its keyword, which value."""
    with pytest.raises(KeywordError) as caught:
        euclio.solve(file, hardware="A9")
    assert (caught.value.file, caught.value.field) == (str(file), "hardware")


def test_an_unknown_keyword_is_answered_with_the_nearest_one():
    """A misspelt limit must not mean a plan without a limit."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'time_limt'; did you mean 'time_limit'"):
        euclio.solve(tiny_session(), time_limt=3)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'budget'; did you mean 'budgets' \(of fleets\)"):
        euclio.solve(tiny_session(), budget=3)


def test_what_files_call_otherwise_is_known_by_both_names():
    """Machines of a type that there are: `count` of hardware in files, `stock` in Python and as an option."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'count'; did you mean 'stock'"):
        euclio.solve(tiny_session(), count={"V100": 3})


def test_a_keyword_of_sessions_is_refused_on_clusters():
    """It would have no effect, unnoticed."""
    with pytest.raises(InputError, match=r"^rate=3: is an option for sessions, and this is one of clusters"):
        euclio.solve(tiny_cluster(), rate=3)


def test_an_error_of_a_kind_stays_one_of_that_kind(monkeypatch):
    """Callers that catch a missing engine, as comparisons do, still get that error, in words of Python."""

    def missing(*_: object) -> None:
        raise MissingEngineError(f"needs highspy; take `{option_text('--engine', 'cbc')}`", field="--solver")

    monkeypatch.setattr("euclio.core.solving.refuse_missing", missing)
    with pytest.raises(MissingEngineError, match=r"^solver='harpagon': needs highspy; take `engine='cbc'`$"):
        euclio.solve(tiny_session(), "harpagon")
