import json
import math
import re
from fractions import Fraction

import block_tables
import pandas as pd
import pytest
from simulated_clusters import two_model_cluster, two_model_plan
from tiny_clusters import tiny_cluster

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.experiments.results.tables import load
from euclio.problems.pipeline import PipelineSpace, evaluate
from euclio.problems.pipeline.files import save_cluster
from euclio.report.analysis.statistics import mean
from euclio.serving.requests import GRID
from studies.page_builder import reproduce
from studies.papers.published import published_figures
from studies.ppipe import experiment, inputs
from studies.ppipe.cases import (
    GROUPS,
    MARGINS,
    RATIOS,
    SCALES,
    SMALLS,
    TESTBED,
    ClusterSampling,
    ablation_cases,
    group_cases,
    joined_cases,
    sampled_models,
    sensitivity_cases,
    small_cases,
    timeline_case,
)
from studies.ppipe.experiment import instance_files
from studies.ppipe.inputs import model_latencies, profile_measures, ratios_along_depth, sizes_of_maps
from studies.ppipe.measures import (
    at_highest_load,
    gains,
    highest_loads,
    mean_loads,
    more_pipelines,
    of_study,
    over_seeds,
    sensitivity,
    small_gains,
    small_loads,
    utilization,
)
from studies.ppipe.reasons import open_text
from studies.ppipe.serving import CVS, at_full_load, fit_table, fitted_cv, printed_reductions, search
from studies.ppipe.systems import DART, MANY, NP, PPIPE
from studies.ppipe.text import instance_blocks
from studies.study import Measurements


def tried(limits):
    """Loads that the search tries where each model's attainment falls to 0 above its limit."""
    found = []

    def attained(factor):
        found.append(factor)
        return [1.0 if factor <= limit else 0.0 for limit in limits]

    search(attained)
    return found


@pytest.mark.parametrize("limit", [0.0, *GRID])
def test_search_tries_the_highest_load_and_the_one_above(limit):
    found = tried([limit])
    assert {factor for factor in (limit, round(limit + 0.05, 2)) if 0 < factor <= 1} <= {round(f, 2) for f in found}


def test_search_halves_the_grid():
    assert len(tried([0.35])) <= 6


def test_search_ends_only_when_every_model_is_known():
    assert {0.3, 0.35, 0.8, 0.85} <= {round(f, 2) for f in tried([0.3, 0.8])}


def serving(attained, case="HC1-L G1", system=PPIPE, **columns):
    """Rows of one run: attainments by load, one per model."""
    return [
        {
            "case": case,
            "system": system,
            "arrivals": "poisson",
            "scheduler": "reservation",
            "model": f"m{k}",
            "load": factor,
            "attainment": attainment,
            "arrival_seed": 0,
            **columns,
        }
        for factor, models in attained.items()
        for k, attainment in enumerate(models)
    ]


TWO_MODELS = {0.5: (1.0, 0.99), 0.75: (0.99, 0.9), 1.0: (0.7, 0.5)}


def test_highest_load_is_the_greatest_with_99_percent():
    assert highest_loads(pd.DataFrame(serving(TWO_MODELS))).tolist() == [0.75, 0.5]


def test_highest_load_is_0_where_no_load_reaches_99_percent():
    assert highest_loads(pd.DataFrame(serving({0.05: (0.98,), 1.0: (0.1,)}))).tolist() == [0.0]


def test_loads_are_averaged_over_the_models_of_a_case():
    rows = serving(TWO_MODELS) + serving({0.5: (0.99, 0.2)}, system=NP)
    table = mean_loads(pd.DataFrame(rows), "poisson", "reservation")
    assert table.loc["HC1-L G1"].to_dict() == {NP: 0.25, PPIPE: 0.625}


def test_utilisation_counts_each_model_at_its_own_highest_load():
    """The first model holds 99 % up to 0.75 and uses 20 % there, the second up to 0.5 with 10 %: 30 % together."""
    rows = serving(TWO_MODELS, setup="HC1-L", high_class_own=0.4)
    for row in rows:
        row["low_class_own"] = {0.5: 0.1, 0.75: 0.2, 1.0: 0.3}[row["load"]]
    used = utilization(pd.DataFrame(rows))
    assert used[["high_class", "low_class"]].to_numpy().tolist() == [pytest.approx([80.0, 30.0])]


