"""Reservation tables by hand, and where virtual GPUs are put."""

import numpy as np
import pytest
from simulated_clusters import two_stage_cluster

from euclio.core.errors import InputError
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan
from euclio.serving.pipeline.resources import (
    END,
    START,
    earliest_common_slot,
    earliest_slot,
    mark_reserved,
    new_ledger,
    new_node,
)
from euclio.serving.pipeline.system import place


def ledger_with(uses, resources=2):
    """A ledger with uses (resource, start, end), entered in this order."""
    ledger = new_ledger(resources, 20, np.ones(1))
    for resource, start, end in uses:
        node = new_node(ledger, 0, 0, 1, 0, end - start)
        ledger.node[node, START], ledger.node[node, END] = start, end
        mark_reserved(ledger, node, 0, resource)
    return ledger


def test_a_free_resource_is_free_at_once():
    assert earliest_slot(ledger_with([]), 0, 7, 5) == 7


@pytest.mark.parametrize(("length", "slot"), [(3, 10), (5, 10), (6, 30)])
def test_a_slot_lies_in_the_first_gap_that_is_long_enough(length, slot):
    """0 to 10 and 15 to 30 are taken: the gap is 5 long."""
    assert earliest_slot(ledger_with([(0, 15, 30), (0, 0, 10)]), 0, 2, length) == slot


def test_a_slot_begins_no_earlier_than_asked():
    assert earliest_slot(ledger_with([(0, 0, 10), (0, 15, 30)]), 0, 12, 3) == 12


def test_two_links_have_to_be_free_at_once():
    """Link 0 has gaps 10-15 and from 30 on, link 1 is taken from 12 to 20 and 33 to 40: first common 4 at 40."""
    ledger = ledger_with([(0, 0, 10), (0, 15, 30), (1, 12, 20), (1, 33, 40)])
    assert earliest_common_slot(ledger, 0, 1, 0, 4) == 40


def test_two_links_share_a_short_slot_earlier():
    ledger = ledger_with([(0, 0, 10), (0, 15, 30), (1, 12, 20), (1, 33, 40)])
    assert earliest_common_slot(ledger, 0, 1, 0, 2) == 10


def cluster_of(count, per_server, shares):
    model = Model("see", 1, [], [BlockProfile("big", v, [["0.01"]]) for v in shares])
    return Cluster("c", [Gpu("small", 3, 2), Gpu("big", count, per_server)], [model])


def plan_of(*pools):
    return PipelinePlan(tuple(Pipeline("see", (Partition("big", v, n, 0, 0, 1),)) for v, n in pools))


def test_halves_share_a_gpu():
    gpus = place(cluster_of(2, 1, [2]), plan_of((2, 4)))
    assert [gpu.physical for gpu in gpus] == [0, 0, 1, 1]


def test_leftover_shares_take_as_few_gpus_as_the_checker_counts():
    """1/2, two thirds and three quarters are 23/12 of a GPU; first fit by size would need three."""
    gpus = place(cluster_of(2, 1, [2, 3, 4]), plan_of((2, 1), (3, 2), (4, 3)))
    assert {gpu.physical for gpu in gpus} == {0, 1}


def test_gpus_fill_servers_behind_those_of_the_types_before():
    """Three small GPUs take two servers of two, so that servers of big ones begin at 2."""
    gpus = place(cluster_of(4, 2, [1]), plan_of((1, 3)))
    assert [gpu.server for gpu in gpus] == [2, 2, 3]


def test_a_plan_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="needs 3 GPUs of type big, there are 2"):
        place(cluster_of(2, 1, [1]), plan_of((1, 3)))


def test_positions_do_not_share_a_gpu():
    cluster = two_stage_cluster()
    stages = (Partition("fast", 2, 1, 0, 0, 1), Partition("fast", 2, 1, 1, 1, 1))
    gpus = place(cluster, PipelinePlan((Pipeline("see", stages),)))
    assert [gpu.physical for gpu in gpus] == [0, 1]
