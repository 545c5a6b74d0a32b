"""Proof files of clusters: no plan is better than a claim (ours).

If a few nodes close the program that leaves no plan out (`euclio.proving.pipeline.program`), its proof is the file, and
the proof rests on no search. Elsewhere the prover finds, for each model, numbers of GPUs that do not serve it well
enough. Given these, a small program without a feasible point shows that the GPUs of a cluster cannot be divided so that
every model has more than these numbers, and its proof is the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.pipeline.instance import Cluster
from euclio.problems.pipeline.plan import PipelinePlan
from euclio.problems.pipeline.space import Objective, PipelineSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.files.branch_and_bound import prove
from euclio.proving.files.model import ZERO, Model, Proof, Row, Variable, covers, least_vectors
from euclio.proving.files.safe_bounds import lowered
from euclio.proving.pipeline.certifying import Question
from euclio.proving.pipeline.packing import Counts, Needs, Stock, least_uses, pack
from euclio.proving.pipeline.program import cluster_program

ONE = Fraction(1)
MOST_CORNERS = 2_000
"""Alternatives of a model at most: more would make a file that is of no use."""
SMALL, LARGE = (300, 20), (5_000, 200)
"""For the program of all plans: its most variables to be tried first, and nodes at which to give it up. So the choice
is the same on every machine. Then the same where there is nothing to divide."""
DIGITS = 9
"""Decimal places of a template's use of GPUs in fractions, rounded down."""
SAFE = 1 - 1e-9
"""A floating-point result is lowered to this part of itself first: far more than rounding can have added."""


