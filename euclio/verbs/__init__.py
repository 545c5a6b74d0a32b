"""The verbs: what `euclio VERB` does, as functions with the same names and keywords (docs/api/verbs.md).

`PLACES` says where each stands; `euclio` offers them all.
"""

from __future__ import annotations

from euclio.core.lazy import lazy_names

PLACES = {
    "euclio.verbs.solving": ["evaluate", "solve"],
    "euclio.verbs.asking": ["changes", "what_if"],
    "euclio.verbs.comparing": ["compare", "decompose"],
    "euclio.verbs.explaining": ["explain"],
}
"""The verbs by the file that they stand in."""

__getattr__ = lazy_names(
    __name__, PLACES | {"euclio.verbs.result_types": ["ClusterResult", "DayResult", "FleetResult", "SessionResult"]}
)
