"""The stub for editors and the table of verbs follow from the verbs; `python docs/tools/verb_tables.py` writes them."""

from __future__ import annotations

from verb_tables import PAGE, STUB, stub, verb_table


def test_the_stub_is_that_of_the_verbs():
    """An editor shows what there is."""
    assert STUB.read_text(encoding="utf-8") == stub()


def test_the_table_is_that_of_the_verbs():
    """Nobody writes it by hand."""
    assert verb_table() in PAGE.read_text(encoding="utf-8")
