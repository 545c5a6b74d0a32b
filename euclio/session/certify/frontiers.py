"""What a finished search knows of a session's modules, as a mixed-integer program whose cutoff a file can prove (ours).

The search leaves a list of cells per module (`euclio.session.certify.curves`): plans, and gaps between them, each with
the least latency that it takes and a cost that none of its plans stays below. Whoever believes these lists needs no
search over the split of the latency objective: that no choice of cells within the objective costs less than the cutoff
is a small program, and its proof a file. That the lists miss nothing is the search's word, and not in the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.proofs.model import Model, Row, Variable
from euclio.session.certify.branching import Branching
from euclio.session.certify.curves import Cell
from euclio.session.certify.modules import ranked
from euclio.session.evaluate import Evaluation
from euclio.session.instance import Session
from euclio.session.space import PlanSpace

ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Frontiers:
    """Cells of every module, and the program that they make.

    Attributes:
        model: the program.
        cells: cells by module, fastest first.
    """

    model: Model
    cells: tuple[tuple[Cell, ...], ...]

    def point(self, session: Session, evaluation: Evaluation) -> dict[int, Fraction]:
        """A plan as a point of the program: the cells that its modules lie in, and when each module has finished.

        Args:
            session: the instance.
            evaluation: what the checker says of a feasible plan.
        """
        found: dict[int, Fraction] = {}
        lows = []
        first = 0
        for cells, module in zip(self.cells, evaluation.modules, strict=True):
            # Slower plans up to the next cell cost no less than the one that a cell stands for.
            k = bisect_right(cells, module.worst_case_latency_s, key=lambda cell: cell.low) - 1
            found[first + k] = ONE
            lows.append(cells[k].low)
            first += len(cells)
        return found | {first + m: time for m, time in enumerate(finished(session, lows)) if time}


def finished(session: Session, latency: Sequence[Fraction]) -> list[Fraction]:
    """When each module has finished at the latest, in seconds after a request came in, by module.

    Args:
        session: the instance.
        latency: worst-case latency of each module in seconds.
    """
    found = [Fraction(0)] * len(latency)
    parents = session.parents()
    for m in session.order:
        found[m] = max((found[p] for p in parents[m]), default=Fraction(0)) + latency[m]
    return found


def frontiers(
    session: Session, space: PlanSpace, cutoff: Fraction, margin: Fraction, deadline: float
) -> Frontiers | None:
    """The cells that the prover ends with, and the program that they make; None: the prover did not end with a proof.

    Args:
        session: the instance.
        space: the plan space.
        cutoff: cost per hour that no plan stays below, above 0.
        margin: money per hour by which least costs of modules may be off.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        InputError: the plan space is one that this program does not cover.
    """
    if space.single_hardware:
        raise InputError("has no proof file yet with one hardware type for the whole session", field="single_hardware")
    modules = [ranked(module, space, session.price) for module in session.modules]
    branching = Branching(session, modules, cutoff, margin, deadline)
    outcome = branching.run()
    cells = branching.cells()
    if not outcome.exhausted or len(cells) < len(modules) or not all(cells):
        return None
    return Frontiers(_model(session, cells), cells)


def _model(session: Session, cells: tuple[tuple[Cell, ...], ...]) -> Model:
    """Exactly one cell per module; each module finishes its least latency after its parents, and within the SLO."""
    variables: list[Variable] = []
    alternatives: list[tuple[int, ...]] = []
    for m, some in enumerate(cells):
        first = len(variables)
        variables += [Variable(f"x_{m}_{k}", Fraction(0), ONE, True, cell.cost) for k, cell in enumerate(some)]
        alternatives.append(tuple(range(first, len(variables))))
    times = len(variables)
    variables += [Variable(f"t_{m}", Fraction(0), session.slo_s) for m in range(len(cells))]
    rows = [Row(f"one_{m}", dict.fromkeys(every, ONE), ONE, True) for m, every in enumerate(alternatives)]
    parents = session.parents()
    for m, (some, every) in enumerate(zip(cells, alternatives, strict=True)):
        taken = {j: cell.low for j, cell in zip(every, some, strict=True) if cell.low}
        for p in parents[m] or (None,):
            before = {} if p is None else {times + p: ONE}
            name = f"after_{m}" if p is None else f"after_{m}_{p}"
            rows.append(Row(name, {**taken, **before, times + m: -ONE}, Fraction(0)))
    return Model(tuple(variables), tuple(rows), tuple(alternatives), _notes(session))


def _notes(session: Session) -> tuple[str, ...]:
    names = "; ".join(f"{m} is {module.name}" for m, module in enumerate(session.modules))
    return (
        f"session {session.name}: {names}",
        "x_m_k is 1 where module m has a worst-case latency of at least its coefficient in after_m, in seconds, and "
        "costs at least its coefficient in the objective, per hour; t_m is when module m has finished, in seconds.",
        "No plan costs less than the file shows, if the lists of x_m_k miss no plan of a module. That they miss none "
        "was searched for by euclio's independent prover, and is not in this file.",
    )
