from euclio.studies.scorecard import score_line
from euclio.studies.study import Text


def text(collected, scores):
    return Text(summary=[], tally="", sections=[], run=[], headlines=[score_line(s) for s in scores])
