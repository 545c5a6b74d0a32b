"""What is said of machine code that a test run had made."""

import made_meanwhile


def test_functions_are_named_that_were_compiled_meanwhile(tmp_path, monkeypatch):
    """A solver compiled for a second list of types showed in no test but by the minutes that it took."""
    monkeypatch.setattr(made_meanwhile, "places", lambda: [tmp_path])
    for name in ("session.search", "session.split"):
        (tmp_path / name).mkdir()
    (tmp_path / "session.search" / "cheapest-a1.machine").touch()
    before = made_meanwhile.kept()
    assert made_meanwhile.line(before) == ""
    for name in ("session.search/cheapest-b2", "session.search/cheapest-c3", "session.split/_path-d4"):
        (tmp_path / f"{name}.machine").touch()
    said = made_meanwhile.line(before)
    assert said.endswith(": session.search.cheapest (2), session.split._path")


def test_of_many_functions_the_first_are_named(tmp_path, monkeypatch):
    """A run on a machine without any makes hundreds."""
    monkeypatch.setattr(made_meanwhile, "places", lambda: [tmp_path])
    for number in range(made_meanwhile.LISTED + 5):
        (tmp_path / f"f{number}-0.machine").touch()
    assert made_meanwhile.line(frozenset()).endswith(" and 5 more")
