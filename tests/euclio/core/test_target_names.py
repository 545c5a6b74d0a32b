"""Names as other programs allow them: none is lost to another one."""

from __future__ import annotations

import itertools
import re

from euclio.core.target_names import DIGITS, target_names


def near(text, longest):
    return re.sub("[^A-Za-z0-9]", "-", text)[:longest]


def called(*names, **rules):
    return target_names(names, near, 12, **rules)


def test_a_name_that_nothing_else_is_called_like_stays_plain():
    assert called("a b", "c") == {"a b": "a-b", "c": "c"}


def test_of_those_that_would_be_called_alike_only_the_one_that_is_so_keeps_it():
    found = called("a b", "a-b", "a/b")
    assert found["a-b"] == "a-b"
    assert re.fullmatch(f"a-b-[0-9a-f]{{{DIGITS}}}", found["a b"])
    assert len(set(found.values())) == 3


def test_the_order_of_names_says_nothing():
    names = ("a b", "a-b", "a/b", "é", "ü", "x" * 20, "x" * 21)
    found = [called(*order) for order in itertools.permutations(names, 7)][::500]
    assert all(one == found[0] for one in found)


def test_long_names_stay_within_the_limit():
    found = called("x" * 20, "x" * 21)
    assert all(len(target) == 12 for target in found.values())


def test_a_name_that_is_another_ones_hash_is_told_apart_from_it():
    """Whoever calls a module as `a b` is called next to `a-b` gets what they ask for; `a b` takes its next hash."""
    taken = called("a b", "a-b")["a b"]
    found = called("a b", "a-b", taken)
    assert found[taken] == taken
    assert len(set(found.values())) == 3


def test_small_and_capital_letters_are_one_where_the_program_says_so():
    assert called("A", "a") == {"A": "A", "a": "a"}
    found = called("A", "a", same=str.lower)
    assert len({target.lower() for target in found.values()}) == 2


def test_what_a_program_keeps_for_itself_is_nobodys_name():
    assert called("con", reserved=lambda target: target == "con")["con"].startswith("con-")
