"""The warm start: imitation of examples, by TRL's SFTTrainer. Only what the assistant says is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import SftStage
from envforge.train.checkpoints import last_checkpoint
from envforge.train.data.records import FamilyTools, SftExample
from envforge.train.installed import library
from envforge.train.metrics_log import metrics_callback, reporters
from envforge.train.models import FINAL, adapter_config, save_model
from envforge.train.run import Run
from envforge.train.tokens import Template

_NOT_TRAINED = -100


def sft_rows(
    examples: Sequence[SftExample], families: dict[str, FamilyTools], template: Template, stage: SftStage
) -> tuple[list[dict[str, list[int]]], int]:
    """Token ids with labels, and how many examples were too long. Raises ConfigError where none is left."""
    rows: list[dict[str, list[int]]] = []
    long, shortest = 0, 0
    for example in examples:
        if stage.levels and example.level not in stage.levels:
            continue
        ids, mask = template.masked(example, families[example.family])
        if len(ids) > stage.longest:
            long, shortest = long + 1, min(shortest or len(ids), len(ids))
            continue
        rows.append({"input_ids": ids, "labels": [i if m else _NOT_TRAINED for i, m in zip(ids, mask, strict=True)]})
    if not rows:
        remedy = f"the shortest has {shortest:,} tokens: raise it, or prepare easier levels"
        raise ConfigError(f"every example is longer than {stage.longest:,} tokens", where="sft.longest", remedy=remedy)
    return rows, long


def run_sft(run: Run, model: Any, template: Template) -> Any:
    """The model after the stage; a stage that was interrupted goes on from its last checkpoint."""
    stage = run.config.sft
    assert stage is not None
    rows, long = sft_rows(run.data.examples, run.data.families, template, stage)
    if long:
        run.report.warnings.append(f"sft: {long} examples are longer than {stage.longest:,} tokens and were left out")
    trl, datasets = library("trl"), library("datasets")
    out = run.out / "sft"
    callback = metrics_callback("sft", run.out, run.progress)
    trainer = trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(**_settings(run, stage, str(out))),
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=template.tokenizer,
        callbacks=[callback],
        peft_config=adapter_config(run.config.model.adapter),
    )
    trainer.remove_callback(library("transformers").PrinterCallback)
    trainer.train(resume_from_checkpoint=last_checkpoint(out))
    run.report.stages["sft"] = {
        "steps": trainer.state.global_step,
        "examples": len(rows),
        "left_out": long,
        "trained_tokens": sum(label != _NOT_TRAINED for row in rows for label in row["labels"]),
        "tokens": sum(len(row["input_ids"]) for row in rows),
        "first_loss": callback.losses[0] if callback.losses else None,
        "last_loss": callback.losses[-1] if callback.losses else None,
    }
    save_model(trainer, template, out / FINAL)
    return trainer.accelerator.unwrap_model(trainer.model)


def _settings(run: Run, stage: SftStage, out: str) -> dict[str, Any]:
    return {
        **shared_settings(run, out),
        "max_steps": stage.steps,
        "per_device_train_batch_size": stage.batch,
        "gradient_accumulation_steps": stage.accumulation,
        "learning_rate": stage.learning_rate,
        "warmup_steps": round(stage.warmup * stage.steps),
        "lr_scheduler_type": "cosine",
        "logging_steps": max(1, stage.steps // 50),
        "save_steps": stage.save_every,
        "max_length": None,
        "packing": False,
        "dataset_kwargs": {"skip_prepare_dataset": True},
        "dataset_num_proc": None,
    }


def shared_settings(run: Run, out: str) -> dict[str, Any]:
    """What both trainers are told alike."""
    return {
        "output_dir": out,
        "seed": run.config.seed,
        "data_seed": run.config.seed,
        "use_cpu": run.on_cpu,
        "bf16": not run.on_cpu,
        "gradient_checkpointing": not run.on_cpu,
        "save_strategy": "steps",
        "save_total_limit": 3,
        "report_to": reporters() or "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": not run.on_cpu,
        "logging_first_step": True,
        "push_to_hub": False,
    }
