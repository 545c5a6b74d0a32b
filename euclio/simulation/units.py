"""Times of simulations: whole nanoseconds, so that equal times are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NS_PER_S = 10**9
