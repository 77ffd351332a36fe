"""Learning from rewards, by TRL's GRPOTrainer in live environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import GrpoStage, TrainConfig
from envforge.train.checkpoints import last_checkpoint
from envforge.train.data.records import TrainingRow
from envforge.train.drawing import Drawing, trainer_row
from envforge.train.environment_factory import environment_classes
from envforge.train.host import EpisodeHost
from envforge.train.installed import library
from envforge.train.live import EpisodeLimits
from envforge.train.metrics_log import metrics_callback
from envforge.train.models import FINAL, adapter_config, save_model
from envforge.train.rollout_func import episode_reward, rollout_function
from envforge.train.run import Run
from envforge.train.sft import shared_settings
from envforge.train.steering import Steer, steered_trainer
from envforge.train.tokens import Template

Tried = Callable[[Any, int], None]
"""Called with the model after each step."""


def episode_host(run: Run, stage: GrpoStage) -> EpisodeHost:
    """Where the episodes of a stage are played."""
    return EpisodeHost(
        run.data.environments,
        run.data.assignments,
        limits=EpisodeLimits(stage.turns, stage.shown_bytes),
        rewarding=stage.rewarding,
        max_live=max(2 * stage.tasks * stage.rollouts, 2 * run.config.evaluation.batch),
        workers=run.config.workers,
    )


def context_of(run: Run, model: Any) -> int:
    """Tokens that a prompt and its trajectory may have together."""
    context = int(model.config.max_position_embeddings)
    return context if run.config.serving.engine == "transformers" else min(context, run.config.serving.longest)


def fitting_rows(
    run: Run, rows: Sequence[TrainingRow], template: Template, context: int, what: str
) -> list[TrainingRow]:
    """Rows whose prompts leave room for a whole trajectory; that others are left out stands in the report."""
    stage = run.config.grpo
    assert stage is not None
    room = context - stage.trajectory_tokens
    lengths = [len(template.prompt_ids(row.chat(), run.data.families[row.family])) for row in rows]
    fitting = [row for row, length in zip(rows, lengths, strict=True) if length <= room]
    if len(fitting) < len(rows):
        left = len(rows) - len(fitting)
        shortest = f", the shortest {min(lengths):,}" if not fitting else ""
        told = f"{what}: {left} tasks have prompts over {room:,} tokens{shortest}, and were left out"
        run.report.warnings += [told] if told not in run.report.warnings else []
    return fitting


def run_grpo(run: Run, model: Any, template: Template, host: EpisodeHost, tried: Tried | None = None) -> Any:
    """The model after the stage; a stage that was interrupted goes on from its last checkpoint."""
    stage = run.config.grpo
    assert stage is not None
    context = context_of(run, model)
    rows = fitting_rows(run, run.data.of_levels("train", stage.levels), template, context, "grpo")
    if not rows:
        message = f"no prompt fits: {context:,} tokens are there, {stage.trajectory_tokens:,} of them a trajectory's"
        remedy = "a larger context (serving.longest, model.own.context), shorter trajectories, or fewer tools"
        raise ConfigError(f"{message} ({run.report.warnings[-1]})", where="grpo.trajectory_tokens", remedy=remedy)
    drawing = Drawing(stage.curriculum, rows, run.config.seed, stage.curriculum_settings)
    trainer, callback = make_trainer(run, model, template, host, rows, drawing)
    callback.on_save_to = drawing.save
    if tried is not None:
        callback.after_step = partial(_after, trainer, tried)
    out = run.out / "grpo"
    checkpoint = last_checkpoint(out)
    drawing.restore(checkpoint)
    trainer.train(resume_from_checkpoint=checkpoint)
    steer: Steer = trainer.steer
    run.report.stages["grpo"] = {
        "steps": trainer.state.global_step,
        "tasks": len(rows),
        "batches": steer.batches,
        "unscored_rollouts": steer.unscored,
        "peak_gigabytes": peak_gigabytes(),
        "first_loss": callback.losses[0] if callback.losses else None,
        "last_loss": callback.losses[-1] if callback.losses else None,
    }
    if steer.batches and not steer.scored:
        run.report.warnings.append(f"grpo: no episode could be scored ({steer.why_unscored}): nothing was learnt")
    elif steer.batches and steer.equal_batches == steer.batches:
        run.report.warnings.append(
            "grpo: every rollout of a task got the same reward in every batch: nothing was learnt from rewards"
        )
    if trainer.state.global_step < stage.steps:
        run.report.stopped_at = trainer.state.global_step
    else:
        save_model(trainer, template, out / FINAL)
    return trainer.accelerator.unwrap_model(trainer.model)


def _after(trainer: Any, tried: Tried, step: int) -> None:
    tried(trainer.accelerator.unwrap_model(trainer.model), step)


def peak_gigabytes() -> float | None:
    """The most that torch held on a GPU; None: there is none."""
    torch: Any = library("torch")
    return round(torch.cuda.max_memory_allocated() / 2**30, 2) if torch.cuda.is_available() else None


def make_trainer(
    run: Run,
    model: Any,
    template: Template,
    host: EpisodeHost,
    rows: Sequence[TrainingRow],
    drawing: Drawing | None = None,
) -> tuple[Any, Any]:
    """The trainer, ready to go, and its callback. Without a drawing TRL draws the rows."""
    stage = run.config.grpo
    assert stage is not None
    trl, datasets = library("trl"), library("datasets")
    families = {name: run.data.families[name] for name in sorted({row.family for row in rows})}
    classes = environment_classes(families.values(), host)
    steer = Steer(host, families, drop_equal=stage.zero_variance == "drop", patience=stage.patience)
    if drawing is not None:
        steer.draw, steer.learn = drawing.draw, drawing.learn
    callback = metrics_callback("grpo", run.out, run.progress, run.stop_at)
    ours = stage.loop == "rollouts"
    more: dict[str, Any] = (
        {"rollout_func": rollout_function(steer, classes, template, stage), "reward_funcs": [episode_reward]}
        if ours
        else {"environment_factory": classes}
    )
    is_adapted = hasattr(model, "peft_config")
    trainer = steered_trainer(trl.GRPOTrainer)(
        model=model,
        args=trl.GRPOConfig(**grpo_settings(run, stage, template)),
        train_dataset=datasets.Dataset.from_list([trainer_row(row) for row in rows]),
        processing_class=template.tokenizer,
        callbacks=[callback],
        peft_config=None if is_adapted else adapter_config(run.config.model.adapter),
        **more,
    )
    trainer.remove_callback(library("transformers").PrinterCallback)
    trainer.steered_by(steer)
    return trainer, callback


def grpo_settings(run: Run, stage: GrpoStage, template: Template) -> dict[str, Any]:
    """What TRL is told."""
    processes = max(1, run.config.hardware.gpus)
    accumulation = stage.tasks * stage.rollouts // (stage.batch * processes)
    vllm = run.config.serving.engine != "transformers"
    settings: dict[str, Any] = {
        **shared_settings(run, str(run.out / "grpo")),
        "max_steps": stage.steps,
        "per_device_train_batch_size": stage.batch,
        "gradient_accumulation_steps": accumulation,
        "steps_per_generation": accumulation,
        "num_generations": stage.rollouts,
        "num_iterations": stage.passes,
        "learning_rate": stage.learning_rate,
        "warmup_steps": round(stage.warmup * stage.steps),
        "lr_scheduler_type": stage.schedule,
        "loss_type": stage.loss,
        "epsilon": stage.clip_low,
        "epsilon_high": stage.clip_high,
        "scale_rewards": stage.scale,
        "beta": stage.beta,
        "entropy_coef": stage.entropy,
        "temperature": stage.temperature,
        "max_completion_length": stage.trajectory_tokens,
        "max_tool_calling_iterations": stage.turns,
        "mask_truncated_completions": stage.truncated == "mask",
        "generation_kwargs": {"max_tokens" if vllm else "max_new_tokens": stage.turn_tokens},
        "chat_template_kwargs": dict(template.settings),
        "logging_steps": 1,
        "save_steps": stage.save_every,
    }
    return {**settings, **_vllm(run.config)} if vllm else settings


def _vllm(config: TrainConfig) -> dict[str, Any]:
    serving = config.serving
    colocated = serving.engine == "vllm-colocate"
    settings: dict[str, Any] = {
        "use_vllm": True,
        "vllm_mode": "colocate" if colocated else "server",
        "vllm_importance_sampling_correction": serving.correction != "none",
    }
    if serving.correction != "none":
        settings["vllm_importance_sampling_mode"] = serving.correction
        settings["vllm_importance_sampling_clip_max"] = serving.correction_cap
    if colocated:
        # Tensor parallel 1: episodes of different lengths leave the ranks at different turns.
        return {
            **settings,
            "vllm_gpu_memory_utilization": serving.memory,
            "vllm_tensor_parallel_size": 1,
            "vllm_max_model_length": serving.longest,
            "vllm_enable_sleep_mode": serving.sleep,
        }
    return {**settings, "vllm_server_base_url": serving.url}
