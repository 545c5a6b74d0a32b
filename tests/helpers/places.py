"""Where tests find files: the tree, these helpers, and the measured instances next to the tree."""

from pathlib import Path

HELPERS = Path(__file__).resolve().parent
ROOT = HELPERS.parents[1]
SHARED = ROOT.parent / "shared" / "instances"
