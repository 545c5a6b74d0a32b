"""What the page says: three numbers, the tables behind them, what the model lacks, sensitivity, Triton's clients."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from euclio.core.words import counted, duration
from euclio.report import Fold, Heading, KeyNumber, Paragraph, Table
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

NUMERIC = 20
"""More columns than any table here has."""


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    servers, clients = collected.tables["servers"], collected.tables["clients"]
    held = held_against(servers, CONFIGURED.label)
    return Text(
        summary=[Paragraph(summary(held, clients)), group_table(held)],
        tally="Published is what was measured on hardware, measured is what the simulator gives. Nothing was fitted: "
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


MODEL = (
    "One machine with the profile of the session that `euclio import mlperf` makes: batch 1 takes SingleStream's median, "
    "batch 8 MultiStream's where it was submitted, the server's largest batch its size over Offline's throughput where "
    "that is more than what was measured; linear in between.",
    "The rule that the page answers by takes from each submitter's configuration what it states: the largest batch, how "
    "many batches are executed at a time (inference streams), and for how long one waits to be filled, with the "
    "harness's default of 10 ms where nothing is stated. A stream that is free starts a batch when it is full, or when "
    "the time-out has passed since the later of two moments: the stream became free, the first request came. Streams "
    "share the machine evenly, so that a batch takes as many times longer. Inputs of a batch vary independently, each "
    "as SingleStream's percentiles say. The same rule holds for all, and none of its parts was chosen by its errors.",
    "The other rules change one part each: batches that start as soon as a stream is free, or only when they are full; "
    "one batch at a time; no variation, or batches that vary as single inputs do.",
)
LACKS = (
    "Copies between host and GPU overlap with execution, and with several copy streams batches are formed ahead of a "
    "busy GPU; some servers begin with data on the device. The simulator has one time per batch, in which copies are "
    "counted as SingleStream and Offline have them.",
    "Streams slow each other evenly here. On the T4, whose two streams are given batches of 26, the measured median is "
    "lower than the time that one such batch takes then; one batch at a time comes nearer, but not near.",
    "Lengths of inputs: BERT's sentences and RNN-T's recordings vary, a batch takes as long as its tokens or its longest "
    "recording say, and BERT's harness defers the longest sentences (soft drop), which is where the p99 bound is won. "
    "Percentiles of single inputs do not say how batches vary.",
    "RNN-T prepares its audio on the same GPU in batches of its own and decodes step by step, so that several batches "
    "are under way; its latencies are those of a pipeline, the model has one stage.",
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
            f"{errors['p50']:.0f} and {errors['p90']:.0f} %",
            "median error of the median and the 90th percentile",
            f"over {held.group.nunique()} groups of accelerator and model; aimed for: at most {figures.AIM:g} %",
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
        f"{counted(len(held), 'server')} of MLPerf Inference, whose profiles are read from SingleStream, MultiStream and "
        "Offline alone, are simulated under the Poisson load of their Server run. Over the "
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
    return (
        f"At or above the load that was reached on {reached(held)} of {len(held)}, by {held.over_reached.min():.2f} to "
        f"{held.over_reached.max():.2f} times.{named} Where the measured 99th percentile is far below its bound, "
        "submitters stopped for another reason than the bound; there the factor is largest."
    )


def sweep_text(servers: pd.DataFrame) -> str:
    """How much the batch matters at which Offline's rate is reached."""
    errors = {rule.label: 100 * median_errors(servers, rule.label) for rule in (CONFIGURED, *SWEPT)}
    ends = [
        f"{min(e[name] for e in errors.values()):.0f} to {max(e[name] for e in errors.values()):.0f} %"
        for name in PERCENTILES
    ]
    least = {rule.label: reached(held_against(servers, rule.label)) for rule in SWEPT}
    all_ = len(cases())
    loads = ", ".join(f"{n} of {all_} ({label})" for label, n in least.items())
    return (
        "No result states at which batch Offline was measured. It is taken to be the server's largest, which makes "
        "batches as quick as the results allow, so that largest loads are upper limits. If more inputs were needed, "
        f"median errors would be {ends[0]} of the median, {ends[1]} of the 90th and {ends[2]} of the 99th percentile; "
        f"loads reached would stay at or below the largest on {loads}."
    )


