"""The time limits of the studies in seconds of one run (ours), which leave a bound and a gap, never a missing row.

Those of fleets and clusters grow with the case and stand there (`limit_s` of `graft/cases.py`, `..._limit_s` of
`ppipe/cases.py`). A run without a limit here ends after `LONGEST_RUN_S`.
"""

from __future__ import annotations

RUN_LIMIT_S = 10.0
"""Default for a run of Harpagon's, Piccolo's and Scrooge's studies; Scrooge's brute force takes longer on some
decisions."""
ENUMERATION_LIMIT_S = 1.0
"""The timed brute force; a longer time is extrapolated from the share of tried vectors."""
FINE_SPLIT_LIMIT_S = 30.0
"""Harpagon's search over a finer grid of splits; the report counts the stopped searches."""
PICCOLO_SPLIT_LIMIT_S = 20.0
"""Piccolo's brute force over splits; the page counts the stopped ones."""
KIND_PLAN_LIMIT_S = 60.0
"""The best plan of a workload of one kind of profiles (`harpagon/kinds.py`)."""
COLUMNS_LIMIT_S = 20.0
"""PPipe's plans by `columns`, and by its printed program."""
LITERAL_LIMIT_S = 5.0
"""PPipe's program as printed on an open solver, long enough to decide whether there is a plan."""
PROOF_LIMIT_S = 10.0
"""The prover for each proof, so a sample takes at most five minutes more than solving again."""
