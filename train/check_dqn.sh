#!/usr/bin/env bash
# Runs train.check_dqn in a fresh virtual environment, with the release of Tianshou that its recipe is tested with.
# RECIPES_TORCH chooses the PyTorch that is installed, as in train/recipes/check.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RESPUBLICA_ENV_CACHE="${RESPUBLICA_ENV_CACHE:-$work/cache}" PIP_DISABLE_PIP_VERSION_CHECK=1
export OMP_NUM_THREADS=1
python3 -m venv "$work/dqn"
"$work/dqn/bin/pip" install --quiet --upgrade pip
"$work/dqn/bin/pip" install --quiet "${RECIPES_TORCH:-torch}"
"$work/dqn/bin/pip" install --quiet --no-compile -e ".[dqn]" -c train/recipes/requirements/shared.txt
"$work/dqn/bin/pip" check
timeout 600 "$work/dqn/bin/python" -m train.check_dqn
"$work/dqn/bin/python" -m train.dqn --steps 8192 --deals 0 --out "$work/run" >"$work/run.log" || { cat "$work/run.log"; exit 1; }
"$work/dqn/bin/python" -m train.evaluate --agents "$work/run/policy.onnx" random random random --deals 2
