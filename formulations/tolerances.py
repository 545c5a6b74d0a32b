"""The tolerances of the exact methods, each with its reason (ours).

They state the possible errors of floating point, engines and scales, and the direction in which methods allow for them.
The checker has none, since it decides in fractions. Limits on the effort of a search (nodes, rounds, models) and on the
coefficients of a model stand next to the search and the model.

`TIE` of `euclio.core.tolerances` is the one below all of them that concern sessions: two floats nearer than
that, as a share of their size, may be equal as fractions. Every function that is @compiled has these numbers built in.
"""

from __future__ import annotations

from fractions import Fraction

from euclio.core.tolerances import PROOF_TOLERANCE, TIE

# Proofs: how near to the optimum is near enough.

STEP = Fraction(PROOF_TOLERANCE) / 2
"""Plans that are cheaper than the incumbent by less than this share are of no interest: half the distance within which
a plan is called optimal."""
GAP = 0.5 * PROOF_TOLERANCE
"""Relative gap of bound and incumbent at which searches in floating point stop; the rest of the tolerance is for
rounding."""
BETTER = PROOF_TOLERANCE / 10
"""Share by which a plan of a cluster has to be better than the incumbent, for `columns` to look for it; far within
`GAP`."""
CONTINUOUS_GAP = 5e-7
"""Relative gap at which bracketings stop under dummy rule `continuous`, where a plan is called optimal within
`BRACKET_TOLERANCE`."""
FRONTIER = 1e-11
"""Modes of a frontier that are cheaper by less than this share are not looked for: far within `GAP`."""

# Engines: HiGHS and CBC know rows and whole numbers to a tolerance only, CP-SAT works on whole numbers.

ENGINE = 1e-6
"""Feasibility and integrality tolerance asked of HiGHS and CBC; tighter ones made HiGHS 1.13.1 cut optima off."""
ROOM = 1e-6
"""Share of the unit of a row (the SLO, a rate, the incumbent's cost) by which models are laxer than the problem, so
that an engine's tolerance never cuts a plan off."""
SPLIT_ROOM = 2e-6
"""Share of the unit of a row by which the models of `milp-split` are laxer than the problem: twice the engine's
tolerance, as every answer is added up exactly at once."""
VIOLATION = 1e-7
"""Tangents are added where the relaxation breaks them by more than this share of the SLO; less is the engine's."""
LARGEST_ERROR = 1e-5
"""Possible error of a bound of PPipe's MILP, in units of its scale: a few dozen rows, each violated by `ENGINE`."""
COUNTED_BOUND = 1e-6
"""Possible error of a bound of CP-SAT, a float for a whole number; for a large one, this share of its square."""
WITHIN_SLO = 1.0 - 1e-7
"""Share of the SLO that Scrooge's models get once the engine's tolerance has let them miss it."""
LOOSE_LATENCY = 1e-9
"""Share by which bounds on a latency in Scrooge's models are loosened, for the rounding of milliseconds."""
MOST_CANDIDATES = 150
"""Solutions priced within one model before it gives up: ties can be too many to list."""

# The SLO: searches in floating point take it for a little longer, so that rounding never cuts a plan off.

SLO_SLACK = 16.0 * TIE
"""Share by which searches take the SLO for longer: budgets are cut by a few `TIE` on the way."""
CONTINUOUS_SLO_SLACK = 32.0 * TIE
"""Share by which searches under rule `continuous` take the SLO for longer: intervals are closed within 16 `TIE`."""
CLOSED = 16.0 * TIE
"""Intervals of budgets this narrow, as a share of their budget, hold no other plans: rounding blurs them."""
JUST_BELOW = 1.0 - 4.0 * TIE
"""The share of a budget at which the next faster plan is asked for: clearly below it, and above the next step."""
JUST_PAST = 1.0 + 3.0 * TIE
"""Budgets are cut this much past the SLO, so that the intervals above two cuts together are clearly beyond it."""
INSIDE = 1.0 - 1e-9
"""Share of the SLO within which plans meet it in spite of rounding, for a second try after the checker's refusal."""
BELIEVED = 1e-9
"""Share of the SLO by which a plan's latency may exceed the model's before that needs a tangent."""

# Sums, rates and costs in floating point.

UNIT_ROUNDING = 2.3e-16
"""Share by which one sum or product of floats may be off: a little over the distance of two floats at 1."""
SUMS = 1e-12
"""Share by which a long sum of floats may be off, thousands of times what it loses; slack is in favour of plans. In
`columns` it stands wherever floating point says what need not be looked at."""
EQUAL_FLOWS = 1e-12
"""Flows this much apart, as a share of what was added, count as equal: a corner must be hit exactly."""
ABOVE_HULL = 1e-13
"""A cost above the relaxation's hull by less than this share of the bound is on it: there is nothing to branch on."""
RATES = 2e-14
"""Rates that were summed up in floating point are off by less than this share of the module's rate."""
NO_RATE = 1e-28
"""A rate below this share of the module's rate is none: sums of pairs of floats err by less."""
HEADS = 1e-9
"""Share by which the points of `formulations.session.milp.joint` lie below what they stand for, so that rows hold."""
SAME_COST = 1e-10
"""Share within which the cost that floats found is that of the plan that they meant."""
ALIKE = 1e-9
"""Share within which modes of a module cost the same, and a window begins where a mode does."""

# Dummy rule `continuous`.

NARROWEST = 1e-9
"""A duration within this share of the budget is left out: it would take a billion machines to collect in time."""
FULL = 1.0 - 1e-9
"""A partial machine with at least this share of a whole one's rate is tried as a whole one too."""
SLIVER = 1e-8
"""Share by which plans just below a step may be cheaper than one at the budget that stands for them (`rational.ties`).
It is far within `CONTINUOUS_GAP`, and thousands of times the fall of a cost without steps over a few `TIE`."""
LINE = 2.5e-8
"""Share by which a line is below the least cost that its search finds, for rounding and plans that are passed over."""
DUMMY_DIGITS = 13
"""Significant digits that dummy rates are rounded up to, so that they can be written down."""
