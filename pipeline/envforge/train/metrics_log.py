"""metrics.jsonl: the figures of every step, whatever other reporters are there; times stand apart in timings.jsonl."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from envforge.core.contracts import Progress
from envforge.store.files import read_jsonl, write_jsonl
from envforge.train.installed import library

METRICS = "metrics.jsonl"
TIMINGS = "timings.jsonl"
_TIMES = ("runtime", "per_second", "step_time", "total_flos", "profiling/")
_REPORTERS = ("trackio", "tensorboard", "wandb")


def reporters() -> list[str]:
    """What else figures are told to: what is installed of it."""
    return [name for name in _REPORTERS if importlib.util.find_spec(name) is not None]


class MetricsLog:
    """Mixed into a callback of the trainer: writes figures, tells progress, and stops where it was told."""

    def __init__(self, stage: str, out: Path, progress: Progress, stop_at: int | None = None) -> None:
        self._stage, self._out, self._progress, self._stop_at = stage, out, progress, stop_at
        self.losses: list[float] = []
        self.on_save_to: Callable[[Path], None] | None = None
        """Told the folder of each checkpoint."""
        self.after_step: Callable[[int], None] | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """What stands in the files beyond the checkpoint is done again, and written again."""
        del args, control, more
        if not state.is_world_process_zero:
            return
        for name in (METRICS, TIMINGS):
            path = self._out / name
            if path.is_file():
                kept = [line for line in read_jsonl(path) if self._is_kept(line, state.global_step)]
                write_jsonl(path, kept)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **more: Any) -> None:
        """A step's figures."""
        del args, control, more
        if not state.is_world_process_zero or not logs:
            return
        numbers = {name: _plain(value) for name, value in sorted(logs.items()) if isinstance(value, int | float)}
        times = {name: value for name, value in numbers.items() if any(sign in name for sign in _TIMES)}
        told = {name: value for name, value in numbers.items() if name not in times}
        head = {"stage": self._stage, "step": state.global_step}
        # The trainer's summary at its end is about this process: a run that was stopped has several.
        if set(told) - {"epoch"} and "train_loss" not in told:
            _append(self._out / METRICS, {**head, **told})
        if times:
            _append(self._out / TIMINGS, {**head, **times})
        loss = told.get("loss")
        if isinstance(loss, float):
            self.losses.append(loss)

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """A checkpoint was written."""
        del control, more
        if self.on_save_to is not None and state.is_world_process_zero:
            self.on_save_to(Path(args.output_dir) / f"checkpoint-{state.global_step}")

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
        """After each step."""
        del args, more
        self._progress(self._stage, state.global_step, state.max_steps)
        if self.after_step is not None:
            self.after_step(state.global_step)
        if self._stop_at is not None and state.global_step >= self._stop_at:
            control.should_training_stop = True
            control.should_save = True
        return control

    def _is_kept(self, line: Mapping[str, Any], step: int) -> bool:
        return line.get("stage") != self._stage or int(line.get("step", 0)) <= step


def metrics_callback(stage: str, out: Path, progress: Progress, stop_at: int | None = None) -> Any:
    """The callback for a trainer."""
    base: Any = library("transformers").TrainerCallback
    return type("MetricsCallback", (MetricsLog, base), {})(stage, out, progress, stop_at)


def _plain(value: float) -> float | str:
    """JSON has no NaN: a figure that is none says so."""
    return value if math.isfinite(value) else str(value)


def _append(path: Path, line: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n")
