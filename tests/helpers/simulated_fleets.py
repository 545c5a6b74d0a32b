"""A small fleet and plans whose simulation can be followed by hand."""

from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, Head, Network, RealignedSet, Stage

MS = 1_000_000


def two_clients(budget_s="0.1", rate_rps=50):
    """Layer 0 takes 10 ms whatever the batch; layer 1 takes 12 ms, a batch of 2 takes 16 ms, of 4 it takes 20 ms."""
    layers = [[["0.01"], ["0.01"], ["0.01"]], [["0.012"], ["0.016"], ["0.02"]]]
    network = Network("two", [1, 2, 4], [50], layers)
    fragments = [Fragment("a", 0, budget_s, rate_rps), Fragment("b", 1, budget_s, rate_rps)]
    return Fleet("two-clients", network, fragments)


def aligned(batch=2, instances=1):
    """Layer 0 of `a` alone in batches of 1, layer 1 of both on `instances`."""
    return FragmentPlan((RealignedSet(1, Stage(batch, 50, instances), (Head((0,), Stage(1, 50, 1)), Head((1,)))),))


def together(fragments, batch=2, instances=1, budget_s="0.1", rate_rps=50):
    """Several clients that leave layer 1 to the server, and the plan that serves them on the same instances."""
    network = two_clients().network
    fleet = Fleet("same", network, [Fragment(f"c{k}", 1, budget_s, rate_rps) for k in range(fragments)])
    return fleet, FragmentPlan((RealignedSet(1, Stage(batch, 50, instances), (Head(tuple(range(fragments))),)),))
