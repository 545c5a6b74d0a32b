"""Programs that cover rows: the prices are those of the columns so far, whichever way HiGHS is called."""

import pytest

from heuristics import highs as module

WAYS = ["_ByHighspy", "_ByScipy"]


@pytest.fixture(params=WAYS)
def program(request):
    if request.param == "_ByHighspy":
        pytest.importorskip("highspy")
    return getattr(module, request.param)()


def test_prices_follow_the_columns(program):
    """2 of row 0 and 3 of row 1, alone at 10 each; then a column for one of both at 12; then one of row 1 at 1.

    First each is worth 10. Then 2 of both and 1 of row 1 alone: row 1 is worth 10, row 0 the other 2. Then row 1 is
    worth 1, and row 0 is worth 10, since 12 for both is no better than 10 and 1.
    """
    for least in (2.0, 3.0):
        program.row(least)
    program.column(10.0, [0], [1.0])
    program.column(10.0, [1], [1.0])
    assert program.prices() == pytest.approx([10.0, 10.0])
    program.column(12.0, [0, 1], [1.0, 1.0])
    assert program.prices() == pytest.approx([2.0, 10.0])
    program.column(1.0, [1], [1.0])
    assert program.prices() == pytest.approx([10.0, 1.0])


def test_without_highspy_it_goes_through_scipy(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda package: False)
    assert type(module.covering_program()).__name__ == "_ByScipy"
