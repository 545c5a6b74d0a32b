"""Re-planning while bandwidth moves: plans step by step, and what staying near the last one costs (ours).

Clients cut their network anew as their bandwidth changes, so that the fleet is another one each step: a minute by
Graft's default (Graft §9), or a second. Graft plans anew where a client cuts elsewhere (Graft §3); here plans are also
kept and repaired, and both are set against what hindsight would have done.
`python -m euclio.serving.replanning` makes the table and the figure of docs/findings/replanning.md.
"""
