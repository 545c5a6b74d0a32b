"""`cite`: what to cite."""

from __future__ import annotations

from euclio.files import citations as citing
from euclio.verbs.verb import verb

cite = verb()(citing.cite)
