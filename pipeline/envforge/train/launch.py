"""Files and commands that a run on GPUs is started with: accelerate with DeepSpeed or FSDP, and a vLLM server."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import yaml

from envforge.core.records.train_config import Sharding, TrainConfig
from envforge.store.files import write_text

_ONE: dict[str, Any] = {
    "compute_environment": "LOCAL_MACHINE",
    "debug": False,
    "downcast_bf16": "no",
    "machine_rank": 0,
    "main_training_function": "main",
    "mixed_precision": "bf16",
    "num_machines": 1,
    "rdzv_backend": "static",
    "same_network": True,
    "use_cpu": False,
}


def accelerate_settings(gpus: int, sharding: Sharding) -> dict[str, Any]:
    """What `accelerate launch --config_file` reads."""
    settings: dict[str, Any] = {**_ONE, "num_processes": gpus}
    if sharding in ("zero2", "zero3"):
        stage = int(sharding[-1])
        deepspeed: dict[str, Any] = {
            "deepspeed_multinode_launcher": "standard",
            "offload_optimizer_device": "none",
            "offload_param_device": "none",
            "zero_stage": stage,
        }
        if stage == 3:
            deepspeed |= {"zero3_init_flag": True, "zero3_save_16bit_model": True}
        return {**settings, "distributed_type": "DEEPSPEED", "deepspeed_config": deepspeed}
    if sharding == "fsdp2":
        fsdp = {
            "fsdp_version": 2,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_cpu_ram_efficient_loading": True,
            "fsdp_offload_params": False,
            "fsdp_reshard_after_forward": True,
            "fsdp_state_dict_type": "FULL_STATE_DICT",
        }
        return {**settings, "distributed_type": "FSDP", "fsdp_config": fsdp}
    return {**settings, "distributed_type": "NO" if gpus == 1 else "MULTI_GPU"}


def launch_files(folder: Path) -> list[Path]:
    """Write a file for one GPU, and for eight in each way of sharing the weights. Raises StoreError."""
    written: list[Path] = []
    ways: list[tuple[int, Sharding]] = [(1, "none"), (8, "ddp"), (8, "zero2"), (8, "zero3"), (8, "fsdp2")]
    for gpus, sharding in ways:
        path = folder / launch_name(gpus, sharding)
        write_text(path, yaml.safe_dump(accelerate_settings(gpus, sharding), sort_keys=True))
        written.append(path)
    return written


def launch_name(gpus: int, sharding: Sharding) -> str:
    """The file for so many GPUs."""
    return f"accelerate-{gpus}gpu{'' if sharding == 'none' else f'-{sharding}'}.yaml"


def commands(config: TrainConfig, arguments: list[str], folder: Path) -> tuple[str, ...]:
    """What starts the run; `arguments` are those of `envforge train`."""
    told = shlex.join(["train", *arguments])
    if config.hardware.device == "cpu":
        return (f"OMP_NUM_THREADS=1 envforge {told}",)
    file = folder / launch_name(config.hardware.gpus, config.hardware.sharding)
    start = f"accelerate launch --config_file {shlex.quote(str(file))} --module envforge.cli.main {told}"
    stages = [start, f"{start}   # again: the second stage"] if config.hardware.gpus > 1 and config.sft else [start]
    if config.serving.engine != "vllm-server":
        return tuple(stages)
    serving = config.serving
    server = (
        f"vllm serve {shlex.quote(config.model.base)} --port {serving.url.rsplit(':', 1)[-1]} "
        f"--max-model-len {serving.longest} "
        '--logprobs-mode processed_logprobs --max-logprobs -1 --weight-transfer-config \'{"backend": "nccl"}\''
    )
    return (f"VLLM_SERVER_DEV_MODE=1 {server}   # on GPUs of its own", *stages)
