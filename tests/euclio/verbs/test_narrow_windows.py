"""Every table of every verb, in windows of any width and with numbers of any length."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest
import tiny_clusters
import tiny_fleets
from rich.console import Group
from rich.text import Text
from tiny_sessions import TEXT

import euclio.core.tables as tables
from euclio.cli import main
from euclio.core.fitted_table import FittedTable

WIDTHS = (40, 60, 80, 100, 120)
LONG = ("491.07412345", "1,234,567.891", "0 + 0.123456789", "1.23456789e-05")
"""Numbers that are added to every table, in turn."""

VERBS = {
    "solve": ["solve", "session.json"],
    "solve, cluster": ["solve", "cluster.json"],
    "solve, fleet": ["solve", "fleet.json"],
    "solvers": ["solvers"],
    "compare": ["compare", "session.json", "--solvers", "harpagon"],
    "decompose": ["decompose", "session.json", "--solvers", "harpagon,scrooge"],
    "what-if": ["what-if", "session.json", "--rate", "7.123456,9", "--slo", "0.9,1"],
    "changes": ["changes", "session.json", "--from", "result.json", "--rate", "12.3456789"],
    "simulate": ["simulate", "session.json", "result.json", "--seconds", "5"],
    "simulate, cluster": ["simulate", "cluster.json", "cluster-result.json", "--seconds", "2"],
    "simulate, fleet": ["simulate", "fleet.json", "fleet-result.json", "--seconds", "2"],
    "simulate --highest-load": ["simulate", "fleet.json", "fleet-result.json", "--seconds", "2", "--highest-load"],
    "solvers --covers": ["solvers", "--covers"],
    "diff": ["diff", "result.json", "other.json"],
    "plan-day": ["plan-day", "session.json", "--load", "load.csv"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("narrow")
    (folder / "session.json").write_text(TEXT)
    (folder / "cluster.json").write_text(tiny_clusters.TEXT)
    (folder / "fleet.json").write_text(tiny_fleets.TEXT)
    (folder / "load.csv").write_text("time_s,factor\n0,0.3\n3600,0.512345678\n7200,1\n")
    return folder


def roundings(cell: str) -> Iterator[str]:
    """A cell, and where it is a number with decimals also its roundings to four figures or more."""
    yield cell
    found = re.fullmatch(r"([0-9][0-9,]*)\.([0-9]+)( ?%?)", cell)
    if found:
        number = Decimal(cell.rstrip(" %").replace(",", ""))
        for text in (f"{number:.{places}f}" for places in range(len(found[2]))):
            if len(text.replace(".", "").lstrip("0")) >= 4:
                before, point, after = text.partition(".")
                yield f"{int(before):,}{point}{after}{found[3]}" if "," in found[1] else text + found[3]


def shown(content) -> Iterator[FittedTable]:
    if isinstance(content, FittedTable):
        yield content
    elif isinstance(content, Group):
        for part in content.renderables:
            yield from shown(part)


@pytest.fixture(params=VERBS)
def printed(request, folder, monkeypatch, capsys):
    """All that a verb prints, before it is text."""
    monkeypatch.chdir(folder)
    if not (folder / "other.json").exists():
        assert main(["solve", "session.json", "--out", "result.json"]) == 0
        assert main(["solve", "session.json", "--solver", "harpagon", "--rate", "17", "--out", "other.json"]) == 0
        for kind in ("cluster", "fleet"):
            assert main(["solve", f"{kind}.json", "--out", f"{kind}-result.json"]) == 0
    found, real = [], tables.to_text

    def recorded(content, width=None):
        found.append(content)
        return real(content, width)

    # A command that is loaded already may have the printer in a name of its own.
    for place in [one for one in sys.modules.values() if getattr(one, "to_text", None) is real]:
        monkeypatch.setattr(place, "to_text", recorded)
    assert main(VERBS[request.param]) in (0, 3), capsys.readouterr().err
    assert [one for content in found for one in shown(content)], "no table"
    return found


@pytest.mark.fifth("printed")
def test_no_number_of_any_table_is_broken_or_cut(printed):
    """A number, or its first four figures, stands in one line, or its column is named as hidden.

    No line is wider than the window, and what is copied from it holds no other spaces than plain ones.
    """
    for table in [one for content in printed for one in shown(content)]:
        numbers = [column for column in table.columns if column.justify == "right"]
        for k in range(len(LONG)):
            table.add_row(*(Text(LONG[(k + j) % len(LONG)]) for j, _ in enumerate(table.columns)))
        for width in WIDTHS:
            text = tables.to_text(table, width)
            assert max(map(len, text.splitlines())) <= width
            assert all(sign.isprintable() or sign == "\n" for sign in text)
            hidden = " ".join(text.split()).partition("hidden at this width: ")[2]
            for column in numbers:
                for cell in column.cells:
                    texts = set(roundings(str(cell).strip()))
                    whole = any(one in line for line in text.splitlines() for one in texts)
                    assert whole or str(column.header) in hidden, (width, column.header, str(cell), text)


@pytest.mark.parametrize("verb", [name for name in VERBS if name.startswith("simulate")])
def test_simulations_fit_eighty_columns(verb, folder, monkeypatch, capsys):
    """Terminals are 80 columns wide unless somebody makes them wider."""
    monkeypatch.chdir(folder)
    for kind, result in (("session", "result"), ("cluster", "cluster-result"), ("fleet", "fleet-result")):
        if not (folder / f"{result}.json").exists():
            assert main(["solve", f"{kind}.json", "--out", f"{result}.json"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("COLUMNS", "80")
    assert main(VERBS[verb]) == 0
    out = capsys.readouterr().out
    assert "hidden at this width" not in out
    assert max(map(len, out.splitlines())) <= 80
