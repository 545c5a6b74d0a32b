"""The page's text: three numbers, the tables behind them, limits of the model, sensitivity, Triton's clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.core.words import counted, duration
from euclio.report import Fold, Heading, KeyNumber, Paragraph, Table
from euclio.workloads.session.mlperf import EIGHT
from studies.mlperf import figures
from studies.mlperf.choices import SIX, TriedChoice, halves, kept, left_out, logarithms, of_the_earlier
from studies.mlperf.class_text import (
    ORDINALS,
    class_table,
    halves_table,
    halves_text,
    left_table,
    near_table,
    near_text,
    reasons,
    tried_table,
    trust_text,
)
from studies.mlperf.inputs import PERCENTILES, analyzer_runs, cases
from studies.mlperf.measures import (
    group_errors,
    held_against,
    median_errors,
    median_share,
    reached,
    within,
)
from studies.mlperf.rules import BEFORE, CONFIGURED, RULES, SWEPT, Rule, variation
from studies.mlperf.serving import LEAST_REQUESTS, LEAST_S, capacities
from studies.papers.published import notes
from studies.scorecard import Score
from studies.study import Collected, Text

__all__ = ["reasons", "text"]

LATENCIES = ("mean", "p90", "p99")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Every server under the rules on the page.

    Attributes:
        left: predicted with numbers fitted to all other accelerators.
        six: servers that are newer than the rule before, predicted with numbers fitted to the others.
        own: by the page's rule.
        before: by the rule before.
        tried: numbers fitted on one half, shown on the other.
        logs: logarithms of simulated over measured of every number that was tried.
    """

    left: pd.DataFrame
    six: pd.DataFrame
    own: pd.DataFrame
    before: pd.DataFrame
    tried: tuple[TriedChoice, ...]
    logs: pd.DataFrame

    @property
    def unseen(self) -> pd.DataFrame:
        """Servers that are newer than the rule before."""
        return self.before[self.before.case.isin(SIX)]


def accuracy(collected: Collected) -> Accuracy:
    """The accuracy of the simulations."""
    servers = collected.tables["servers"]
    logs = logarithms(collected.tables["tried"])
    tried = tuple(halves(logs))
    own, before = (held_against(servers, rule.label) for rule in (CONFIGURED, BEFORE))
    return Accuracy(left_out(logs, kept(tried)), of_the_earlier(logs, kept(tried)), own, before, tried, logs)


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    servers, clients = collected.tables["servers"], collected.tables["clients"]
    found = accuracy(collected)
    held = found.own
    return Text(
        summary=[Paragraph(f"{summary(found, clients)} {SCORECARD}"), class_table(found.left, held, found.before)],
        tally=f"{SCORECARD} The scorecard uses the rule without a fitted number, which we chose with all of these "
        "servers in view, so its agreement is no measure of accuracy. Another reading is another rule for all "
        f"servers. There are {len(RULES) + len(SWEPT) - 1} other rules, so agreement of one of them means less than "
        "that of the first.",
        sections=[
            Heading("Fitted numbers and their effect on other servers"),
            Paragraph(halves_text(found.tried)),
            Fold("Fitted on one half, shown on the other", (halves_table(found.tried),)),
            Fold("All values tried, by server", (tried_table(found.logs),)),
            Fold("Every server, predicted without its accelerator", (left_table(found.left),)),
            Heading("When to trust a latency: not near the capacity"),
            Paragraph(near_text(held)),
            Fold("The effect of 3 % of load", (near_table(held),)),
            Heading("When to trust the largest load within the bound"),
            figures.largest_loads(held),
            Paragraph(largest_text(held, found.before)),
            Heading("All servers"),
            Fold("Percentiles at the submitted load, all servers in view", (percentile_table(held),)),
            Fold("Largest loads", (load_table(held),)),
            Fold("Inputs: batches, streams, timeouts, durations", (settings_table(),)),
            Heading("How a server is modelled"),
            *(Paragraph(line) for line in notes("mlperf", "model")),
            figures.rules_figure(rule_errors(servers, RULES)),
            Fold("Errors of all rules", (rule_table(servers, RULES),)),
            Heading("The batch of Offline's throughput"),
            Paragraph(sweep_text(servers)),
            Fold("Errors by that batch", (rule_table(servers, (CONFIGURED, *SWEPT)),)),
            Heading("Limits of the model"),
            *(Paragraph(line) for line in _lacks()),
            Heading("When to trust latencies of clients that send one request after the other"),
            figures.clients_figure(clients),
            Paragraph(clients_text(clients)),
            Fold("Errors by model and instances", (instance_table(clients),)),
            Fold("Errors by largest batch, which changed nothing", (batch_table(clients),)),
        ],
        run=[Heading("Run"), Paragraph(run_text(collected))],
        headlines=[summary(found, clients)],
        numbers=numbers(found),
        pictures=[figures.signed_errors(found.left)],
    )


