"""Numbers of a setup keep to the ranges of the options, wherever they come from: results state setups too."""

import pytest

from euclio.core.errors import InputError
from euclio.serving.session.service import setup_from
from euclio.serving.session.setup import Setup

# Each ended in an internal error once, where a file of a result said so: time-outs as ticks, noise as a square.
BEYOND = [
    ("timeout_s", -9223372036854775809),
    ("timeout_s", 1e300),
    ("timeout_s", float("nan")),
    ("noise", 1.7976931348623157e308),
    ("noise", -0.1),
    ("seed", -1),
    ("seed", 2**64),
    ("seconds", 1e10),
    ("clients", -1),
    ("clients", 0.5),
]


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_a_number_out_of_range_is_refused_by_its_name(name, value):
    with pytest.raises(InputError) as raised:
        Setup(**{name: value})
    assert raised.value.field == name
    assert "must be" in raised.value.message


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_in_a_result_the_place_is_named_too(name, value):
    with pytest.raises(InputError, match=r"planned_for"):
        setup_from({name: value}, "planned_for")


@pytest.mark.parametrize("timeout_s", [None, 0.0, float("inf"), 0.25])
def test_time_outs_may_be_none_never_and_at_once(timeout_s):
    """MLPerf's servers that do not wait have a time-out of 0."""
    assert Setup(timeout_s=timeout_s).timeout_s == timeout_s