def clients_text(clients: pd.DataFrame) -> str:
    """What Model Analyzer's measurements say."""
    idle, busy = (clients[(clients.clients < clients.instances) == fewer] for fewer in (True, False))
    found = capacities(analyzer_runs())
    spread = (
        found.groupby(level=["model", "instances"]).max() / found.groupby(level=["model", "instances"]).min()
    ).max()
    runs = analyzer_runs()
    most = runs[runs.clients == runs.clients.max()]
    lost = (most.throughput_per_s / most.through_latency_per_s).median()
    return (
        "ResNet-50 and VGG-19 in 1 to 5 instances. The server formed no batches: dynamic batching was off, and its rate "
        f"is the same for every largest batch from 1 to 256, to {100 * (spread - 1):.0f} %. The profile is the time per "
        f"request at {clients.clients.max() * 2:,} clients, as clients over mean latency (Little's law); the printed "
        f"throughput counts only requests that fit into the measuring window, {100 * lost:.0f} % of them there. Mean, "
        f"90th and 99th percentile are predicted to {100 * median_share(busy.error_mean):.1f}, "
        f"{100 * median_share(busy.error_p90):.1f} and {100 * median_share(busy.error_p99):.1f} % in the median "
        f"({len(busy)} measurements). With fewer clients than instances ({len(idle)}) it is "
        f"{100 * median_share(idle.error_mean):.0f} %: the profile says what a request takes while all instances are "
        "busy, and an instance alone is faster on VGG-19, but slower on ResNet-50, where a request among idle instances "
        f"takes 13 to 18 ms. Counting no more instances than clients gives {100 * median_share(idle.error_mean_of_used):.0f} %."
    )


def run_text(collected: Collected) -> str:
    """How much was simulated."""
    length = float(collected.how["length"])
    seeds = int(collected.tables["servers"].seed.nunique())
    part = "" if length == 1.0 else f" {100 * length:g} % of that was simulated."
    return (
        f"Seed {collected.asked.seed}. As MLPerf asks, at least {LEAST_S:g} s and {LEAST_REQUESTS:,} requests per run, "
        f"{seeds} runs with seeds of their own at the load that was submitted under the first rule, one under every "
        f"other.{part} Largest loads are looked for with the first seed, so that all loads see the same gaps."
    )


def percentile_table(held: pd.DataFrame) -> Table:
    """Simulated and measured percentiles of every server."""
    rows = []
    for row in held.to_dict("records"):
        cells = [str(row["case"]), f"{row['submitted_rps']:,.0f}", f"{row['mean_batch']:.1f} of {row['batch']}"]
        for name in PERCENTILES:
            cells += [duration(row[name]), duration(row[f"measured_{name}"]), _error(row[f"error_{name}"])]
        rows.append(tuple(cells))
    columns = [
        f"{figures.ORDINALS[name]} {what}" for name in PERCENTILES for what in ("simulated", "measured", "error")
    ]
    return _table(
        "Percentiles of latency under the Poisson load that was submitted",
        ("server", "load (per s)", "mean batch", *columns),
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
            )
        )
    columns = ("server", "largest batch", "streams", "time-out", "batch 1, p50 (ms)", "p90 (ms)", "batch 8 (ms)")
    return _table(
        "From the results and the configurations that were published with them (data/mlperf)",
        (*columns, "Offline (per s)", "variation of inputs (%)"),
        rows,
    )


def group_table(held: pd.DataFrame) -> Table:
    """Errors by accelerator and model."""
    errors, sizes = group_errors(held), held.groupby("group").size()
    rows = [
        (str(group), str(sizes[group]), *(f"{100 * row[name]:.0f}" for name in PERCENTILES))
        for group, row in errors.iterrows()
    ]
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
    found = capacities(analyzer_runs())
    for (model, instances), own in clients.groupby(["model", "instances"]):
        busy, idle = own[own.clients >= instances], own[own.clients < instances]
        cells = (f"{100 * median_share(busy[f'error_{name}']):.1f}" for name in ("mean", "p90", "p99"))
        rows.append((str(model), str(instances), f"{found[model, instances].median():.0f}", *cells, *_idle(idle)))
    columns = ("model", "instances", "saturated (per s)", "mean (%)", "90th (%)", "99th (%)")
    fewer = ("fewer clients: mean (%)", "instances as clients (%)")
    return _table("Median of absolute errors", (*columns, *fewer), rows)


def _idle(idle: pd.DataFrame) -> tuple[str, str]:
    if idle.empty:
        return "–", "–"
    return f"{100 * median_share(idle.error_mean):.0f}", f"{100 * median_share(idle.error_mean_of_used):.0f}"


def batch_table(clients: pd.DataFrame) -> Table:
    """Errors of Triton's clients by the largest batch that was configured."""
    rows = []
    found = capacities(analyzer_runs())
    for largest, own in clients.groupby("largest_batch"):
        cells = (f"{100 * median_share(own[f'error_{name}']):.1f}" for name in ("mean", "p90", "p99"))
        rates = (f"{found[model, 5, largest]:.0f}" for model in sorted(clients.model.unique()))
        rows.append((str(largest), *rates, *cells))
    models = (f"{model}, 5 instances (per s)" for model in sorted(clients.model.unique()))
    columns = ("largest batch", *models, "mean (%)", "90th (%)", "99th (%)")
    return _table("Rates of the saturated server, and median of absolute errors", columns, rows)


def _error(share: float) -> str:
    return f"{100 * share:+.0f} %"


def _table(caption: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]], first: int = 1) -> Table:
    return Table(caption, tuple(columns), tuple(rows), frozenset(range(first, NUMERIC)), stacks=True)