SCORECARD = "In the scorecard, published values are measured on hardware, and measured values are simulated."


def _lacks() -> Iterator[str]:
    """The limits of the simulator, as sentences."""
    for line in notes("mlperf", "lacks"):
        yield line.format(minutes=LEAST_S / 60, requests=LEAST_REQUESTS)


def numbers(found: Accuracy) -> list[KeyNumber]:
    """The numbers at the top of the page."""
    errors, servers = 100 * group_errors(found.left), 100 * median_errors(found.left)
    six, before = (100 * median_errors(frame) for frame in (found.six, found.unseen))
    return [
        KeyNumber(
            f"{errors.p50:.0f} %",
            "is the median error of a predicted median latency, each accelerator predicted without its own results",
            f"{trust_text(found.left, figures.AIM)} Median errors of the 90th percentile {errors.p90:.0f}, of the "
            f"99th {errors.p99:.0f} %; over {found.left.group.nunique()} groups of accelerator and model; over the "
            f"{len(found.left)} servers {servers.p50:.0f}, {servers.p90:.0f} and {servers.p99:.0f} %; aimed for: at "
            f"most {figures.AIM:g} %",
        ),
        KeyNumber(
            f"{six.p50:.0f} %",
            f"median error of the median latency on {len(found.six)} later servers, with numbers fitted to the "
            "earlier ones alone",
            f"of the 90th percentile {six.p90:.0f}, of the 99th {six.p99:.0f} %; by the previous rule "
            f"{before.p50:.0f}, {before.p90:.0f} and {before.p99:.0f} %",
        ),
        KeyNumber(
            f"{reached(found.own)} of {len(found.own)}",
            "servers reached no more load than the simulator's largest load, so that it is an upper limit",
            f"the simulator's is {found.own.over_reached.median():.2f} times the load reached (median)",
        ),
    ]


def summary(found: Accuracy, clients: pd.DataFrame) -> str:
    """The summary of the run."""
    groups, servers = 100 * group_errors(found.left), 100 * median_errors(found.left)
    six, before = (100 * median_errors(frame) for frame in (found.six, found.unseen))
    quarter = within(found.left, figures.AIM / 100)
    idle = clients[clients.clients < clients.instances]
    count = len(found.left)
    return (
        f"{counted(count, 'server')} of MLPerf Inference, with profiles from SingleStream, MultiStream and "
        "Offline alone, are simulated under the Poisson load of their Server run, each accelerator with numbers fitted "
        f"to all others. The median error over the {found.left.group.nunique()} groups of accelerator and model is "
        f"{groups.p50:.0f} % of the median latency, {groups.p90:.0f} % of the 90th and {groups.p99:.0f} % of the 99th "
        f"percentile ({servers.p50:.0f}, {servers.p90:.0f} and {servers.p99:.0f} % over the servers). Of the {count} "
        f"servers {quarter['p50']}, {quarter['p90']} and {quarter['p99']} are predicted within {figures.AIM:g} %. "
        f"{trust_text(found.left, figures.AIM)} We chose the model of a server with all of them in view, so "
        f"these are not errors on unseen data. The {len(found.six)} later servers, predicted "
        f"with numbers fitted to the earlier {count - len(found.six)} alone, have errors of {six.p50:.0f}, "
        f"{six.p90:.0f} and {six.p99:.0f} %. The previous rule, made before them, had errors of "
        f"{before.p50:.0f}, {before.p90:.0f} and {before.p99:.0f} %. On {reached(found.own)} of {count} servers the "
        "simulator's largest load within the bound is at or above the load that the hardware "
        "reached. The mean latency of Triton's closed-loop clients has a median error of "
        f"{100 * median_share(clients.error_mean):.0f} %; with fewer clients than instances, "
        f"of {100 * median_share(idle.error_mean):.0f} %."
    )


def largest_text(held: pd.DataFrame, before: pd.DataFrame) -> str:
    """The result on the largest loads."""
    below = held[held.over_reached < 1.0]
    named = f" Below it: {', '.join(below.case)}." if len(below) else ""
    slack = 100 * held.measured_p99 / held.bound_s
    return (
        f"The simulated load is at or above the load reached on {reached(held)} of {len(held)}, by factors of "
        f"{held.over_reached.min():.2f} to {held.over_reached.max():.2f}.{named} With the previous rule it is on "
        f"{reached(before)}. The measured 99th "
        f"percentiles are {slack.min():.0f} to {slack.max():.0f} % of their bounds (median {slack.median():.0f}): "
        "submitters stopped below them."
    )