def test_full_load_of_each_model_is_what_the_plan_serves_of_it():
    """133.3 of `see` (weight 1) and 200 of `hear` (weight 2), although the plan is worth 100 per weight."""
    cluster, plan = two_model_cluster(), two_model_plan()
    rates = [model.throughput_rps for model in evaluate(cluster, plan, PipelineSpace()).models]
    assert [model.weight for model in at_full_load(cluster, plan).models] == rates == [Fraction(400, 3), 200]


def test_the_ablation_is_of_models_alone_on_the_terms_of_the_published_plans():
    """HC2-L, a margin of 10 %, three partitions (PPipe §7.4, artifact)."""
    (case,) = ablation_cases(["FCN"], 0)
    cluster = case.cluster()
    (model,) = cluster.models
    assert (cluster.max_partitions, model.margin_s / model.slo_s) == (3, Fraction(1, 10))
    assert [gpu.name for gpu in cluster.gpus] == ["L4", "T4"]


def test_the_least_batches_are_probed_where_the_mean_attainment_reaches_99_percent():
    rows = at_highest_load(pd.DataFrame(serving({0.5: (1.0, 0.98), 0.75: (0.99, 0.98)})))
    assert rows.load.tolist() == [0.5, 0.5]


def test_gain_is_relative_to_the_other_system():
    assert gains(pd.DataFrame({PPIPE: [0.9], NP: [0.6]}), NP).tolist() == pytest.approx([50.0])


def test_gain_over_a_system_that_serves_nothing_is_left_out_of_the_mean():
    gain = gains(pd.DataFrame({PPIPE: [0.9, 0.9], NP: [0.0, 0.6]}), NP)
    assert math.isinf(gain[0])
    assert mean(gain).value == pytest.approx(50.0)


def test_a_case_counts_for_all_its_studies():
    rows = pd.DataFrame({"studies": [f"{SCALES},{MARGINS}", RATIOS]})
    assert [len(of_study(rows, study)) for study in (SCALES, MARGINS, RATIOS)] == [1, 1, 1]


def test_sensitivity_joins_conditions_and_loads():
    same = {"setup": "HC1-S", "group": "FCN", "studies": SCALES, "slo_scale": 5.0, "margin": 0.4, "high": 4, "low": 12}
    rows = serving({0.5: (1.0,)}, system=NP, **same) + serving({0.75: (1.0,)}, **same)
    assert sensitivity(pd.DataFrame(rows), SCALES)[["slo_scale", "gain"]].to_numpy().tolist() == [[5.0, 50.0]]


def test_groups_are_served_on_four_clusters():
    assert len(group_cases(6, 0)) == 24


def test_conditions_vary_one_at_a_time():
    cases = sensitivity_cases(["FCN"], 0)
    default = [c for c in cases if set(c.studies) == {SCALES, RATIOS, MARGINS}]
    assert (len(cases), len(default)) == (len({c.name for c in cases}), 1)


def test_models_alone_are_served_on_four_small_clusters():
    cases = joined_cases([*sensitivity_cases(["FCN"], 0), timeline_case(0), *small_cases(["FCN"], 0)])
    own = [case for case in cases if TESTBED in case.studies]
    assert [case.setup for case in own] == ["HC1-S", "HC3-S", "HC2-S", "HC4-S"]
    assert len(cases) == len({case.name for case in cases})


def test_gains_on_the_testbed_are_of_loads_averaged_over_the_models():
    rows = []
    for setup in SMALLS:
        for model, loads in {"FCN": (0.5, 0.4, 0.6), "GCNet": (0.3, 0.6, 0.6)}.items():
            for system, factor in zip((NP, DART, PPIPE), loads, strict=True):
                same = {"setup": setup, "group": model, "studies": TESTBED}
                rows += serving({factor: (1.0,)}, case=f"{setup} {model}", system=system, **same)
    table = pd.DataFrame(rows)
    assert small_loads(table).loc["HC2-S", "FCN"].to_dict() == {NP: 0.5, DART: 0.4, PPIPE: 0.6}
    for base, gain in ((NP, 50.0), (DART, 20.0)):
        assert {setup: m.value for setup, m in small_gains(table, base).items()} == pytest.approx(
            dict.fromkeys(SMALLS, gain)
        )


