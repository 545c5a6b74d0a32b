"""What every solver has to keep to, tried out: `check_solver` says which claims a solver keeps and which it breaks."""

from euclio.contract.checking import check_solver
from euclio.contract.findings import Finding, Report, Verdict

__all__ = ["Finding", "Report", "Verdict", "check_solver"]
