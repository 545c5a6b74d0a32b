"""The page of an experiment: refuted proofs come first, then how many proofs were certified."""

import pytest
from run_frames import run, runs, two_solvers

from euclio.report import Heading, Paragraph, Table, html_page
from euclio.report.analysis.references import contradictions, with_references
from euclio.report.experiment.page import completeness, report_blocks

# Not in the quick tier: a batch of runs with their certificates.
pytestmark = pytest.mark.slow


def blocks_of(frame):
    return report_blocks(completeness(frame, {}))


def certified(*verdicts):
    rows = []
    for k, verdict in enumerate(verdicts):
        changes = {"certificate": verdict, "certify_s": None if verdict is None else 0.5 + k}
        if verdict == "refuted":
            changes |= {"status": "error", "value": None, "reason": "its proof is REFUTED (optimal): there is a plan"}
        rows.append(run(f"instance-{k}", "exact", **changes))
    return runs(*rows)


def texts(blocks):
    return " ".join(block.text for block in blocks if isinstance(block, Paragraph))


def table_with(blocks, caption):
    return next(block for block in blocks if isinstance(block, Table) and block.caption.startswith(caption))


def test_a_page_without_certificates_says_so():
    assert "Proofs: 0 of 6 certified" in texts(blocks_of(two_solvers()))


def test_a_page_counts_certificates():
    shown = texts(blocks_of(certified("certified", "certified", "open", None)))
    assert "Proofs: 2 of 4 certified, 1 open" in shown
    assert "1 were not tried" in shown


def test_the_table_has_a_row_for_each_solver():
    table = table_with(blocks_of(certified("certified", "open", None)), "Proofs by solver")
    assert table.rows == (("exact", "3", "2", "1", "0", "1", "1", "1.5"),)


def test_refuted_proofs_begin_the_page():
    first, second, third = blocks_of(certified("certified", "refuted"))[:3]
    assert (first, second.text) == (Heading("Refuted proofs"), "1 proof is REFUTED: a plan is better than they say.")
    assert third.rows == (("exact", "instance-1", "its proof is REFUTED (optimal): there is a plan"),)


def test_rows_of_refuted_proofs_are_marked():
    blocks = blocks_of(certified("certified", "refuted"))
    assert blocks[2].marked == {0}
    assert table_with(blocks, "Proofs by solver").marked == {0}


def test_the_page_can_be_written():
    assert "REFUTED" in html_page("race", blocks_of(certified("certified", "refuted", "open")))


def test_infeasibility_by_an_exact_solver_counts_as_a_proof():
    frame = runs(run("a", "exact", 2.0), run("b", "exact", None, status="infeasible", bound=None))
    assert "0 of 2 certified" in texts(blocks_of(frame))


def test_infeasibility_by_a_heuristic_does_not():
    frame = runs(run("a", "exact", 2.0), run("b", "harpagon", None, status="infeasible", bound=None))
    assert "0 of 1 certified" in texts(blocks_of(frame))


@pytest.mark.parametrize(("rule", "wrong"), [("machine", 1), ("continuous", 0)])
def test_a_bound_a_ten_millionth_beyond_a_plan_contradicts_it_except_under_rule_continuous(rule, wrong):
    options = {"option.dummy": rule}
    beaten = run("a", "milp", 2.1, bound=2.0 * (1 + 1e-7), **options)
    assert len(contradictions(runs(run("a", "exact", 2.0, bound=None, **options), beaten))) == wrong


def test_a_bound_a_ten_millionth_below_the_best_plan_proves_nothing():
    table = with_references(runs(run("a", "fast", 2.0, bound=2.0 * (1 - 1e-7))))
    assert not table.space_proven.any()