def test_sampled_models_depend_on_the_seed_alone():
    assert sampled_models(4, 1) == sampled_models(4, 1)


def test_with_several_seeds_of_arrivals_a_number_is_their_mean():
    """One seed serves 50 %, another 60: the highest load is 55 %, and its interval is one over seeds."""
    rows = [row for seed, load in ((0, 0.5), (1, 0.6)) for row in serving({load: (1.0,)}, arrival_seed=seed)]
    found = over_seeds(pd.DataFrame(rows), lambda own: {"load": mean(mean_loads(own, "poisson", "reservation")[PPIPE])})
    assert found["load"].value == pytest.approx(0.55)
    assert (found["load"].low, found["load"].high, found["load"].n) == (0.5, 0.6, 2)


def test_stored_rows_give_the_same_highest_loads():
    """Of single models only the two ends of what was tried are kept; of groups everything."""
    alone = {"studies": TESTBED, "high_class": 0.5}
    rows = serving({0.5: (1.0, 0.98), 0.25: (1.0, 1.0), 0.75: (0.99, 0.2), 1.0: (0.3, 0.1)}, case="a", **alone)
    rows += serving({0.05: (0.2,)}, case="b", **alone) + serving(TWO_MODELS, studies=GROUPS, high_class=0.7)
    table = pd.DataFrame(rows)
    kept = inputs.reduced(table)
    pd.testing.assert_series_equal(highest_loads(kept), highest_loads(table), check_names=False)
    assert len(kept) == len(serving(TWO_MODELS)) + 2 * 2 + 1
    assert kept.high_class.dropna().tolist() == [0.7] * 6


def test_bursts_are_as_variable_as_the_reductions_that_are_printed():
    """Made of loads that fall as printed at one variability, and further at all others."""
    printed = printed_reductions()
    rows = []
    for system in printed:
        rows += serving({1.0: (1.0,)}, system=system, cv=math.nan)
    table = pd.DataFrame(rows)
    off = {cv: 0.05 * abs(k - 2) for k, cv in enumerate(CVS)}
    gamma = pd.concat(
        [
            pd.DataFrame(serving({printed[system] - off[cv]: (1.0,)}, system=system, cv=cv))
            for system in printed
            for cv in CVS
        ]
    )
    found = fit_table(pd.concat([table, gamma], ignore_index=True))
    assert fitted_cv(found) == CVS[2]
    assert found[found.cv == CVS[2]].error.tolist() == pytest.approx([0.0] * 3)


def plans(values, statuses=None):
    statuses = statuses or {}
    return pd.DataFrame(
        {"case": f"c{k}", "system": system, "planned_rps": value, "status": statuses.get(system, "optimal")}
        for system, row in values.items()
        for k, value in enumerate(row)
    )


def test_gain_of_many_pipelines_is_over_one_per_sequence():
    assert more_pipelines(plans({PPIPE: [100.0, 100.0], MANY: [100.0, 102.0]})).tolist() == pytest.approx([0, 2])


def test_gain_of_many_pipelines_needs_both_proofs():
    assert more_pipelines(plans({PPIPE: [100.0], MANY: [102.0]}, {PPIPE: "feasible"})).empty


def test_profiles_are_as_printed():
    found = profile_measures(model_latencies(0), ratios_along_depth(0), sizes_of_maps(0))
    figures = {figure.key: figure for figure in published_figures("ppipe") if figure.key in found}
    assert {figure.role for figure in figures.values()} == {"input"}
    # "3 MB to 50 MB" take the printed times only as units of 2^20 bytes.
    for key in ("transfer_least", "transfer_most"):
        time_s = found.pop(key).value * 2**20 / 10**6
        assert time_s == pytest.approx(figures.pop(key).value, rel=0.02)
    assert {key: m.value for key, m in found.items()} == pytest.approx(
        {key: figure.value for key, figure in figures.items()}, rel=0.05
    )


