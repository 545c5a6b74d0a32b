"""The results of each family, for signatures."""

from __future__ import annotations

from euclio.core.result import Result
from euclio.files.plain_family import PlainSpace
from euclio.problems.day import DayEvaluation, DayPlan
from euclio.problems.fragments import FleetEvaluation, FragmentPlan, FragmentSpace
from euclio.problems.pipeline import PipelinePlan, PipelineSpace, PlanEvaluation
from euclio.problems.session import Evaluation, Plan, PlanSpace

SessionResult = Result[Plan, PlanSpace, Evaluation]
ClusterResult = Result[PipelinePlan, PipelineSpace, PlanEvaluation]
FleetResult = Result[FragmentPlan, FragmentSpace, FleetEvaluation]
DayResult = Result[DayPlan, PlainSpace, DayEvaluation]
