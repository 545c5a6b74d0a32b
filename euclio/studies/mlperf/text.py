"""What the page says: three numbers, the tables behind them, what the model lacks, sensitivity, Triton's clients."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from euclio.core.words import counted, duration
from euclio.report import Fold, Heading, KeyNumber, Paragraph, Table
from euclio.session.workloads.mlperf import EIGHT
from euclio.studies.mlperf import figures
from euclio.studies.mlperf.closed_loop import capacities
from euclio.studies.mlperf.inputs import PERCENTILES, analyzer_runs, cases
from euclio.studies.mlperf.measures import group_errors, held_against, median_errors, median_share, reached
from euclio.studies.mlperf.reasons import reasons
from euclio.studies.mlperf.rules import CONFIGURED, RULES, SWEPT, Rule, variation
from euclio.studies.mlperf.serving import LEAST_REQUESTS, LEAST_S
from euclio.studies.scorecard import Score
from euclio.studies.study import Collected, Text

__all__ = ["reasons", "text"]

LATENCIES = ("mean", "p90", "p99")


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    servers, clients = collected.tables["servers"], collected.tables["clients"]
    held = held_against(servers, CONFIGURED.label)
    return Text(
        summary=[Paragraph(f"{summary(held, clients)} {SCORECARD}"), group_table(held)],
        tally=f"{SCORECARD} Nothing was fitted: "
        "every figure has the role check. Another reading is another rule for all servers; with "
        f"{len(RULES) + len(SWEPT) - 1} other rules, that one of them comes near says less than that the first does.",
        sections=[
            Heading("The largest load within the bound"),
            figures.largest_loads(held),
            Paragraph(largest_text(held)),
            Heading("All servers"),
            Fold("Percentiles at the load that was submitted", (percentile_table(held),)),
            Fold("Largest loads", (load_table(held),)),
            Fold("What goes in: batches, streams, time-outs, durations", (settings_table(),)),
            Heading("How a server is modelled"),
            *(Paragraph(line) for line in MODEL),
            figures.rules_figure(rule_errors(servers, RULES)),
            Fold("Errors of all rules, and their largest loads", (rule_table(servers, RULES),)),
            Heading("At which batch Offline's throughput is reached"),
            Paragraph(sweep_text(servers)),
            Fold("Errors by that batch", (rule_table(servers, (CONFIGURED, *SWEPT)),)),
            Heading("What the model lacks"),
            *(Paragraph(line) for line in LACKS),
            Heading("Clients that send one request after the other"),
            figures.clients_figure(clients),
            Paragraph(clients_text(clients)),
            Fold("Errors by model and instances", (instance_table(clients),)),
            Fold("Errors by largest batch, which changed nothing", (batch_table(clients),)),
        ],
        run=[Heading("Run"), Paragraph(run_text(collected))],
        headlines=[summary(held, clients)],
        numbers=numbers(held, clients),
        pictures=[figures.predicted_against_measured(held)],
    )


SCORECARD = "In the scorecard, published is what was measured on hardware, and measured what the simulator gives."
MODEL = (
    "One machine with the profile of the session that euclio import mlperf makes: batch 1 takes SingleStream's median, "
    "batch 8 MultiStream's where it was submitted, the server's largest batch its size over Offline's throughput where "
    "it is larger than those; linear in between.",
    "The rule that the page answers by takes from each submitter's configuration what it states: the largest batch, "
    "how many batches are executed at a time (inference streams), and for how long one waits to be filled, with the "
    "harness's default of 10 ms where nothing is stated. A machine that is free starts a batch when it is full, or "
    "when the time-out has passed since the later of two moments: it became free, the first request came. Streams "
    "share the machine evenly, so that a batch takes as many times longer. Inputs of a batch vary independently, each "
    "as SingleStream's percentiles say. The same rule holds for all servers, and no number in it is fitted.",
    "Two configurations are those of the same system in another round: BERT on the A2 and RNN-T on the L4.",
    "The other rules change one part each: batches that start as soon as a stream is free, or only when they are full; "
    "one batch at a time; no variation, or batches that vary as single inputs do.",
)
LACKS = (
    "Copies between host and GPU overlap with execution, and with several copy streams batches are formed ahead of a "
    "busy GPU; some servers begin with data on the device. The simulator has one time per batch, in which copies are "
    "counted as SingleStream and Offline have them.",
    "Streams slow each other evenly here. On the T4, whose two streams are given batches of 26, the measured median is "
    "lower than the time that one such batch takes then; one batch at a time comes nearer, but not near.",
    "Lengths of inputs: BERT's sentences and RNN-T's recordings vary, a batch takes as long as its tokens or its "
    "longest recording say, and BERT's servers are configured to defer the longest sentences (soft drop). Percentiles "
    "of single inputs do not say how batches vary.",
    "RNN-T prepares its audio in batches of its own before it transcribes, which the configurations give sizes for "
    "(audio batches); load times latency says that two to three batches are under way. The model has one stage.",
    "Submitters stop below the bound: every run has to be valid, a run takes at least "
    f"{LEAST_S / 60:.0f} minutes and {LEAST_REQUESTS:,} requests, and a target is a round number. That is the slack "
    "between the load that was reached and the largest that the simulator finds.",
)


def numbers(held: pd.DataFrame, clients: pd.DataFrame) -> list[KeyNumber]:
    """What a reader shall see first."""
    errors = 100 * group_errors(held).median()
    busy = clients[clients.clients >= clients.instances]
    return [
        KeyNumber(
            f"{errors['p50']:.0f} %",
            "median error of the median latency under the load that was submitted",
            f"of the 90th percentile {errors['p90']:.0f}, of the 99th {errors['p99']:.0f} %; over "
            f"{held.group.nunique()} groups of accelerator and model; aimed for: at most {figures.AIM:g} %",
        ),
        KeyNumber(
            f"{reached(held)} of {len(held)}",
            "servers reached no more than the largest load that the simulator finds",
            f"which is {held.over_reached.median():.2f} times the load reached (median)",
        ),
        KeyNumber(
            f"{100 * median_share(busy.error_mean):.0f} %",
            "median error of the mean latency of Triton's closed-loop clients",
            f"{len(busy)} measurements with at least as many clients as instances",
        ),
    ]


def summary(held: pd.DataFrame, clients: pd.DataFrame) -> str:
    """What the run says, plainly."""
    errors = 100 * group_errors(held)
    medians = errors.median()
    far = errors[errors.p50 > figures.AIM].index
    beyond = f"Beyond {figures.AIM:g} % in the median are {', '.join(far)}." if len(far) else "None is beyond."
    idle = clients[clients.clients < clients.instances]
    return (
        f"{counted(len(held), 'server')} of MLPerf Inference, whose profiles are read from SingleStream, MultiStream "
        "and Offline alone, are simulated under the Poisson load of their Server run. Over the "
        f"{len(errors)} groups of accelerator and model the median error is {medians.p50:.0f} % of the median latency, "
        f"{medians.p90:.0f} % of the 90th and {medians.p99:.0f} % of the 99th percentile. {beyond} The largest load "
        f"that the simulator finds within the bound is at or above the one that was reached on {reached(held)} of "
        f"{len(held)}. Triton's closed-loop clients are predicted to {100 * median_share(clients.error_mean):.0f} % in "
        f"the median; where there are fewer clients than instances, to {100 * median_share(idle.error_mean):.0f} %."
    )


def largest_text(held: pd.DataFrame) -> str:
    """What the largest loads say."""
    below = held[held.over_reached < 1.0]
    named = f" Below it: {', '.join(below.case)}." if len(below) else ""
    slack = 100 * held.measured_p99 / held.bound_s
    return (
        f"At or above the load that was reached on {reached(held)} of {len(held)}, by {held.over_reached.min():.2f} "
        f"to {held.over_reached.max():.2f} times.{named} The measured 99th percentiles are {slack.min():.0f} to "
        f"{slack.max():.0f} % of their bounds (median {slack.median():.0f}), below which submitters stopped."
    )


def sweep_text(servers: pd.DataFrame) -> str:
    """How much the batch matters at which Offline's rate is reached."""
    errors = {rule.label: 100 * median_errors(servers, rule.label) for rule in (CONFIGURED, *SWEPT)}
    ends = [
        f"{min(e[name] for e in errors.values()):.0f} to {max(e[name] for e in errors.values()):.0f} %"
        for name in PERCENTILES
    ]
    limit = held_against(servers, SWEPT[-1].label)
    below = limit[limit.over_reached < 1.0]
    named = ", ".join(f"{case} ({ratio:.2f})" for case, ratio in zip(below.case, below.over_reached, strict=True))
    lost = f"; then the largest load is below the one that was reached on {named}" if len(below) else ""
    without = sum(case.result.multi_stream_8_ms is not None and case.batch <= EIGHT for case in cases())
    return (
        "No result states at which batch Offline was measured. It is taken to be the server's largest, which makes "
        "batches as quick as the results allow, so that largest loads are upper limits. From there to the limit, where "
        f"every further input takes as long as one does in Offline, median errors are {ends[0]} of the median, "
        f"{ends[1]} of the 90th and {ends[2]} of the 99th percentile{lost}. On {without} servers, whose batches "
        "MultiStream covers, Offline has no part."
    )


