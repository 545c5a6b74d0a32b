"""A policy, a dummy rule and a field of a plan space are named where they are declared, and in few other files."""

import ast
import pickle
import subprocess
import sys
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest
from places import ROOT
from tiny_sessions import tiny_session

from euclio.core.families import families
from euclio.core.space_fields import contains, described, in_words, options_of, space_fields
from euclio.files.plan_files import options_model
from euclio.problems.session import DummyRule, PlanSpace, Policy
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.policies import POLICIES, Form, Place
from euclio.problems.session.policies.kernels import own_latency, policy_code

PACKAGES = ("euclio", "heuristics", "formulations", "bruteforce")
POLICY_NAMES = {policy.name for policy in POLICIES}
CONSTANTS = {name.upper().replace("-", "_") for name in POLICY_NAMES}
RULES = {rule.name for rule in DummyRule}

OF_POLICIES = {
    "euclio/experiments/bench_set/export/check_plan.py": "one file for people without euclio, which has all in it",
    "euclio/problems/session/policies/": "the records",
    "euclio/problems/session/space.py": "the default",
    "euclio/workloads/session/designs.py": "the benchmark set's plan spaces",
    "studies/": "what papers compare",
    "studies/inference/": "the same",
    "heuristics/session/systems.py": "Table III, and Piccolo's rows",
    "heuristics/session/__init__.py": "Scrooge's own plan space",
    "heuristics/session/staffing": "people's rules and their plan space",
    "euclio/export/exporters.py": "a remedy names the policy whose plans hold behind a load balancer",
    "euclio/problems/session/demands.py": "Scrooge's own algorithms cover one policy",
    "euclio/proving/session/modules.py": "the independent prover writes the formulas again",
    "bruteforce/session/module_plans.py": "so does the enumeration",
}
OF_RULES = {
    "euclio/problems/session/rules.py": "the records",
    "euclio/problems/session/space.py": "the default",
    "euclio/problems/session/demands.py": "the options that a refusal proposes in place of what is not covered",
    "euclio/workloads/session/designs.py": "the benchmark set's plan spaces",
    "heuristics/session/systems.py": "Table III, and Piccolo's rows",
    "heuristics/session/__init__.py": "Scrooge's own plan space",
    "heuristics/session/staffing": "people's rules and their plan space",
    "studies/piccolo/example.py": "Piccolo's worked numbers",
    "euclio/serving/attainment/margins.py": "capacity that is kept free is paid for as dummies of any rate",
    "euclio/problems/session/deployed.py": "capacity of a machine or more that is free is dummies of any rate",
    "euclio/problems/session/evaluate.py": "a match over all rules",
    "euclio/problems/session/latency/bound.py": "a match over all rules",
    "euclio/proving/session/modules.py": "a match over all rules",
    "euclio/proving/session/integers.py": "codes for compiled functions",
    "euclio/proving/session/curves.py": "plans of whole machines under one rule that another rule's are made of",
    "euclio/problems/session/bought_whole.py": "the bound of packed plans has dummies at any rate",
    "euclio/problems/day/sharing.py": "machines that steps share have dummies at any rate",
    "bruteforce/session/bought_enumeration.py": "rule continuous has the plans of rule machine where machines are full",
    "bruteforce/session/plan_enumeration.py": "partial machines that are shared take no dummies",
    "euclio/proving/day/shared.py": "the bound of shared machines in a step has dummies at any rate",
    "formulations/session/surplus.py": "the same",
    "formulations/session/module/charged_in_integers.py": "plans whose last machine is not filled, as under rule none",
    "formulations/session/module/in_integers.py": "plans with a machine that dummies do not fill",
}


def naming(names: str, words: set[str], constants: set[str]) -> set[str]:
    """Files that name a member of a class, a word of its members or a constant called like one."""
    found = set()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                member = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == names
                word = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words
                constant = isinstance(node, ast.Name) and node.id in constants
                if (member and node.attr.isupper()) or word or constant:
                    found.add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize(
    ("names", "words", "constants", "allowed"),
    [("Policy", POLICY_NAMES, CONSTANTS, OF_POLICIES), ("DummyRule", set(), set(), OF_RULES)],
    ids=["policies", "rules"],
)
def test_it_is_named_in_few_files(names, words, constants, allowed):
    found = naming(names, words, constants)
    assert {file for file in found if not file.startswith(tuple(allowed))} == set()


def test_compiled_counterparts_agree_with_the_exact_latencies():
    place = Place(Fraction(3, 10), 4, Fraction(40, 3), 2, Fraction(5), Fraction(60), Fraction(70))
    for policy in POLICIES:
        if policy.form in (Form.FIXED, Form.EVEN, Form.GENERAL):
            numbers = [float(number) for number in place]
            assert own_latency(policy_code(policy), 0.0, *numbers) == pytest.approx(
                float(policy.whole(place)), rel=1e-15
            )
        if policy.form is Form.EVEN:
            exact = float(policy.partial(place))
            assert own_latency(policy_code(policy), 1.0, *numbers) == pytest.approx(exact, rel=1e-15)


def test_machine_code_follows_the_files_of_policies():
    for policy in POLICIES:
        if policy.floats is not None:
            assert "@compiled" in Path(policy.floats.__code__.co_filename).read_text()


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_field_is_declared_once(family):
    space = family.full_space
    names = [field.name for field in fields(space)]
    # Plan spaces of days name their machines where modules share them: files of the others are as before.
    written = list(space.describe()) or [name for name in names if family.name == "day"]
    assert list(space_fields(type(space))) == names == list(described(space)) == written
    assert {option.field for option in options_of(type(space))} <= set(names)
    assert set(names) <= set(options_model(type(space)).model_fields)
    # A plan space without fields has its own words for that.
    assert not space.describe() or in_words(space) == family.describe_space(space)
    assert contains(space, space)


def test_what_contains_what():
    full = PlanSpace()
    for narrow in (
        PlanSpace("rr", "none", 2, ("X",), True, False, False),
        PlanSpace(Policy.MACHINE_RATE),
        PlanSpace(dummy=DummyRule.NONE),
    ):
        assert contains(full, narrow)
        assert not contains(narrow, full)
    assert contains(PlanSpace(Policy.TC_SHARED), PlanSpace(Policy.RR))
    assert contains(PlanSpace(Policy.TC_SHARED), PlanSpace(Policy.RR_EVEN))
    assert not contains(full, PlanSpace(Policy.RR_EVEN))
    assert not contains(full, PlanSpace(Policy.TC_SHARED))
    assert not contains(full, PlanSpace(dummy=DummyRule.CONTINUOUS))
    assert contains(PlanSpace(max_allocations=3), PlanSpace(max_allocations=2))
    assert not contains(PlanSpace(max_allocations=3), full)


def test_arrays_sent_to_another_process_name_the_policy():
    arrays = session_arrays(tiny_session(), PlanSpace("rr"))
    kind, (plain,) = arrays.__reduce__()
    assert plain["policy"] is Policy.RR  # its code is an address, which means nothing elsewhere
    assert kind(plain).policy == arrays.policy
    code = "import sys, pickle; print(pickle.load(sys.stdin.buffer).policy < 0)"
    sent = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(arrays), capture_output=True, check=True)
    assert sent.stdout.strip() == b"True"