@pytest.mark.parametrize(
    ("statuses", "says"),
    [
        (["feasible"] * 7, "over 2 s on 7 of 7"),
        (["optimal", "feasible", "time limit"], "over 2 s on 2 of 3"),
        (["optimal"] * 2, "at most 2.61 s on all 2"),
    ],
)
def test_where_a_planner_is_open_its_limit_is_said_and_not_its_time(statuses, says):
    """A process that is stopped 0.6 s after its limit of 2 s was not open for 3 s."""
    rows = pd.DataFrame({"status": statuses, "wall_s": 2.61})
    assert open_text(rows) == says


def test_report_says_so_without_measured_instances():
    assert "No measured instances" in instance_blocks(pd.DataFrame())[1].text


def test_papers_without_measured_clusters_refuse_a_folder(capsys):
    assert main(["reproduce", "scrooge", "--instances", "somewhere"]) == 2
    assert "takes no measured instances" in capsys.readouterr().err


def test_a_named_folder_without_instances_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no instance files"):
        instance_files(tmp_path)


TINY = ClusterSampling(
    groups=1,
    models=1,
    seconds=0.1,
    measured_seconds=0.1,
    gpu_counts=(100,),
    columns_limit_s=1.0,
    printed_limit_s=0.5,
    groups_limit_s=0.5,
    measured_limit_s=0.5,
    blocks=4,
    unmerged_layers=12,
    arrival_seeds=2,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ppipe")
    (folder / "measured").mkdir()
    save_cluster(tiny_cluster(), folder / "measured" / "tiny.json")
    expected = {"tiny": {"no_partitioning": 1.0, "dart_r": 1.0, "reference_gurobi": 1.0, "found": 1.0}}
    (folder / "measured_expected.json").write_text(json.dumps(expected))
    table = block_tables.write_table(folder / "blocks.csv", block_tables.rows())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "SAMPLED", TINY)
        patch.setattr(inputs, "folder", lambda: folder / "stored")
        return reproduce(
            "ppipe", folder / "out", jobs=1, measurements=Measurements(folder / "measured", table, True)
        ).parent


@pytest.mark.slow
def test_report_holds_every_figure(report):
    page = (report / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 11 + 8
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_every_published_figure_is_in_the_scorecard(report):
    card = (report / "scorecard.md").read_text(encoding="utf-8")
    assert all(figure.what in card for figure in published_figures("ppipe"))


@pytest.mark.slow
def test_measured_instances_stand_next_to_their_references(report):
    page = (report / "index.html").read_text(encoding="utf-8")
    assert "Best known values met or beaten: 1 of 1" in page


@pytest.mark.slow
def test_measured_blocks_come_first_and_synthetic_layers_next_to_them(report):
    scores = load(report / "scorecard.parquet")[0].set_index("key")
    assert scores.artifact[["gain_np_poisson", "fcn_total", "fcn_l4"]].all()
    assert not scores.artifact[["p4_over_l4_least", "unmerged_80_s", "layers_mean"]].any()
    page = (report / "index.html").read_text(encoding="utf-8")
    assert "Printed numbers on the two inputs" in page
    assert "made now from the given artifact" in page


@pytest.mark.slow
def test_measured_blocks_are_served_with_each_seed_of_arrivals(report):
    served, _ = load(report / "measured-serving.parquet")
    groups = of_study(served, GROUPS)
    assert set(groups.arrival_seed) == {0, 1}
    runs = groups.groupby(["case", "system", "arrivals", "scheduler"]).arrival_seed.nunique()
    assert set(runs) == {2}


@pytest.mark.slow
def test_what_an_artifact_gives_is_shown_without_it(report):
    """What is stored is what was computed, with the hash of its clusters."""
    stored = report.parent / "stored"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "folder", lambda: stored)
        tables, known = inputs.load_stored()
    assert [one.name for one in known] == ["ppipe-measured"]
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table, load(report / f"measured-{name}.parquet")[0])


@pytest.mark.slow
def test_every_plan_and_load_has_a_row(report):
    table, provenance = load(report / "plans.parquet")
    served, _ = load(report / "serving.parquet")
    assert provenance["reproduction"] == "ppipe"
    assert table.groupby("system").case.nunique().to_dict() == {NP: 23, DART: 23, PPIPE: 24, MANY: 4}
    assert set(served.case) == set(table.case)
