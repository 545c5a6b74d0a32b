"""The programs behind the pages stand in `docs/tools`, which is no package."""

import sys

from places import ROOT

# Behind everything else, so that nothing there hides a helper or a package.
sys.path.append(str(ROOT / "docs" / "tools"))
