"""What a run on a GPU came to, as one JSON file; exit 1 when a figure that has to be there is not, or is no number."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

NEEDED = ("loss", "reward", "entropy", "episodes/turns", "episodes/infrastructure", "completions/mean_length")


def figures(run: Path) -> dict[str, Any]:
    """Of every step, with seconds, tokens a second and the memory that torch held at most."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    timings = [json.loads(line) for line in (run / "timings.jsonl").read_text().splitlines()]
    steps = [line for line in lines if line["stage"] == "grpo" and "loss" in line]
    seconds = [line["step_time"] for line in timings if line["stage"] == "grpo" and "step_time" in line]
    tokens = [line["num_tokens"] for line in steps]
    held = json.loads((run / "report.json").read_text())
    told: dict[str, Any] = {
        "steps": len(steps),
        "seconds_a_step": seconds,
        "tokens_a_second": round((tokens[-1] - tokens[0]) / max(sum(seconds[1:]), 1e-9), 1)
        if len(tokens) > 1
        else None,
        "peak_gigabytes": held["stages"]["grpo"].get("peak_gigabytes"),
        "first": {name: steps[0].get(name) for name in NEEDED},
        "last": {name: steps[-1].get(name) for name in NEEDED},
        "reward_columns": sorted(name for name in steps[-1] if name.startswith("reward")),
        "sft": held["stages"]["sft"],
    }
    return told


def main() -> int:
    """Write the figures, and check them."""
    run, out = Path(sys.argv[1]), Path(sys.argv[2])
    told = figures(run)
    out.write_text(json.dumps(told, indent=2) + "\n")
    print(json.dumps(told, indent=2))
    values = [told[when][name] for when in ("first", "last") for name in NEEDED]
    wrong = [value for value in values if not isinstance(value, int | float) or not math.isfinite(value)]
    return 1 if wrong or told["steps"] < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
