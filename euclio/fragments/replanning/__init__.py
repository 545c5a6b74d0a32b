"""Re-planning while bandwidth moves: plans second by second, and what staying near the last one costs (ours).

Clients cut their network anew as their bandwidth changes, so that the fleet is another one each second. Graft plans it
anew; here plans are also kept and repaired, and both are set against what hindsight would have done.
`python -m euclio.fragments.replanning` makes the table and the figure of docs/findings/replanning.md.
"""
