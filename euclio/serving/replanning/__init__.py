"""Re-planning while bandwidth changes: plans step by step, and the cost of staying near the last one (ours).

Clients move their cut as their bandwidth changes, so that the fleet is another one each step: a minute by Graft's
default (Graft §9), or a second. Graft plans again if a client cuts elsewhere (Graft §3). Here plans are also kept and
repaired, and both are compared with hindsight. `python -m euclio.serving.replanning` makes the table and the figure of
docs/findings/replanning.md.
"""