def cluster_proof(
    cluster: Cluster, space: PipelineSpace, plan: PipelinePlan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no plan is better than a cutoff, or that there is none.

    Args:
        cluster: the instance.
        space: the plan space.
        plan: a feasible plan, which stands as a solution in a file that leaves no plan out; None if there is none.
        cutoff: weighted requests per second, or money per hour. None claims that there is no plan at all.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    found = _whole_proof(cluster, space, plan, cutoff, deadline, *SMALL)
    if found is not None:
        return found
    try:
        return _divided_proof(Question(cluster, space, cutoff), deadline)
    except NothingToDivideError:
        found = _whole_proof(cluster, space, plan, cutoff, deadline, *LARGE)
        if found is None:
            raise
        return found


class NothingToDivideError(NoProofError):
    """One model alone cannot be served so well by all GPUs, or not at all."""


def _whole_proof(
    cluster: Cluster,
    space: PipelineSpace,
    plan: PipelinePlan | None,
    cutoff: Fraction | None,
    deadline: float,
    most_variables: int,
    most_nodes: int,
) -> Proof | None:
    """The proof of the program of all plans; None if there is no plan or it takes too much."""
    if plan is None or cutoff is None:
        return None
    try:
        posed = cluster_program(cluster, space, plan, cutoff, deadline, most_variables)
        promised = -cutoff if posed.maximised else cutoff
        return prove(posed.model, promised, posed.point, deadline, most_nodes)
    except NoProofError:
        return None


def _divided_proof(question: Question, deadline: float) -> Proof:
    """The proof that the GPUs cannot be divided among the models."""
    effort = Effort(deadline)
    needs, stock = question.needs(effort), question.stock()
    if needs is None or stock is None:
        raise NothingToDivideError("a model has no pipeline in time, or a GPU type no price")
    if pack(needs, stock, effort) is not None:
        raise NoProofError("the prover finds a better plan")
    return prove(_ProofBuilder(question, needs, stock).model(), None, None, deadline)


def corners_beyond(short: Sequence[Counts], most: Counts) -> list[Counts]:
    """The least numbers of GPUs that are not all within one of some numbers.

    Args:
        short: numbers of each type that do not suffice, nor do any smaller ones.
        most: the stock of each type.

    Returns:
        Numbers within `most` and within none of `short`, such that all others of that kind have at least as many of
        every type as one of them.

    Raises:
        GivenUpError: there are more than `MOST_CORNERS`.
    """
    corners: list[Counts] = [(0,) * len(most)]
    for taken in short:
        kept = [corner for corner in corners if not covers(taken, corner)]
        for corner in corners:
            if not covers(taken, corner):
                continue
            # One more of some type leads beyond these numbers.
            for t, n in enumerate(taken):
                if n < most[t]:
                    kept.append((*corner[:t], n + 1, *corner[t + 1 :]))
        corners = sorted(least_vectors(kept))
        if len(corners) > MOST_CORNERS:
            raise GivenUpError(f"a model has more than {MOST_CORNERS:,} least numbers of GPUs")
    return corners


@dataclass(slots=True)
class _ProofBuilder:
    """Variables and rows of the program: y_m_i corner i of model m, x_m_k template k in fractions, g_m_t GPUs."""

    question: Question
    needs: Sequence[Needs]
    stock: Stock
    variables: list[Variable] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def model(self) -> Model:
        """The program.

        Raises:
            NothingToDivideError: a model alone falls short with all GPUs.
        """
        stock, most = self.stock, self.stock.affordable()
        types = range(len(most))
        lists, taken = [], []
        for m, need in enumerate(self.needs):
            corners = corners_beyond(need.short, most)
            if not corners:
                raise NothingToDivideError(
                    "one model alone cannot be served so well by all GPUs: only its search says so"
                )
            lists.append([self._add(f"y_{m}_{i}", 1, integer=True) for i in range(len(corners))])
            taken.append(corners)
        # Rows of the alternatives stand first, in their order.
        self.rows += [Row(f"one_{m}", dict.fromkeys(own, ONE), ONE, True) for m, own in enumerate(lists)]
        gpus = [[self._add(f"g_{m}_{t}", most[t], integer=True) for t in types] for m in range(len(lists))]
        for m, (own, corners, need) in enumerate(zip(lists, taken, self.needs, strict=True)):
            for t in types:
                terms = {y: Fraction(corner[t]) for y, corner in zip(own, corners, strict=True) if corner[t]}
                self.rows.append(Row(f"corner_{m}_{t}", {**terms, gpus[m][t]: -ONE}, ZERO))
            self._add_fractions(m, need, gpus[m])
        for t in types:
            self.rows.append(Row(f"count_{t}", {own[t]: ONE for own in gpus}, Fraction(stock.counts[t])))
        largest = max((price for price, n in zip(stock.prices, most, strict=False) if n), default=0)
        if largest:
            # In units of the largest price, since linear programs in floating point fail on 10^13 next to 1.
            prices = {t: Fraction(stock.prices[t], largest) for t in types if most[t] and stock.prices[t]}
            terms = {own[t]: price for own in gpus for t, price in prices.items()}
            self.rows.append(Row("money", terms, Fraction(stock.money, largest)))
        return Model(tuple(self.variables), tuple(self.rows), tuple(tuple(own) for own in lists), self._notes())

    def _add(self, name: str, most: int, *, integer: bool) -> int:
        self.variables.append(Variable(name, ZERO, Fraction(most), integer))
        return len(self.variables) - 1

    def _add_fractions(self, m: int, need: Needs, gpus: Sequence[int]) -> None:
        """A model's least use with fractions of virtual GPUs: parts of its demand, by template."""
        uses = [[lowered(Fraction(float(u) * SAFE), DIGITS) for u in use] for use in least_uses(need.fluid())]
        parts = [self._add(f"x_{m}_{k}", 1, integer=False) for k in range(len(uses))]
        self.rows.append(Row(f"all_{m}", dict.fromkeys(parts, -ONE), -ONE))
        for t, gpu in enumerate(gpus):
            terms = {x: use[t] for x, use in zip(parts, uses, strict=True) if use[t]}
            self.rows.append(Row(f"takes_{m}_{t}", {**terms, gpu: -ONE}, ZERO))

    def _notes(self) -> tuple[str, ...]:
        cluster, space = self.question.cluster, self.question.space
        models = "; ".join(f"{m} is {model.name}" for m, model in enumerate(cluster.models))
        types = "; ".join(f"{t} is {gpu.name}" for t, gpu in enumerate(cluster.gpus))
        what = "serves more" if space.objective is Objective.THROUGHPUT else "costs less"
        return (
            f"cluster {cluster.name}; models: {models}; GPU types: {types}",
            f"A plan that {what} than {self.question.cutoff} would be a point of this program, and there is none.",
            "g_m_t: GPUs of type t that model m has. y_m_i is 1 where these are at least those of its corner i; a "
            "corner's numbers are its coefficients in rows corner_m_t. x_m_k: part of the demand of m on its pipelines "
            "k; it takes no less than the coefficients in rows takes_m_t, since virtual GPUs are whole.",
            "That a model with fewer GPUs than every corner has cannot be served so well was searched for by euclio's "
            "independent prover, and is not in this file.",
        )
