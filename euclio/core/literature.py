"""The papers and programs that solvers rest on, as records: what `euclio cite` prints, and what it prints of euclio.

Authors, titles and venues are those that the papers print, of baselines those that the papers which compare with them
print. CITATION.cff says the same of euclio and of the five papers; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper or a program.

    Attributes:
        key: what it is cited by: lower-case letters and digits.
        kind: type of its BibTeX entry: "article", "inproceedings" or "misc".
        title: as printed; BibTeX styles keep its capitals.
        authors: "Family, Given" each, in the printed order; one without a comma is a group. Empty: not known.
        year: year of publication; empty: there is none.
        fields: other fields of the entry, by name, in order.
    """

    key: str
    kind: str
    title: str
    authors: tuple[str, ...]
    year: str = ""
    fields: tuple[tuple[str, str], ...] = ()


EUCLIO_TITLE = "euclio: an optimization research workbench for DNN inference serving"
EUCLIO_AUTHORS = ("The euclio authors",)

HARPAGON = Reference(
    "harpagon",
    "misc",
    "Harpagon: Minimizing DNN Serving Cost via Efficient Dispatching, Scheduling and Splitting",
    (
        "Zhao, Zhixin",
        "Hu, Yitao",
        "Gong, Ziqi",
        "Yang, Guotao",
        "Li, Wenxin",
        "Liu, Xiulong",
        "Li, Keqiu",
        "Wang, Hao",
    ),
    "2024",
    (("eprint", "2412.06161"), ("archiveprefix", "arXiv")),
)
PICCOLO = Reference(
    "piccolo",
    "misc",
    "Piccolo: A Cost-Efficient Deep Neural Network Inference System with Latency Constraints",
    (),
    fields=(("key", "Piccolo"), ("note", "Authors, venue and year are not printed in the copy that was used")),
)
SCROOGE = Reference(
    "scrooge",
    "inproceedings",
    "Scrooge: A Cost-Effective Deep Learning Inference System",
    ("Hu, Yitao", "Ghosh, Rajrup", "Govindan, Ramesh"),
    "2021",
    (
        ("booktitle", "ACM Symposium on Cloud Computing (SoCC '21)"),
        ("pages", "624--638"),
        ("doi", "10.1145/3472883.3486993"),
    ),
)
PPIPE = Reference(
    "ppipe",
    "inproceedings",
    "PPipe: Efficient Video Analytics Serving on Heterogeneous GPU Clusters via Pool-Based Pipeline Parallelism",
    ("Kong, Z. Jonny", "Xu, Qiang", "Hu, Y. Charlie"),
    "2025",
    (
        ("booktitle", "2025 USENIX Annual Technical Conference"),
        ("isbn", "978-1-939133-48-9"),
        ("url", "https://www.usenix.org/conference/atc25/presentation/kong"),
    ),
)
GRAFT = Reference(
    "graft",
    "article",
    "Graft: Efficient Inference Serving for Hybrid Deep Learning with SLO Guarantees via DNN Re-alignment",
    ("Wu, Jing", "Wang, Lin", "Jin, Qirui", "Liu, Fangming"),
    "2023",
    (
        ("journal", "IEEE Transactions on Parallel and Distributed Systems"),
        ("eprint", "2312.10636"),
        ("archiveprefix", "arXiv"),
    ),
)
PAPERS = (HARPAGON, PICCOLO, SCROOGE, PPIPE, GRAFT)
"""The five papers that euclio runs again."""

