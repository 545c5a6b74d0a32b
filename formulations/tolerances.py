"""The tolerances of the exact methods, each with its reason; the checker has none, and decides what is a plan (ours).

They say where floating point, an engine or a scale may be wrong, and in which direction that is allowed for. What
limits the effort of a search (nodes, rounds, models) stands where the search does.
"""

from fractions import Fraction

from euclio.core.result import PROOF_TOLERANCE

STEP = Fraction(PROOF_TOLERANCE) / 2
"""Plans that are cheaper than the incumbent by less than this share are of no interest: half the distance within which
a plan is called optimal."""

ENGINE = 1e-6
"""Feasibility and integrality tolerance asked of HiGHS and CBC; tighter ones made HiGHS 1.13.1 cut optima off."""

SUMS = 1e-12
"""Share by which a sum of floats may be off, thousands of times what it loses; slack is given in favour of plans."""

COUNTED_BOUND = 1e-6
"""What a bound of CP-SAT, a float for a whole number, may be off by, and where it is large this share of it squared."""