def clients_text(clients: pd.DataFrame) -> str:
    """What Model Analyzer's measurements say."""
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
        f"rate is the same for every largest batch from 1 to 256, to {100 * (spread - 1):.0f} %. The profile is the "
        f"time per request at {runs.clients.max():,} clients, as clients over mean latency (Little's law); the printed "
        f"throughput counts only requests that fit into the measuring window, {100 * lost:.0f} % of them there. Mean, "
        f"90th and 99th percentile are predicted to {errors[0]:.1f}, {errors[1]:.1f} and {errors[2]:.1f} % in the "
        f"median ({len(busy)} measurements). With fewer clients than instances ({len(idle)}) it is {far:.0f} %: the "
        "profile says what a request takes while all instances are busy. An instance alone is faster on VGG-19; on "
        f"ResNet-50 a request takes {resnet.min():.0f} to {resnet.max():.0f} ms among idle instances, where a server "
        "with one instance takes 5, which no profile of busy instances shows. Counting no more instances than clients "
        f"gives {used:.0f} %."
    )


def run_text(collected: Collected) -> str:
    """How much was simulated."""
    length, others = (float(collected.how[name]) for name in ("length", "length_of_others"))
    seeds = int(collected.tables["servers"].seed.nunique())
    part = "" if length == 1.0 else f" {100 * length:g} % of that was simulated."
    return (
        f"Seed {collected.asked.seed}. MLPerf asks for at least {LEAST_S:g} s and {LEAST_REQUESTS:,} requests per run. "
        f"Under the first rule so much is simulated, in {seeds} runs with seeds of their own at the load that was "
        f"submitted; under every other one run of {others / length:g} of that.{part} Largest loads are looked for with "
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
        "Percentiles of latency under the Poisson load that was submitted: simulated (measured) and error",
        ("server", "load (per s)", "mean batch", *(f"{figures.ORDINALS[name]} (ms)" for name in PERCENTILES)),
        rows,
    )


