#!/usr/bin/env bash
# Runs train.check_rllib in a fresh virtual environment: a cluster of two nodes, one of which is killed in training.
# RECIPES_TORCH chooses the PyTorch that is installed, as in train/recipes/check.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RESPUBLICA_ENV_CACHE="${RESPUBLICA_ENV_CACHE:-$work/cache}" PIP_DISABLE_PIP_VERSION_CHECK=1
export OMP_NUM_THREADS=1 RAY_USAGE_STATS_ENABLED=0
python3 -m venv "$work/rllib"
"$work/rllib/bin/pip" install --quiet --upgrade pip
"$work/rllib/bin/pip" install --quiet "${RECIPES_TORCH:-torch}"
"$work/rllib/bin/pip" install --quiet --no-compile -e . -r train/recipes/requirements/rllib.txt tyro
timeout 600 "$work/rllib/bin/python" -m train.check_rllib
