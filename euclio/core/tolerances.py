"""Tolerances: every relative distance within which two values count as equal, once, with its reason.

They are shares of the compared value. Feasibility has none: the checker compares fractions. Other margins stay next to
the arithmetic that they are derived from. These are the safe margins for rounding in compiled kernels
(`euclio.problems.session.arrays`, `euclio.problems.session.latency.dispatch`) and those of the independent provers
(`euclio.proving`), which share nothing with the solvers that they judge.
"""

from __future__ import annotations

from fractions import Fraction

TIE = 1e-12
"""Two floats closer than this share of their size may be equal as fractions; compiled kernels have it built in."""

PROOF_TOLERANCE = 1e-9
"""Distance of proven bound and checked value within which a plan is called optimal.

Bounds are floats, some of them sums of thousands; nine digits are what such sums keep with a margin.
"""

BRACKET_TOLERANCE = 1e-6
"""Distance of bound and value that is called optimal under dummy rule `continuous`, whose plans cannot be listed.

Each further digit of a bracket costs a search of its own; a millionth is far below any difference between plans.
"""

OPTIMALITY_TOLERANCE = 1e-6
"""Distance within which analyses count two values as equal, such as a heuristic's cost and the optimum.

It is that of brackets, the coarsest proofs: a finer one would count a proven optimum as missed by another solver's.
"""

CLAIM_TOLERANCE = 1e-6
"""Distance of claim and checked value above which a solver's claim is wrong.

Solver libraries keep their constraints within a millionth, and so is what they say about costs.
"""

TIE_TOLERANCE = 1e-9
"""Distance up to which values of two solvers are a tie, where wins and losses are counted.

That of proofs, so that no solver wins against a proven optimum by rounding.
"""

NEWS_TOLERANCE = 1e-9
"""Distance above which a value or a bound counts as better than the one that the benchmark set knows.

That of proofs, so that the same plan found again is no news.
"""

WRITTEN_TOLERANCE = Fraction(1, 10**9)
"""A figure in a result file may be off by at most this share of the checked one.

Files hold rounded values of fractions that do not terminate, and others may have written them in ten digits.
"""

WRITTEN_RATE_TOLERANCE = Fraction(1, 10**9)
"""A partial or dummy rate in a plan may be off by at most this share of the rates that it is a difference of.

That is the module's rate with dummies, or that of its whole machines if it is larger. A rounding error of a difference
is a share of these rates, and may exceed a small difference. The checker derives both rates anew, and prices the
derived ones. The written rates only show that solver and checker agree.
"""
