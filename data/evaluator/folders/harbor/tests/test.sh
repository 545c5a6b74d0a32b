#!/bin/bash
# euclio comes only now, so that no program could have been made with its exact solvers here.
set -e
mkdir -p /logs/verifier
echo 0 > /logs/verifier/reward.txt
python3 -m venv /tmp/scorer
/tmp/scorer/bin/pip install --quiet euclio==$version
/tmp/scorer/bin/python -I /tests/evaluate.py --test /app/initial_program.py > /logs/verifier/score.json
/tmp/scorer/bin/python -Ic "import json; print(json.load(open('/logs/verifier/score.json'))['score'])" > /logs/verifier/reward.txt
