"""How certificates show themselves: verdict, claim and reason."""

from __future__ import annotations

from rich.console import RenderableType

from euclio.core.certificate import Certificate
from euclio.core.showing import Head, View
from euclio.core.words import duration
from euclio.proving.table import certificate_table, prover_in_words


def _head(found: Certificate) -> Head:
    claim = f"claim by {found.solver}: {found.claim}"
    why = (f"why: {found.reason}",) if found.reason else ()
    by = f"{prover_in_words(found)} in {duration(found.wall_s)}"
    return Head(found.instance, found.verdict.value, (claim, *why, by))


def _table(found: Certificate) -> RenderableType | None:
    return None if found.of_instance is None else certificate_table(found.of_instance, found)


CERTIFICATE = View(_head, _table)
