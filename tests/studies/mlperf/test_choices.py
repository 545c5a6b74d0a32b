"""Numbers per class: fitted where they are not shown, left out where they do not help."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from studies.mlperf.choices import (
    HALF,
    PARAMETERS,
    SIX,
    Parameter,
    fitted,
    halves,
    kept,
    left_out,
    logarithms,
    of,
    of_the_earlier,
    shown_on,
)
from studies.mlperf.inputs import PERCENTILES, Kind, ServerCase, cases

RECORDINGS = next(one for one in PARAMETERS if one.kind is Kind.RECORDINGS)


def logs_of(error: Callable[[Parameter, ServerCase, float], float]) -> pd.DataFrame:
    """Logarithms of simulated over measured, the same for all percentiles."""
    rows = [
        {"case": case.name, "rule": one.rule(value).label, **dict.fromkeys(PERCENTILES, error(one, case, value))}
        for one in PARAMETERS
        for case in one.servers
        for value in one.values
    ]
    return pd.DataFrame(rows).set_index(["case", "rule"])


def test_every_class_has_one_number_and_servers_in_both_halves() -> None:
    assert [one.kind for one in PARAMETERS] == list(Kind)
    for one in PARAMETERS:
        assert {case.accelerator in HALF for case in one.servers} == {True, False}


def test_logarithms_are_of_simulated_over_measured() -> None:
    one = cases()[0]
    rows = [{"case": one.name, "rule": "r", **{p: m * f for p, m in one.on_hardware_s.items()}} for f in (1.0, 3.0)]
    assert logarithms(pd.DataFrame(rows)).to_numpy().tolist() == [pytest.approx([math.log(2)] * 3)]


def test_a_number_is_fitted_on_others_than_it_is_shown_on() -> None:
    """Three batches would be right on the L4, two on all others: the L4 is predicted with two."""
    logs = logs_of(
        lambda one, case, value: abs(value - (3 if case.accelerator == "L4" else 2)) if one == RECORDINGS else 0
    )
    assert fitted(RECORDINGS, of({"L4"}), logs) == 3
    assert fitted(RECORDINGS, of({"A2", "A30 1g.6gb"}), logs) == 2
    found = shown_on(RECORDINGS, {"L4"}, logs)
    assert (found.value, found.on, found.helps) == (2, ("L4",), True)
    left = left_out(logs, PARAMETERS).set_index("case")
    assert left.loc["rnnt on L4, TensorRT v3.0", "error_p50"] == pytest.approx(math.e - 1)
    assert left.loc["rnnt on A2, TensorRT v2.1", "error_p50"] == pytest.approx(0)
    assert len(left) == 23


def test_a_number_that_does_not_help_elsewhere_is_left_out() -> None:
    """On one half four batches are right, on the other one: what is fitted makes the other half worse."""
    logs = logs_of(
        lambda one, case, value: abs(value - (4 if case.accelerator in HALF else 1)) if one == RECORDINGS else 0
    )
    tried = halves(logs)
    assert RECORDINGS not in kept(tried)
    assert [one.helps for one in tried if one.parameter == RECORDINGS] == [False, False]
    left = left_out(logs, kept(tried)).set_index("case")
    assert left.loc["rnnt on A2, TensorRT v2.1", "p50"] == pytest.approx(0.26508947)
    assert left.loc["rnnt on A100 1g.10gb, TensorRT v2.1", "error_p50"] == pytest.approx(math.exp(3) - 1)


def test_of_values_that_are_as_good_the_first_is_taken() -> None:
    logs = logs_of(lambda *_: 0.5)
    assert all(fitted(one, cases(), logs) == one.values[0] for one in PARAMETERS)
    assert fitted(RECORDINGS, (), logs) == 1
    assert not np.isnan(logs.to_numpy()).any()


def test_later_servers_are_predicted_with_what_earlier_ones_say() -> None:
    """Of the four servers of recordings two came later: what those say has no part in it."""
    logs = logs_of(lambda one, case, value: abs(value - (4 if case.name in SIX else 2)) if one == RECORDINGS else 0)
    found = of_the_earlier(logs, PARAMETERS).set_index("case")
    assert set(found.index) == set(SIX)
    assert found.loc["rnnt on A2, TensorRT v2.1", "fitted"] == "2"
    assert found.loc["rnnt on A2, TensorRT v2.1", "error_p99"] == pytest.approx(math.exp(2) - 1)
