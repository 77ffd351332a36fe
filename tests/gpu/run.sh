#!/usr/bin/env bash
# Training on one GPU, without a network: a random model of half a billion parameters in Qwen3's shape, made on the spot
# with our small vocabulary. It shows that generation, masks, memory, throughput and rewards work there; it says nothing
# of quality. Meant for one H200, at most 8 minutes; needs the extra `train` there.
#   tests/gpu/run.sh [OUT]        OUT: where the run and gpu.json go (a temporary folder)
set -euo pipefail
cd "$(dirname "$0")/../.."
OUT="${1:-$(mktemp -d)}"
PYTHON="${PYTHON:-python3}"
export PYTHONPATH="$PWD/pipeline${PYTHONPATH:+:$PYTHONPATH}" HF_HUB_OFFLINE=1 TRL_EXPERIMENTAL_SILENCE=1
"$PYTHON" -m envforge.cli.main doctor --train
"$PYTHON" -m envforge.cli.main train --config tests/gpu/random-05b.yaml --dry-run --out "$OUT/run"
timeout 400 "$PYTHON" -m envforge.cli.main train --config tests/gpu/random-05b.yaml --out "$OUT/run" --quiet
"$PYTHON" tests/gpu/figures.py "$OUT/run" "$OUT/gpu.json"
