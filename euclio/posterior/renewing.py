"""The draws that are kept with the code, drawn anew with their reference settings."""

from __future__ import annotations

from euclio.posterior.drawing import Plan, draw_posterior
from euclio.posterior.reference import reference_path, write_reference
from euclio.posterior.store import load_stored, stored_path

DRAWS, SEED = 2210, 1131
"""Settings that are simulated for a paper's stored draw, and its seed: both papers take two cores less than an hour."""


def renew(paper: str, jobs: int, draws: int = DRAWS) -> None:
    """Draw the stored posterior of a paper anew, with its own seed, and choose the reference setting from it.

    A draw that was interrupted goes on where it was.

    Args:
        paper: the paper.
        jobs: processes, which change no digit.
        draws: settings.

    Raises:
        InputError: a journal of other draws stands next to the stored one, or the draws are too few.
    """
    out = stored_path(paper)
    draw_posterior(Plan.of(paper, draws, SEED), jobs, out)
    # As it is stored, in single precision: the reference is chosen from what everyone has.
    write_reference(load_stored(out), reference_path(paper))
