"""euclio: the optimization research workbench for DNN inference serving.

Every verb of the command `euclio` is a function here, with the same keywords (docs/api/verbs.md).
"""

from __future__ import annotations

from euclio.core.former_names import find_by_former_names
from euclio.core.lazy import lazy_names
from euclio.experiments import results as results
from euclio.verbs import places

__all__ = sorted(["results", *(name for names in places().values() for name in names)])

__getattr__ = lazy_names(
    __name__,
    {
        **places(),
        # Rooms of these names can be called, as the verbs: whichever of both was asked for first.
        "euclio.verbs.export": ["export_room as export"],
        "euclio.verbs.report": ["report_room as report"],
    },
)

find_by_former_names()


def __dir__() -> list[str]:
    """What is offered, and not what happens to be imported already."""
    return sorted(__all__)