def sweep_text(servers: pd.DataFrame) -> str:
    """The effect of the batch that reaches Offline's rate."""
    errors = {rule.label: 100 * median_errors(held_against(servers, rule.label)) for rule in SWEPT}
    ends = [
        f"{min(e[name] for e in errors.values()):.0f} to {max(e[name] for e in errors.values()):.0f} %"
        for name in PERCENTILES
    ]
    without = sum(case.result.multi_stream_8_ms is not None and case.batch <= EIGHT for case in cases())
    return (
        "Results do not state the batch of Offline; configurations do, and it is not the server's. It is 256 for "
        "BERT on the A2, whose server takes 4 at a time, and 512 for RNN-T there, whose server takes 256. We vary it "
        "from the server's largest batch to the limit, where every further input takes as long as one in Offline, for "
        f"all servers alike. Median errors are {ends[0]} of the median, {ends[1]} of the 90th and {ends[2]} of the "
        f"99th percentile. On {without} servers MultiStream covers all batches, and Offline does not affect durations."
    )


def clients_text(clients: pd.DataFrame) -> str:
    """The result on Model Analyzer's measurements."""
    idle, busy = (clients[(clients.clients < clients.instances) == fewer] for fewer in (True, False))
    rates = capacities().groupby(["model", "instances"])[["saturated_per_s"]]
    spread = float((rates.max() / rates.min()).saturated_per_s.max())
    runs = analyzer_runs()
    most = runs[runs.clients == runs.clients.max()]
    lost = (most.throughput_per_s / most.through_latency_per_s).median()
    far, used = (100 * median_share(idle[name]) for name in ("error_mean", "error_mean_of_used"))
    errors = [100 * median_share(busy[f"error_{name}"]) for name in LATENCIES]
    resnet = idle[idle.model == "resnet50"].latency_mean_ms
    return (
        "ResNet-50 and VGG-19 in 1 to 5 instances. The server formed no batches: dynamic batching was off, and its "
        f"rate is the same for every largest batch from 1 to 256, within {100 * (spread - 1):.0f} %. The profile is "
        f"the time per request at {runs.clients.max():,} clients, as clients over mean latency (Little's law). The "
        f"printed throughput counts only requests that fit into the measuring window, {100 * lost:.0f} % of them "
        f"there. Mean, 90th and 99th percentile have median errors of {errors[0]:.1f}, {errors[1]:.1f} and "
        f"{errors[2]:.1f} % ({len(busy)} measurements). With fewer clients than instances ({len(idle)}) the error is "
        f"{far:.0f} %, since the profile is for busy instances. An instance alone is faster on VGG-19. On "
        f"ResNet-50 a request takes {resnet.min():.0f} to {resnet.max():.0f} ms among idle instances, while a server "
        "with one instance takes 5; no profile of busy instances shows this. Counting at most as many instances as "
        f"clients gives {used:.0f} %."
    )


def run_text(collected: Collected) -> str:
    """The amount of simulation."""
    length, others = (float(collected.how[name]) for name in ("length", "length_of_others"))
    seeds = int(collected.tables["servers"].seed.nunique())
    part = "" if length == 1.0 else f" {100 * length:g} % of that was simulated."
    return (
        f"Seed {collected.asked.seed}. MLPerf asks for at least {LEAST_S:g} s and {LEAST_REQUESTS:,} requests per run. "
        f"Under the first rule we simulate that much, in {seeds} runs with their own seeds at the submitted "
        f"load; under every other rule one run of {others / length:g} of that.{part} The search for largest loads uses "
        "the first seed, so that all loads see the same gaps."
    )


def percentile_table(held: pd.DataFrame) -> Table:
    """Simulated and measured percentiles of every server."""
    rows = []
    for row in held.to_dict("records"):
        cells = [str(row["case"]), f"{row['submitted_rps']:,.0f}", f"{row['mean_batch']:.1f} of {row['batch']}"]
        for name in PERCENTILES:
            simulated, measured = (f"{1000 * row[column]:.3g}" for column in (name, f"measured_{name}"))
            cells.append(f"{simulated} ({measured}) {100 * row[f'error_{name}']:+.0f} %")
        rows.append(tuple(cells))
    return _table(
        "Percentiles of latency under the submitted Poisson load: simulated (measured) and error (nearer 0 is better)",
        ("server", "load (per s)", "mean batch", *(f"{ORDINALS[name]} (ms)" for name in PERCENTILES)),
        rows,
    )


def load_table(held: pd.DataFrame) -> Table:
    """The largest load of every server next to the measured one."""
    rows = [
        (
            str(row["case"]),
            f"{row['submitted_rps']:,.0f}",
            f"{row['largest_rps']:,.0f}",
            f"{row['over_reached']:.2f}",
            f"{row['capacity_rps']:,.0f}",
            duration(row["bound_s"]),
            duration(row["measured_p99"]),
        )
        for row in held.to_dict("records")
    ]
    columns = (
        "server",
        "reached (per s)",
        "simulated (per s)",
        "ratio",
        "full batches (per s)",
        "bound",
        "measured p99",
    )
    return _table("Largest Poisson load with the 99th percentile within its bound", columns, rows)