def load_table(held: pd.DataFrame) -> Table:
    """The largest load of every server next to the one that was reached."""
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
    """What goes in: settings of the servers, and what their durations are read from."""
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


def group_table(held: pd.DataFrame) -> Table:
    """Errors by accelerator and model."""
    errors = group_errors(held)
    sizes = held.groupby("group").size()
    cells = [[f"{100 * value:.0f}" for value in errors[name]] for name in PERCENTILES]
    rows = [(str(group), str(sizes[str(group)]), *row) for group, *row in zip(errors.index, *cells, strict=True)]
    rows.append(("median", str(len(held)), *(f"{100 * errors[name].median():.0f}" for name in PERCENTILES)))
    columns = ("group", "servers", *(f"{figures.ORDINALS[name]} percentile (%)" for name in PERCENTILES))
    return _table("Median of absolute errors by group, as configured", columns, rows)


def rule_errors(servers: pd.DataFrame, rules: Sequence[Rule]) -> pd.DataFrame:
    """Median errors of rules in per cent: a row per rule, a column per percentile."""
    return pd.DataFrame({rule.label: 100 * median_errors(servers, rule.label) for rule in rules}).T


def rule_table(servers: pd.DataFrame, rules: Sequence[Rule]) -> Table:
    """Errors and largest loads of rules."""
    errors = rule_errors(servers, rules)
    rows = []
    for rule in rules:
        held = held_against(servers, rule.label)
        cells = (f"{errors.at[rule.label, name]:.0f}" for name in PERCENTILES)
        signed = f"{100 * held.error_p50.median():+.0f}"
        rows.append((rule.label, rule.answer, *cells, signed, f"{reached(held)} of {len(held)}"))
    columns = ("rule", "what it says", *(f"{figures.ORDINALS[name]} (%)" for name in PERCENTILES))
    return _table(
        "Medians over the groups of their median errors; signed: median over the servers, of the median latency",
        (*columns, "signed (%)", "largest load at or above"),
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
    """Errors of Triton's clients by the largest batch that was configured."""
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
