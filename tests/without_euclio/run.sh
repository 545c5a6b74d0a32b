#!/bin/sh
# Try an exported benchmark set without euclio: a fresh virtual environment in an empty folder, with nothing but Python
# and the program of HiGHS (the wheel highsbox), and an empty environment. The Dockerfile next to it does the same in a
# container; this script is for machines that have none.
#
#   euclio bench-set export build/export
#   tests/without_euclio/run.sh build/export [--models 60] [--limit 30]
#
# PYTHON=python3.9 takes another Python.
set -eu
export_dir=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=$(command -v "${PYTHON:-python3}")
cp "$here/tally.py" "$folder/tally.py"
cd "$folder"
clean() { env -i PATH=/usr/bin:/bin HOME="$folder" LANG=C.UTF-8 "$@"; }
clean "$python" -m venv "$folder/venv"
clean "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: highsbox
clean "$folder/venv/bin/python" -m pip list --disable-pip-version-check
clean "$folder/venv/bin/python" "$folder/tally.py" "$export_dir" "$@"
