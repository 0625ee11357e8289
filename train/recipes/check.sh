#!/usr/bin/env bash
# Runs every recipe for 2,000 steps, in fresh virtual environments: one for all libraries whose pins agree.
# RECIPES_TORCH chooses the PyTorch that is installed first, for instance RECIPES_TORCH=torch==2.13.0.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RESPUBLICA_ENV_CACHE="${RESPUBLICA_ENV_CACHE:-$work/cache}" PIP_DISABLE_PIP_VERSION_CHECK=1
export OMP_NUM_THREADS=1 # networks this small are learnt fastest so
export RAY_USAGE_STATS_ENABLED=0 WANDB_MODE=disabled

check() { # the name of a requirements file, then the recipes that it is for
    local requirements=$1
    shift
    printf '\n-- an environment for %s (%ss)\n' "$*" "$SECONDS"
    python3 -m venv "$work/$requirements"
    "$work/$requirements/bin/pip" install --quiet --upgrade pip
    "$work/$requirements/bin/pip" install --quiet "${RECIPES_TORCH:-torch}"
    # Python compiles what the recipes import; pip would compile everything that comes with it.
    "$work/$requirements/bin/pip" install --quiet --no-compile -e . -r "train/recipes/requirements/$requirements.txt"
    "$work/$requirements/bin/pip" check
    for recipe in "$@"; do
        printf -- '-- %s (%ss)\n' "$recipe" "$SECONDS"
        "$work/$requirements/bin/python" -m "train.recipes.$recipe" --steps 2000 >"$work/$recipe.log" 2>&1 ||
            { cat "$work/$recipe.log"; exit 1; }
        tail -n 1 "$work/$recipe.log"
    done
    rm -rf "${work:?}/$requirements"
}

check shared torchrl tianshou supersuit
check rllib rllib
check agilerl agilerl