def settings_table() -> Table:
    """Inputs: settings of the servers, and the sources of their durations."""
    rows = []
    for case in cases():
        single, eight = case.result.single_stream_ms, case.result.multi_stream_8_ms
        assert single is not None
        assert case.result.offline_per_s is not None
        timeout = duration(case.timeout_s) + ("" if case.stated else " (default)")
        rows.append(
            (
                case.name,
                str(case.batch),
                str(case.streams),
                timeout,
                f"{float(single.p50):.2f}",
                f"{float(single.p90):.2f}",
                "–" if eight is None else f"{float(eight.p50):.2f}",
                f"{float(case.result.offline_per_s):,.0f}",
                f"{100 * variation(case):.0f}",
                case.source.partition("inference_results_")[2].partition(" ")[0],
            )
        )
    columns = ("server", "largest batch", "streams", "time-out", "batch 1, p50 (ms)", "p90 (ms)", "batch 8 (ms)")
    return _table(
        "From the results and the configurations that were published with them (data/mlperf); variation: of single "
        "inputs",
        (*columns, "Offline (per s)", "variation (%)", "configured in"),
        rows,
        behind=tuple(case.source for case in cases()),
    )


def rule_errors(servers: pd.DataFrame, rules: Sequence[Rule]) -> pd.DataFrame:
    """Median errors of rules in per cent: a row per rule, a column per percentile."""
    return pd.DataFrame({rule.label: 100 * median_errors(held_against(servers, rule.label)) for rule in rules}).T


def rule_table(servers: pd.DataFrame, rules: Sequence[Rule]) -> Table:
    """Errors of rules."""
    errors = rule_errors(servers, rules)
    rows = []
    for rule in rules:
        held = held_against(servers, rule.label)
        cells = (f"{errors.at[rule.label, name]:.0f}" for name in PERCENTILES)
        signed = f"{100 * held.error_p50.median():+.0f}"
        rows.append((rule.label, rule.answer, *cells, signed))
    columns = ("rule", "what it says", *(f"{ORDINALS[name]} (%)" for name in PERCENTILES))
    return _table(
        "Medians over the servers of absolute errors (lower is better), all servers in view; signed: of the median "
        "latency",
        (*columns, "signed (%)"),
        rows,
        first=2,
    )


def instance_table(clients: pd.DataFrame) -> Table:
    """Errors of Triton's clients by model and instances."""
    rows = []
    found = capacities().groupby(["model", "instances"], as_index=False)[["saturated_per_s"]].median()
    for saturated in found.to_dict("records"):
        model, instances = saturated["model"], saturated["instances"]
        own = clients[(clients.model == model) & (clients.instances == instances)]
        busy, idle = own[own.clients >= instances], own[own.clients < instances]
        cells = (f"{100 * median_share(busy[f'error_{name}']):.1f}" for name in LATENCIES)
        rows.append((model, str(instances), f"{saturated['saturated_per_s']:.0f}", *cells, *_idle(idle)))
    columns = ("model", "instances", "saturated (per s)", "mean (%)", "90th (%)", "99th (%)")
    fewer = ("fewer clients: mean (%)", "instances as clients (%)")
    return _table("Median of absolute errors", (*columns, *fewer), rows)


def _idle(idle: pd.DataFrame) -> tuple[str, str]:
    if idle.empty:
        return "–", "–"
    return f"{100 * median_share(idle.error_mean):.0f}", f"{100 * median_share(idle.error_mean_of_used):.0f}"


def batch_table(clients: pd.DataFrame) -> Table:
    """Errors of Triton's clients by the configured largest batch."""
    found = capacities()
    most = found[found.instances == found.instances.max()]
    rates = most.pivot_table(index="largest_batch", columns="model", values="saturated_per_s")
    rows = []
    for largest in rates.index:
        own = clients[clients.largest_batch == largest]
        cells = (f"{100 * median_share(own[f'error_{name}']):.1f}" for name in LATENCIES)
        rows.append((str(largest), *(f"{rates.at[largest, model]:.0f}" for model in rates), *cells))
    models = (f"{model}, {most.instances.max()} instances (per s)" for model in rates)
    columns = ("largest batch", *models, "mean (%)", "90th (%)", "99th (%)")
    return _table("Rates of the saturated server, and median of absolute errors", columns, rows)


def _table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    first: int = 1,
    behind: tuple[str, ...] = (),
) -> Table:
    """A table whose columns from `first` on are numbers."""
    numeric = frozenset(range(first, len(columns)))
    return Table(caption, tuple(columns), tuple(rows), numeric, behind=behind, stacks=True)