NEXUS = Reference(
    "nexus",
    "inproceedings",
    "Nexus: A GPU Cluster Engine for Accelerating DNN-Based Video Analysis",
    (
        "Shen, Haichen",
        "Chen, Lequn",
        "Jin, Yuchen",
        "Zhao, Liangyu",
        "Kong, Bingyu",
        "Philipose, Matthai",
        "Krishnamurthy, Arvind",
        "Sundaram, Ravi",
    ),
    "2019",
    (
        ("booktitle", "Proceedings of the 27th ACM Symposium on Operating Systems Principles (SOSP '19)"),
        ("pages", "322--337"),
        ("doi", "10.1145/3341301.3359658"),
    ),
)
INFERLINE = Reference(
    "inferline",
    "inproceedings",
    "InferLine: Latency-Aware Provisioning and Scaling for Prediction Serving Pipelines",
    (
        "Crankshaw, Daniel",
        "Sela, Gur-Eyal",
        "Mo, Xiangxi",
        "Zumar, Corey",
        "Stoica, Ion",
        "Gonzalez, Joseph",
        "Tumanov, Alexey",
    ),
    "2020",
    (("booktitle", "Proceedings of the 11th ACM Symposium on Cloud Computing (SoCC '20)"), ("pages", "477--491")),
)
CLIPPER = Reference(
    "clipper",
    "inproceedings",
    "Clipper: A Low-Latency Online Prediction Serving System",
    (
        "Crankshaw, Daniel",
        "Wang, Xin",
        "Zhou, Giulio",
        "Franklin, Michael J.",
        "Gonzalez, Joseph E.",
        "Stoica, Ion",
    ),
    "2017",
    (
        ("booktitle", "14th USENIX Symposium on Networked Systems Design and Implementation (NSDI 17)"),
        ("pages", "613--627"),
    ),
)
DART = Reference(
    "dart",
    "inproceedings",
    "Pipelined Data-Parallel CPU/GPU Scheduling for Multi-DNN Real-Time Inference",
    ("Xiang, Yecheng", "Kim, Hyoseung"),
    "2019",
    (("booktitle", "2019 IEEE Real-Time Systems Symposium (RTSS)"), ("pages", "392--405")),
)
GSLICE = Reference(
    "gslice",
    "inproceedings",
    "GSLICE: Controlled Spatial Sharing of GPUs for a Scalable Inference Platform",
    ("Dhakal, A.", "Kulkarni, S. G.", "Ramakrishnan, K."),
    "2020",
    (("booktitle", "Proceedings of the 11th ACM Symposium on Cloud Computing (SoCC '20)"),),
)
PULP = Reference(
    "pulp",
    "misc",
    "PuLP: A Linear Programming Toolkit for Python",
    ("Mitchell, Stuart", "O'Sullivan, Michael", "Dunning, Iain"),
    "2011",
    (("howpublished", "The University of Auckland"),),
)
HIGHS = Reference(
    "highs",
    "article",
    "Parallelizing the Dual Revised Simplex Method",
    ("Huangfu, Qi", "Hall, J. A. J."),
    "2018",
    (
        ("journal", "Mathematical Programming Computation"),
        ("volume", "10"),
        ("number", "1"),
        ("pages", "119--142"),
        ("doi", "10.1007/s12532-017-0130-5"),
    ),
)
CBC = Reference(
    "cbc",
    "misc",
    "Cbc (COIN-OR branch and cut)",
    ("Forrest, John", "others"),
    fields=(("url", "https://github.com/coin-or/Cbc"),),
)
CPSAT = Reference(
    "cpsat",
    "inproceedings",
    "The CP-SAT-LP Solver",
    ("Perron, Laurent", "Didier, Frédéric", "Gay, Steven"),
    "2023",
    (
        ("booktitle", "29th International Conference on Principles and Practice of Constraint Programming (CP 2023)"),
        ("series", "Leibniz International Proceedings in Informatics (LIPIcs)"),
        ("volume", "280"),
        ("pages", "3:1--3:2"),
        ("doi", "10.4230/LIPIcs.CP.2023.3"),
    ),
)

SCIP = Reference(
    "scip",
    "article",
    "SCIP: Solving Constraint Integer Programs",
    ("Achterberg, Tobias",),
    "2009",
    (
        ("journal", "Mathematical Programming Computation"),
        ("volume", "1"),
        ("number", "1"),
        ("pages", "1--41"),
        ("doi", "10.1007/s12532-008-0001-1"),
    ),
)
GUROBI = Reference(
    "gurobi",
    "misc",
    "Gurobi Optimizer Reference Manual",
    ("Gurobi Optimization",),
    fields=(("url", "https://www.gurobi.com"),),
)

ENGINES = {
    "highs": HIGHS,
    "highs-program": HIGHS,
    "cbc": CBC,
    "scip": SCIP,
    "gurobi": GUROBI,
    "ortools": CPSAT,
}
"""What to cite of engines and of solver libraries, by their names in options and in records of solvers."""

KNOWN = (*PAPERS, NEXUS, INFERLINE, CLIPPER, DART, GSLICE, PULP, HIGHS, CBC, SCIP, GUROBI, CPSAT)
"""All of them, in the order in which they are printed."""


def euclio_itself(version: str) -> Reference:
    """What to cite of euclio.

    Args:
        version: the version that is installed.
    """
    return Reference("euclio", "misc", EUCLIO_TITLE, EUCLIO_AUTHORS, fields=(("version", version),))
