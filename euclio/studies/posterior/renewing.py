"""The draw that is kept with the code, drawn anew: settings, accepted ones again, halves, reference setting."""

from __future__ import annotations

from euclio.studies.posterior import references
from euclio.studies.posterior.drawing import Asked, draw_posterior
from euclio.studies.posterior.prior import draw
from euclio.studies.posterior.reference import reference_path, write_reference
from euclio.studies.posterior.references import Again
from euclio.studies.posterior.sampler import PAIRS
from euclio.studies.posterior.simulation import WORKLOADS
from euclio.studies.posterior.store import load_stored, stored_path

DRAWS, SEED = 8000, 1131
"""Settings of the stored draw, as many as two cores draw within the hour, and its seed."""


def renew(jobs: int, draws: int = DRAWS) -> None:
    """Draw the stored posterior anew, with its own seed, and choose the reference setting from it.

    A draw that was interrupted goes on where it was.

    Args:
        jobs: processes, which change no digit.
        draws: settings.

    Raises:
        InputError: a journal of other draws stands next to the stored one, or the draws are too few.
    """
    out = stored_path()
    draw_posterior(asked_for(draws, SEED, jobs, WORKLOADS), out)
    # As it is stored, in single precision: the reference is chosen from what everyone has.
    write_reference(load_stored(out), reference_path(), jobs)


def asked_for(draws: int, seed: int, jobs: int, workloads: int) -> Asked:
    """A draw of so many settings of so many workloads; few of either make everything small, as tests need it.

    Args:
        draws: settings.
        seed: seed of everything.
        jobs: processes.
        workloads: workloads of a setting.
    """
    small = workloads / WORKLOADS
    again = Again(
        draw(0, 0),
        0,
        max(5, round(references.WORKLOADS * small)),
        {paper: max(3, round(count * small)) for paper, count in references.SPLIT_WORKLOADS.items()},
        max(2, round(references.PLAN_WORKLOADS * small)),
    )
    return Asked(draws, seed, jobs, workloads, max(2, min(PAIRS, draws // 50)), again)
