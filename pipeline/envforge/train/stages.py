"""The stages of a run, one after the other: model, warm start, rewards; tried before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from envforge.core.records.train_config import GrpoStage
from envforge.store.files import read_jsonl, write_jsonl
from envforge.train.data.records import SPLITS
from envforge.train.drawing import Drawing
from envforge.train.evaluation import Trial, chosen_rows, evaluate, summary
from envforge.train.grpo import context_of, episode_host, fitting_rows, run_grpo
from envforge.train.host import EpisodeHost
from envforge.train.installed import quiet
from envforge.train.models import FINAL, is_saved, open_model, open_saved
from envforge.train.processes import processes
from envforge.train.run import Run, TrainReport, finish, refuse_empty, typed_errors
from envforge.train.sft import run_sft
from envforge.train.tokens import Template

EVALUATIONS = "evaluations.jsonl"


def run_stages(run: Run) -> TrainReport:
    """Train, and write what came of it. An interrupted run goes on from its last checkpoint.

    Raises ConfigError for settings, data or models that do not fit, and for want of memory.
    """
    refuse_empty(run.config, run.data)
    stage = run.config.grpo
    if stage is not None:
        # Made only to be refused, if it has to be, before hours of a warm start and not after them.
        rows = run.data.of_levels("train", stage.levels)
        Drawing(stage.curriculum, rows, run.config.seed, stage.curriculum_settings)
    quiet()
    run.progress("model", 0, None)
    model, template = open_model(run.config, list(run.data.families.values()), run.data.examples)
    if run.config.sft is not None:
        with typed_errors("sft"):
            model = _warm(run, model, template)
        if processes() > 1 and run.config.grpo is not None and "found" not in run.report.stages["sft"]:
            # The weights lie spread over the processes as this trainer left them: the next one begins anew.
            run.report.warnings.append("the warm start is done; the same command goes on with rewards")
            return finish(run)
    if stage is not None:
        with episode_host(run, stage) as host, typed_errors("grpo"):
            _tried(run, model, template, host, stage, "base", 0)
            model = run_grpo(run, model, template, host, tried=_each(run, template, host, stage))
            if run.report.stopped_at is None:
                _tried(run, model, template, host, stage, "after", stage.steps)
    return finish(run)


def _warm(run: Run, model: Any, template: Template) -> Any:
    """The model after the warm start, which is not done twice."""
    final = run.out / "sft" / FINAL
    if is_saved(final):
        run.report.stages["sft"] = {"found": True}
        return open_saved(final, run.config.hardware.device)
    return run_sft(run, model, template)


def _each(run: Run, template: Template, host: EpisodeHost, stage: GrpoStage) -> Any:
    """What is called after each step of GRPO: it tries the model every so many."""
    every = run.config.evaluation.every

    def tried(model: Any, step: int) -> None:
        if every and step % every == 0 and step < stage.steps:
            _tried(run, model, template, host, stage, "during", step)

    return tried


def _tried(run: Run, model: Any, template: Template, host: EpisodeHost, stage: GrpoStage, when: str, step: int) -> None:
    """Success on what is held out, into the report and evaluations.jsonl."""
    plan = run.config.evaluation
    if processes() > 1:
        told = "with several processes nothing is tried meanwhile: envforge eval tries the folders `final`"
        run.report.warnings += [told] if told not in run.report.warnings else []
        return
    for split in SPLITS[1:]:
        rows = chosen_rows(run.data.of_levels(split, stage.levels), plan.tasks, run.config.seed)
        # As in training: a task that the model cannot be told in whole is no task that it failed.
        rows = fitting_rows(run, rows, template, context_of(run, model), split)
        if not rows:
            continue
        run.progress(f"trying on {split}", step, None)
        trial = Trial(
            split=split,
            rows=rows,
            samples=plan.samples,
            temperature=stage.temperature,
            turn_tokens=stage.turn_tokens,
            trajectory_tokens=stage.trajectory_tokens,
            rounds=stage.turns,
            batch=plan.batch,
            seed=run.config.seed,
        )
        scores = evaluate(model, template, host, run.data.families, trial)
        told = {"when": when, "step": step, **summary(split, scores)}
        run.report.evaluations.append(told)
        lines = [{"when": when, "step": step, "split": split, **vars(one)} for one in scores]
        _add(run.out / EVALUATIONS, when, step, split, lines)


def _add(path: Path, when: str, step: int, split: str, lines: list[dict[str, Any]]) -> None:
    """The scores of each task; those of the same trial that stand there already are replaced."""
    held = read_jsonl(path) if path.is_file() else []
    kept = [one for one in held if (one["when"], one["step"], one["split"]) != (when, step, split)]
    write_jsonl(path, [*kept, *lines])
