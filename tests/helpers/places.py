"""Where tests find files: the tree, these helpers, the measured instances and the texts of papers next to it."""

from pathlib import Path

HELPERS = Path(__file__).resolve().parent
ROOT = HELPERS.parents[1]
SHARED = ROOT.parent / "shared" / "instances"
# A second working tree may stand in a folder of its own next to the first.
BESIDE = next((folder for folder in ROOT.parents[:2] if (folder / "shared" / "papers").is_dir()), ROOT.parent)
PAPERS = BESIDE / "shared" / "papers"
