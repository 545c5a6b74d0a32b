"""The time limits of the studies, in seconds of one run (ours): they leave a bound and a gap, never a missing row.

Fleets and clusters have theirs with the case (`limit_s` of `graft/cases.py`, `..._limit_s` of `ppipe/cases.py`), since
they grow with it. A run whose setting has none here ends after `LONGEST_RUN_S`.
"""

from __future__ import annotations

RUN_LIMIT_S = 10.0
"""Any run of Harpagon's, Piccolo's and Scrooge's studies, if not said otherwise; Scrooge's brute force takes longer on
some decisions."""
ENUMERATION_LIMIT_S = 1.0
"""The timed brute force; beyond it the time is extrapolated from the share of vectors gone through."""
FINE_SPLIT_LIMIT_S = 30.0
"""Harpagon's search over a finer grid of splits; the report counts the searches that are stopped."""
PICCOLO_SPLIT_LIMIT_S = 20.0
"""Piccolo's brute force over splits; the page counts those that it stopped."""
KIND_PLAN_LIMIT_S = 60.0
"""The best plan of a workload of one kind of profiles (`harpagon/kinds.py`)."""
COLUMNS_LIMIT_S = 20.0
"""PPipe's plans by `columns`, and by its printed program."""
LITERAL_LIMIT_S = 5.0
"""PPipe's program as printed on an open solver: enough to see whether there is any plan, which is all that is asked."""
PROOF_LIMIT_S = 10.0
"""The prover for each proof: a sample takes five minutes at most beyond what solving again does."""
